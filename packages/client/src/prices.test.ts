import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { FakeService, networkError, problem, type Reply } from '../test/support/fake.ts';
import { Firmquote } from './client.ts';
import type { PriceUpdate } from './prices.ts';
import { EventParser } from './sse.ts';

/** A stream whose pieces come as they are told; it stays open, ends, or breaks. */
function stream(pieces: readonly string[], end: 'open' | 'ends' | 'breaks' = 'open'): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (end === 'ends') controller.close();
      if (end === 'breaks') controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const price = (id: number) => `id: a-${id}\nevent: price\ndata: {"pair":"EURUSD","bid":"1.0${id}"}\n\n`;
const heartbeat = (id: string | null) =>
  `event: heartbeat\ndata: {"serverTime":"x","lastId":${JSON.stringify(id)}}\n\n`;
const bye = (reason: string) => `event: bye\ndata: {"reason":"${reason}"}\n\n`;

/** What a reader sees, as names; the last reply stays open and is stopped. */
async function read(replies: readonly Reply[], until: (seen: string[]) => boolean) {
  const service = new FakeService();
  service.replies.push(...replies);
  const firmquote = new Firmquote(service.options());
  const seen: string[] = [];
  const reading = (async () => {
    for await (const update of firmquote.prices.stream({ pairs: ['EURUSD'] })) {
      seen.push(nameOf(update));
      if (until(seen)) break;
    }
  })();
  await service.runtime.run(reading);
  return { seen, service };
}

function nameOf(update: PriceUpdate): string {
  if (update.event === 'price') return `price ${update.id}`;
  return update.event === 'reconnect' ? `reconnect ${update.data.reason}` : update.event;
}

const has = (name: string) => (seen: string[]) => seen.includes(name);

describe('a price stream', () => {
  test('goes on after silence, with the last id, and says so before', async () => {
    const { seen, service } = await read([stream([price(1)]), stream([price(2)])], has('price a-2'));
    assert.deepEqual(seen, ['price a-1', 'stale', 'reconnect silent', 'price a-2']);
    assert.deepEqual(service.runtime.slept.slice(0, 2), [10_000, 5_000]);
    const [first, second] = service.seen.slice(1).map(({ headers }) => headers.get('last-event-id'));
    assert.deepEqual([first, second], [null, 'a-1']);
    assert.equal(service.seen[1]?.headers.get('accept'), 'text/event-stream');
  });

  test('that something else answers in its place is told, as of every call', async () => {
    const html = new Response('<html>Please sign in', { headers: { 'content-type': 'text/html' } });
    await assert.rejects(read([html, stream([price(1)])], has('price a-1')), {
      name: 'UnexpectedAnswerError',
      code: 'answer_not_stream',
      message: 'The answer is text/html, not a stream of events.',
      operation: 'streamPrices',
      retryable: false,
    });
  });

  test('finds that prices are missing, and opens again', async () => {
    const { seen } = await read(
      [stream([heartbeat(null), price(1), heartbeat('a-1'), heartbeat('a-3')]), stream([price(4)])],
      has('price a-4'),
    );
    const beside = seen.filter((each) => each !== 'heartbeat');
    assert.deepEqual(beside, ['price a-1', 'gap', 'reconnect gap', 'price a-4']);
  });

  for (const [name, ended, reason] of [
    ['is closed', stream([price(1)], 'ends'), 'connection_lost'],
    ['breaks', stream([price(1)], 'breaks'), 'connection_lost'],
    ['says goodbye', stream([price(1), bye('shutting_down')]), 'shutting_down'],
    ['ends by a fault of the service', stream([price(1), bye('internal_error')]), 'internal_error'],
    ['is of a token that is over', stream([price(1), bye('token_expired')]), 'token_expired'],
  ] as const) {
    test(`that ${name} is opened again`, async () => {
      const { seen } = await read([ended, stream([price(2)])], has('price a-2'));
      const end = seen.filter((each) => each.startsWith('reconnect'));
      assert.deepEqual(end, [`reconnect ${reason}`]);
    });
  }

  test('that cannot be opened is tried with pauses that grow', async () => {
    const broken = () => networkError('ECONNREFUSED');
    const replies = [...Array.from({ length: 9 }, broken), stream([price(1)])];
    const { seen, service } = await read(replies, has('price a-1'));
    assert.deepEqual(seen, [...Array(3).fill('reconnect connection_failed'), 'price a-1']);
    const pauses = service.runtime.slept.filter((_, index) => index % 3 === 2);
    assert.deepEqual(pauses, [250, 500, 1_000]);
  });

  test('that is to be opened later is not opened before', async () => {
    const full = problem('too_many_streams', 429, 'later', { headers: { 'retry-after': '40' } });
    const { seen, service } = await read([full, stream([price(1)])], has('price a-1'));
    assert.deepEqual(seen, ['reconnect too_many_streams', 'price a-1']);
    assert.deepEqual(service.runtime.slept.slice(0, 1), [40_250]);
  });

  for (const [name, reply, code, status] of [
    ['nobody may read', problem('customer_suspended', 403, 'none'), 'customer_suspended', 403],
    ['is one too many', problem('too_many_pairs', 422, 'after_fix'), 'too_many_pairs', 422],
    ['ends for a reason that stays', stream([bye('customer_suspended')]), 'customer_suspended', 403],
    ['may be read no more', stream([bye('insufficient_scope')]), 'insufficient_scope', 403],
  ] as const) {
    test(`that ${name} is an error`, async () => {
      await assert.rejects(
        read([reply], () => false),
        { code, status },
      );
    });
  }

  test('ends with its signal', async () => {
    const service = new FakeService();
    service.replies.push(stream([price(1)]));
    const end = new AbortController();
    const seen: string[] = [];
    const firmquote = new Firmquote(service.options());
    const reading = (async () => {
      for await (const update of firmquote.prices.stream({ pairs: ['EURUSD'] }, { signal: end.signal })) {
        seen.push(nameOf(update));
        end.abort();
      }
    })();
    await service.runtime.run(reading);
    assert.equal(seen[0], 'price a-1');
  });
});

