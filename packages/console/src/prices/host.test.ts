import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PriceUpdate } from '@firmquote/client';
import { StreamHost } from './host.ts';
import type { ToTab } from './messages.ts';
import { Pace } from './pace.ts';

/** A stream that says what it is told to. */
class Feed {
  readonly opened: { readonly signal: AbortSignal; readonly lastEventId: string | undefined }[] = [];
  #waiting: PriceUpdate[] = [];
  #wake: () => void = () => undefined;

  async *open(_pairs: readonly string[], signal: AbortSignal, lastEventId: string | undefined) {
    this.opened.push({ signal, lastEventId });
    signal.addEventListener('abort', () => this.#wake());
    while (!signal.aborted) {
      yield* this.#waiting.splice(0);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  say(...updates: readonly unknown[]): Promise<void> {
    this.#waiting.push(...(updates as PriceUpdate[]));
    this.#wake();
    return turn();
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const price = (id: string, bid: string) => ({ event: 'price', id, data: { pair: 'EURUSD', bid, ask: '2' } });

function floor() {
  const feed = new Feed();
  const host = new StreamHost({
    open: (...given) => feed.open(...given),
    probe: async () => true,
    isOnline: () => true,
  });
  const tab = () => {
    const heard: ToTab[] = [];
    const send = host.attach((message) => heard.push(message));
    const bids = () =>
      heard.flatMap((message) =>
        message.is === 'prices' ? message.prices.map((each) => each.price.bid) : [],
      );
    return { heard, send, bids };
  };
  return { feed, tab };
}
const hello = { is: 'hello', person: 'per_1', pairs: ['EURUSD'] } as const;

test('a tab that is not seen gets no prices, and the newest when it is seen again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { feed, tab } = floor();
  const [one, other] = [tab(), tab()];
  one.send(hello);
  other.send(hello);
  await turn();
  assert.equal(feed.opened.length, 1);
  other.send({ is: 'seen', isSeen: false });
  await feed.say(price('a-1', '1.1'));
  t.mock.timers.tick(50);
  await feed.say(price('a-2', '1.2'));
  t.mock.timers.tick(50);
  assert.deepEqual(one.bids(), ['1.1', '1.2']);
  assert.deepEqual(other.bids(), []);
  other.send({ is: 'seen', isSeen: true });
  assert.deepEqual(other.bids(), ['1.2']);
  one.send({ is: 'bye' });
  assert.equal(feed.opened[0]?.signal.aborted, false);
  other.send({ is: 'bye' });
  assert.equal(feed.opened[0]?.signal.aborted, true);
});

test('what comes faster than a tab paints is left out, and the newest stays', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { feed, tab } = floor();
  const slow = tab();
  slow.send(hello);
  slow.send({ is: 'pace', gapMs: 200 });
  await turn();
  await feed.say(price('a-1', '1.1'));
  t.mock.timers.tick(0);
  for (const at of [2, 3, 4]) await feed.say(price(`a-${at}`, `1.${at}`));
  assert.deepEqual(slow.bids(), ['1.1']);
  t.mock.timers.tick(200);
  assert.deepEqual(slow.bids(), ['1.1', '1.4']);
  slow.send({ is: 'bye' });
});

test('a stream that ends is opened again where it was, and another person has another one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { feed, tab } = floor();
  const one = tab();
  one.send(hello);
  await turn();
  await feed.say(price('a-7', '1.7'), {
    event: 'reconnect',
    data: { reason: 'connection_lost', pauseMs: 0 },
  });
  const states = () => one.heard.flatMap((message) => (message.is === 'link' ? [message.link.state] : []));
  assert.equal(states().at(-1), 'reconnecting');
  t.mock.timers.tick(500);
  await turn();
  assert.equal(feed.opened.at(-1)?.lastEventId, 'a-7');
  one.send({ ...hello, person: 'per_2' });
  await turn();
  assert.equal(feed.opened.length, 3);
  assert.equal(feed.opened[1]?.signal.aborted, true);
  one.send({ is: 'bye' });
});

test('a stream that is silent, of a service that does not answer, is seen within 5 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let nowMs = 0;
  const feed = new Feed();
  const host = new StreamHost({
    open: (...given) => feed.open(...given),
    probe: (limitMs) => new Promise((resolve) => setTimeout(() => resolve(false), limitMs)),
    isOnline: () => true,
    now: () => nowMs,
  });
  const heard: ToTab[] = [];
  const send = host.attach((message) => heard.push(message));
  const state = () => heard.findLast((message) => message.is === 'link')?.link.state;
  send(hello);
  await turn();
  await feed.say(price('a-1', '1.1'));
  assert.equal(state(), 'live');
  for (; nowMs < 5_000 && state() === 'live'; nowMs += 100) {
    t.mock.timers.tick(100);
    await turn();
  }
  assert.equal(state(), 'reconnecting');
  send({ is: 'bye' });
});

test('a machine that paints slowly gets fewer prices, and more after a calm', () => {
  const pace = new Pace();
  const [calm, slow] = [Array(100).fill(16.7), [...Array(90).fill(16.7), ...Array(10).fill(40)]];
  pace.judge(slow);
  assert.equal(pace.gapMs, 100);
  pace.judge(slow);
  pace.judge(slow);
  assert.equal(pace.gapMs, 200);
  for (let looks = 0; looks < 4; looks++) pace.judge(calm);
  assert.equal(pace.gapMs, 200);
  pace.judge(calm);
  assert.equal(pace.gapMs, 100);
  pace.judge([200, 200]);
  assert.equal(pace.gapMs, 100);
});
