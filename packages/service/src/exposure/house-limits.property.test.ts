import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCurrency, netOpenPosition } from '@firmquote/fx';
import fc from 'fast-check';
import { assertBooksBalance } from '../../test/support/books.ts';
import { EUROS, instances, isExceeded, setLimits } from '../../test/support/house-limits.ts';
import type { Desk } from '../../test/support/trading.ts';
import { foldSweep } from '../ledger/kept-rows.ts';
import type { RateBook } from '../market/rate-book.ts';
import { usdValueAt } from '../market/usd-value.ts';
import { positionChange } from './guard.ts';
import { publishValues } from './house-limits.ts';
import { type ExposureLimits, limitOf, readExposureLimits } from './limits.ts';
import type { PositionChange } from './own-changes.ts';
import { readHousePositions } from './position-store.ts';

const trade = fc.record({
  who: fc.nat({ max: 1 }),
  body: fc.constantFrom(
    EUROS,
    { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'buy', amount: '12345.67' } as const,
    { sellCurrency: 'GBP', buyCurrency: 'JPY', amount: '7654.32' } as const,
    { sellCurrency: 'JPY', buyCurrency: 'GBP', amount: '2345678' } as const,
    { sellCurrency: 'USD', buyCurrency: 'KWD', amount: '9000.00' } as const,
    { sellCurrency: 'KWD', buyCurrency: 'EUR', fixedSide: 'buy', amount: '8000.00' } as const,
  ),
});
/** When no quote is open any more: an execution is held against what is booked. */
const LONG_AFTER = Date.UTC(2100, 0);
const dollars = fc.integer({ min: 0, max: 40_000 }).map((n) => `${n}.00`);

/** Whether a trade keeps to the limits, by positions as they are before and after it. */
function isWithin(
  book: RateBook,
  limits: ExposureLimits,
  booked: ReadonlyMap<string, bigint>,
  change: PositionChange,
): boolean {
  const before = new Map(booked);
  for (const [code, minor] of limits.hedges) before.set(code, (before.get(code) ?? 0n) + minor);
  const after = new Map(before);
  for (const [code, minor] of change) after.set(code, (after.get(code) ?? 0n) + minor);
  const worth = (code: string, minor: bigint): bigint => {
    const size = usdValueAt(book, findCurrency(code) ?? assert.fail(code), minor < 0n ? -minor : minor);
    return minor < 0n ? -(size ?? assert.fail(code)) : (size ?? assert.fail(code));
  };
  for (const [code, minor] of change) {
    const limit = limitOf(limits, code);
    const now = worth(code, after.get(code) ?? 0n);
    if (limit !== undefined && (minor > 0n ? now > limit : -now > limit)) return false;
  }
  const openOf = (positions: ReadonlyMap<string, bigint>) =>
    netOpenPosition(
      [...positions]
        .filter(([code]) => code !== 'USD')
        .map(([code, minor]) => ({ upper: worth(code, minor), lower: worth(code, minor) })),
    );
  const { totalUsdMinor: total } = limits;
  if (total === undefined) return true;
  const [old, next] = [openOf(before), openOf(after)];
  return !(next.long > total && next.long > old.long) && !(next.short > total && next.short > old.short);
}

test('it is decided as the limits say, to the cent, whatever is traded', async () => {
  const { pool, desks } = await instances(2);
  const [first] = desks as [Desk, Desk];
  const { book } = first.market;
  await publishValues(pool, book);
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        total: fc.option(dollars),
        perCurrency: fc.option(dollars),
        currencies: fc.option(dollars).map((limit) => (limit === null ? [] : [{ currency: 'USD', limit }])),
        hedges: fc.boolean().map((some) => (some ? [{ currency: 'JPY', amount: '1000000' }] : [])),
      }),
      fc.array(trade, { minLength: 4, maxLength: 14 }),
      async (limits, trades) => {
        await setLimits(pool, limits);
        const read = readExposureLimits(limits, 1);
        for (const { who, body } of trades) {
          const desk = desks[who] as Desk;
          const quote = await desk.quote(body);
          const { byCurrency } = await readHousePositions(pool, LONG_AFTER);
          const booked = new Map([...byCurrency].map(([code, each]) => [code, each.position]));
          const isExpected = isWithin(book, read, booked, positionChange(quote));
          if (isExpected) await desk.execute(quote);
          else await assert.rejects(desk.execute(quote), isExceeded);
        }
        await foldSweep(pool).run();
      },
    ),
    { numRuns: 20, endOnFailure: true },
  );
  await setLimits(pool, {});
  const euro = findCurrency('EUR') ?? assert.fail();
  assert.equal(usdValueAt(book, euro, 1_000_000n), 1_084_910n);
  await assertBooksBalance(pool);
});
