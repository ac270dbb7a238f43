import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { until } from '../../test/support/process.ts';
import {
  createDesk,
  type Desk,
  executionOf,
  expireDue,
  lottery,
  openQuotesOf,
} from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { TransactionStore } from '../transactions/store.ts';
import { endQuotesOf } from './end-quotes.ts';
import { EXPIRY_GRACE_MS } from './expiry-grace.ts';
import { cancelQuote, expireQuotes } from './quote-lifecycle.ts';
import type { QuoteRecord } from './record.ts';
import { requestQuote } from './request-quote.ts';
import type { QuotesRoom } from './room.ts';
import { QuoteStore } from './store.ts';

/**
 * Open quotes are found without an index that knows which are open. So: none is overlooked, whatever clock made it and however
 * late it is ended; and what has ended is not read, however much it is.
 */
let pool: Pool;
beforeEach(async () => {
  ({ pool } = await createTestDatabase());
});

const HOUR_MS = 3_600_000;
const VALIDITIES = [10, 30, 60, 300];

/** The same by reading all there is. */
async function openIn(of: Pool, condition: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await of.query<{ id: string }>(
    `select id from current_quotes where status = 'open' and ${condition}`,
    [...values],
  );
  return rows.map(({ id }) => id).sort();
}

/** A quote of 30 seconds by one of the instances. */
async function requestFor(desk: Desk, services: QuotesRoom): Promise<QuoteRecord> {
  const { customerId, clientId } = desk;
  const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100.00' } as const;
  return (await requestQuote(services, { customerId, clientId, body, key: undefined })).record;
}

const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id).sort();

async function assertAllAreFound(desks: readonly Desk[], at: number): Promise<void> {
  const [{ services }] = desks as [Desk];
  const after = isoInstant(at);
  for (const { customerId } of desks) {
    assert.deepEqual(
      idsOf(await openQuotesOf(pool, customerId, at)),
      await openIn(pool, 'customer_id = $1 and expires_at > $2', [customerId, after]),
    );
  }
  const customerIds = desks.map(({ customerId }) => customerId);
  assert.deepEqual(
    idsOf(await services.store.openUnder({ pairs: [], customers: customerIds, besides: [] }, at, 1_000)),
    await openIn(pool, 'expires_at > $1', [after]),
  );
  const { rows } = await pool.query<{ due: number | null }>(
    `select min(expires_at) as due from current_quotes where status = 'open'`,
  );
  assert.equal(await services.store.nextExpiry(), rows[0]?.due ?? undefined);
}

test('no open quote is overlooked, wherever the clock went and whatever has become of the others', async () => {
  const one = await createDesk(pool);
  const desks = [
    one,
    await createDesk(pool, { clock: one.clock }),
    await createDesk(pool, { clock: one.clock }),
  ];
  const draw = lottery(7);
  const moves = [
    0,
    9_999,
    10_000,
    29_999,
    30_001,
    3 * HOUR_MS,
    -2 * HOUR_MS,
    40 * 24 * HOUR_MS,
    -41 * 24 * HOUR_MS,
  ];
  const start = one.clock.now();
  for (let round = 0; round < 24; round++) {
    one.clock.advance(moves[draw(moves.length)] ?? 0);
    const made: [Desk, QuoteRecord][] = await Promise.all(
      desks.flatMap((desk) =>
        Array.from({ length: 1 + draw(4) }, async (): Promise<[Desk, QuoteRecord]> => {
          const quote = await desk.quote({ validitySeconds: VALIDITIES[draw(VALIDITIES.length)] as number });
          return [desk, quote];
        }),
      ),
    );
    for (const [desk, quote] of made) {
      const fate = draw(4);
      if (fate === 0) await desk.execute(quote);
      if (fate === 1)
        await cancelQuote(desk.services, desk.customerId, quote.id, desk.clock.now(), undefined);
    }
    if (draw(4) === 0) await expireQuotes(one.services);
    if (draw(4) === 0) await pool.query('select fold_house_rows()');
    for (const at of [
      one.clock.now(),
      start,
      made[0]?.[1].expiresAt ?? 0,
      (made.at(-1)?.[1].expiresAt ?? 0) - 1,
    ])
      await assertAllAreFound(desks, at);
  }
});

