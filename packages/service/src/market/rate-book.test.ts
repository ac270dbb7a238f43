import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crossThrough, type Decimal, findPair, formatDecimal, type Pair, parseDecimal } from '@firmquote/fx';
import fc from 'fast-check';
import { DEFAULT_PAIR_SETTINGS, type PairSettings } from './pair-settings.ts';
import { type PriceReading, RateBook, type Tick } from './rate-book.ts';
import { NO_LIMITS } from './test-book.ts';

const NOW = Date.UTC(2026, 2, 4, 14, 30);

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  assert.ok(value, text);
  return value;
}

function pair(code: string): Pair {
  const found = findPair(code);
  assert.ok(found, code);
  return found;
}

function setUp(defaults: Partial<PairSettings> = {}) {
  const clock = { at: NOW, now: () => clock.at };
  const book = new RateBook({ clock, defaults: { ...DEFAULT_PAIR_SETTINGS, ...defaults } });
  const tick = (code: string, bid: string, ask: string, at = clock.at, source = 'feed'): Tick => ({
    pair: code,
    bid: decimal(bid),
    ask: decimal(ask),
    at,
    source,
  });
  return { clock, book, tick };
}

function priced(reading: PriceReading) {
  assert.notEqual(reading.status, 'missing');
  assert.ok(reading.status !== 'missing');
  return reading;
}

function shown(reading: PriceReading): string {
  const { price } = priced(reading);
  return `${formatDecimal(price.bid)}/${formatDecimal(price.ask)}`;
}

test('a tick is shown with its source, its instant and its age', () => {
  const { clock, book, tick } = setUp();
  assert.deepEqual(book.read(pair('EURUSD')), { status: 'missing' });
  assert.equal(book.isSupported(pair('EURUSD')), false);
  const only = tick('EURUSD', '1.08488', '1.08494', NOW - 140);
  assert.equal(book.apply(only), 'accepted');
  clock.at = NOW + 100;
  const reading = priced(book.read(pair('EURUSD')));
  assert.deepEqual(reading, {
    status: 'fresh',
    ageMs: 240,
    price: { bid: only.bid, ask: only.ask, asOf: NOW - 140, source: 'feed', bidFrom: only, askFrom: only },
  });
  assert.equal(book.isSupported(pair('EURUSD')), true);
  assert.deepEqual(book.quotedPairs(), ['EURUSD']);
});

test('bad ticks are refused, counted by reason, and change nothing', () => {
  const { book, tick } = setUp();
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  assert.equal(book.apply(tick('EURUSD', '1.08495', '1.08494')), 'crossed');
  assert.equal(book.apply(tick('EURUSD', '1.084941', '1.08494')), 'crossed');
  assert.equal(book.apply(tick('EURUSD', '0', '1.08494')), 'not_positive');
  assert.equal(book.apply(tick('EURUSD', '-1.08488', '1.08494')), 'not_positive');
  assert.equal(book.apply(tick('USDEUR', '0.92', '0.93')), 'unknown_pair');
  assert.equal(book.apply(tick('EURXXX', '0.92', '0.93')), 'unknown_pair');
  assert.equal(book.apply(tick('EURUSD', '1.1', '1.2', NOW - 1)), 'backwards');
  assert.equal(book.apply(tick('EURUSD', '1.1', '1.2', NOW + 251)), 'future');
  assert.equal(shown(book.read(pair('EURUSD'))), '1.08488/1.08494');
  assert.equal(book.accepted, 1);
  assert.deepEqual(book.rejected, {
    unknown_pair: 2,
    source_disabled: 0,
    too_many_sources: 0,
    not_positive: 2,
    crossed: 2,
    locked: 0,
    wrong_clock: 0,
    future: 1,
    backwards: 1,
    too_wide: 0,
    outside_band: 0,
    outside_reference: 0,
    unconfirmed: 0,
    outlier: 0,
    frozen: 0,
    sandbox_hold: 0,
  });
  const [[source, ticks] = []] = [...book.ticksBySource];
  assert.equal(source, 'feed');
  assert.equal(ticks?.accepted, 1);
  assert.deepEqual(ticks?.rejected, book.rejected);
});

