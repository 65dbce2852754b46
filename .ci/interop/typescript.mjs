// The official TypeScript client against `string --mcp` and `/mcp`: what every client relies on, once over each.
//
//     node typescript.mjs STRING_BINARY HTTP_ADDRESS TOKEN
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [binary, address, token] = process.argv.slice(2);

async function speak(name, transport) {
  const client = new Client({ name: 'interop', version: '1.0.0' });
  const updated = new Map();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated.get(params.uri)?.());
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, 'string');

  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ['string']);
  assert.ok(JSON.stringify(tools).length < 4096);

  const call = (topic, cmd, options) =>
    client.callTool({ name: 'string', arguments: { topic, cmd } }, undefined, options);
  const text = (result) => result.content[0].text;
  const info = await call('interop', '/info');
  assert.equal(info.isError, false);
  assert.match(text(info), /^<𝒞=string:interop>\nSession info\n/);
  const missing = await call('interop', '/open missing.md');
  assert.equal(missing.isError, true);
  assert.match(text(missing), /ERROR\(NOT_FOUND\)/);

  const uri = 'string://topic/interop';
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === uri));
  const { contents } = await client.readResource({ uri });
  assert.match(contents[0].text, /interop/);
  await client.subscribeResource({ uri });
  const told = new Promise((resolve) => updated.set(uri, resolve));
  await call('interop', '/topics');
  await told;
  await client.unsubscribeResource({ uri });

  // Cancelled once it is known to run: the shell is free again at once.
  const abort = new AbortController();
  const topic = `bash:${name}`;
  const endless = call(topic, 'echo has begun; cat', {
    signal: abort.signal,
    onprogress: ({ message }) => message?.includes('has begun') && abort.abort('enough'),
  });
  await assert.rejects(endless);
  assert.match(text(await call(topic, 'echo free again')), /free again/);
  await client.ping();
  await client.close();
  console.log(`typescript ${name}: ok`);
}

await speak('stdio', new StdioClientTransport({ command: binary, args: ['--mcp'], env: process.env }));
const headers = { Authorization: `Bearer ${token}` };
await speak('http', new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }));
