import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { readBalances } from '../src/balances/store.ts';
import type { Pool } from '../src/database/pool.ts';
import { readEventsAfter } from '../src/events/store.ts';
import { keptDifferences } from '../src/ledger/kept-row-store.ts';
import { listEntries, nextEntries } from '../src/ledger/store.ts';
import { duePage } from '../src/payments/due-payment-store.ts';
import { listForOperator } from '../src/payments/search-store.ts';
import { dueForCloseOut, dueForFunding, missedValueDates } from '../src/payments/store.ts';
import { NIL_UUID } from '../src/platform/ids.ts';
import { quotesToWithdraw } from '../src/sandbox/store.ts';
import { findTransactions, placeOf, type TransactionFilter } from '../src/transactions/list-store.ts';
import type { PricedTransaction } from '../src/transactions/record.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';
import { createDesk, type Desk, executionOf, openQuotesOf } from './support/trading.ts';

/** A trade, and each change of one, writes to the indexes of what it touches, so each of these has a query that needs it. */

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
  await trades(await createDesk(pool));
  const [owed, paid, refunded, free, named] = await trades(await createDesk(pool));
  await pool.query(
    `update transactions set status = 'cancelled'
     where id = $2 or id in (select id from transactions where customer_id <> $1 limit 12)`,
    [desk.customerId, trade.id],
  );
  const change = (row: PricedTransaction | undefined, columns: string) =>
    pool.query(`update transactions set ${columns} where id = $1`, [row?.id]);
  await change(owed, `status = 'overdue'`);
  await change(paid, `status = 'settling', payout_status = 'sent', received_minor = sell_minor`);
  await change(
    refunded,
    `status = 'cancelled', refund = '{"status":"pending","amount":"1.00","currency":"EUR"}'`,
  );
  await change(free, `status = 'funded', received_minor = sell_minor`);
  await change(named, `client_reference = 'PO-1'`);
  await ownerOf(pool).query('analyze transactions, quotes, journal_entries, balances, events');
});

const NO_FILTER = { minSellMinor: undefined, maxSellMinor: undefined } as TransactionFilter;
const list = (
  filter: Partial<TransactionFilter>,
  sort: 'createdAt' | 'updatedAt' | 'valueDate' = 'createdAt',
) => findTransactions(pool, desk.customerId, { ...NO_FILTER, ...filter }, sort, 10, undefined);

const DUE = { currency: null, valueDate: null, exclusions: null, rowsMax: 10 };
/** Later than every instant and day of these trades. */
const LATER = { at: Date.parse('2099-01-01'), dates: { EUR: '2099-01-01', USD: '2099-01-01' } };

const USERS: Readonly<Record<string, () => Promise<unknown>>> = {
  transactions_pkey: () => list({}),
  transactions_customer_id_quote_id_key: () => list({ quoteId: trade.quote_id }),
  transactions_reference_key: () => listForOperator(pool, { reference: trade.reference }, undefined, 10),
  transactions_by_status: () => listForOperator(pool, {}, undefined, 10),
  transactions_status: () => list({ status: ['cancelled'] }),
  transactions_changed: () => list({}, 'updatedAt'),
  transactions_value_date: () => list({}, 'valueDate'),
  transactions_client_reference: () => list({ clientReference: 'PO-1' }),
  transactions_funding_due: () => dueForFunding(pool, LATER.at, undefined),
  transactions_overdue_due: () => dueForCloseOut(pool, new Map([['USD', LATER.at]]), [], undefined),
  transactions_settlement_due: () => missedValueDates(pool, LATER.dates, undefined),
  transactions_payout_due: () => duePage(pool, 'payout', { ...DUE, currency: trade.buy_currency }),
  transactions_refund_due: () => duePage(pool, 'refund', { ...DUE, currency: 'EUR' }),
  quotes_of_drills: async () => {
    await desk.quote();
    await quotesToWithdraw(pool, LATER.at, [], 10);
  },
  quotes_that_run_long: () => openQuotesOf(pool, desk.customerId, desk.clock.now()),
  quotes_pkey: () => desk.services.quotes.find(desk.customerId, trade.quote_id),
  quotes_by_end: async () => {
    await desk.quote();
    await desk.services.store.openPairs(desk.clock.now());
  },
  journal_entries_pkey: () => listEntries(pool, { customerId: desk.customerId }, undefined, 1_000),
  journal_entries_later: () =>
    listEntries(pool, { customerId: desk.customerId, transactionId: trade.id }, undefined, 10),
  journal_entries_id: () => nextEntries(pool, NIL_UUID, 10),
  balances_position: () => keptDifferences(pool, 10),
  balances_pkey: () => readBalances(pool, desk.customerId),
  events_default_pkey: () => readEventsAfter(pool, desk.customerId, 0n, undefined, 10),
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

test('no index of what a trade writes is without a query', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select i.indexrelid::regclass::text as name from pg_index i
     where i.indrelid = any ($1::regclass[]) or i.indrelid in (select inhrelid from pg_inherits where inhparent = 'events'::regclass)
     order by 1`,
    [['transactions', 'quotes', 'journal_entries', 'idempotency_keys', 'balances']],
  );
  // A few pages in all: they hold the bounds of blocks, not rows.
  const known = new Set([...Object.keys(USERS), 'idempotency_keys_age', 'events_default_age']);
  assert.deepEqual(
    rows.flatMap(({ name }) => (known.has(name) ? [] : [name])),
    [],
  );
});