test('no price is fresh while the clock of the machine is wrong: nobody knows how old it is', () => {
  const clock = { at: NOW, right: true, now: () => clock.at };
  const book = new RateBook({ clock, isClockRight: () => clock.right });
  const ask = (code: string) => book.read(pair(code)).status;
  const of = { at: NOW, source: 'feed' };
  book.apply({ ...of, pair: 'EURUSD', bid: decimal('1.08488'), ask: decimal('1.08494') });
  book.apply({ ...of, pair: 'USDJPY', bid: decimal('149.321'), ask: decimal('149.327') });
  assert.deepEqual([ask('EURUSD'), ask('EURJPY')], ['fresh', 'fresh']);
  // Set back by as long as has passed: the price looks as if it had come just now.
  clock.right = false;
  assert.deepEqual([ask('EURUSD'), ask('EURJPY')], ['stale', 'stale']);
  clock.right = true;
  assert.deepEqual([ask('EURUSD'), ask('EURJPY')], ['fresh', 'fresh']);
});

test('no price is taken in while the clock of the machine is wrong: it would pass for a fresh one when that is set right', () => {
  const clock = { at: NOW, right: true, now: () => clock.at };
  const book = new RateBook({ clock, isClockRight: () => clock.right });
  const tick = (bid: string, ask: string, code = 'EURUSD'): Tick => ({
    ...{ pair: code, bid: decimal(bid), ask: decimal(ask) },
    ...{ at: clock.at, source: 'feed' },
  });
  assert.equal(book.apply(tick('1.08488', '1.08494')), 'accepted');
  assert.equal(book.apply(tick('1.26544', '1.26552', 'GBPUSD')), 'accepted');
  clock.at += 26_000;
  clock.right = false;
  assert.equal(book.apply(tick('1.08490', '1.08496')), 'wrong_clock');
  assert.deepEqual(book.withdraw('feed', 'GBPUSD', clock.at), ['GBPUSD']);
  clock.at = NOW;
  clock.right = true;
  assert.equal(book.read(pair('GBPUSD')).status, 'stale', 'what is taken back is heard');
  clock.right = false;
  // Set right half a minute later: what came meanwhile would be three seconds old.
  clock.at = NOW + 29_000;
  clock.right = true;
  assert.equal(book.read(pair('EURUSD')).status, 'stale');
  assert.equal(book.apply(tick('1.08491', '1.08497')), 'accepted', 'nor does what came then count as newer');
  assert.equal(book.apply(tick('1.26545', '1.26553', 'GBPUSD')), 'accepted');
  assert.equal(shown(book.read(pair('EURUSD'))), '1.08491/1.08497');
  assert.equal(book.rejected.wrong_clock, 1);
});

test('what comes while the clock is wrong is not taken in, and ends the price before it: its source has another one', () => {
  const clock = { at: NOW, right: true, now: () => clock.at };
  const book = new RateBook({ clock, isClockRight: () => clock.right });
  const say = (bid: string, ask: string) =>
    book.apply({ pair: 'EURUSD', bid: decimal(bid), ask: decimal(ask), at: clock.at, source: 'feed' });
  assert.equal(say('1.08488', '1.08494'), 'accepted');
  clock.right = false;
  assert.equal(say('1.07488', '1.07494'), 'wrong_clock');
  clock.right = true;
  assert.equal(book.read(pair('EURUSD')).status, 'stale');
  assert.equal(say('1.07489', '1.07495'), 'accepted');
  assert.equal(shown(book.read(pair('EURUSD'))), '1.07489/1.07495');
});

test('locked prices and several ticks of one millisecond are taken', () => {
  const { book, tick } = setUp();
  assert.equal(book.apply(tick('EURUSD', '1.0849', '1.08490')), 'accepted');
  assert.equal(book.apply(tick('EURUSD', '1.08491', '1.08492')), 'accepted');
  assert.equal(shown(book.read(pair('EURUSD'))), '1.08491/1.08492');
});

test('a price is fresh up to its limit and stale one millisecond later', () => {
  const { clock, book, tick } = setUp();
  book.configure(pair('USDKWD'), { ...DEFAULT_PAIR_SETTINGS, stalenessMs: 60_000 });
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('USDKWD', '0.30711', '0.30719'));
  clock.at = NOW + 5000;
  assert.equal(book.read(pair('EURUSD')).status, 'fresh');
  clock.at = NOW + 5001;
  const stale = priced(book.read(pair('EURUSD')));
  assert.equal(stale.status, 'stale');
  assert.equal(stale.ageMs, 5001);
  assert.equal(shown(stale), '1.08488/1.08494');
  clock.at = NOW + 60_000;
  assert.equal(book.read(pair('USDKWD')).status, 'fresh');
  clock.at = NOW + 60_001;
  assert.equal(book.read(pair('USDKWD')).status, 'stale');
});

