import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CURRENCIES,
  compare,
  crossThrough,
  findCurrency,
  findPair,
  formatDecimal,
  type Pair,
  pairOf,
} from '@firmquote/fx';
import { BUILT_IN_REFERENCE } from '../ecb-reference.ts';
import { RateBook, type Tick } from '../rate-book.ts';
import { SimulatedSource } from './simulated.ts';
import { CURRENCY_PROFILES, SIMULATED_PAIRS, startingUnitsPerEuro } from './simulated-currencies.ts';
import { eventually } from './test-support.ts';

const NOW = Date.UTC(2026, 2, 7, 12);
const CLOCK = { now: () => NOW };
const HOUR_MS = 3_600_000;

function pair(code: string): Pair {
  const found = findPair(code);
  assert.ok(found, code);
  return found;
}

function textOf(tick: Tick): string {
  return `${tick.pair} ${formatDecimal(tick.bid)}/${formatDecimal(tick.ask)} ${tick.at}`;
}

/** The ticks of some rounds; the source takes its first by starting. */
function roundsOf(seed: number, rounds: number, pairs?: readonly string[]): string[] {
  const source = new SimulatedSource({ clock: CLOCK, seed, ...(pairs === undefined ? {} : { pairs }) });
  const ticks: string[] = [];
  source.start((tick) => ticks.push(textOf(tick)));
  for (let round = 1; round < rounds; round += 1) source.step();
  void source.stop();
  return ticks;
}

test('the same seed gives the same ticks, another seed others', () => {
  const first = roundsOf(1, 50);
  assert.equal(first.length, 50 * SIMULATED_PAIRS.length);
  assert.deepEqual(roundsOf(1, 50), first);
  assert.notDeepEqual(roundsOf(2, 50), first);
});

test('a pair’s prices do not depend on which others are played', () => {
  const alone = roundsOf(7, 50, ['EURSEK']);
  const among = roundsOf(7, 50).filter((text) => text.startsWith('EURSEK'));
  assert.deepEqual(alone, among);
});

test('seed 1 goes on as it always did', () => {
  assert.deepEqual(roundsOf(1, 1000, ['EURUSD', 'USDJPY', 'GBPJPY']).slice(-3), GOLDEN);
});

test('every tradable currency is played against the dollar, and every played pair is a pair of the book', () => {
  const tradable = CURRENCIES.filter((currency) => currency.validTo === undefined);
  assert.deepEqual(
    tradable.filter(({ code }) => !CURRENCY_PROFILES.has(code)).map(({ code }) => code),
    [],
  );
  assert.equal(new Set(SIMULATED_PAIRS).size, SIMULATED_PAIRS.length);
  const book = new RateBook({ clock: CLOCK });
  const source = new SimulatedSource({ clock: CLOCK, seed: 1 });
  source.start((tick) => assert.equal(book.apply(tick), 'accepted', tick.pair));
  void source.stop();
  assert.deepEqual(book.quotedPairs(), SIMULATED_PAIRS);
  for (const base of tradable) {
    for (const quote of tradable) {
      if (base !== quote)
        assert.equal(book.read(pairOf(base, quote)).status, 'fresh', base.code + quote.code);
    }
  }
});

test('prices start from the ECB’s rates and the official parities, with typical spreads', () => {
  const first = new Map<string, Tick>();
  const source = new SimulatedSource({ clock: CLOCK, seed: 1 });
  source.start((tick) => first.set(tick.pair, tick));
  void source.stop();
  // Pips of the spread: at least, at most (the table's spread comes out 100 to 125 percent wide).
  const spreads: readonly [string, bigint, bigint][] = [
    ['EURUSD', 4n, 5n],
    ['USDJPY', 5n, 6n],
    ['GBPUSD', 7n, 9n],
    ['AUDUSD', 5n, 6n],
    ['USDCHF', 6n, 7n],
    ['USDCAD', 8n, 10n],
    ['EURGBP', 7n, 10n],
    ['EURJPY', 12n, 15n],
    ['GBPJPY', 17n, 23n],
    ['EURCHF', 10n, 13n],
    ['GBPAUD', 23n, 30n],
    ['USDZAR', 500n, 800n],
  ];
  for (const [code, least, most] of spreads) {
    const tick = first.get(code);
    assert.ok(tick);
    const spread = tick.ask.units - tick.bid.units;
    assert.ok(spread >= least && spread <= most, `${code}: ${spread}`);
    assert.equal(tick.bid.scale, pair(code).decimals);
  }
  const parities: readonly [string, bigint][] = [
    ['USDAED', 367_250n],
    ['USDSAR', 375_000n],
    ['USDQAR', 364_000n],
    ['USDBHD', 376_000n],
    ['USDOMR', 384_500n],
    ['USDJOD', 70_900n],
    ['EURXOF', 65_595_700n],
  ];
  for (const [code, units] of parities) {
    const tick = first.get(code);
    assert.ok(tick);
    const off = (tick.bid.units + tick.ask.units) / 2n - units;
    assert.ok(
      off * off <= 25n || off * off * 10n ** 12n <= 4n * units * units,
      `${code}: ${textOf(tick)} is not at ${units}`,
    );
  }
  assert.deepEqual(startingUnitsPerEuro('CNH'), startingUnitsPerEuro('CNY'));
});

