import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startExampleService } from '../../test/support/acceptance.ts';
import type { TestService } from '../../test/support/service.ts';
import { PIPELINED_MAX } from './connections.ts';
import { preparePublicDocument } from './public-document.ts';

/** What this process has loaded. */
const loaded: string[] = [];
registerHooks({
  resolve: (specifier, context, next) => {
    loaded.push(specifier);
    return next(specifier, context);
  },
});

let service: TestService;
/** MiB, from before it was first asked for until all of it was there. */
let grownByDocumentation: number;
/** Of them, of what is kept. */
let keptOfDocumentation: number;
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const SCRIPT = '/docs/try/js/scalar.js';

before(async () => {
  service = await startExampleService();
  collect();
  const before = process.memoryUsage();
  for (const path of ['/docs/', '/docs/try/']) assert.equal((await get(path)).status, '200');
  // What the first one finds is let go beside this thread, and what the end of the processes held only then.
  for (let i = 0; i < 3; i++) {
    collect();
    await setImmediate();
  }
  const now = process.memoryUsage();
  grownByDocumentation = (now.rss - before.rss) / 2 ** 20;
  keptOfDocumentation = (now.arrayBuffers - before.arrayBuffers) / 2 ** 20;
});

/** With the headers as they are: fetch would ask for codings and take them off by itself. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number.parseInt(port, 10) });
  const lines = Object.entries({ Host: 'x', Connection: 'close', ...headers }).map(([k, v]) => `${k}: ${v}`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const answer = Buffer.concat(await socket.toArray());
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.toString('latin1', 0, end);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1];
  return { status: head.split(' ')[1], header, body: answer.subarray(end + 4) };
}

test('public documents come in the coding that is asked for, and say the same in each', async () => {
  const plain = await get(SCRIPT);
  assert.equal(plain.header('content-encoding'), undefined);
  assert.ok(plain.body.length > 1_000_000);
  for (const [accepted, coding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['GZIP;q=0.5', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const) {
    const answer = await get(SCRIPT, { 'Accept-Encoding': accepted });
    assert.equal(answer.header('content-encoding'), coding);
    assert.equal(answer.header('vary'), 'Accept-Encoding');
    assert.ok(answer.body.length < plain.body.length / 2);
    assert.ok(decode(answer.body).equals(plain.body));
  }
  const refused = await get(SCRIPT, { 'Accept-Encoding': 'br;q=0.0, gzip;q=0' });
  assert.equal(refused.header('content-encoding'), undefined);
});

test('who has a public document is told so', async () => {
  for (const path of [SCRIPT, '/docs/', '/docs/try/', '/openapi.json', '/openapi-customer.json']) {
    for (const coding of ['br', 'gzip', 'identity']) {
      const first = await get(path, { 'Accept-Encoding': coding });
      const tag = first.header('etag') ?? '';
      assert.match(tag, /^"[\w-]{43}-\w+"$/);
      assert.match(first.header('cache-control') ?? '', /^public, (max-age=\d+|no-cache)$/);
      const again = await get(path, { 'Accept-Encoding': coding, 'If-None-Match': `W/${tag}` });
      assert.deepEqual([again.status, again.body.length], ['304', 0]);
    }
  }
  const other = await get('/openapi.json', { 'If-None-Match': '"x"' });
  assert.deepEqual([other.status, JSON.parse(String(other.body)).openapi], ['200', '3.1.0']);
});

test('the documentation is made by other processes, so nobody waits for their libraries, and their memory goes with them', async () => {
  for (const path of ['/docs/', '/docs/try/', SCRIPT]) assert.equal((await get(path)).status, '200');
  assert.ok(grownByDocumentation < 150, `${grownByDocumentation} MiB more`);
  await import('./sentences.ts');
  assert.ok(loaded.includes('./sentences.ts'), 'what this process loads is seen');
  assert.deepEqual(
    loaded.filter((specifier) => /^@(scalar|11ty)/.test(specifier)),
    [],
  );
});

test('a thousand pages and the page that sends requests are kept in little memory', async () => {
  // As they are, without being compressed, they have 18 MiB.
  assert.ok(keptOfDocumentation < 12, `${keptOfDocumentation} MiB`);
  const script = await get(SCRIPT, { 'Accept-Encoding': 'identity' });
  assert.equal(script.header('content-length'), String(script.body.length));
});

test('a thousand pages that are prepared at once do not have their encoders at once', async () => {
  const page = Array.from({ length: 400 }, (_, i) => `<p>line ${i} ${(i * 7_919) % 1_000}</p>`).join('\n');
  const before = process.memoryUsage().rss;
  await Promise.all(Array.from({ length: 1_000 }, () => preparePublicDocument('text/html', page)));
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  // Encoders that wait for their turn would have 400 MiB.
  assert.ok(grown < 150, `${grown} MiB more`);
});

/** Sends requests ahead and reads what comes until the connection ends or so many answers are there. */
async function pipeline(path: string, requests: number): Promise<number> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number.parseInt(port, 10) });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(requests));
  let answers = 0;
  for await (const chunk of socket) {
    answers += String(chunk).match(/HTTP\/1\.1 200/g)?.length ?? 0;
    if (answers >= requests) socket.end();
  }
  return answers;
}

test('requests sent ahead are answered up to a number, and the connection ends beyond it', async () => {
  assert.equal(await pipeline('/healthz', PIPELINED_MAX), PIPELINED_MAX);
  assert.equal(await pipeline('/healthz', PIPELINED_MAX + 1), 0, 'in one packet, none is answered before');
  assert.equal((await get('/healthz')).status, '200', 'others are served');
});

test('hundreds of requests for the largest page, on many connections, leave memory as it was', async () => {
  await get(SCRIPT);
  const resident = () => process.memoryUsage().rss / 2 ** 20;
  const before = resident();
  // Nobody reads the answers: what waits for a slow reader is what counts.
  const { hostname, port } = new URL(service.baseUrl);
  const sockets = Array.from({ length: 10 }, () => {
    const socket = connect({ host: hostname, port: Number.parseInt(port, 10) });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(`GET ${SCRIPT} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(30));
    return socket;
  });
  // Each is answered after those, so they have been taken.
  for (let i = 0; i < 5; i++) assert.equal((await get('/healthz')).status, '200');
  const grown = resident() - before;
  for (const socket of sockets) socket.destroy();
  assert.ok(grown < 100, `${grown} MiB more`);
});

test('hundreds of requests that nobody reads the answers of take next to no memory', async () => {
  await get(SCRIPT);
  const { hostname, port } = new URL(service.baseUrl);
  const before = process.memoryUsage().rss;
  const request = `GET ${SCRIPT} HTTP/1.1\r\nHost: x\r\n\r\n`;
  // 300 in one packet, and as many as a connection may send ahead on ten of them.
  const sockets = [300, ...Array.from({ length: 10 }, () => PIPELINED_MAX - 2)].map((count) => {
    const socket = connect({ host: hostname, port: Number.parseInt(port, 10) });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(request.repeat(count));
    return socket;
  });
  const health = await get('/healthz');
  assert.equal(health.status, '200');
  let most = 0;
  for (let i = 0; i < 20; i++) {
    await get('/healthz');
    most = Math.max(most, process.memoryUsage().rss - before);
  }
  for (const socket of sockets) socket.destroy();
  assert.ok(most < 100 * 1024 * 1024, `${Math.round(most / 1024 / 1024)} MB more`);
});
