import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { Market } from './market.ts';
import { notifyCustomersSweep } from './notify-customers.ts';
import { NOW, testBook } from './test-book.ts';

/** More than two commits take. */
const CUSTOMERS = 450;

let pool: Pool;
const ids: string[] = [];
const clock = { now: () => NOW };

before(async () => {
  pool = (await createTestDatabase()).pool;
  for (let i = 0; i <= CUSTOMERS; i++) ids.push(newUuid(NOW + i));
  const status = (index: number) => (index === CUSTOMERS ? 'suspended' : 'active');
  await pool.query(
    `insert into customers (id, name, status, created_at, updated_at)
     select id, 'Customer', status, $2, $2 from unnest($1::uuid[], $3::text[]) as c (id, status)`,
    [ids, isoInstant(NOW), ids.map((_, index) => status(index))],
  );
  await pool.query('insert into customer_usage (customer_id) select id from customers');
});

async function halt(): Promise<string> {
  const id = newUuid(NOW);
  await pool.query(
    `insert into market_halts (id, scope, pair, reason, halted_at, halted_by) values ($1, 'pair', 'EURUSD', 'x', $2, $1)`,
    [id, isoInstant(NOW)],
  );
  return id;
}

const resume = (id: string) =>
  pool.query('update market_halts set resumed_at = $2, resumed_by = $1 where id = $1', [id, isoInstant(NOW)]);

/** Customers by the events that they have. */
async function feeds(): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ types: string; customers: number }>(
    `select types, count(*)::int as customers from (
       select customer_id, string_agg(type, ' ' order by sequence) as types from events group by 1) f group by 1`,
  );
  return Object.fromEntries(rows.map(({ types, customers }) => [types, customers]));
}

test('every active customer is told once of the close and once of the opening, by however many instances', async () => {
  const id = await halt();
  const sweeps = [1, 2, 3].map(() => notifyCustomersSweep(pool, clock));
  const moved = await Promise.all(sweeps.map((sweep) => sweep.run()));
  assert.equal(
    moved.reduce((sum, each) => sum + each, 0),
    CUSTOMERS,
  );
  assert.deepEqual(await feeds(), { 'market.closed': CUSTOMERS });
  await resume(id);
  assert.equal(await notifyCustomersSweep(pool, clock).run(), CUSTOMERS);
  assert.deepEqual(await feeds(), { 'market.closed market.opened': CUSTOMERS });
  assert.equal(await notifyCustomersSweep(pool, clock).run(), 0);
});

test('a halt that is lifted before anybody was told is told to nobody; one in between to those who heard', async () => {
  await ownerOf(pool).query('delete from events');
  await resume(await halt());
  assert.equal(await notifyCustomersSweep(pool, clock).run(), 0);
  assert.deepEqual(await feeds(), {});
  const id = await halt();
  await pool.query('update market_halts set closed_told_to = $2 where id = $1', [id, ids[9]]);
  await resume(id);
  assert.equal(await notifyCustomersSweep(pool, clock).run(), 10);
  assert.deepEqual(await feeds(), { 'market.opened': 10 });
  const { rows } = await pool.query('select 1 from market_halts where not closed_told or not opened_told');
  assert.equal(rows.length, 0);
});

test('a weekend is told when it begins and when it ends, once, with its end; a closure that nobody saw to nobody', async () => {
  await ownerOf(pool).query('delete from events');
  const { clock, book } = testBook();
  const market = new Market({ clock, book, hours: 'calendar' });
  const sweeps = [notifyCustomersSweep(pool, clock, market), notifyCustomersSweep(pool, clock, market)];
  const run = async () => {
    for (const sweep of sweeps) await sweep.run();
    return feeds();
  };
  assert.deepEqual(await run(), {});
  // Friday 6 March 2026, 17:00 in New York, to Sunday the 8th, when its summer time has begun.
  clock.at = Date.parse('2026-03-06T21:59:59Z');
  assert.equal(await sweeps[0]?.nextDueAt?.(), Date.parse('2026-03-06T22:00:00Z'));
  assert.deepEqual(await run(), {});
  clock.at = Date.parse('2026-03-06T22:00:00Z');
  assert.deepEqual(await run(), { 'market.closed': CUSTOMERS });
  const { rows } = await pool.query<{ detail: unknown }>(
    'select distinct detail::text as detail from feed_events',
  );
  assert.deepEqual(
    rows.map(({ detail }) => JSON.parse(String(detail))),
    [{ scope: 'all', pair: '*', state: 'closed', reason: 'weekend', reopensAt: '2026-03-08T21:00:00.000Z' }],
  );
  // A service that was away in between, and another that starts anew.
  clock.at = Date.parse('2026-03-09T08:00:00Z');
  sweeps.push(notifyCustomersSweep(pool, clock, market));
  assert.deepEqual(await run(), { 'market.closed market.opened': CUSTOMERS });
  assert.deepEqual(await run(), { 'market.closed market.opened': CUSTOMERS });
  // A market that is held open knows no weekend.
  market.override('open');
  clock.at = Date.parse('2026-03-14T12:00:00Z');
  assert.deepEqual(await run(), { 'market.closed market.opened': CUSTOMERS });
});
