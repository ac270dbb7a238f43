import assert from 'node:assert/strict';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fastify } from 'fastify';
import { EventStreamParser } from '../../test/support/event-stream.ts';
import { BACKLOG_MAX_BYTES, BEHIND_MAX_MS } from './connection.ts';
import { answerEventStream, type EventStreamTransport } from './event-stream.ts';
import { SendQueues } from './send-queues.ts';
import { createStreamDesk } from './test-support.ts';

/** Event streams over real sockets, on a hub whose beats the test gives. */

const app = fastify();
const waiting: ((transport: EventStreamTransport, gone: (react: () => void) => void) => void)[] = [];
app.decorateRequest('answeredAfterMs', undefined);
app.get('/', (request, reply) => {
  let react = () => {};
  const transport = answerEventStream(request, reply, () => react());
  waiting.shift()?.(transport, (found) => {
    react = found;
  });
});
const held = Promise.withResolvers<void>();
app.get('/held', async () => {
  await held.promise;
  return 'first';
});
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
after(() => app.close());

/** Asks for the stream over a bare socket and answers both ends. */
async function openSocket(version = '1.1', before = '') {
  const accepted = Promise.withResolvers<[EventStreamTransport, (react: () => void) => void]>();
  waiting.push((transport, gone) => accepted.resolve([transport, gone]));
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`${before}GET / HTTP/${version}\r\nHost: x\r\n\r\n`);
  const [transport, gone] = await accepted.promise;
  return { socket, transport, gone };
}

/** Takes the chunks of an answer apart (RFC 9112 §7.1); strict, because the service codes them by hand. */
function unchunk(bytes: Buffer): { body: Buffer; complete: boolean } {
  const parts: Buffer[] = [];
  let at = bytes.indexOf('\r\n\r\n') + 4;
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return { body: Buffer.concat(parts), complete: false };
    const size = /^[0-9a-f]+$/.exec(bytes.subarray(at, end).toString());
    assert.ok(size, `no chunk size at ${at}`);
    const length = Number.parseInt(size[0], 16);
    if (length === 0) {
      assert.equal(bytes.subarray(end).toString(), '\r\n\r\n');
      return { body: Buffer.concat(parts), complete: true };
    }
    if (end + 2 + length + 2 > bytes.length) return { body: Buffer.concat(parts), complete: false };
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    assert.equal(bytes.subarray(end + 2 + length, end + 4 + length).toString(), '\r\n');
    at = end + 4 + length;
  }
}

function collect(socket: Socket): () => Buffer {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await turn();
  }
}

test('a reader that stops reading gets no old prices for long, is told why it is dropped; others read on', async (t) => {
  if (process.platform !== 'linux')
    t.diagnostic('the system does not tell what it holds: only the process counts');
  const queues = new SendQueues();
  const desk = createStreamDesk(queues);
  const pairs = ['EURUSD', 'GBPUSD', 'USDJPY', 'USDCHF', 'AUDUSD'];
  const tickAll = (n: number) => {
    for (const pair of pairs) desk.tick(pair, `1.${10_000 + (n % 80_000)}`, `1.${10_000 + (n % 80_000)}`);
  };
  tickAll(0);
  const slow = await openSocket();
  const quick = await openSocket();
  t.after(() => {
    slow.socket.destroy();
    quick.socket.destroy();
  });
  slow.socket.pause();
  const slowStream = await desk.open(pairs, { customerId: 'slow', transport: slow.transport });
  const quickStream = await desk.open(pairs, { customerId: 'quick', transport: quick.transport });
  const read = collect(quick.socket);
  slow.gone(() => desk.hub.gone(slowStream.connection));
  quick.gone(() => desk.hub.gone(quickStream.connection));
  let behindAt = 0;
  let n = 0;
  // What the reader's own system takes for it fills first; from then on bytes stay in ours. Real turns let them move.
  while (!slowStream.isOver() && n < 60_000) {
    tickAll(++n);
    desk.pass(260);
    if (n % 4 === 0) await queues.look();
    behindAt = slowStream.connection.isBehind || slowStream.isOver() ? behindAt || n : 0;
  }
  assert.ok(behindAt > 0 && slowStream.isOver(), `after ${n} rounds`);
  assert.ok((n - behindAt) * 260 <= BEHIND_MAX_MS + 2_000, `${n - behindAt} rounds behind`);
  const reasons = ['slow_reader', 'stalled_reader'].map((reason) => desk.hub.counts.ended.get(reason) ?? 0);
  assert.equal((reasons[0] ?? 0) + (reasons[1] ?? 0), 1);
  assert.ok(desk.hub.counts.superseded > 0);
  await until('the quick reader has the last price', () => read().includes(`1.${10_000 + (n % 80_000)}`));
  assert.ok(!quickStream.isOver());
  const late = collect(slow.socket);
  slow.socket.resume();
  await until('the slow reader’s end', () => slow.socket.destroyed || late().includes('\r\n0\r\n\r\n'));
  if (process.platform === 'linux') {
    assert.ok(late().length < BACKLOG_MAX_BYTES / 2, `${late().length} bytes of old prices`);
    assert.match(late().toString(), /event: bye\ndata: {"reason":"stalled_reader"}/);
  }
  desk.hub.end(quickStream.connection, 'shutting_down');
  await until('the end', () => unchunk(read()).complete);
  const parser = new EventStreamParser();
  parser.push(unchunk(read()).body);
  assert.deepEqual(parser.events.at(-1), { id: undefined, event: 'bye', data: '{"reason":"shutting_down"}' });
  const ids = parser.events.flatMap(({ id }) => id ?? []);
  assert.deepEqual(ids, [...ids].sort());
  quick.socket.destroy();
});