test('a cross is as old as its older leg, and stale when either leg is', () => {
  const { clock, book, tick } = setUp();
  const cross = pair('EURJPY');
  const euro = tick('EURUSD', '1.08488', '1.08494', NOW - 3000, 'a');
  book.apply(euro);
  assert.equal(book.read(cross).status, 'missing');
  assert.equal(book.isSupported(cross), false);
  const yen = tick('USDJPY', '151.236', '151.240', NOW, 'b');
  book.apply(yen);
  assert.equal(book.isSupported(cross), true);
  const reading = priced(book.read(cross));
  assert.equal(reading.status, 'fresh');
  assert.equal(reading.ageMs, 3000);
  assert.equal(reading.price.asOf, NOW - 3000);
  assert.equal(reading.price.source, 'composite');
  assert.deepEqual(reading.price.legs, [
    { ...euro, bidFrom: euro, askFrom: euro },
    { ...yen, bidFrom: yen, askFrom: yen },
  ]);
  // 1.08488 x 151.236 = 164.0729…, 1.08494 x 151.240 = 164.0863…
  assert.equal(shown(reading), '164.072/164.087');
  clock.at = NOW + 2000;
  assert.equal(book.read(cross).status, 'fresh');
  clock.at = NOW + 2001;
  assert.equal(book.read(cross).status, 'stale');
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  assert.equal(book.read(cross).status, 'fresh');
  assert.deepEqual(book.quotedPairs(), ['EURUSD', 'USDJPY']);
});

test('a cross has a limit of its own too', () => {
  const { clock, book, tick } = setUp();
  book.configure(pair('EURJPY'), { ...DEFAULT_PAIR_SETTINGS, stalenessMs: 1000 });
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('USDJPY', '151.236', '151.240'));
  clock.at = NOW + 1000;
  assert.equal(book.read(pair('EURJPY')).status, 'fresh');
  clock.at = NOW + 1001;
  assert.equal(book.read(pair('EURJPY')).status, 'stale');
});

test('a direct price wins over the legs, also when it has become stale', () => {
  const { clock, book, tick } = setUp();
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('USDJPY', '151.236', '151.240'));
  book.apply(tick('EURJPY', '164.000', '164.002'));
  assert.equal(shown(book.read(pair('EURJPY'))), '164.000/164.002');
  assert.deepEqual(book.dependenciesOf(pair('EURJPY')), ['EURJPY']);
  assert.deepEqual(book.dependenciesOf(pair('GBPJPY')), ['GBPJPY', 'GBPUSD', 'USDJPY', 'EURGBP', 'EURJPY']);
  clock.at = NOW + 6000;
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('USDJPY', '151.236', '151.240'));
  assert.equal(book.read(pair('EURJPY')).status, 'stale');
});

