import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FastifyInstance, fastify } from 'fastify';
import { silentLogger } from '../../test/support/sandbox.ts';
import { closeStalledReaders } from './stalled-readers.ts';

/** A minute is a fifth of a second here, and so is what a stop waits. */
const LIMIT_MS = 200;
const ANSWER_BYTES = 24_000_000;

interface Served {
  readonly app: FastifyInstance;
  readonly port: number;
  /** Answers that are being made. */
  making: number;
  closed: number;
}

async function served(limitMs = LIMIT_MS): Promise<Served> {
  const app = fastify();
  const made: Served = { app, port: 0, making: 0, closed: 0 };
  async function* pieces() {
    made.making++;
    try {
      for (let sent = 0; sent < ANSWER_BYTES; sent += 100_000) yield 'x'.repeat(100_000);
    } finally {
      made.making--;
    }
  }
  app.get('/file', async (_request, reply) => reply.send(Readable.from(pieces(), { objectMode: false })));
  app.get('/late', async () => {
    await sleep(3 * LIMIT_MS);
    return 'here';
  });
  closeStalledReaders(app, app.server, silentLogger, {
    limitMs,
    stopLimitMs: LIMIT_MS,
    lookEveryMs: 20,
    onClosed: () => made.closed++,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return Object.assign(made, { port: (app.server.address() as AddressInfo).port });
}

function asked(port: number, path: string): Socket {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !isSo(); await sleep(10))
    assert.ok(performance.now() < end, 'it never came');
}

test('a file that nobody reads is broken off, and nothing of it stays', async (t) => {
  const made = await served();
  t.after(() => made.app.close());
  const socket = asked(made.port, '/file').pause();
  t.after(() => socket.destroy());
  await until(() => made.making === 1);
  await until(() => made.making === 0);
  assert.equal(made.closed, 1);
  assert.equal(await new Promise((resolve) => made.app.server.getConnections((_, n) => resolve(n))), 0);
});

test('who reads slowly gets all of it, and who waits for an answer is left alone', async (t) => {
  const made = await served();
  t.after(() => made.app.close());
  const late = once(asked(made.port, '/late'), 'data');
  const socket = asked(made.port, '/file');
  t.after(() => socket.destroy());
  let bytes = 0;
  const begun = performance.now();
  for await (const piece of socket) {
    bytes += (piece as Buffer).length;
    if (bytes > ANSWER_BYTES) break;
    // Twelve times the limit in all, and never as long as it.
    await sleep((2_400 * (piece as Buffer).length) / ANSWER_BYTES);
  }
  assert.ok(performance.now() - begun > 2 * LIMIT_MS);
  assert.match(String((await late)[0]), /^HTTP\/1\.1 200/);
  assert.equal(made.closed, 0);
});

test('a stop does not wait for somebody who does not read', async (t) => {
  const made = await served(60_000);
  const socket = asked(made.port, '/file').pause();
  t.after(() => socket.destroy());
  await until(() => made.making === 1);
  await made.app.close();
  assert.equal(made.closed, 1);
});
