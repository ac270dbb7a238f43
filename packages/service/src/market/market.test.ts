import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketHoursAt } from '@firmquote/fx';
import { Halts } from './halts.ts';
import { Market } from './market.ts';
import { RateBook } from './rate-book.ts';
import type { PriceSource } from './sources/source.ts';
import { pair } from './test-book.ts';

const HOUR = 3_600_000;
// Wednesday; Friday 17:00 and Sunday 17:00 New York around the change to summer time on 8 March 2026.
const WEDNESDAY = Date.UTC(2026, 2, 4, 14, 30);
const CLOSE = Date.UTC(2026, 2, 6, 22);
const REOPEN = Date.UTC(2026, 2, 8, 21);

function marketOf(start: number, hours: 'calendar' | 'always', sources: readonly PriceSource[] = []) {
  const clock = { at: start, now: () => clock.at };
  let asked = 0;
  const hoursAt = (instant: number) => {
    asked += 1;
    return marketHoursAt(instant);
  };
  const market = new Market({ clock, book: new RateBook({ clock }), hours, hoursAt, sources });
  return { clock, market, asked: () => asked };
}

test('the market follows the week to the millisecond', () => {
  const { clock, market } = marketOf(WEDNESDAY, 'calendar');
  assert.deepEqual(market.stateNow(), { state: 'open', closesAt: CLOSE });
  clock.at = CLOSE - 1;
  assert.equal(market.stateNow().state, 'open');
  clock.at = CLOSE;
  assert.deepEqual(market.stateNow(), { state: 'closed', reason: 'weekend', reopensAt: REOPEN });
  clock.at = REOPEN - 1;
  assert.equal(market.stateNow().state, 'closed');
  clock.at = REOPEN;
  assert.equal(market.stateNow().state, 'open');
});

test('the state is computed once between boundaries, and anew after the clock was moved either way', () => {
  const { clock, market, asked } = marketOf(WEDNESDAY, 'calendar');
  const first = market.stateNow();
  for (let i = 0; i < 1000; i += 1) {
    clock.at += 1;
    assert.equal(market.stateNow(), first);
  }
  assert.equal(asked(), 1);
  clock.at = CLOSE + HOUR;
  assert.equal(market.stateNow().state, 'closed');
  clock.at = WEDNESDAY - HOUR;
  assert.equal(market.stateNow().state, 'open');
  assert.equal(asked(), 3);
});

test('a weekend that runs into a holiday changes its reason', () => {
  // 25 December 2028 is a Monday: its session would begin on Sunday the 24th at 22:00 UTC.
  const { clock, market } = marketOf(Date.UTC(2028, 11, 24, 12), 'calendar');
  assert.equal(market.stateNow().reason, 'weekend');
  clock.at = Date.UTC(2028, 11, 24, 23);
  assert.deepEqual(market.stateNow(), {
    state: 'closed',
    reason: 'holiday',
    reopensAt: Date.UTC(2028, 11, 25, 22),
  });
});

test('an always open market is open on Sunday until it is told otherwise', () => {
  const { clock, market, asked } = marketOf(CLOSE + HOUR, 'always');
  assert.deepEqual(market.stateNow(), { state: 'open' });
  assert.equal(asked(), 0);
  market.override('closed');
  assert.deepEqual(market.stateNow(), { state: 'closed', reason: 'halt' });
  market.override('calendar');
  assert.equal(market.stateNow().reason, 'weekend');
  market.override('open');
  assert.deepEqual(market.stateNow(), { state: 'open' });
  market.override('calendar');
  clock.at = WEDNESDAY;
  assert.deepEqual(market.stateNow(), { state: 'open', closesAt: CLOSE });
});