test('every cross equals what the fx package makes of the legs, before and after each leg ticks', () => {
  const legs = [pair('EURUSD'), pair('GBPUSD'), pair('USDJPY'), pair('USDCAD'), pair('USDKWD')];
  const crosses = ['EURGBP', 'EURJPY', 'GBPJPY', 'CADJPY', 'KWDJPY', 'GBPKWD', 'CADKWD'].map(pair);
  const update = fc.record({
    leg: fc.constantFrom(...legs),
    bid: fc.bigInt({ min: 1_000n, max: 50_000_000n }),
    spread: fc.bigInt({ min: 0n, max: 200n }),
  });
  fc.assert(
    fc.property(fc.array(update, { minLength: 1, maxLength: 30 }), (updates) => {
      const { book } = setUp({ outlierBps: null, ...NO_LIMITS });
      const newest = new Map<string, { bid: Decimal; ask: Decimal }>();
      for (const { leg, bid, spread } of updates) {
        const scale = leg.decimals;
        const price = { bid: { units: bid, scale }, ask: { units: bid + spread, scale } };
        newest.set(leg.code, price);
        assert.equal(book.apply({ pair: leg.code, ...price, at: NOW, source: 'feed' }), 'accepted');
        for (const cross of crosses) {
          const used = legs.filter((of) =>
            [of.base, of.quote].some((c) => c === cross.base || c === cross.quote),
          );
          const [a, b] = used.map((of) => ({ pair: of, price: newest.get(of.code) }));
          if (a?.price === undefined || b?.price === undefined) {
            assert.equal(book.read(cross).status, 'missing');
            continue;
          }
          const made = crossThrough(
            cross,
            { pair: a.pair, price: a.price },
            { pair: b.pair, price: b.price },
          );
          const { price } = priced(book.read(cross));
          assert.deepEqual({ bid: price.bid, ask: price.ask, exact: price.exact }, made);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('a cross is computed once until a leg ticks', () => {
  const { book, tick } = setUp();
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('USDJPY', '151.236', '151.240'));
  const first = priced(book.read(pair('EURJPY'))).price;
  assert.equal(priced(book.read(pair('EURJPY'))).price, first);
  book.apply(tick('USDJPY', '151.236', '151.240'));
  assert.notEqual(priced(book.read(pair('EURJPY'))).price, first);
});

test('a frozen pair stays as set and fresh for days, until it is released to the newest tick', () => {
  const { clock, book, tick } = setUp();
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('USDJPY', '151.236', '151.240'));
  book.freeze('EURUSD', decimal('1.2'), decimal('1.2001'));
  assert.equal(book.frozen()[0]?.pair, 'EURUSD');
  clock.at = NOW + 48 * 3_600_000;
  assert.equal(book.apply(tick('EURUSD', '1.09000', '1.09006')), 'sandbox_hold');
  book.apply(tick('USDJPY', '151.236', '151.240'));
  const frozen = priced(book.read(pair('EURUSD')));
  assert.equal(frozen.status, 'fresh');
  assert.equal(shown(frozen), '1.2/1.2001');
  assert.equal(frozen.price.source, 'sandbox');
  assert.equal(frozen.price.asOf, NOW);
  // 1.2 x 151.236 = 181.4832, 1.2001 x 151.240 = 181.503124
  assert.equal(shown(book.read(pair('EURJPY'))), '181.483/181.504');
  assert.equal(book.read(pair('EURJPY')).status, 'fresh');
  assert.equal(book.rejected.sandbox_hold, 1);
  book.release('EURUSD');
  assert.deepEqual(book.frozen(), []);
  assert.equal(shown(book.read(pair('EURUSD'))), '1.09000/1.09006');
  assert.equal(book.read(pair('EURUSD')).status, 'fresh');
});

test('a cross can be frozen over its legs, and a pair without any feed too', () => {
  const { book, tick } = setUp();
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('USDJPY', '151.236', '151.240'));
  book.freeze('EURJPY', decimal('170'), decimal('170.1'));
  assert.equal(shown(book.read(pair('EURJPY'))), '170/170.1');
  book.release('EURJPY');
  assert.equal(shown(book.read(pair('EURJPY'))), '164.072/164.087');
  book.freeze('USDTRY', decimal('44'), decimal('44.1'));
  assert.equal(book.isSupported(pair('USDTRY')), true);
  book.release('USDTRY');
  assert.equal(book.read(pair('USDTRY')).status, 'missing');
  book.release('USDTRY');
  assert.throws(() => book.freeze('USDEUR', decimal('1'), decimal('1')), RangeError);
  assert.throws(() => book.freeze('EURUSD', decimal('1.1'), decimal('1.0')), RangeError);
  assert.throws(() => book.freeze('EURUSD', decimal('0'), decimal('1.0')), RangeError);
});

test('after the clock was set back, prices from the future are stale and give way to the next tick', () => {
  const { clock, book, tick } = setUp();
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  clock.at = NOW - 250;
  assert.equal(book.read(pair('EURUSD')).status, 'fresh');
  assert.equal(book.apply(tick('EURUSD', '1.08488', '1.08494')), 'backwards');
  clock.at = NOW - 3_600_000;
  const reading = priced(book.read(pair('EURUSD')));
  assert.equal(reading.status, 'stale');
  assert.equal(reading.ageMs, 0);
  assert.equal(book.apply(tick('EURUSD', '1.09000', '1.09006')), 'accepted');
  assert.equal(shown(book.read(pair('EURUSD'))), '1.09000/1.09006');
  assert.equal(book.read(pair('EURUSD')).status, 'fresh');
});

test('listeners hear of each change of a price of its own, until they stop listening', () => {
  const { book, tick } = setUp();
  const heard: string[] = [];
  const stop = book.onChange((code) => heard.push(code));
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.apply(tick('EURUSD', '1.08495', '1.08494'));
  book.freeze('EURUSD', decimal('1.2'), decimal('1.2001'));
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  book.release('EURUSD');
  stop();
  book.apply(tick('EURUSD', '1.08488', '1.08494'));
  assert.deepEqual(heard, ['EURUSD', 'EURUSD', 'EURUSD']);
});
