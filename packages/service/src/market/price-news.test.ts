import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PriceQueue, type ReportedPrice } from './price-news.ts';
import { decimal, NO_LIMITS, NOW, testBook } from './test-book.ts';

const price = (bid: string, at = NOW, pair = 'EURUSD', source = 'bank'): ReportedPrice => ({
  source,
  pair,
  bid,
  ask: bid,
  at,
});

test('of what waits a newer price takes the place of an older one, and nothing of a withdrawal is lost', () => {
  const queue = new PriceQueue();
  assert.ok(queue.isEmpty);
  queue.price(price('1.1'));
  queue.price(price('1.2', NOW + 1));
  queue.price(price('150', NOW, 'USDJPY'));
  queue.withdraw({ source: 'bank', pair: 'USDJPY' });
  queue.withdraw({ source: 'bank', pair: 'USDJPY', at: NOW - 5 });
  const news = queue.take();
  assert.deepEqual(news.prices, [price('1.2', NOW + 1)]);
  assert.deepEqual(
    news.withdrawals,
    [{ source: 'bank', pair: 'USDJPY', at: NOW }],
    'not before the price that was said',
  );
  assert.ok(queue.isEmpty);
});

test('a source that is gone takes its prices along; others stay, and what comes after it', () => {
  const queue = new PriceQueue();
  queue.price(price('1.1'));
  queue.price(price('1.3', NOW, 'EURUSD', 'other'));
  queue.withdraw({ source: 'bank' });
  queue.price(price('1.2', NOW + 1));
  const { withdrawals, prices } = queue.take();
  assert.deepEqual(prices.map(({ source, bid }) => `${source} ${bid}`).sort(), ['bank 1.2', 'other 1.3']);
  assert.deepEqual(
    withdrawals.map(({ pair }) => pair),
    ['EURUSD', undefined],
  );
});

test('what was said by one who is gone counts no more', () => {
  const queue = new PriceQueue();
  queue.price(price('1.1'));
  queue.withdraw({ source: 'bank', pair: 'USDJPY' });
  queue.health({ bank: { state: 'running', ticks: 1 } });
  queue.add({ withdrawals: [], prices: [], isWhole: true });
  queue.lose();
  assert.deepEqual(queue.take(), { lost: true, withdrawals: [], prices: [] });
});

type Step = {
  readonly kind: 'price' | 'withdrawal' | 'gone' | 'take';
  readonly pair: 0 | 1;
  readonly at: number;
};
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'price' as const,
      'price' as const,
      'withdrawal' as const,
      'gone' as const,
      'take' as const,
    ),
    pair: fc.constantFrom(0 as const, 1 as const),
    at: fc.integer({ min: -20, max: 0 }),
  }),
  { maxLength: 30 },
);

test('however seldom the news are taken, the other book ends with the same prices', () => {
  const pairs = ['EURUSD', 'USDJPY'] as const;
  fc.assert(
    fc.property(steps, (all) => {
      // Nothing is an outlier, so that what comes between decides nothing.
      const settings = { ...NO_LIMITS, outlierBps: null };
      const own = testBook(settings);
      const other = testBook(settings);
      const queue = new PriceQueue();
      const hand = () => {
        const { withdrawals, prices } = queue.take();
        for (const { source, pair, at } of withdrawals) other.book.withdraw(source, pair, at);
        for (const { source, pair, bid, ask, at } of prices)
          other.book.apply({ source, pair, bid: decimal(bid), ask: decimal(ask), at });
      };
      let count = 0;
      for (const { kind, pair: index, at } of all) {
        const pair = pairs[index];
        count += 1;
        if (kind === 'take') hand();
        else if (kind === 'price') {
          const reported = price(`1.${String(count).padStart(3, '0')}`, NOW + at, pair);
          const { bid, ask, ...rest } = reported;
          const outcome = own.book.apply({ ...rest, bid: decimal(bid), ask: decimal(ask) });
          if (outcome === 'accepted') queue.price(reported);
        } else {
          const withdrawal = kind === 'gone' ? { source: 'bank' } : { source: 'bank', pair, at: NOW + at };
          own.book.withdraw(withdrawal.source, withdrawal.pair, withdrawal.at);
          queue.withdraw(withdrawal);
        }
      }
      hand();
      for (const pair of pairs) {
        const [mine, theirs] = [own.shown(pair), other.shown(pair)];
        // What is stale is dealt on nowhere, and may be missing where it was never handed on.
        if (mine.endsWith('fresh') || theirs.endsWith('fresh')) assert.equal(theirs, mine);
      }
    }),
  );
});
