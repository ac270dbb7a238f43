import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare } from '@firmquote/fx';
import fc from 'fast-check';
import { DEFAULT_PAIR_SETTINGS } from './pair-settings.ts';
import type { PriceOrigin, Tick } from './rate-book.ts';
import { pair, testBook } from './test-book.ts';

const SOURCES = ['a', 'b', 'c'] as const;

const step = fc.record({
  source: fc.constantFrom(...SOURCES),
  // Around one level, around another one, and anywhere.
  bid: fc.oneof(
    { weight: 6, arbitrary: fc.bigInt({ min: 108_400n, max: 108_600n }) },
    { weight: 2, arbitrary: fc.bigInt({ min: 112_400n, max: 112_600n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: -5n, max: 10_000_000n }) },
  ),
  spread: fc.bigInt({ min: -3n, max: 20n }),
  /** The clock goes on so far before the tick; at times it is set back. */
  pauseMs: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 900 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 9_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -20_000, max: 70_000 }) },
  ),
  /** How old the tick is when it comes; less than zero is from the future. */
  delayMs: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: -400, max: 7_000 })),
  disabled: fc.option(fc.constantFrom(...SOURCES), { freq: 12 }),
});

const settings = fc.record({
  composite: fc.constantFrom('best' as const, 'priority' as const),
  lockedPrices: fc.constantFrom('accept' as const, 'refuse' as const),
  frozenMs: fc.constantFrom(null, 2_000),
  outlierBps: fc.constantFrom(null, { units: 50_00n, scale: 2 }),
  priority: fc.constantFrom([], ['c'], ['b', 'a']),
});

test('whatever comes, a fresh price is not crossed, not stale, and from good ticks of sources that count', () => {
  fc.assert(
    fc.property(settings, fc.array(step, { minLength: 1, maxLength: 60 }), (chosen, steps) => {
      const { clock, book } = testBook(chosen);
      const good = new Map<string, Tick>();
      const frozen = new Set<string>();
      let disabled: string | null = null;
      for (const { source, bid, spread, pauseMs, delayMs, ...step } of steps) {
        clock.at += pauseMs;
        disabled = step.disabled;
        book.setDisabledSources(new Set(disabled === null ? [] : [disabled]));
        const tick: Tick = {
          pair: 'EURUSD',
          bid: { units: bid, scale: 5 },
          ask: { units: bid + spread, scale: 5 },
          at: clock.at - delayMs,
          source,
        };
        const outcome = book.apply(tick);
        if (outcome === 'accepted') {
          good.set(source, tick);
          frozen.delete(source);
        } else if (outcome === 'frozen') frozen.add(source);
        for (const laterMs of [0, 1, 2_500, 5_000, 5_001]) {
          clock.at += laterMs;
          check();
          clock.at -= laterMs;
        }
      }

      function check(): void {
        const reading = book.read(pair('EURUSD'));
        if (reading.status === 'missing') return;
        const { price } = reading;
        assert.ok(compare(price.bid, price.ask) <= 0, 'crossed');
        if (reading.status !== 'fresh') return;
        assert.ok(price.bidFrom && price.askFrom);
        for (const from of [price.bidFrom, price.askFrom]) assertUsable(from);
        assert.equal(price.bid, good.get(price.bidFrom.source)?.bid);
        assert.equal(price.ask, good.get(price.askFrom.source)?.ask);
        assert.equal(price.asOf, Math.min(price.bidFrom.at, price.askFrom.at));
      }

      function assertUsable(from: PriceOrigin): void {
        assert.equal(from.at, good.get(from.source)?.at, 'from a tick that was not taken');
        assert.ok(clock.at - from.at <= DEFAULT_PAIR_SETTINGS.stalenessMs, 'stale');
        assert.ok(from.at - clock.at <= 250, 'from the future');
        assert.notEqual(from.source, disabled);
        assert.ok(!frozen.has(from.source), 'frozen');
      }
    }),
    { numRuns: 300 },
  );
});

test('whatever jumps within the band, three ticks at one level are enough to be there', () => {
  const within = (low: bigint, high: bigint) => fc.bigInt({ min: low, max: high });
  const wild = fc.array(fc.oneof(within(1n, 10_000_000n), within(106_900n, 113_100n)), { maxLength: 30 });
  fc.assert(
    fc.property(wild, within(106_900n, 113_000n), (noise, level) => {
      const { clock, book } = testBook();
      const send = (bid: bigint) => {
        clock.at += 100;
        const price = { bid: { units: bid, scale: 5 }, ask: { units: bid + 2n, scale: 5 } };
        return book.apply({ pair: 'EURUSD', ...price, at: clock.at, source: 'a' });
      };
      assert.equal(send(110_000n), 'accepted');
      for (const bid of noise) send(bid);
      const outcomes = [level, level + 1n, level + 2n].map(send);
      assert.equal(outcomes.at(-1), 'accepted');
    }),
    { numRuns: 200 },
  );
});
