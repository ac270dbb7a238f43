import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolClient } from 'pg';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { whenFileEnds } from '../../test/support/file-end.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { QuoteStore } from '../quotes/store.ts';
import { TransactionStore } from '../transactions/store.ts';
import { createWebhookDesk } from './test-support.ts';

/** What a trade pays for webhooks: nothing without one, and with one the mark of the feed, in an update that is made anyhow. */

interface Cost {
  readonly statements: number;
  /** Rows inserted and updated, by table; `hot`: updates that touched no index. */
  readonly written: Readonly<Record<string, string>>;
}

async function costOf(connection: PoolClient, work: () => Promise<unknown>): Promise<Cost> {
  const figures = async () => {
    const { rows } = await connection.query<{ name: string; figures: [number, number, number] }>(
      `select relname as name, array[n_tup_ins, n_tup_upd, n_tup_hot_upd]::int[] as figures from pg_stat_xact_user_tables`,
    );
    return new Map(rows.map((row) => [row.name, row.figures]));
  };
  const before = await figures();
  const { query } = connection;
  let statements = 0;
  connection.query = ((...args: Parameters<typeof query>) => {
    statements++;
    return query.apply(connection, args);
  }) as unknown as typeof query;
  await work();
  connection.query = query;
  const written: Record<string, string> = {};
  for (const [name, [inserted, updated, hot]] of await figures()) {
    const [i, u, h] = before.get(name) ?? [0, 0, 0];
    if (inserted + updated > i + u)
      written[name] = `${inserted - i} inserted, ${updated - u} updated, ${hot - h} hot`;
  }
  return { statements, written };
}

test('a trade writes the same rows in the same statements, whether its customer has a webhook or not', async () => {
  const { pool } = await createTestDatabase({ connections: 4 });
  const desk: Desk = await createDesk(pool);
  const connection = await pool.connect();
  await connection.query('begin');
  whenFileEnds(async () => {
    await connection.query('rollback');
    connection.release();
  });
  const inTransaction = connection as unknown as Pool;
  const { clock, limitDay } = desk.services;
  Object.assign(desk.services, {
    store: new QuoteStore({ pool: inTransaction, now: () => clock.now() }),
    quotes: new QuoteStore({ pool: inTransaction, now: () => clock.now() }),
    transactions: new TransactionStore({ pool: inTransaction, now: () => clock.now(), limitDay }),
  });
  const trade = async () => {
    const quote = await desk.quote();
    return costOf(connection, () => desk.execute(quote));
  };
  const mark = async (to: boolean | null) => {
    await connection.query('update customer_usage set feed_news = $2 where customer_id = $1', [
      desk.customerId,
      to,
    ]);
  };
  const marked = async () => {
    const { rows } = await connection.query('select feed_news from customer_usage where customer_id = $1', [
      desk.customerId,
    ]);
    return rows[0]?.feed_news;
  };
  // The first trade writes what later ones find.
  await trade();
  const without = await trade();
  assert.equal(without.statements, 1);
  assert.match(without.written.customer_usage ?? '', /^0 inserted, 1 updated, 1 hot$/);
  assert.equal(await marked(), null);
  await mark(false);
  const first = await trade();
  assert.equal(await marked(), true);
  assert.deepEqual({ ...first.written, customer_usage: '' }, { ...without.written, customer_usage: '' });
  assert.match(first.written.customer_usage ?? '', /^0 inserted, 1 updated, [01] hot$/);
  assert.equal(first.statements, 1);
  // Until somebody has looked at the feed, the mark stands and no index is touched.
  assert.deepEqual(await trade(), without);
});

test('who looks for work reads what is due, and nothing of endpoints and customers that are idle', async () => {
  const { pool } = await createTestDatabase({ connections: 1 });
  await ownerOf(pool).query(
    `insert into customers (id, name, created_at, updated_at)
     select gen_random_uuid(), 'x', now(), now() from generate_series(1, 3000);
     insert into customer_usage (customer_id, feed_news) select id, false from customers;
     insert into webhook_endpoints (id, customer_id, url, sealed, sealed_under, created_at, updated_at, sequence)
     select gen_random_uuid(), id, 'https://example.com/', 'x', 'x', now(), now(), 0 from customers;
     analyze customer_usage, webhook_endpoints`,
  );
  const desk = createWebhookDesk(pool);
  const read = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query<{ read: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
       where relname in ('customer_usage', 'webhook_endpoints', 'operator_events')`,
    );
    return rows[0]?.read ?? 0;
  };
  const before = await read();
  for (let look = 0; look < 20; look++) assert.equal(await desk.dispatcher.claim(), 0);
  assert.equal((await read()) - before, 0);
});
