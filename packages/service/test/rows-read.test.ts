import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Pool, PoolClient } from 'pg';
import { isoInstant } from '../src/platform/clock.ts';
import { forgetSomePrices, forgetSomeQuotes } from '../src/quotes/end-store.ts';
import type { QuoteRecord } from '../src/quotes/record.ts';
import { QuoteStore } from '../src/quotes/store.ts';
import { TransactionStore } from '../src/transactions/store.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';
import { whenFileEnds } from './support/file-end.ts';
import { rowsReadWithin } from './support/rows-read.ts';
import { createDesk, type Desk, decimal, expireDue } from './support/trading.ts';

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
  await expireDue(other.services.quotes, other.clock.now() + 60_000, other.clock.now(), 1_000);
  // More than a page of them: one page is read whole.
  await pool.query(
    `insert into balances select c.id, b.account, b.currency, 0 from customers c, (select distinct account, currency from balances) b
     where c.name = 'Other customer'`,
  );
  // As autovacuum does within a minute: without statistics any index that begins with the customer looks as good.
  await ownerOf(pool).query('analyze quotes, transactions, balances, events, customers, customer_usage');
}

const DAY_MS = 86_400_000;
const KEPT_DAYS = 1_827;

/** So many more of one quote, a millisecond after the other from an instant on, each with a price of its own. */
async function copies(quoteId: string, from: number, count: number, status: 'cancelled' | 'executed') {
  const idAt = `(lpad(to_hex($2::bigint + n), 12, '0') || '70008000000000000000')::uuid`;
  await connection.query(
    `insert into market_prices
     select r.* from market_prices p join quotes q on q.price_id = p.id and q.id = $1, generate_series(1, $3::int) n,
       jsonb_populate_record(p, jsonb_build_object('id', ${idAt})) r`,
    [quoteId, from, count],
  );
  await connection.query(
    `insert into quotes
     select r.* from quotes q, generate_series(1, $3::int) n, jsonb_populate_record(q, jsonb_build_object(
       'id', ${idAt}, 'price_id', ${idAt}, 'status', $4::text,
       'transaction_id', case when $4 = 'executed' then gen_random_uuid() end)) r
     where q.id = $1`,
    [quoteId, from, count, status],
  );
}

const rowsRead = (work: () => Promise<unknown>) => rowsReadWithin(connection, work);

async function assertReadsFew(what: string, perItem: number, work: () => Promise<unknown>): Promise<void> {
  for (const [table, read] of await rowsRead(work)) {
    assert.ok(read <= perItem * AT_ONCE, `${what} of ${AT_ONCE} read ${read} rows of ${table}`);
  }
}

const makeSome = () => Promise.all(Array.from({ length: AT_ONCE }, () => desk.quote()));

/** Cancels, withdraws and expires quotes, each some at once. */
async function assertEndsReadFew(): Promise<void> {
  const { services, customerId, clock } = desk;
  let quotes = await makeSome();
  await assertReadsFew('cancel_quotes', 2, () =>
    Promise.all(quotes.map(({ id }) => services.quotes.cancel(customerId, id, clock.now()))),
  );
  quotes = await makeSome();
  await assertReadsFew('close_quotes', 2, () =>
    services.quotes.withdraw(
      quotes.map(({ id }) => ({ customerId, id })),
      'customer_suspended',
      clock.now(),
    ),
  );
  // Those of other ten seconds: what ended in the same is passed over. The sums are folded once a second.
  clock.advance(20_000);
  await makeSome();
  await connection.query('select fold_house_rows()');
  await assertReadsFew('expire_quotes', 4, async () => {
    assert.equal(await expireDue(services.quotes, clock.now() + 60_000, clock.now(), AT_ONCE), AT_ONCE);
  });
}

test('quotes and trades read only the rows that they name', async () => {
  const { services, customerId } = desk;
  for (let round = 0; round < ROUNDS; round++) {
    let quotes: QuoteRecord[] = [];
    const each = <T>(work: (quote: QuoteRecord) => Promise<T>) => Promise.all(quotes.map(work));
    await assertReadsFew('write_quotes', 2, async () => {
      quotes = await makeSome();
    });
    await assertReadsFew('read_quotes', 1, () => each(({ id }) => services.quotes.find(customerId, id)));
    const ids: string[] = [];
    const execute = async (quote: QuoteRecord) => {
      ids.push((await desk.execute(quote)).id);
    };
    // Five balances are moved, however many trades move them.
    await assertReadsFew('commit_executions', 2, () => each(execute));
    const refused = () => Promise.allSettled(quotes.map((quote) => desk.execute(quote)));
    await assertReadsFew('commit_executions that refuses', 5, refused);
    const find = () => Promise.all(ids.map((id) => services.transactions.find(customerId, id)));
    await assertReadsFew('read_transactions', 1, find);
    await assertEndsReadFew();
  }
});

test('the end of a quote is found by its key where a planner takes reading all of an index for cheaper', async () => {
  for (const cost of ['random_page_cost = 10000', 'cpu_operator_cost = 100']) {
    await connection.query('savepoint costs');
    await connection.query(`set local ${cost}`);
    await connection.query('discard plans');
    await assertEndsReadFew();
    await connection.query('rollback to savepoint costs');
  }
  await connection.query('discard plans');
});

test('deleting what is past its retention reads what it deletes and what lies between, whatever there is besides', async () => {
  const quote = await desk.quote();
  await desk.services.quotes.cancel(desk.customerId, quote.id, desk.clock.now());
  const first = Date.parse('2020-03-02T00:00:00Z');
  const due = (day: number) => ({ now: first + (day + 1 + KEPT_DAYS) * DAY_MS, keptDays: KEPT_DAYS });
  const walk = async (day: number) => {
    const quotes = await forgetSomeQuotes(connection, due(day));
    const prices = await forgetSomePrices(connection);
    return [quotes.gone, prices.gone];
  };
  // A day of before with many trades, one with few, one a month later, and many quotes that are too young.
  await copies(quote.id, first, 900, 'executed');
  await copies(quote.id, first + 1_000, 300, 'cancelled');
  await copies(quote.id, first + DAY_MS, 4, 'executed');
  await copies(quote.id, first + DAY_MS + 1_000, 6, 'cancelled');
  await copies(quote.id, first + 32 * DAY_MS, 3, 'cancelled');
  await copies(quote.id, first + 100 * DAY_MS, 2_000, 'cancelled');
  assert.deepEqual(await walk(0), [300, 0]);

  const fewAt = async (day: number, gone: readonly number[], quotes: number, prices: number) => {
    let found: readonly number[] = [];
    const read = await rowsRead(async () => {
      found = await walk(day);
    });
    assert.deepEqual(found, gone);
    for (const [table, most] of [
      ['quotes', quotes],
      ['market_prices', prices],
    ] as const)
      assert.ok((read.get(table) ?? 0) <= most, `day ${day} read ${read.get(table)} rows of ${table}`);
  };
  // What is deleted is read twice; beside that, two customers are found.
  await fewAt(1, [6, 0], 2 * 6 + 4 + 4, 0);
  await fewAt(1, [0, 0], 1, 0);
  await fewAt(20, [0, 0], 4, 0);
  await fewAt(32, [3, 306], 2 * 3 + 4, 1_210 + 306);
  await fewAt(33, [0, 0], 4, 0);
});