test('no more are open than permitted, whether they run long or short and were made by an earlier or a later clock', async () => {
  const desk = await createDesk(pool, { limits: { maxOpenQuotes: 4 } });
  const permitted = async (validitySeconds: number) =>
    (await Promise.allSettled(Array.from({ length: 6 }, () => desk.quote({ validitySeconds })))).filter(
      ({ status }) => status === 'fulfilled',
    ).length;
  await desk.quote({ validitySeconds: 300 });
  await desk.quote({ validitySeconds: 30 });
  assert.equal(await permitted(10), 2);
  desk.clock.advance(10_001);
  assert.equal(await permitted(60), 2);
  desk.clock.advance(20_000);
  assert.equal(await permitted(10), 1, 'that of 30 seconds has run out');
  // What is made by a clock that goes back an hour counts those that were made later.
  desk.clock.advance(-HOUR_MS);
  assert.equal(await permitted(10), 0);
  desk.clock.advance(2 * HOUR_MS);
  assert.equal(await permitted(30), 4, 'nobody has written down yet that the others have run out');
});

test('instances that quote for one customer at once count together', async () => {
  const desk = await createDesk(pool, { limits: { maxOpenQuotes: 4 } });
  const now = () => desk.clock.now();
  const instances = [1, 2, 3].map(() => ({ ...desk.services, store: new QuoteStore({ pool, now }) }));
  for (let round = 0; round < 5; round++) {
    const asked = instances.flatMap((services) => [services, services, services]);
    const made = await Promise.allSettled(asked.map((services) => requestFor(desk, services)));
    const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    assert.deepEqual(
      refused.map((error) => (error instanceof Problem ? error.code : String(error))),
      Array.from({ length: 5 }, () => 'too_many_open_quotes'),
    );
    desk.clock.advance(30_001);
  }
});

