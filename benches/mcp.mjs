// The numbers of docs/performance.md, "MCP and events". See `benches/mcp`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const binary = process.argv[2];
const { HOME, STRING_ROOT } = process.env;
const CALLS = 2000;
const WARM = 300;
const ROUNDS = 5;
const READERS = 1000;
const POSTS = 4000;
const SENDERS = 32;

const string = (...words) => spawnSync(binary, words, { encoding: 'utf8' }).stdout;
const megabytes = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const children = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
const family = (pid) => [pid, ...children(pid).flatMap(family)];
const percentile = (times, part) => [...times].sort((a, b) => a - b)[Math.floor(times.length * part)];

// Starts a server, calls its tool again and again, and says what that took.
async function measure(name, command, args, tool, toolArguments) {
  const started = performance.now();
  const transport = new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  const ready = performance.now() - started;
  const call = () => client.callTool({ name: tool, arguments: toolArguments });
  const first = await call();
  if (first.isError) throw new Error(`${name}: ${first.content[0].text}`);
  for (let at = 0; at < WARM; at += 1) await call();
  const times = [];
  for (let at = 0; at < CALLS; at += 1) {
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  const memory = family(transport.pid).map(megabytes).reduce((a, b) => a + b, 0);
  await client.close();
  const result = { name, ready, median: percentile(times, 0.5), p99: percentile(times, 0.99), memory };
  console.log(
    `${name.padEnd(34)} ready ${ready.toFixed(0).padStart(4)} ms   median ${result.median.toFixed(3)} ms   ` +
      `p99 ${result.p99.toFixed(3)} ms   memory ${memory.toFixed(1)} MB`,
  );
  return result;
}

const text = `# Notes\n\n${'A line of a document that is five kilobytes long.\n'.repeat(100)}`.slice(0, 5 * 1024);
mkdirSync(`${HOME}/docs`, { recursive: true });
writeFileSync(`${HOME}/docs/notes.md`, text);
const server = (name) => `node_modules/@modelcontextprotocol/${name}/dist/index.js`;
const status = () => JSON.parse(string('system', 'status', '--json'));

status();
const echo = () => measure('server-everything, echo', 'node', [server('server-everything')], 'echo', { message: 'hi' });
const read = () =>
  measure('server-filesystem, read_text_file', 'node', [server('server-filesystem'), HOME], 'read_text_file', {
    path: `${HOME}/docs/notes.md`,
  });
const ours = (name, cmd) => () => measure(`string --mcp, ${name}`, binary, ['--mcp'], 'string', { topic: 'main', cmd });
const info = ours('/info', '/info');
const open = ours('/open of 5 KB', '/open docs/notes.md');

// The client itself gets faster while it runs, so everybody has a turn in each round. What counts is the middle one.
async function compare(name, theirs, ours) {
  const ratios = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [slow, fast] = [await theirs(), await ours()];
    ratios.push(slow.median / fast.median);
  }
  const shown = ratios.map((ratio) => ratio.toFixed(1)).join(', ');
  console.log(`${name}: ${percentile(ratios, 0.5).toFixed(1)} × (${shown})`);
}
await compare('/info against echo', echo, info);
await compare('/open against read_text_file', read, open);
const { pid, port } = status();
console.log(`the daemon behind string --mcp: ${megabytes(pid).toFixed(1)} MB`);

// Posts as fast as answers come, each of them stored durably before its answer.
async function webhook() {
  const url = new URL(string('--raw', 'event', 'webhook', 'show').trim());
  const agent = new http.Agent({ keepAlive: true, maxSockets: SENDERS });
  const post = () =>
    new Promise((resolve, reject) => {
      const request = http.request(url, { method: 'POST', agent }, (answer) => {
        answer.resume();
        answer.on('end', () => (answer.statusCode === 202 ? resolve() : reject(new Error(`status ${answer.statusCode}`))));
      });
      request.on('error', reject);
      request.end('The build is green.');
    });
  let left = POSTS;
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      await post();
    }
  };
  const before = performance.now();
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const seconds = (performance.now() - before) / 1000;
  agent.destroy();
  console.log(`webhook: ${(POSTS / seconds).toFixed(0)} posts/s stored durably, ${SENDERS} senders`);
  string('event', 'clear', '--all');
}
await webhook();

// Readers that wait for events which do not come.
async function readers() {
  const headers = { Authorization: `Bearer ${readFileSync(`${STRING_ROOT}/run/token`, 'utf8').trim()}` };
  const before = megabytes(pid);
  const reader = () =>
    new Promise((resolve, reject) => {
      const request = http.get({ host: '127.0.0.1', port, path: '/events/stream', headers, agent: false }, (answer) => {
        answer.resume();
        answer.statusCode === 200 ? resolve(request) : reject(new Error(`status ${answer.statusCode}`));
      });
      request.on('error', reject);
    });
  const open = [];
  for (let at = 0; at < READERS; at += 50) open.push(...(await Promise.all(Array.from({ length: 50 }, reader))));
  const during = megabytes(pid);
  console.log(`${READERS} idle SSE readers: ${during.toFixed(1)} MB in all, ${before.toFixed(1)} MB before`);
  open.forEach((request) => request.destroy());
}
await readers();

// Without a daemon at first: it starts with the client.
string('--daemon', 'stop');
await measure('string --mcp, daemon not running', binary, ['--mcp'], 'string', { topic: 'main', cmd: '/info' });
process.exit(0);
