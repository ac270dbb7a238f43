import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeService } from '../test/support/fake.ts';
import { Firmquote } from './client.ts';
import type { PriceUpdate } from './prices.ts';

/** What comes faster than it is read. */

const price = (id: number, pair = 'EURUSD') =>
  `id: a-${id}\nevent: price\ndata: {"pair":"${pair}","bid":"1.0${id}"}\n\n`;
const heartbeat = (id: string) => `event: heartbeat\ndata: {"serverTime":"x","lastId":"${id}"}\n\n`;

/** A stream of prices that is read by hand, and into which pieces come as they are told. */
async function open() {
  const service = new FakeService();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  service.replies.push(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const updates = new Firmquote(service.options()).prices.stream({ pairs: ['EURUSD', 'USDJPY'] });
  return {
    next: async () => nameOf(await service.runtime.run(updates.next())),
    later: () => updates.next().then(nameOf),
    advance: (ms: number) => service.runtime.advance(ms),
    come: async (...pieces: string[]) => {
      for (const piece of pieces) controller?.enqueue(new TextEncoder().encode(piece));
      for (let turns = 0; turns < 10; turns++) await turn();
    },
    end: () => controller?.close(),
    stop: () => updates.return(),
  };
}

function nameOf({ value }: IteratorResult<PriceUpdate, void>): string {
  if (value?.event === 'price') return `price ${value.data.pair} ${value.id}`;
  return value?.event ?? 'over';
}

describe('whoever reads a price stream slowly', () => {
  test('gets the newest price of each pair, and none that is older', async () => {
    const { next, come, stop } = await open();
    await come(price(1));
    assert.equal(await next(), 'price EURUSD a-1');
    for (let id = 2; id < 40; id += 2) await come(price(id), price(id + 1, 'USDJPY'));
    await come(heartbeat('a-39'));
    assert.deepEqual(
      [await next(), await next(), await next()],
      ['price EURUSD a-38', 'price USDJPY a-39', 'heartbeat'],
    );
    await stop();
  });

  test('gets each pair in its turn', async () => {
    const { next, come, stop } = await open();
    await come(price(1));
    const seen = [await next()];
    for (let id = 2; id < 12; id += 2) {
      await come(price(id), price(id + 1, 'USDJPY'));
      seen.push(await next());
    }
    assert.deepEqual(
      seen.map((each) => each.split(' ')[1]),
      ['EURUSD', 'EURUSD', 'USDJPY', 'EURUSD', 'USDJPY', 'EURUSD'],
    );
    await stop();
  });

  test('is told of prices that are missing, and of the end, after what came before', async () => {
    for (const [piece, told] of [
      [heartbeat('a-7'), ['heartbeat', 'gap', 'reconnect']],
      [undefined, ['reconnect']],
    ] as const) {
      const { next, come, end, stop } = await open();
      await come(price(1));
      assert.equal(await next(), 'price EURUSD a-1');
      await come(price(2), price(3));
      if (piece === undefined) end();
      else await come(piece);
      const seen = [];
      for (const _ of [1, ...told]) seen.push(await next());
      assert.deepEqual(seen, ['price EURUSD a-3', ...told]);
      await stop();
    }
  });

  test('is not told of a silence that was none', async () => {
    const { next, later, come, advance, stop } = await open();
    await come(price(1));
    assert.equal(await next(), 'price EURUSD a-1');
    for (let beats = 0; beats < 6; beats++) {
      await advance(5_000);
      await come(heartbeat('a-1'));
    }
    assert.equal(await next(), 'heartbeat');
    const waiting = later();
    await advance(9_000);
    await come(price(2));
    assert.equal(await waiting, 'price EURUSD a-2');
    await stop();
  });
});

/** A connection over which only comes what the test says. */
class FakeSocket extends EventTarget {
  static last: FakeSocket | undefined;

  constructor() {
    super();
    FakeSocket.last = this;
    setImmediate(() => this.dispatchEvent(new Event('open')));
  }

  hear(event: string, data: object = {}): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ event, data }) }));
  }

  close(): void {
    this.dispatchEvent(new Event('close'));
  }
}

test('whoever reads a socket slowly gets each pair in its turn, and after what came before it', async () => {
  const service = new FakeService();
  const WebSocket = FakeSocket as unknown as typeof globalThis.WebSocket;
  const socket = await service.runtime.run(new Firmquote(service.options()).prices.socket({ WebSocket }));
  const reader = socket[Symbol.asyncIterator]();
  const seen: string[] = [];
  const read = async () => {
    const { value } = await reader.next();
    seen.push(value?.event === 'price' ? `${value.data.pair} ${value.data.bid}` : `${value?.event}`);
  };
  const tick = (bid: number) => {
    for (const pair of ['EURUSD', 'GBPUSD', 'USDJPY']) FakeSocket.last?.hear('price', { pair, bid });
  };
  for (let bid = 1; bid <= 4; bid++) {
    tick(bid);
    await read();
  }
  assert.deepEqual(seen.splice(0), ['EURUSD 1', 'GBPUSD 2', 'USDJPY 3', 'EURUSD 4']);
  FakeSocket.last?.hear('subscribed');
  tick(5);
  tick(6);
  for (let i = 0; i < 4; i++) await read();
  assert.deepEqual(seen, ['subscribed', 'EURUSD 6', 'GBPUSD 6', 'USDJPY 6']);
  socket.close();
});