test('a quote does not wait for who ends or executes others of its customer', async () => {
  const desk = await createDesk(pool, { limits: { maxOpenQuotes: 4 } });
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from customer_usage where customer_id = $1 for update', [desk.customerId]);
    assert.equal((await desk.quote()).status, 'open');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

/** So many quotes that are alike, made one millisecond after the other from an instant on; what has expired came to nothing. */
async function made(
  quote: QuoteRecord,
  from: number,
  count: number,
  lifeMs: number,
  status: 'open' | 'expired' = 'expired',
): Promise<void> {
  await ownerOf(pool).query(
    `insert into quotes
     select r.* from quotes q, generate_series(1, $3::int) n, jsonb_populate_record(q, jsonb_build_object(
       'id', (lpad(to_hex($2::bigint + n), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
       'created_at', to_timestamp(($2::bigint + n) / 1000.0), 'expires_at', to_timestamp(($2::bigint + n + $4) / 1000.0),
       'closed_at', case when $5 <> 'open' then to_timestamp(($2::bigint + n + $4) / 1000.0) end, 'status', $5::text)) r
     where q.id = $1`,
    [quote.id, from, count, lifeMs, status],
  );
}

/** Quotes that the work read, in a transaction that is undone. */
async function quotesRead(work: (store: QuoteStore, within: Pool) => Promise<unknown>): Promise<number> {
  const connection = await pool.connect();
  const count = async () => {
    const { rows } = await connection.query<{ read: number }>(
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables where relname = 'quotes'`,
    );
    return rows[0]?.read ?? 0;
  };
  try {
    await connection.query('begin');
    const before = await count();
    const within = connection as unknown as Pool;
    await work(new QuoteStore({ pool: within, now: () => Date.now() }), within);
    return (await count()) - before;
  } finally {
    await connection.query('rollback');
    connection.release();
  }
}

/** What somebody else's work may still have seen, such as that of the database itself, is left by the first one, and would be read. */
async function vacuumed(vacuum: string): Promise<void> {
  await until('no version of a quote is dead', async () => {
    await ownerOf(pool).query(vacuum);
    const { rows } = await ownerOf(pool).query<{ dead: number }>(
      `select n_dead_tup::int as dead from pg_stat_user_tables where relname = 'quotes'`,
    );
    return rows[0]?.dead === 0;
  });
}

const MANY = 20_000;

for (const known of ['nothing', 'everything'] as const) {
  test(`quotes that ended are not read where the database knows ${known} of its tables`, async () => {
    const desk = await createDesk(pool);
    const { customerId, clock } = desk;
    // A sweep that is late by hours, since somebody holds one of these.
    const late = await desk.quote({ validitySeconds: 10 });
    await cancelQuote(desk.services, customerId, (await desk.quote()).id, clock.now(), undefined);
    const sample = await desk.quote({ validitySeconds: 300 });
    await cancelQuote(desk.services, customerId, sample.id, clock.now(), undefined);
    await made(sample, clock.now() - 9 * HOUR_MS, MANY, 30_000);
    await made(sample, clock.now() + HOUR_MS, MANY, 30_000);
    await made(sample, clock.now() + 2 * HOUR_MS, MANY, 300_000);
    clock.advance(4 * HOUR_MS);
    const [short, long] = [await desk.quote(), await desk.quote({ validitySeconds: 60 })];
    await vacuumed(known === 'everything' ? 'vacuum analyze quotes' : 'vacuum quotes');
    await pool.query('select fold_house_rows()');
    const at = clock.now();

    const few = async (most: number, what: string, work: Parameters<typeof quotesRead>[0]) => {
      const read = await quotesRead(work);
      assert.ok(read <= most, `${what} read ${read} quotes`);
    };
    await few(4, 'the count of the open ones', async (_store, within) => {
      assert.deepEqual(idsOf(await openQuotesOf(within, customerId, at)), idsOf([short, long]));
    });
    await few(12, 'the open pairs', async (store) => {
      assert.deepEqual(await store.openPairs(at), ['EURUSD']);
    });
    await few(4, 'the next end', async (store) => {
      assert.equal(await store.nextExpiry(), late.expiresAt);
    });
    await few(40, 'the ends that are due', async (store) => {
      assert.equal(await expireDue(store, at - EXPIRY_GRACE_MS, at, 250), 1);
    });
    await few(40, 'the end of all of them', async (_store, within) => {
      const connection = within as unknown as Parameters<typeof endQuotesOf>[0];
      assert.deepEqual(await endQuotesOf(connection, customerId, 'customer_suspended', at), {
        withdrawn: 2,
        expired: 1,
      });
    });
  });
}

test('many that run out together are each read a few times, however many have been ended before them', async () => {
  const desk = await createDesk(pool);
  const sample = await desk.quote();
  const { customerId, clock } = desk;
  await cancelQuote(desk.services, customerId, sample.id, clock.now(), undefined);
  const count = 5_000;
  await made(sample, clock.now() + HOUR_MS, count, 30_000, 'open');
  clock.advance(2 * HOUR_MS);
  const read = await quotesRead(async (store) => {
    assert.equal(await expireQuotes({ clock, store }), count);
  });
  // Found, locked and changed; the last of each look twice.
  assert.ok(read <= 4 * count, `${count} quotes were read ${read} times`);
});

test('the end of a quote changes nothing that an index names, and its row stays on its page', async () => {
  const desk = await createDesk(pool);
  const { customerId, clock, services } = desk;
  const [executed, cancelled, withdrawn, expired] = [
    await desk.quote(),
    await desk.quote(),
    await desk.quote(),
    await desk.quote(),
  ];
  const connection = await pool.connect();
  try {
    await connection.query('begin');
    const within = connection as unknown as Pool;
    const quotes = new QuoteStore({ pool: within, now: () => clock.now() });
    const transactions = new TransactionStore({
      pool: within,
      now: () => clock.now(),
      limitDay: services.limitDay,
    });
    assert.equal((await transactions.execute(executionOf(desk, executed.id))).outcome, 'created');
    assert.ok(await quotes.cancel(customerId, cancelled.id, clock.now()));
    assert.equal(await quotes.withdraw([{ customerId, id: withdrawn.id }], 'market_halt', clock.now()), 1);
    assert.equal(await expireDue(quotes, expired.expiresAt, expired.expiresAt, 10), 1);
    const { rows } = await connection.query(
      `select n_tup_upd::int as changed, n_tup_hot_upd::int as "onTheirPage" from pg_stat_xact_user_tables where relname = 'quotes'`,
    );
    // An execution writes nothing to its quote.
    assert.deepEqual(rows, [{ changed: 3, onTheirPage: 3 }]);
  } finally {
    await connection.query('rollback');
    connection.release();
  }
});
