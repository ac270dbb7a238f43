import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { ownerOf } from '../../test/support/database.ts';
import {
  EUROS,
  euroLimit,
  instances,
  isExceeded,
  position,
  setLimits,
} from '../../test/support/house-limits.ts';
import { until } from '../../test/support/process.ts';
import { order } from '../../test/support/stories.ts';
import { createDesk, type Desk, executionOf } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { DEFAULT_PAIR_SETTINGS } from '../market/pair-settings.ts';
import { RateBook } from '../market/rate-book.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { QuoteRecord } from '../quotes/record.ts';
import { TransactionStore } from '../transactions/store.ts';
import { publishValues } from './house-limits.ts';

/** How many were executed; every other one must have been refused because of the house's limit. */
async function executeAll(desks: readonly Desk[], quotes: readonly QuoteRecord[][]): Promise<number> {
  const answers = await Promise.allSettled(
    desks.flatMap((desk, i) => (quotes[i] ?? []).map((quote) => desk.execute(quote))),
  );
  const refused = answers.filter((each) => each.status === 'rejected');
  for (const each of refused) assert.ok(isExceeded(each.reason), String(each.reason));
  return answers.length - refused.length;
}

const quotesOf = (desk: Desk, n: number, body: Parameters<Desk['quote']>[0] = EUROS) =>
  Promise.all(Array.from({ length: n }, () => desk.quote(body)));

describe('the limits of the house, across instances', () => {
  test('are reached exactly by instances that race for what is left, and never passed', async () => {
    const { pool, desks } = await instances(3);
    const quotes = await Promise.all(desks.map((desk) => quotesOf(desk, 50)));
    // Room for exactly a hundred of a hundred and fifty.
    await setLimits(pool, euroLimit('1084910.00'));
    assert.equal(await executeAll(desks, quotes), 100);
    assert.equal(await position(pool, 'EUR'), 100_000_000n);
    await assertBooksBalance(pool);
  });

  test('refuse nothing while plenty is left, however the trades go to and fro', async () => {
    const { pool, desks } = await instances(2);
    await setLimits(pool, { ...euroLimit('200000.00'), total: '300000.00' });
    for (let round = 0; round < 6; round++) {
      const quotes = await Promise.all(
        desks.map(async (desk) => [
          ...(await quotesOf(desk, 6)),
          ...(await quotesOf(desk, 6, {
            sellCurrency: 'USD',
            buyCurrency: 'EUR',
            fixedSide: 'buy',
            amount: '10000.00',
          })),
        ]),
      );
      assert.equal(await executeAll(desks, quotes), 24);
    }
    assert.equal(await position(pool, 'EUR'), 0n);
  });

  test('let two trades far from a limit be written at the same time', async () => {
    const { pool, desks } = await instances(1);
    const [one, two] = [desks[0] as Desk, await createDesk(pool)];
    await setLimits(pool, { total: '90000000.00', perCurrency: '90000000.00' });
    // The first deals out what is left.
    await one.execute(await one.quote(EUROS));
    const [first, second] = [await one.quote(EUROS), await two.quote(EUROS)];
    const { clock, limitDay } = one.services;
    const onConnection = (connection: unknown) =>
      new TransactionStore({ pool: connection as Pool, now: () => clock.now(), limitDay });
    await inTransaction(pool, async (connection) => {
      const slot = await slotOf(connection);
      await onConnection(connection).execute(executionOf(one, first.id));
      const other = await otherSlot(pool, slot);
      try {
        await other.query(`begin; set local lock_timeout = '500ms'`);
        const { outcome } = await onConnection(other).execute(executionOf(two, second.id));
        assert.equal(outcome, 'created');
        await other.query('commit');
      } finally {
        other.release();
      }
    });
    assert.equal(await position(pool, 'EUR'), 3_000_000n);
  });
});

