import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Pool, PoolClient } from 'pg';
import { isoInstant } from '../src/platform/clock.ts';
import type { QuoteRecord } from '../src/quotes/record.ts';
import { QuoteStore } from '../src/quotes/store.ts';
import { TransactionStore } from '../src/transactions/store.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';
import { whenFileEnds } from './support/file-end.ts';
import { createDesk, type Desk, decimal } from './support/trading.ts';

/**
 * What is done for every request reads the rows that it names and no others, however many there are, whatever the
 * database knew of its tables when it planned: each statement is run more often than the planner takes to keep one plan.
 */
const ROUNDS = 8;
const AT_ONCE = 4;

let pool: Pool;
let desk: Desk;
let connection: PoolClient;
before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await createDesk(pool);
  await makeHistory(await createDesk(pool));
  connection = await pool.connect();
  await connection.query('begin');
  whenFileEnds(async () => {
    await connection.query('rollback');
    connection.release();
  });
  const inTransaction = connection as unknown as Pool;
  const { clock, limitDay } = desk.services;
  const quotes = new QuoteStore({ pool: inTransaction, now: () => Date.now() });
  const transactions = new TransactionStore({ pool: inTransaction, now: () => clock.now(), limitDay });
  Object.assign(desk.services, { store: quotes, quotes, transactions });
});

/** Other customers with accounts, quotes and trades at many prices. */
async function makeHistory(other: Desk): Promise<void> {
  await pool.query(
    `with others as (
       insert into customers (id, name, created_at, updated_at)
       select gen_random_uuid(), 'Other customer', $1, $1 from generate_series(1, 200) returning id
     )
     insert into settlement_instructions (customer_id, id, currency, account_holder, iban, status, created_at)
     select id, gen_random_uuid(), currency, 'Other customer', 'DE89370400440532013000', 'active', $1
     from others cross join unnest('{EUR,USD,GBP,JPY,KWD}'::text[]) as c (currency)`,
    [isoInstant(other.clock.now())],
  );
  for (let price = 0; price < 30; price++) {
    other.market.book.freeze('EURUSD', decimal(`1.084${10 + price}`), decimal(`1.084${50 + price}`));
    const quotes = await Promise.all(Array.from({ length: 10 }, () => other.quote()));
    await Promise.all(quotes.slice(0, 5).map((quote) => other.execute(quote)));
  }
  // As autovacuum does within a minute: without statistics any index that begins with the customer looks as good.
  await ownerOf(pool).query('analyze quotes, transactions');
}

/** Rows that the work read of each table. */
async function rowsRead(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const count = async () => {
    const { rows } = await connection.query<{ name: string; read: string }>(
      'select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables',
    );
    return new Map(rows.map(({ name, read }) => [name, Number(read)]));
  };
  const first = await count();
  await work();
  return new Map([...(await count())].map(([name, read]) => [name, read - (first.get(name) ?? 0)]));
}

async function assertReadsFew(what: string, perItem: number, work: () => Promise<unknown>): Promise<void> {
  for (const [table, read] of await rowsRead(work)) {
    assert.ok(read <= perItem * AT_ONCE, `${what} of ${AT_ONCE} read ${read} rows of ${table}`);
  }
}

test('quotes and trades read only the rows that they name', async () => {
  const { services, customerId, clock } = desk;
  for (let round = 0; round < ROUNDS; round++) {
    let quotes: QuoteRecord[] = [];
    const each = <T>(work: (quote: QuoteRecord) => Promise<T>) => Promise.all(quotes.map(work));
    const make = async () => {
      quotes = await Promise.all(Array.from({ length: AT_ONCE }, () => desk.quote()));
    };
    await assertReadsFew('insert_quotes', 2, make);
    await assertReadsFew('read_quotes', 1, () => each(({ id }) => services.quotes.find(customerId, id)));
    const ids: string[] = [];
    const execute = async (quote: QuoteRecord) => {
      ids.push((await desk.execute(quote)).id);
    };
    // Five balances are moved, however many trades move them.
    await assertReadsFew('execute_quotes', 2, () => each(execute));
    const refused = () => Promise.allSettled(quotes.map((quote) => desk.execute(quote)));
    await assertReadsFew('execute_quotes that refuses', 5, refused);
    const find = () => Promise.all(ids.map((id) => services.transactions.find(customerId, id)));
    await assertReadsFew('read_transactions', 1, find);
    await make();
    await assertReadsFew('cancel_quotes', 2, () =>
      each(({ id }) => services.quotes.cancel(customerId, id, clock.now())),
    );
    await make();
    await assertReadsFew('close_quotes', 2, () =>
      services.quotes.withdraw(
        quotes.map(({ id }) => ({ customerId, id })),
        'customer_suspended',
        clock.now(),
      ),
    );
    await make();
    await assertReadsFew('expire_quotes', 3, () =>
      services.quotes.expire(quotes[0]?.expiresAt ?? 0, clock.now(), AT_ONCE),
    );
  }
});