test('a halt reaches its pair, its customer or everything, and hides behind a closed market', () => {
  const { clock, market } = marketOf(WEDNESDAY, 'calendar');
  const open = { state: 'open', closesAt: CLOSE };
  const halted = { state: 'closed', reason: 'halt' };
  let changes = 0;
  const stop = market.onHaltsChanged(() => (changes += 1));
  assert.equal(market.mayEndQuotes(), false);
  market.setHalts(new Halts([{ scope: 'pair', pair: 'EURUSD', customerId: null }]));
  assert.deepEqual([market.stateOf(pair('EURUSD')), market.stateOf(pair('GBPUSD'))], [halted, open]);
  assert.deepEqual(market.stateNow(), open);
  assert.equal(market.mayEndQuotes('acme'), true);
  market.setHalts(new Halts([{ scope: 'customer', pair: null, customerId: 'acme' }]));
  assert.deepEqual(market.stateOf(pair('EURUSD')), open);
  assert.deepEqual(market.stateOf(pair('EURUSD'), 'globex'), open);
  assert.deepEqual(market.stateOf(pair('EURUSD'), 'acme'), halted);
  assert.deepEqual([market.mayEndQuotes('acme'), market.mayEndQuotes('globex')], [true, false]);
  clock.at = CLOSE;
  assert.equal(market.stateOf(pair('EURUSD'), 'acme').reason, 'weekend');
  market.setHalts(new Halts([{ scope: 'all', pair: null, customerId: null }]));
  clock.at = WEDNESDAY;
  assert.deepEqual([market.stateNow(), market.stateOf(pair('GBPUSD'))], [halted, halted]);
  market.override('open');
  assert.deepEqual(market.stateNow(), halted, 'the sandbox does not lift what an operator has halted');
  stop();
  market.setHalts(Halts.NONE);
  assert.deepEqual([market.stateNow(), changes], [{ state: 'open' }, 3]);
});

test('a halt that keeps quotes stops new ones, and stands against no execution', () => {
  const { market } = marketOf(WEDNESDAY, 'always');
  const halted = { state: 'closed', reason: 'halt' };
  for (const target of [
    { scope: 'pair', pair: 'EURUSD', customerId: null },
    { scope: 'customer', pair: null, customerId: 'acme' },
    { scope: 'all', pair: null, customerId: null },
  ] as const) {
    market.setHalts(new Halts([{ ...target, withdrawsQuotes: false }]));
    assert.deepEqual(market.stateOf(pair('EURUSD'), 'acme'), halted);
    assert.equal(market.mayRefuseExecutions('acme'), false);
    assert.deepEqual(market.executionState(pair('EURUSD'), 'acme', WEDNESDAY), { state: 'open' });
    market.setHalts(
      new Halts([
        { ...target, withdrawsQuotes: false },
        { ...target, withdrawsQuotes: true },
      ]),
    );
    assert.equal(market.mayRefuseExecutions('acme'), true);
    assert.deepEqual(market.executionState(pair('EURUSD'), 'acme', WEDNESDAY), halted);
  }
  market.setHalts(Halts.NONE);
  market.override('closed');
  assert.equal(market.mayRefuseExecutions('acme'), true);
  assert.deepEqual(market.executionState(pair('EURUSD'), 'acme', WEDNESDAY), halted);
});

test('sources are started, refreshed and stopped together; a failed start stops those before it', async () => {
  const calls: string[] = [];
  const source = (name: string, start: () => void): PriceSource => ({
    name,
    start,
    stop: async () => void calls.push(`${name} stop`),
    refresh: async () => void calls.push(`${name} refresh`),
    health: () => ({ state: 'running', ticks: 0 }),
  });
  const good = source('good', () => calls.push('good start'));
  const bad = source('bad', () => {
    throw new Error('no feed');
  });
  const { market } = marketOf(WEDNESDAY, 'always', [good]);
  await market.start();
  await market.refresh();
  await market.stop();
  assert.deepEqual(calls, ['good start', 'good refresh', 'good stop']);
  assert.deepEqual(market.sourceHealth(), { good: { state: 'running', ticks: 0 } });
  calls.length = 0;
  await assert.rejects(marketOf(WEDNESDAY, 'always', [good, bad]).market.start(), /no feed/);
  assert.deepEqual(calls, ['good start', 'good stop', 'bad stop']);
});
