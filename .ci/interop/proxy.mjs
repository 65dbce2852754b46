// Lets the conformance tests in, which cannot send a token: adds it, and names our port where they name this one.
// A foreign `Host` or `Origin` goes through as it is, since refusing those is what is tested.
//
//     node proxy.mjs DAEMON_PORT TOKEN      prints its own port
import http from 'node:http';

const [port, token] = process.argv.slice(2);

const proxy = http.createServer((request, response) => {
  const own = proxy.address().port;
  const names = ['localhost', '127.0.0.1'];
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  if (names.some((name) => headers.host === `${name}:${own}`)) headers.host = `127.0.0.1:${port}`;
  if (names.some((name) => headers.origin === `http://${name}:${own}`)) headers.origin = `http://127.0.0.1:${port}`;
  const { method, url } = request;
  const upstream = http.request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
});
proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port));
