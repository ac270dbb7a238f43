import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { channelsOf } from '../processes/test-support.ts';
import { Market } from './market.ts';
import type { PriceLimits } from './pair-settings.ts';
import { BEAT_MS, PricePublisher, REFRESH } from './publish-prices.ts';
import type { PriceSource, TickOutcome, TickSink, WithdrawalSink } from './sources/source.ts';
import { PriceSubscriber } from './subscribe-prices.ts';
import { decimal, NO_LIMITS, NOW, testBook } from './test-book.ts';

/** A source whose prices a test says. */
class Spoken implements PriceSource {
  readonly name = 'bank';
  refreshed = 0;
  #sink: TickSink = () => assert.fail();
  #withdraw: WithdrawalSink = () => assert.fail();

  start(sink: TickSink, withdraw?: WithdrawalSink): void {
    this.#sink = sink;
    this.#withdraw = withdraw ?? assert.fail();
  }

  async stop(): Promise<void> {}

  async refresh(): Promise<void> {
    this.refreshed++;
  }

  health() {
    return { state: 'running', ticks: 7 } as const;
  }

  say(bid: string, ask: string, at = NOW, pair = 'EURUSD'): TickOutcome {
    return this.#sink({ pair, bid: decimal(bid), ask: decimal(ask), at, source: this.name });
  }

  takeBack(pair?: string): void {
    this.#withdraw(pair);
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function twoProcesses(t: TestContext, unkept = new Set<string>(), limits: PriceLimits = NO_LIMITS) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { channels } = channelsOf(2);
  const [first, second] = channels;
  assert.ok(first && second);
  const source = new Spoken();
  const own = testBook(limits);
  const other = testBook(limits);
  const { clock } = own;
  const marketOf = (made: typeof own, parts: object) =>
    new Market({ clock, book: made.book, hours: 'always', ...parts });
  const publisher = new PricePublisher(first, [source]);
  const market = marketOf(own, { sources: [source], publisher });
  const subscriber = new PriceSubscriber(second, [source], unkept);
  const heard = marketOf(other, { sources: subscriber.sources, subscriber });
  t.after(() => Promise.all([market.stop(), heard.stop()]));
  const lose = () => second.take({ type: 'news', news: { lost: true, withdrawals: [], prices: [] } });
  const beats = (count: number) => t.mock.timers.tick(count * BEAT_MS);
  return { source, own, other, market, heard, subscriber, first, second, lose, beats };
}

test('what one process hears the others deal on, and what is taken back nobody', async (t) => {
  const { source, own, other, market, heard, subscriber } = await twoProcesses(t);
  await heard.start();
  await market.start();
  source.say('1.1000', '1.1002');
  await turn();
  await subscriber.heardWhole;
  assert.equal(other.shown(), '1.1000/1.1002 bank fresh');
  assert.deepEqual(heard.sourceHealth(), { bank: { state: 'running', ticks: 7 } });
  assert.deepEqual(heard.ownSourceHealth(), {}, 'figures of it are of the process that has it');
  source.takeBack('EURUSD');
  await turn();
  assert.deepEqual([own.shown(), other.shown()], Array(2).fill('1.1000/1.1002 bank stale'));
  source.say('1.1001', '1.1003', NOW + 1);
  source.say('1.1003', '1.1001', NOW + 2);
  await turn();
  assert.equal(other.shown(), '1.1001/1.1003 bank fresh', 'a crossed price is refused by the first already');
  source.say('0', '1.1001', NOW + 3);
  await turn();
  assert.match(other.shown(), /stale$/, 'a side that is empty is a price taken back');
});

test('what a source that is switched off says ends its price in every process', async (t) => {
  const { source, own, other, market, heard } = await twoProcesses(t);
  await heard.start();
  await market.start();
  source.say('1.1000', '1.1002');
  await turn();
  for (const { book } of [own, other]) book.setDisabledSources(new Set(['bank']));
  assert.equal(source.say('1.2000', '1.2002', NOW + 1), 'source_disabled');
  await turn();
  for (const { book } of [own, other]) book.setDisabledSources(new Set());
  assert.deepEqual([own.shown(), other.shown()], Array(2).fill('1.1000/1.1002 bank stale'));
});

test('who begins later is told what stands, and no more', async (t) => {
  const { source, other, market, heard, subscriber } = await twoProcesses(t);
  await market.start();
  source.say('1.1000', '1.1002');
  source.say('150', '151', NOW, 'USDJPY');
  source.takeBack('USDJPY');
  await turn();
  assert.equal(other.shown(), 'missing');
  await heard.start();
  await turn();
  await subscriber.heardWhole;
  assert.equal(other.shown(), '1.1000/1.1002 bank fresh');
  assert.equal(other.shown('USDJPY'), 'missing');
});

test('the prices of a process that is gone, or says nothing for three beats, are not dealt on', async (t) => {
  const { source, other, market, heard, lose, beats } = await twoProcesses(t);
  await heard.start();
  await market.start();
  source.say('1.1000', '1.1002');
  await turn();
  lose();
  assert.match(other.shown(), /stale$/);
  assert.equal(heard.sourceHealth().bank?.state, 'connecting');
  beats(1);
  await turn();
  assert.match(other.shown(), /fresh$/, 'it lives, and tells what stands');
  beats(3);
  await turn();
  assert.match(other.shown(), /fresh$/, 'as long as it beats');
  await market.stop();
  beats(2);
  await turn();
  assert.match(other.shown(), /fresh$/);
  beats(1);
  assert.match(other.shown(), /stale$/);
});

test('a moved clock asks for prices of then once, however many sources there are', async (t) => {
  const { market, heard, first, source } = await twoProcesses(t);
  await market.start();
  await heard.start();
  first.onAsked(REFRESH, () => market.refresh());
  await Promise.all([heard.refresh(), heard.refresh()]);
  assert.equal(source.refreshed, 1);
  await heard.refresh();
  assert.equal(source.refreshed, 2);
});

test('prices that begin anew with their process are believed from wherever, and no others', async (t) => {
  const limits = { ...NO_LIMITS, bandBps: decimal('100') };
  for (const [unkept, shown] of [
    [new Set(['bank']), '1.3000/1.3002 bank fresh'],
    [new Set<string>(), '1.1000/1.1002 bank stale'],
  ] as const) {
    await t.test(shown, async (each) => {
      const { source, other, market, heard, lose, first } = await twoProcesses(each, unkept, limits);
      await heard.start();
      await market.start();
      source.say('1.1000', '1.1002');
      await turn();
      lose();
      const price = { source: 'bank', pair: 'EURUSD', bid: '1.3000', ask: '1.3002', at: NOW + 1 };
      first.publishPrices({ withdrawals: [], prices: [price] });
      await turn();
      assert.equal(other.shown(), shown);
    });
  }
});
