import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { fastify } from 'fastify';
import { sharedAddresses } from '../api.ts';
import { limitConnections, oneLargeAtATime, passOverEnded } from './connections.ts';

const ended: (() => unknown)[] = [];
after(() => Promise.all(ended.map((end) => end())));

function opened(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  ended.push(() => socket.destroy());
  return socket;
}

test('an address has so many connections, and one that ends makes room', async () => {
  const server = createServer((_request, response) => response.end('here'));
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  const refused: string[] = [];
  const onRefused = (reason: string) => refused.push(reason);
  limitConnections(server, { perAddress: 3, newPerSecond: 1_000, isShared: () => false, onRefused });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ended.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const first = Array.from({ length: 3 }, () => opened(port));
  await Promise.all(first.map((socket) => once(socket, 'connect')));
  const beyond = opened(port);
  await once(beyond, 'close');
  assert.deepEqual(refused, ['address']);
  assert.ok(first.every((socket) => !socket.destroyed));
  const ends = once(accepted[0] ?? assert.fail('none'), 'close');
  first[0]?.destroy();
  await ends;
  const next = opened(port);
  next.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(next, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200/);
});

test('an address opens so many connections in a second, whatever becomes of them', async () => {
  const server = createServer();
  const refused: string[] = [];
  const onRefused = (reason: string) => refused.push(reason);
  const time = { now: 0 };
  limitConnections(server, {
    ...{ perAddress: 100, newPerSecond: 3, isShared: () => false },
    ...{ onRefused, now: () => time.now },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ended.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  /** Connects, and leaves where it is let in. */
  const isLetIn = async () => {
    const before = refused.length;
    const seen = once(server, 'connection');
    const socket = opened(port);
    await seen;
    socket.destroy();
    return refused.length === before;
  };
  const knock = async (times: number) => {
    const letIn: boolean[] = [];
    for (let n = 0; n < times; n++) letIn.push(await isLetIn());
    return letIn;
  };
  assert.deepEqual(await knock(5), [true, true, true, false, false]);
  time.now = 999;
  assert.deepEqual(await knock(1), [false]);
  time.now = 1_000;
  assert.deepEqual(await knock(4), [true, true, true, false]);
  assert.deepEqual(new Set(refused), new Set(['rate']));
});

test('proxies and this machine are shared by many', () => {
  const isShared = sharedAddresses(['10.0.0.0/8', '2001:db8::7']);
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '10.1.2.3', '2001:db8::7'])
    assert.ok(isShared(address), address);
  for (const address of ['11.0.0.1', '2001:db8::8', '', 'x']) assert.ok(!isShared(address), address);
});

test('of large answers one is made at a time for a connection', async () => {
  // More than the system takes off our hands for a reader that does not read.
  const large = Buffer.alloc(24_000_000, 'x');
  const app = fastify();
  let made = 0;
  app.get('/large', { onRequest: oneLargeAtATime }, async () => {
    made += 1;
    return large;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  ended.push(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const socket = opened(port);
  socket.pause();
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  const other = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/large`, { method: 'HEAD' });
    assert.equal(answer.status, 200, 'others are answered meanwhile');
  };
  await other();
  assert.equal(made, 2, 'one for each connection');
  let bytes = 0;
  for await (const chunk of socket) {
    bytes += (chunk as Buffer).length;
    if (bytes > 3 * large.length) break;
  }
  assert.equal(made, 4);
  // One that leaves takes what waits behind it along.
  const gone = opened(port);
  gone.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  await once(gone, 'data');
  gone.destroy();
  await other();
  assert.equal(made, 6);
});

test('what comes in one packet behind the request that ends the connection is not begun', async () => {
  let begun = 0;
  const server = createServer((request) => {
    begun += 1;
    if (begun === 3) request.socket.destroy();
  });
  passOverEnded(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ended.push(() => server.close());
  const socket = opened((server.address() as AddressInfo).port);
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300));
  await once(socket, 'close');
  assert.equal(begun, 3);
});