test('the last of a limit is taken once by two who deal out what is left at the same time', async () => {
  const { pool, desks } = await instances(1);
  const [desk] = desks as [Desk];
  await desk.services.exposure.publish();
  // Room for one of two.
  await setLimits(pool, euroLimit('16000.00'));
  const now = desk.clock.now();
  // Of two customers, who share no row.
  const entry = (): JournalEntry => ({
    customerId: newUuid(now),
    // Which only an execution posts.
    kind: 'trade_executed' as never,
    transactionId: newUuid(now),
    postings: [
      { account: 'position', currency: 'EUR', amount: -1_000_000n },
      { account: 'customer_receivable', currency: 'EUR', amount: 1_000_000n },
    ],
  });
  const [one, first, second] = [await pool.connect(), await pool.connect(), await pool.connect()];
  const two = await otherSlot(pool, await slotOf(one));
  const own = [await slotOf(one), await slotOf(two)];
  const [holder] = (await first.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
  const bothWait = (except: number | undefined) =>
    until('both wait', async () => {
      const { rowCount } = await second.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and $1 <> all (pg_blocking_pids(pid))`,
        [except ?? 0],
      );
      return rowCount === 2;
    });
  try {
    // Each waits for its own slot, which has nothing, and then for those that are neither's.
    await first.query('begin');
    await first.query('select from exposure_slots where slot = any ($1) for update', [own]);
    await second.query('begin');
    await second.query('select from exposure_slots where slot <> all ($1) for update', [own]);
    const taking = Promise.allSettled(
      [one, two].map(async (connection) => {
        await connection.query('begin');
        await postEntries(connection, [entry()], now);
        await connection.query('commit');
      }),
    );
    await bothWait(undefined);
    await first.query('commit');
    await bothWait(holder?.pid);
    await second.query('commit');
    const outcomes = (await taking).map((each) => (each.status === 'fulfilled' ? 'taken' : each.reason.code));
    assert.deepEqual(outcomes.sort(), ['FQX01', 'taken']);
  } finally {
    for (const each of [one, two, first, second]) {
      await each.query('rollback');
      each.release();
    }
  }
  assert.equal(await position(pool, 'EUR'), 1_000_000n);
});

async function slotOf(connection: { query: Pool['query'] }): Promise<number> {
  const { rows } = await connection.query<{ slot: number }>('select pg_backend_pid() % 8 as slot');
  return rows[0]?.slot ?? -1;
}

/** A connection whose slot is another one. */
async function otherSlot(pool: Pool, slot: number) {
  const same = [];
  try {
    for (;;) {
      const connection = await pool.connect();
      if ((await slotOf(connection)) !== slot) return connection;
      same.push(connection);
    }
  } finally {
    for (const each of same) each.release();
  }
}

describe('what is held in the commit', () => {
  let pool: Pool;
  let desk: Desk;
  before(async () => {
    ({
      pool,
      desks: [desk],
    } = (await instances(1)) as { pool: Pool; desks: [Desk] });
  });

  test('is in force with the commit that sets it, and no longer with the one that takes it away', async () => {
    const [a, b] = [await desk.quote(EUROS), await desk.quote(EUROS)];
    await setLimits(pool, euroLimit('10849.09'));
    await assert.rejects(desk.execute(a), isExceeded);
    assert.equal((await desk.services.quotes.find(desk.customerId, a.id))?.status, 'open');
    await setLimits(pool, euroLimit('10849.10'));
    await desk.execute(a);
    await assert.rejects(desk.execute(b), isExceeded);
    await setLimits(pool, {});
    await desk.execute(b);
    assert.equal(await position(pool, 'EUR'), 2_000_000n);
  });

  test('waits for trades that began without it, so that they count', async () => {
    const { id } = await desk.quote(EUROS);
    const { clock, limitDay } = desk.services;
    await inTransaction(pool, async (connection) => {
      const store = new TransactionStore({
        pool: connection as unknown as Pool,
        now: () => clock.now(),
        limitDay,
      });
      assert.equal((await store.execute(executionOf(desk, id))).outcome, 'created');
      const setting = inTransaction(pool, async (other) => {
        await other.query(`set local lock_timeout = '50ms'`);
        await setLimits(other as unknown as Pool, euroLimit('99999999.00'));
      });
      await assert.rejects(setting, /lock timeout/);
    });
    await desk.execute(
      await desk.quote({ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'buy', amount: '10000.00' }),
    );
  });

  test('lets what moves a position towards zero pass, beyond a lowered limit too', async () => {
    await setLimits(pool, { ...euroLimit('1.00'), total: '1.00' });
    const more = await desk.quote(EUROS);
    const less = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'buy' } as const;
    await desk.execute(await desk.quote({ ...less, amount: '5000.00' }));
    await assert.rejects(desk.execute(more), isExceeded);
    const through = await desk.quote({ ...less, amount: '30000.00' });
    await assert.rejects(desk.execute(through), isExceeded, 'and out on the other side does not');
    await desk.execute(await desk.quote({ ...less, amount: '15000.00' }));
    assert.equal(await position(pool, 'EUR'), 0n);
    await setLimits(pool, {});
  });

  test('counts hedges, and what is taken back, which is never refused itself', async () => {
    await setLimits(pool, { ...euroLimit('21698.20'), hedges: [{ currency: 'EUR', amount: '-10000.00' }] });
    const rows = [];
    for (let i = 0; i < 3; i++) rows.push(await desk.execute(await desk.quote(EUROS)));
    const next = await desk.quote(EUROS);
    await assert.rejects(desk.execute(next), isExceeded);
    await setLimits(pool, euroLimit('1.00'));
    for (const row of rows) await endTransaction(desk, order(row), { closeOutAt: 'trade' });
    assert.equal(await position(pool, 'EUR'), 0n);
    await setLimits(pool, euroLimit('10849.10'));
    const row = await desk.execute(next);
    await endTransaction(desk, order(row), { closeOutAt: 'trade' });
    await desk.execute(await desk.quote(EUROS));
    await setLimits(pool, {});
  });

  test('does not refuse what is taken back, though it leads away from zero and over the limit', async () => {
    const sold = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'buy', amount: '10000.00' } as const;
    const start = await position(pool, 'EUR');
    const bought = await desk.execute(await desk.quote(EUROS));
    const other = await desk.execute(await desk.quote(sold));
    await setLimits(pool, euroLimit('1.00'));
    await endTransaction(desk, order(bought), { closeOutAt: 'trade' });
    assert.equal(await position(pool, 'EUR'), start - 1_000_000n);
    await setLimits(pool, {});
    await endTransaction(desk, order(other), { closeOutAt: 'trade' });
  });

  test('needs a value of what is moved: it is told at once, or the execution waits for a price', async () => {
    await desk.services.exposure.publish();
    await setLimits(pool, { total: '900000000.00' });
    await ownerOf(pool).query(`delete from exposure_values where currency = 'GBP'`);
    const pounds = { sellCurrency: 'GBP', buyCurrency: 'USD', amount: '100.00' } as const;
    await desk.execute(await desk.quote(pounds));
    const { rowCount } = await pool.query(`select from exposure_values where currency = 'GBP'`);
    assert.equal(rowCount, 1, 'told again');
    const quote = await desk.quote(pounds);
    await ownerOf(pool).query(`delete from exposure_values where currency = 'GBP'`);
    await pool.query(`update exposure_slots set keys = '{}', up_minor = '{}', down_minor = '{}'`);
    desk.market.book.release('GBPUSD');
    await assert.rejects(desk.execute(quote), (error) => {
      return error instanceof Problem && error.code === 'price_unavailable';
    });
    await setLimits(pool, {});
  });

  test('needs a value of what is hedged too, where the total is limited', async () => {
    const { desks } = await instances(1);
    const [own] = desks as [Desk];
    await own.services.exposure.publish();
    await setLimits(own.pool, { total: '900000000.00', hedges: [{ currency: 'GBP', amount: '1.00' }] });
    const quote = await own.quote(EUROS);
    await ownerOf(own.pool).query(`delete from exposure_values where currency = 'GBP'`);
    own.market.book.release('GBPUSD');
    await assert.rejects(own.execute(quote), (error) => {
      return error instanceof Problem && error.code === 'price_unavailable';
    });
  });

  test('needs a value of what is moved where that alone is limited', async () => {
    const { desks } = await instances(1);
    const [own] = desks as [Desk];
    await own.services.exposure.publish();
    await setLimits(own.pool, { currencies: [{ currency: 'GBP', limit: '900000000.00' }] });
    const pounds = await own.quote({ sellCurrency: 'GBP', buyCurrency: 'USD', amount: '100.00' });
    const euros = await own.quote(EUROS);
    await ownerOf(own.pool).query(`delete from exposure_values where currency in ('EUR', 'GBP')`);
    own.market.book.release('GBPUSD');
    own.market.book.release('EURUSD');
    await assert.rejects(own.execute(pounds), (error) => {
      return error instanceof Problem && error.code === 'price_unavailable';
    });
    await own.execute(euros);
    assert.equal(await position(own.pool, 'EUR'), 1_000_000n);
  });

  test('is no more than a limit, also out of what was dealt out to a connection', async () => {
    const { desks } = await instances(1);
    const [own] = desks as [Desk];
    const bought = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell' } as const;
    const sold = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'buy' } as const;
    // Twenty thousand euros.
    const limit = '21698.20';
    for (const limits of [{ total: limit }, { perCurrency: limit }, euroLimit(limit)]) {
      for (const [side, other] of [
        [bought, sold],
        [sold, bought],
      ] as const) {
        await setLimits(own.pool, limits);
        await own.execute(await own.quote({ ...side, amount: '100.00' }));
        const { rowCount } = await own.pool.query(
          `select from exposure_slots where keys <> '{}'
             and cardinality(up_minor) = cardinality(keys) and cardinality(down_minor) = cardinality(keys)`,
        );
        assert.equal(rowCount, 8, 'what is left is dealt out, of each limit for both sides');
        await assert.rejects(own.execute(await own.quote({ ...side, amount: '19900.01' })), isExceeded);
        await own.execute(await own.quote({ ...side, amount: '19900.00' }));
        await setLimits(own.pool, {});
        await own.execute(await own.quote({ ...other, amount: '20000.00' }));
      }
    }
  });

  test('of the total leaves a connection what is left of its side, however little is on the other one', async () => {
    const { desks } = await instances(1);
    const [own] = desks as [Desk];
    const bought = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell' } as const;
    const sold = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'buy' } as const;
    for (const [side, other] of [
      [bought, sold],
      [sold, bought],
    ] as const) {
      // Twenty thousand euros, of which nearly all is used: what is dealt out is less than what is asked for next.
      await setLimits(own.pool, { total: '21698.20' });
      await own.execute(await own.quote({ ...side, amount: '19900.00' }));
      await assert.rejects(own.execute(await own.quote({ ...side, amount: '101.00' })), isExceeded);
      await setLimits(own.pool, {});
      await own.execute(await own.quote({ ...other, amount: '19900.00' }));
    }
  });

  test('stays beyond a lowered limit with what is given back to a connection, on either side', async () => {
    const { desks } = await instances(1);
    const [own] = desks as [Desk];
    const bought = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell' } as const;
    const sold = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'buy' } as const;
    const trade = async (side: typeof bought | typeof sold, amount: string) =>
      own.execute(await own.quote({ ...side, amount }));
    for (const [side, other] of [
      [bought, sold],
      [sold, bought],
    ] as const) {
      await trade(side, '20000.00');
      await setLimits(own.pool, euroLimit('1.00'));
      await trade(other, '5000.00');
      // Out of what the one before has dealt out.
      await trade(other, '100.00');
      await assert.rejects(trade(side, '50.00'), isExceeded);
      await setLimits(own.pool, {});
      await trade(other, '14900.00');
    }
  });

  test('takes a cent too many out of what a connection has rather than one too few', async () => {
    const { desks } = await instances(1);
    const [{ pool: own, services }] = desks as [Desk];
    await services.exposure.publish();
    /** What is left for both sides of a slot after a cent of euros, worth 1.08491 cents, was bought (1) or sold (-1). */
    const left = async (key: string, up: number, down: number, minor: number) => {
      await own.query('update exposure_slots set keys = $1, up_minor = $2, down_minor = $3 where slot = 0', [
        [key],
        [up],
        [down],
      ]);
      await own.query(`select take_from_slot(0, '{EUR}', $1)`, [[minor]]);
      const { rows } = await own.query<{ up: string; down: string }>(
        'select up_minor[1] as up, down_minor[1] as down from exposure_slots where slot = 0',
      );
      return rows.map((row) => [Number(row.up), Number(row.down)])[0];
    };
    await setLimits(own, euroLimit('900.00'));
    assert.deepEqual(await left('EUR', 2, 2, 1), [0, 3], 'what one side gives to the other is rounded down');
    assert.deepEqual(await left('EUR', 2, 2, -1), [3, 0]);
    assert.deepEqual(await left('EUR', 2, -1, 1), [0, -1], 'and beyond a limit nothing is given');
    assert.deepEqual(await left('EUR', -1, 2, -1), [-1, 0]);
    const isShort = { code: 'FQX00' };
    await assert.rejects(left('EUR', 1, 9, 1), isShort);
    await assert.rejects(left('EUR', 9, 1, -1), isShort);
    await setLimits(own, { total: '900.00' });
    assert.deepEqual(await left('total', 2, 2, 1), [0, 2]);
    assert.deepEqual(await left('total', 2, 2, -1), [2, 0]);
    await assert.rejects(left('total', 1, 9, 1), isShort);
    await assert.rejects(left('total', 9, 1, -1), isShort);
  });

  test('follows prices that have moved by more than five basis points', async () => {
    const { desks } = await instances(1);
    const [own] = desks as [Desk];
    const { book } = own.market;
    await setLimits(own.pool, euroLimit('900000.00'));
    await own.execute(await own.quote(EUROS));
    const isDealtOut = async (units: bigint) => {
      book.freeze('EURUSD', { units, scale: 5 }, { units, scale: 5 });
      await publishValues(own.pool, book);
      const { rowCount } = await own.pool.query(`select from exposure_slots where keys <> '{}'`);
      return rowCount === 8;
    };
    // From 1.08491.
    assert.equal(await isDealtOut(108_545n), true);
    assert.equal(await isDealtOut(108_437n), true);
    assert.equal(await isDealtOut(108_546n), false);
  });

  test('follows prices: what positions are worth is told when it has moved', async () => {
    const { desks } = await instances(1);
    const [own] = desks as [Desk];
    const { book } = own.market;
    await publishValues(own.pool, book);
    await setLimits(own.pool, euroLimit('21698.20'));
    await own.execute(await own.quote(EUROS));
    const second = await own.quote(EUROS);
    book.freeze('EURUSD', { units: 120_000n, scale: 5 }, { units: 120_000n, scale: 5 });
    await publishValues(own.pool, book);
    await assert.rejects(own.execute(second), isExceeded);
    book.freeze('EURUSD', { units: 108_488n, scale: 5 }, { units: 108_494n, scale: 5 });
    await publishValues(own.pool, book);
    await own.execute(second);
    // So little that the share of one connection covers it: what is left is dealt out anew when prices have moved.
    await setLimits(own.pool, euroLimit('24000.00'));
    const [small, next] = [
      await own.quote({ ...EUROS, amount: '100.00' }),
      await own.quote({ ...EUROS, amount: '100.00' }),
    ];
    await own.execute(small);
    book.freeze('EURUSD', { units: 130_000n, scale: 5 }, { units: 130_000n, scale: 5 });
    await publishValues(own.pool, book);
    await assert.rejects(own.execute(next), isExceeded);
  });

  test('are not told over newer ones by an instance whose prices have stopped', async () => {
    const { desks } = await instances(1);
    const { pool } = desks[0] as Desk;
    const hour = 3_600_000;
    const bookAt = (mid: bigint, ageMs: number) => {
      const clock = { now: () => hour };
      const book = new RateBook({ clock, defaults: { ...DEFAULT_PAIR_SETTINGS, stalenessMs: 5_000 } });
      const price = { units: mid, scale: 2 };
      book.apply({ pair: 'EURUSD', bid: price, ask: price, at: hour - ageMs, source: 'feed' });
      return book;
    };
    const cents = async () => {
      const { rows } = await pool.query<{ cents: string }>(
        `select (numerator / denominator)::numeric(9, 2) as cents from exposure_values where currency = 'EUR'`,
      );
      return rows[0]?.cents;
    };
    await ownerOf(pool).query('delete from exposure_values');
    await publishValues(pool, bookAt(130n, hour));
    assert.equal(await cents(), '1.30', 'an old price is better than none');
    await publishValues(pool, bookAt(110n, 4_000));
    assert.equal(await cents(), '1.10');
    await publishValues(pool, bookAt(130n, hour));
    assert.equal(await cents(), '1.10');
  });
});
