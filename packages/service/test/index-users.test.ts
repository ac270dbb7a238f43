import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Pool } from '../src/database/pool.ts';
import { listEntries, nextEntries } from '../src/ledger/store.ts';
import { listForOperator } from '../src/payments/search-store.ts';
import { NIL_UUID } from '../src/platform/ids.ts';
import { findTransactions, placeOf, type TransactionFilter } from '../src/transactions/list-store.ts';
import type { PricedTransaction } from '../src/transactions/record.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';
import { createDesk, type Desk, executionOf } from './support/trading.ts';

/** Every trade writes to each index that holds all rows of a table, so each of these has a query that needs it. */

let pool: Pool;
let desk: Desk;
let trade: PricedTransaction;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 1 }));
  // As it would plan for tables that are large.
  await pool.query('set enable_seqscan = off');
  desk = await createDesk(pool);
  const trades = (of: Desk) =>
    Promise.all(Array.from({ length: 40 }, async () => of.execute(await of.quote())));
  trade = (await trades(desk))[0] ?? assert.fail();
  // What is looked for is rare among all and with one customer.
  for (const other of [await createDesk(pool), await createDesk(pool)]) await trades(other);
  await pool.query(
    `update transactions set status = 'cancelled'
     where id = $2 or id in (select id from transactions where customer_id <> $1 limit 12)`,
    [desk.customerId, trade.id],
  );
  await ownerOf(pool).query('analyze transactions, quotes, journal_entries');
});

const NO_FILTER = { minSellMinor: undefined, maxSellMinor: undefined } as TransactionFilter;
const list = (
  filter: Partial<TransactionFilter>,
  sort: 'createdAt' | 'updatedAt' | 'valueDate' = 'createdAt',
) => findTransactions(pool, desk.customerId, { ...NO_FILTER, ...filter }, sort, 10, undefined);

const USERS: Readonly<Record<string, () => Promise<unknown>>> = {
  transactions_pkey: () => list({}),
  transactions_customer_id_quote_id_key: () => list({ quoteId: trade.quote_id }),
  transactions_reference_key: () => listForOperator(pool, { reference: trade.reference }, undefined, 10),
  transactions_by_status: () => listForOperator(pool, {}, undefined, 10),
  transactions_status: () => list({ status: ['cancelled'] }),
  transactions_changed: () => list({}, 'updatedAt'),
  transactions_value_date: () => list({}, 'valueDate'),
  quotes_pkey: () => desk.services.quotes.find(desk.customerId, trade.quote_id),
  quotes_by_end: async () => {
    await desk.quote();
    await desk.services.store.openPairs(desk.clock.now());
  },
  journal_entries_pkey: () => listEntries(pool, { customerId: desk.customerId }, undefined, 1_000),
  journal_entries_later: () =>
    listEntries(pool, { customerId: desk.customerId, transactionId: trade.id }, undefined, 10),
  journal_entries_id: () => nextEntries(pool, NIL_UUID, 10),
  idempotency_keys_pkey: () =>
    desk.services.transactions.execute(
      executionOf(desk, trade.quote_id, { key: { key: 'k', fingerprint: 'f' } }),
    ),
};

test('trades that were changed at one instant come page by page, each once, though their index does not have them in order', async () => {
  const { rows } = await pool.query<{ id: string }>(
    'update transactions set updated_at = $2 where customer_id = $1 returning id',
    [desk.customerId, new Date(desk.clock.now() + 60_000).toISOString()],
  );
  const found: string[] = [];
  for (let after: ReturnType<typeof placeOf> | undefined, pages = 0; pages < 9; pages += 1) {
    const page = await findTransactions(pool, desk.customerId, NO_FILTER, 'updatedAt', 6, after);
    const shown = page.slice(0, 6);
    found.push(...shown.map(({ id }) => id));
    const last = shown.at(-1);
    if (page.length <= 6 || last === undefined) break;
    after = placeOf('updatedAt', last);
  }
  assert.equal(found.length, 40);
  assert.deepEqual(found, rows.map(({ id }) => id).sort());
});

async function scansOf(index: string): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ scans: string }>(
    'select idx_scan as scans from pg_stat_user_indexes where indexrelname = $1',
    [index],
  );
  return Number.parseInt(rows[0]?.scans ?? assert.fail(`there is no ${index}`), 10);
}

test('the entry of an execution is found among those of its trade, without an index of its own', async () => {
  const filter = { customerId: desk.customerId, transactionId: trade.id };
  assert.deepEqual(
    (await listEntries(pool, filter, undefined, 10)).map(({ kind }) => kind),
    ['trade_executed'],
  );
});

for (const [index, use] of Object.entries(USERS)) {
  test(`${index} is what its query goes through`, async () => {
    const earlier = await scansOf(index);
    await use();
    assert.ok((await scansOf(index)) > earlier);
  });
}

test('no index over all rows of what a trade writes is without a query', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select i.indexrelid::regclass::text as name from pg_index i
     where i.indpred is null and i.indrelid = any ($1::regclass[]) order by 1`,
    [['transactions', 'quotes', 'journal_entries', 'idempotency_keys']],
  );
  // A few pages in all: it holds the bounds of blocks, not rows.
  const known = new Set([...Object.keys(USERS), 'idempotency_keys_age']);
  assert.deepEqual(
    rows.flatMap(({ name }) => (known.has(name) ? [] : [name])),
    [],
  );
});