// How far a mid may get from the reference, in basis points; HK$ 7.83 stays inside the official 7.75 to 7.85.
const BANDS_BPS: ReadonlyMap<string, bigint> = new Map([
  ['EURUSD', 70n],
  ['USDJPY', 95n],
  ['GBPCHF', 190n],
  ['EURSEK', 60n],
  ['USDZAR', 130n],
  ['USDHKD', 6n],
]);

test('over 100,000 steps: bid below ask, inside the band around the reference, and the market does move', () => {
  const limits = new Map([...BANDS_BPS].map(([code, bps]) => [code, limitsOf(code, bps)]));
  const source = new SimulatedSource({ clock: CLOCK, seed: 20_260_413, pairs: [...limits.keys()] });
  const seen = new Map<string, { least: bigint; most: bigint }>();
  let broken = 0;
  source.start(({ pair: code, bid, ask }) => {
    const limit = limits.get(code);
    const twiceMid = bid.units + ask.units;
    const range = seen.get(code) ?? { least: twiceMid, most: twiceMid };
    if (twiceMid < range.least) range.least = twiceMid;
    if (twiceMid > range.most) range.most = twiceMid;
    seen.set(code, range);
    const inside = limit !== undefined && twiceMid >= 2n * limit.low && twiceMid <= 2n * limit.high;
    if (bid.units <= 0n || bid.units >= ask.units || !inside) broken += 1;
  });
  for (let step = 1; step < 100_000; step += 1) source.step();
  void source.stop();
  assert.equal(source.health().ticks, 100_000 * limits.size);
  assert.equal(broken, 0);
  for (const [code, { least, most }] of seen) {
    const limit = limits.get(code);
    assert.ok(limit);
    // Seven hours of market: a fair part of the band, not a flat line.
    assert.ok((most - least) * 4n > limit.high - limit.low, `${code} hardly moved: ${least} to ${most}`);
  }
});

function limitsOf(code: string, bps: bigint): { low: bigint; high: bigint } {
  const rate = BUILT_IN_REFERENCE.rate(pair(code))?.rate;
  assert.ok(rate);
  const reach = (rate.units * bps) / 10_000n;
  return { low: rate.units - reach, high: rate.units + reach };
}

test('a simulated cross never allows a riskless round through the dollar', () => {
  const dollar = findCurrency('USD');
  assert.ok(dollar);
  const crosses = SIMULATED_PAIRS.map(pair).filter(({ base, quote }) => base !== dollar && quote !== dollar);
  const newest = new Map<string, Tick>();
  const source = new SimulatedSource({ clock: CLOCK, seed: 3 });
  source.start((tick) => newest.set(tick.pair, tick));
  for (let step = 0; step < 200; step += 1) {
    source.step();
    for (const cross of crosses) {
      const [direct, a, b] = [cross, pairOf(cross.base, dollar), pairOf(cross.quote, dollar)].map((of) => ({
        pair: of,
        price: newest.get(of.code),
      }));
      assert.ok(direct?.price && a?.price && b?.price);
      const made = crossThrough(cross, { pair: a.pair, price: a.price }, { pair: b.pair, price: b.price });
      const open = compare(direct.price.bid, made.ask) <= 0 && compare(made.bid, direct.price.ask) <= 0;
      assert.ok(open, `${cross.code} at step ${step}`);
    }
  }
  void source.stop();
});

test('after the clock was moved, prices are fresh again at once, forwards and backwards', async () => {
  const clock = { at: NOW, now: () => clock.at };
  const book = new RateBook({ clock });
  const source = new SimulatedSource({ clock, seed: 1 });
  source.start((tick) => book.apply(tick));
  for (const move of [9 * HOUR_MS, -5 * HOUR_MS, -4 * HOUR_MS]) {
    clock.at += move;
    assert.equal(book.read(pair('EURUSD')).status, 'stale');
    await source.refresh();
    assert.equal(book.read(pair('EURUSD')).status, 'fresh');
    assert.equal(book.read(pair('CADMXN')).status, 'fresh');
  }
  assert.equal(source.health().lastTickAt, NOW);
  await source.stop();
});

test('it ticks by itself, at the interval, until it is stopped', async () => {
  const source = new SimulatedSource({ clock: CLOCK, seed: 1, pairs: ['EURUSD'], intervalMs: 2 });
  const ticks: Tick[] = [];
  assert.equal(source.health().state, 'idle');
  source.start((tick) => ticks.push(tick));
  assert.equal(ticks.length, 1);
  assert.throws(() => source.start(() => undefined), /runs already/);
  await eventually(() => ticks.length >= 4, 'four ticks');
  await source.stop();
  const count = ticks.length;
  source.step();
  await source.refresh();
  assert.equal(ticks.length, count);
  assert.deepEqual(source.health(), { state: 'stopped', ticks: count, lastTickAt: NOW });
});

test('a pair that is not one is refused', () => {
  assert.throws(() => new SimulatedSource({ clock: CLOCK, seed: 1, pairs: ['USDEUR'] }), RangeError);
  assert.throws(() => new SimulatedSource({ clock: CLOCK, seed: 1, pairs: ['EURHRK'] }), RangeError);
});

// Changing the generator, the table or the rounding changes everybody's seeded prices: not by accident.
const GOLDEN: readonly string[] = [
  'EURUSD 1.16830/1.16834 1772884800000',
  'USDJPY 159.751/159.756 1772884800000',
  'GBPJPY 214.405/214.425 1772884800000',
];