test('one signal for a stream that is opened again and again is held by no connection that has ended', async () => {
  const service = new FakeService();
  for (let id = 1; id < 30; id++) service.replies.push(stream([price(id)], id % 2 === 0 ? 'ends' : 'breaks'));
  service.replies.push(stream([price(30)]));
  const firmquote = new Firmquote(service.options());
  const { signal } = new AbortController();
  let most = 0;
  const reading = (async () => {
    for await (const update of firmquote.prices.stream({ pairs: ['EURUSD'] }, { signal })) {
      most = Math.max(most, getEventListeners(signal, 'abort').length);
      if (nameOf(update) === 'price a-30') break;
    }
  })();
  await service.runtime.run(reading);
  assert.ok(most <= 2, `${most} listeners`);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('events are found wherever the pieces are cut', () => {
  const text = `retry: 2000\r\n\r\n: comment\n${price(1)}event: x\rdata: a\rdata: b\r\r${heartbeat('a-1')}data\n\n`;
  const whole = new EventParser();
  const expected = whole.take(text);
  assert.equal(whole.retryMs, 2_000);
  assert.deepEqual(
    expected.map(({ event }) => event),
    ['price', 'x', 'heartbeat', 'message'],
  );
  assert.equal(expected[1]?.data, 'a\nb');
  for (let cut = 1; cut < text.length; cut++) {
    const parser = new EventParser();
    const found = [...parser.take(text.slice(0, cut)), ...parser.take(text.slice(cut))];
    assert.deepEqual(found, expected, `cut at ${cut}`);
  }
  assert.throws(() => new EventParser().take('x'.repeat(2_000_000)), RangeError);
});

/** A connection over which only comes what the test says. */
class FakeSocket extends EventTarget {
  static last: FakeSocket | undefined;
  isClosed = false;

  constructor() {
    super();
    FakeSocket.last = this;
    setImmediate(() => this.dispatchEvent(new Event('open')));
  }

  hear(event: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
  }

  close(): void {
    this.isClosed = true;
  }
}

test('a socket that has gone silent ends, though nobody has closed it', async () => {
  const service = new FakeService();
  const { runtime } = service;
  const firmquote = new Firmquote(service.options());
  const WebSocket = FakeSocket as unknown as typeof globalThis.WebSocket;
  const socket = await runtime.run(firmquote.prices.socket({ WebSocket }));
  const seen: string[] = [];
  let isOver = false;
  const reading = (async () => {
    for await (const { event } of socket) seen.push(event);
    isOver = true;
  })();
  for (let beats = 0; beats < 4; beats++) {
    await runtime.advance(5_000);
    FakeSocket.last?.hear({ event: 'heartbeat', data: {} });
  }
  await runtime.advance(14_900);
  assert.ok(!isOver);
  assert.equal(seen.length, 4);
  await runtime.advance(200);
  assert.ok(isOver);
  await reading;
  assert.ok(FakeSocket.last?.isClosed);
});

test('a socket leaves nothing with its signal, and one that is given up before it is open says so', async () => {
  const service = new FakeService();
  const { runtime } = service;
  const firmquote = new Firmquote(service.options());
  const WebSocket = FakeSocket as unknown as typeof globalThis.WebSocket;
  const end = new AbortController();
  const { signal } = end;
  for (let opened = 0; opened < 5; opened++) {
    const socket = await runtime.run(firmquote.prices.socket({ WebSocket, signal }));
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    socket.close();
  }
  assert.deepEqual(getEventListeners(signal, 'abort'), []);

  class NeverOpen extends EventTarget {
    constructor() {
      super();
      setImmediate(() => end.abort());
    }
    close(): void {
      this.dispatchEvent(new Event('close'));
    }
  }
  const refused = firmquote.prices.socket({ WebSocket: NeverOpen as never, signal });
  await assert.rejects(runtime.run(refused), { code: 'cancelled' });
});

test('a socket that is neither opened nor refused is given up in the time of an attempt', async () => {
  const service = new FakeService();
  let isClosed = false;
  class Silent extends EventTarget {
    close(): void {
      isClosed = true;
    }
  }
  const firmquote = new Firmquote(service.options({ timeoutMs: 2_000 }));
  const began = service.runtime.monotonicMs();
  const refused = firmquote.prices.socket({ WebSocket: Silent as never });
  await assert.rejects(service.runtime.run(refused), {
    name: 'TimeoutError',
    code: 'timeout',
    retryable: true,
  });
  assert.equal(service.runtime.monotonicMs() - began, 2_000);
  assert.ok(isClosed);
});
