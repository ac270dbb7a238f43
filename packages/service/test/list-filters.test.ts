import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Pool } from '../src/database/pool.ts';
import { findQuotes } from '../src/quotes/list-store.ts';
import type { QuoteRecord } from '../src/quotes/record.ts';
import { findTransactions, placeOf, type TransactionFilter } from '../src/transactions/list-store.ts';
import type { PricedTransaction } from '../src/transactions/record.ts';
import { createTestDatabase } from './support/database.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT } from './support/trading.ts';

/** Each filter of a list by itself, on either side of its bound: of two that differ in everything, which are found. */

type QuoteFilter = Parameters<typeof findQuotes>[2];

const LATER = 60_000;
const LIMIT = 10;
let pool: Pool;
let desk: Desk;
let quotes: readonly [one: QuoteRecord, two: QuoteRecord];
let trades: readonly [one: PricedTransaction, two: PricedTransaction];
before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await createDesk(pool);
  const asked = { validitySeconds: 30, clientReference: 'ONE', amount: '1000.00' } as const;
  const one = await desk.quote({ ...asked, sellCurrency: 'USD', buyCurrency: 'EUR', tenor: 'tom' });
  const first = await desk.execute(one);
  desk.clock.set(EXAMPLE_INSTANT + LATER);
  const two = await desk.quote({
    ...asked,
    sellCurrency: 'GBP',
    buyCurrency: 'JPY',
    clientReference: 'TWO',
    amount: '2000.00',
  });
  const second = await desk.execute(two);
  // Of another customer, with the same in it.
  const other = await createDesk(pool, { clock: desk.clock });
  await other.execute(await other.quote(asked));
  [quotes, trades] = [
    [one, two],
    [first, second],
  ];
});

const ONE = ['ONE'];
const TWO = ['TWO'];
const BOTH = ['ONE', 'TWO'];

describe('transactions are found', () => {
  const found = async (filter: Partial<TransactionFilter>) =>
    (
      await findTransactions(
        pool,
        desk.customerId,
        filter as TransactionFilter,
        'createdAt',
        LIMIT,
        undefined,
      )
    ).map((row) => row.client_reference);

  test('by each filter', async () => {
    const [one, two] = trades;
    const cases: [Partial<TransactionFilter>, readonly string[]][] = [
      [{}, BOTH],
      [{ status: ['awaiting_funds'] }, BOTH],
      [{ status: ['funded', 'settled'] }, []],
      [{ createdFrom: one.created_at }, BOTH],
      [{ createdFrom: one.created_at + 1 }, TWO],
      [{ createdTo: two.created_at }, ONE],
      [{ createdTo: two.created_at + 1 }, BOTH],
      [{ updatedFrom: one.updated_at }, BOTH],
      [{ updatedFrom: one.updated_at + 1 }, TWO],
      [{ updatedTo: two.updated_at }, ONE],
      [{ updatedTo: two.updated_at + 1 }, BOTH],
      [{ valueDateFrom: one.value_date }, BOTH],
      [{ valueDateFrom: two.value_date }, TWO],
      [{ valueDateTo: two.value_date }, BOTH],
      [{ valueDateTo: one.value_date }, ONE],
      [{ sellCurrency: 'USD' }, ONE],
      [{ buyCurrency: 'JPY' }, TWO],
      [{ sellCurrency: 'JPY' }, []],
      [{ buyCurrency: 'USD' }, []],
      [{ pair: one.pair }, ONE],
      [{ quoteId: two.quote_id }, TWO],
      [{ clientReference: 'ONE' }, ONE],
      [{ reference: two.reference }, TWO],
      [{ minSellMinor: 100_000n }, BOTH],
      [{ minSellMinor: 100_001n }, TWO],
      [{ maxSellMinor: 200_000n }, BOTH],
      [{ maxSellMinor: 199_999n }, ONE],
    ];
    assert.ok(one.value_date < two.value_date);
    for (const [filter, expected] of cases) {
      const what = Object.entries(filter).join(' ');
      assert.deepEqual(await found(filter), expected, what);
    }
  });

  test('in each order, and from a place on', async () => {
    await pool.query(
      `update transactions set updated_at = created_at - interval '1 day' * (client_reference = 'TWO')::int
      where customer_id = $1`,
      [desk.customerId],
    );
    const [one, two] = trades;
    for (const [sort, names] of [
      ['createdAt', BOTH],
      ['-createdAt', ['TWO', 'ONE']],
      ['updatedAt', ['TWO', 'ONE']],
      ['valueDate', BOTH],
    ] as const) {
      const page = (limit: number, after?: Parameters<typeof findTransactions>[5]) =>
        findTransactions(pool, desk.customerId, {} as TransactionFilter, sort, limit, after);
      const all = await page(LIMIT);
      assert.deepEqual(
        all.map((row) => row.client_reference),
        names,
        sort,
      );
      assert.equal((await page(1)).length, 2, 'one more than the page shows');
      assert.equal((await page(0)).length, 1);
      const [first, last] = all;
      assert.ok(first && last);
      assert.deepEqual(
        (await page(LIMIT, placeOf(sort, first))).map(({ id }) => id),
        [last.id],
        sort,
      );
      assert.deepEqual(await page(LIMIT, placeOf(sort, last)), [], sort);
    }
    // What is of one value date goes by id.
    await pool.query('update transactions set value_date = $2 where customer_id = $1', [
      desk.customerId,
      one.value_date,
    ]);
    const later = await findTransactions(
      pool,
      desk.customerId,
      {} as TransactionFilter,
      'valueDate',
      LIMIT,
      placeOf('valueDate', one),
    );
    assert.deepEqual(
      later.map(({ id }) => id),
      [two.id],
    );
  });
});

describe('quotes are found', () => {
  const found = async (filter: Partial<QuoteFilter>, now = desk.clock.now()) =>
    (await findQuotes(pool, desk.customerId, filter as QuoteFilter, now, LIMIT, undefined)).records.map(
      (record) => record.clientReference,
    );

  test('by each filter, newest first', async () => {
    const [one, two] = quotes;
    const NEWEST = ['TWO', 'ONE'];
    const cases: [Partial<QuoteFilter>, readonly string[]][] = [
      [{}, NEWEST],
      [{ status: ['executed'] }, NEWEST],
      [{ status: ['open', 'expired'] }, []],
      [{ createdFrom: one.createdAt }, NEWEST],
      [{ createdFrom: one.createdAt + 1 }, TWO],
      [{ createdTo: two.createdAt }, ONE],
      [{ createdTo: two.createdAt + 1 }, NEWEST],
      [{ pair: one.pair }, ONE],
      [{ sellCurrency: 'USD' }, ONE],
      [{ sellCurrency: 'JPY' }, []],
      [{ buyCurrency: 'JPY' }, TWO],
      [{ buyCurrency: 'USD' }, []],
      [{ clientReference: 'ONE' }, ONE],
    ];
    for (const [filter, expected] of cases) {
      assert.deepEqual(await found(filter), expected, Object.entries(filter).join(' '));
    }
  });

  test('as open until the instant at which they run out', async () => {
    const open = await desk.quote({ validitySeconds: 30, clientReference: 'OPEN' });
    for (const [status, now, expected] of [
      ['open', open.expiresAt - 1, ['OPEN']],
      ['expired', open.expiresAt - 1, []],
      ['open', open.expiresAt, []],
      ['expired', open.expiresAt, ['OPEN']],
    ] as const) {
      assert.deepEqual(await found({ status: [status] }, now), expected, `${status} ${now}`);
    }
  });
});