test('three hundred readers get every price, each once and in order', async () => {
  const desk = createStreamDesk();
  const pairs = ['EURUSD', 'GBPUSD', 'AUDUSD'];
  const tick = (n: number) => {
    for (const pair of pairs) desk.tick(pair, `1.${20_000 + n}`, `1.${20_000 + n}`);
  };
  tick(0);
  const readers = await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      const { socket, transport, gone } = await openSocket();
      const read = collect(socket);
      const stream = await desk.open(pairs, { customerId: `customer ${i}`, transport });
      gone(() => desk.hub.gone(stream.connection));
      return { socket, read, stream };
    }),
  );
  const made = desk.hub.counts.prices;
  for (let n = 1; n <= 20; n++) {
    tick(n);
    desk.pass(260);
    await turn();
  }
  assert.equal(desk.hub.counts.prices - made, 20 * pairs.length, 'made once, not once for each reader');
  const closing = desk.hub.close();
  await until('every stream has ended', () => readers.every(({ read }) => unchunk(read()).complete));
  await closing;
  for (const { read, socket } of readers) {
    const parser = new EventStreamParser();
    parser.push(unchunk(read()).body);
    const mids = parser.events.filter(({ event }) => event === 'price').map(({ data }) => JSON.parse(data));
    for (const pair of pairs) {
      assert.deepEqual(
        mids.filter((price) => price.pair === pair).map(({ mid }) => mid),
        Array.from({ length: 21 }, (_, n) => `1.${20_000 + n}`),
      );
    }
    assert.equal(parser.events.at(-1)?.event, 'bye');
    socket.destroy();
  }
  assert.deepEqual(desk.hub.counts.open, { sse: 0, websocket: 0 });
});

test('a client of HTTP/1.0 gets no chunks, and one that goes away frees its place', async () => {
  const desk = createStreamDesk();
  desk.tick('EURUSD', '1.08488', '1.08494');
  const { socket, transport, gone } = await openSocket('1.0');
  const read = collect(socket);
  const stream = await desk.open(['EURUSD'], { transport });
  gone(() => desk.hub.gone(stream.connection));
  await until('the price', () => read().includes('event: price'));
  const text = read().toString();
  assert.doesNotMatch(text, /transfer-encoding/i);
  assert.match(text, /\r\n\r\nretry: 2000\n\nevent: market\n/);
  socket.destroy();
  await until('the end', () => stream.isOver());
  assert.equal(desk.hub.counts.ended.get('client_gone'), 1);
});

test('a stream that waits behind another answer on its connection comes after it, whole', async () => {
  const desk = createStreamDesk();
  desk.tick('EURUSD', '1.08488', '1.08494');
  const { socket, transport, gone } = await openSocket('1.1', 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n');
  const read = collect(socket);
  const stream = await desk.open(['EURUSD'], { transport });
  gone(() => desk.hub.gone(stream.connection));
  desk.tick('EURUSD', '1.08500', '1.08506');
  desk.pass(300);
  assert.ok(stream.connection.isBehind, 'nothing more is queued while it waits');
  held.resolve();
  await until('the first answer', () => read().includes('first'));
  await until('the head of the stream', () => read().includes('text/event-stream'));
  desk.pass(300);
  await until('the newest price', () => read().includes('"mid":"1.08503"'));
  desk.hub.end(stream.connection, 'shutting_down');
  const ofStream = () => read().subarray(read().indexOf('first') + 'first'.length);
  await until('the end', () => unchunk(ofStream()).complete);
  const parser = new EventStreamParser();
  parser.push(unchunk(ofStream()).body);
  assert.deepEqual(
    parser.events.map(({ event }) => event),
    ['market', 'price', 'bye'],
  );
  socket.destroy();
});
