import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT, executionOf } from '../../test/support/trading.ts';
import { isDayClosed } from '../database/failures.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { asProblem } from '../http/errors.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { newUuid, uuidFloor } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { SandboxControls } from '../sandbox/controls.ts';
import { TransactionStore } from '../transactions/store.ts';
import { checkBooks } from './check-books.ts';
import { CLOSE_AFTER_MS, CLOSE_DAYS_MAX, closeDays, closingSweep } from './closing.ts';
import { HOUSE_ID, postEntries } from './journal.ts';
import { balanceBefore } from './store.ts';

const DAY_MS = 86_400_000;
/** End of the UTC day of the example. */
const END = Date.UTC(2026, 2, 5);
const BANK = { customerId: HOUSE_ID, account: 'bank', currency: 'EUR' };

let pool: Pool;
let desk: Desk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createDesk(pool);
});

/** Books of their own: a day is closed once. */
async function ownBooks() {
  const { pool: own } = await createTestDatabase({ connections: 8 });
  const trading = await createDesk(own);
  await trading.execute(await trading.quote());
  const clock = new VirtualClock();
  clock.set(END + CLOSE_AFTER_MS);
  return { pool: own, desk: trading, clock };
}

async function deposit(
  connection: Connection | Pool,
  at: number,
  cents = 100n,
  customerId = HOUSE_ID,
): Promise<void> {
  const postings = [
    { account: 'bank', currency: 'EUR', amount: cents },
    { account: 'suspense', currency: 'EUR', amount: -cents },
  ] as const;
  await postEntries(connection, [{ customerId, kind: 'deposit_received', postings }], at);
}

async function closing(of: Pool) {
  const { rows } = await of.query<{ closed_through: string | null; fenced_through: string | null }>(
    'select closed_through, fenced_through from ledger_closing',
  );
  return [rows[0]?.closed_through, rows[0]?.fenced_through];
}

async function assertBooks(of: Pool): Promise<void> {
  const check = await checkBooks(of, END);
  assert.deepEqual([check.ok, check.differences], [true, []]);
}

/** A clock that stands. */
const at = (instant: number) => ({ now: () => instant });

describe('a day that is being closed', () => {
  test('waits for what is not committed yet, and holds it', async () => {
    const { pool: own, clock } = await ownBooks();
    await inTransaction(own, async (connection) => {
      await deposit(connection, END - 1);
      assert.equal(await closeDays(own, clock), 0);
      assert.deepEqual(await closing(own), [null, '2026-03-04'], 'nothing new gets in');
      assert.equal(await closeDays(own, clock), 0);
      assert.equal(await closeDays(own, at(END + DAY_MS + CLOSE_AFTER_MS)), 0);
      assert.deepEqual(
        await closing(own),
        [null, '2026-03-04'],
        'the next day stays open until this one is closed',
      );
      // Days that are open are nobody's concern.
      await deposit(own, END, 100n, newUuid(END));
    });
    assert.equal(await closeDays(own, clock), 1);
    assert.deepEqual(await closing(own), ['2026-03-04', '2026-03-04']);
    assert.equal(await balanceBefore(own, BANK, END), 100n);
    await assertBooks(own);
  });

  test('is closed by one of two instances that come at once, whoever of them gets there first', async () => {
    const { pool: own } = await ownBooks();
    for (let day = 0; day < 40; day += 1) {
      const end = END + day * DAY_MS;
      if (day > 0) await deposit(own, end - 1);
      const closed = await Promise.all([0, 1].map(() => closeDays(own, at(end + CLOSE_AFTER_MS))));
      assert.deepEqual(closed.toSorted(), [0, 1], `day ${day}`);
    }
    await assertBooks(own);
  });

  test('is closed from ten minutes after its end on, with its trades on both sides', async () => {
    const { pool: own, desk: trading } = await ownBooks();
    await trading.execute(await trading.quote());
    const other = { sellCurrency: 'EUR', buyCurrency: 'USD' } as const;
    for (const amount of ['1000.00', '300.00'])
      await trading.execute(await trading.quote({ ...other, amount }));
    assert.equal(await closeDays(own, at(END + CLOSE_AFTER_MS - 1)), 0);
    assert.equal(await closeDays(own, at(END + CLOSE_AFTER_MS)), 1);
    await assertBooks(own);
    assert.equal(
      await closeDays(own, at(END + DAY_MS + CLOSE_AFTER_MS)),
      0,
      'there is nothing on the next day',
    );
    assert.deepEqual(await closing(own), ['2026-03-05', '2026-03-05']);
  });

  test('holds the trades of the days that are closed with it, bought, sold and both', async () => {
    const { pool: own, desk: trading } = await ownBooks();
    const other = { sellCurrency: 'EUR', buyCurrency: 'USD' } as const;
    const day = (count: number) => trading.clock.set(EXAMPLE_INSTANT + count * DAY_MS);
    day(1);
    await trading.execute(await trading.quote(other));
    await trading.execute(await trading.quote());
    day(2);
    await trading.execute(await trading.quote({ ...other, amount: '700.00' }));
    assert.equal(await closeDays(own, at(END + 2 * DAY_MS + CLOSE_AFTER_MS)), 3);
    await assertBooks(own);
    day(5);
    await trading.execute(await trading.quote());
    assert.equal(
      await closeDays(own, at(END + 5 * DAY_MS + CLOSE_AFTER_MS)),
      1,
      'on top of what was closed before',
    );
    await assertBooks(own);
  });

  test('is followed by a look at the books, which says what does not add up', async () => {
    const { pool: own } = await ownBooks();
    const errors: (readonly [found: { readonly differences: readonly unknown[] }, text: string])[] = [];
    const logger = { error: (...said: (typeof errors)[number]) => errors.push(said) } as unknown as Logger;
    const told: number[] = [];
    const run = (instant: number) => closingSweep(own, at(instant), logger, (off) => told.push(off)).run();
    assert.equal(await run(END + CLOSE_AFTER_MS), 1);
    assert.equal(errors.length, 0, 'these add up');
    await own.query(
      `update balances set balance = balance + 1 where account = 'position' and currency = 'EUR'`,
    );
    assert.equal(await run(END + CLOSE_AFTER_MS), 0);
    assert.equal(errors.length, 0, 'nothing was closed');
    await deposit(own, END);
    assert.equal(await run(END + DAY_MS + CLOSE_AFTER_MS), 1);
    assert.deepEqual(
      errors.map(([found, text]) => [found.differences.length, text]),
      [[1, 'the books do not add up']],
    );
    assert.deepEqual(told, [0, 3], 'the balance, its currency and the position, when a day was closed');
  });

  test('is one of at most thirty-one that are closed at once, each once', async () => {
    const { pool: own } = await ownBooks();
    const last = CLOSE_DAYS_MAX + 9;
    for (const day of [1, CLOSE_DAYS_MAX - 1, CLOSE_DAYS_MAX, last])
      await deposit(own, END + day * DAY_MS - 1);
    const over = END + last * DAY_MS + CLOSE_AFTER_MS;
    assert.equal(await closeDays(own, at(over)), CLOSE_DAYS_MAX, 'from the first entry on');
    assert.deepEqual(await closing(own), ['2026-04-03', '2026-04-03']);
    assert.equal(await closeDays(own, at(over)), last - CLOSE_DAYS_MAX + 1);
    assert.deepEqual(await closing(own), ['2026-04-13', '2026-04-13']);
    assert.equal(await balanceBefore(own, BANK, END + last * DAY_MS), 400n);
    assert.equal(await closeDays(own, at(over)), 0);
    assert.equal(await closeDays(own, at(over - 1)), 1, 'the last one is not over any more, and is opened');
    assert.deepEqual(await closing(own), ['2026-04-12', '2026-04-12']);
    await assertBooks(own);
  });

  test('waits for what is not committed yet of an earlier one that is closed with it', async () => {
    const { pool: own } = await ownBooks();
    const later = at(END + DAY_MS + CLOSE_AFTER_MS);
    await deposit(own, END, 100n, newUuid(END));
    await inTransaction(own, async (connection) => {
      await deposit(connection, END - 1);
      assert.equal(await closeDays(own, later), 0);
      assert.deepEqual(await closing(own), [null, '2026-03-05']);
    });
    await closeDays(own, later);
    assert.deepEqual(await closing(own), ['2026-03-05', '2026-03-05']);
    assert.equal(await balanceBefore(own, BANK, END + DAY_MS), 100n);
    await assertBooks(own);
  });

  test('does not wait for postings to other days, nor for what was rolled back', async () => {
    const { pool: own, clock } = await ownBooks();
    const undone = inTransaction(own, async (connection) => {
      await deposit(connection, END - 1);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    await inTransaction(own, async (connection) => {
      await deposit(connection, END);
      assert.equal(await closeDays(own, clock), 1);
    });
    await assertBooks(own);
  });

  test('is closed by one of two instances, whatever is posted meanwhile', async () => {
    const { pool: own, clock } = await ownBooks();
    const posts = Array.from({ length: 60 }, (_, i) =>
      deposit(own, i % 2 === 0 ? END - 1 - i : END + i, BigInt(i + 1)),
    );
    const closed = Array.from({ length: 6 }, () => closeDays(own, clock));
    await Promise.all([...posts, ...closed]);
    while ((await closeDays(own, clock)) > 0);
    assert.deepEqual(await closing(own), ['2026-03-04', '2026-03-04']);
    const all = await balanceBefore(own, BANK, END + DAY_MS);
    assert.equal(all, (60n * 61n) / 2n);
    await assertBooks(own);
  });
});

describe('a closed day', () => {
  test('takes no entry, by the schema', async () => {
    const { pool: own, clock } = await ownBooks();
    assert.equal(await closeDays(own, clock), 1);
    const insert = (id: string, at: number) =>
      own.query(
        `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
         values ($1, $2, 'deposit_received', $3, '{bank,suspense}', '{EUR,EUR}', '{1,-1}')`,
        [HOUSE_ID, id, isoInstant(at)],
      );
    await assert.rejects(insert(newUuid(END - 1), END - 1), isDayClosed);
    await assert.rejects(insert(newUuid(END - 1), END), isDayClosed, 'its id is what is read by');
    await insert(uuidFloor(END), END);
    await assert.rejects(
      own.query(`update ledger_closing set closed_through = '2026-03-05'`),
      /ledger_days_are_fenced/,
      'nor is one closed without a fence',
    );
  });

  test('is looked at again in each transaction of a connection, whatever was open in the one before', async () => {
    const { pool: own, clock } = await ownBooks();
    const insert = (connection: Connection) =>
      connection.query(
        `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
         values ($1, $2, 'deposit_received', $3, '{bank,suspense}', '{EUR,EUR}', '{1,-1}')`,
        [HOUSE_ID, newUuid(END - 1), isoInstant(END - 1)],
      );
    const connection = await own.connect();
    try {
      await connection.query('begin');
      await deposit(connection, END - 1);
      await connection.query('commit');
      assert.equal(await closeDays(own, clock), 1);
      await assert.rejects(insert(connection), isDayClosed);
    } finally {
      connection.release();
    }
  });

  test('has its late entries on the day that is open', async () => {
    const { pool: own, clock } = await ownBooks();
    assert.equal(await closeDays(own, clock), 1);
    await deposit(own, END - 5_000);
    const { rows } = await own.query<{ at: number; id: string }>(
      `select at, id from journal_entries where kind = 'deposit_received'`,
    );
    assert.equal(rows[0]?.at, END);
    // The first 48 bits of a UUIDv7 are its milliseconds.
    assert.equal(rows[0]?.id.replace('-', '').slice(0, 12), END.toString(16).padStart(12, '0'));
    assert.equal(await balanceBefore(own, BANK, END), 0n);
    await assertBooks(own);
  });

  test('has an execution that it shut out executed a moment later, on the day that is open', async () => {
    const { pool: own, desk: trading, clock } = await ownBooks();
    const quote = await trading.quote();
    const receivedAt = trading.clock.now();
    assert.equal(await closeDays(own, clock), 1);
    const instants = [receivedAt, END + 1];
    const store = new TransactionStore({
      pool: own,
      now: () => instants.shift() ?? assert.fail('one repetition is enough'),
      limitDay: () => '2026-03-05',
    });
    const { outcome, transaction } = await store.execute(executionOf(trading, quote.id, { receivedAt }));
    assert.deepEqual([outcome, transaction?.created_at], ['created', END + 1]);
    const { rows } = await own.query<{ at: number }>(
      'select at from journal_entries where transaction_id = $1',
      [transaction?.id],
    );
    assert.deepEqual(rows, [{ at: END + 1 }]);
    await assertBooks(own);
  });

  test('is a fault that passes for who cannot be booked elsewhere, and nothing is half done', async () => {
    const { pool: own, desk: trading, clock } = await ownBooks();
    const quote = await trading.quote();
    assert.equal(await closeDays(own, clock), 1);
    await assert.rejects(trading.execute(quote), (error) => {
      const { code, status, headers } = asProblem(error);
      assert.deepEqual([code, status, headers['Retry-After']], ['overloaded', 503, '1']);
      return true;
    });
    const { rows } = await own.query<{ status: string }>('select status from current_quotes where id = $1', [
      quote.id,
    ]);
    assert.deepEqual(rows, [{ status: 'open' }]);
  });

  test('is open again in the commit that sets business time back', async () => {
    const { pool: own, desk: trading } = await ownBooks();
    const controls = new SandboxControls(own, trading.clock);
    await ownerOf(own).query('insert into sandbox_settings default values on conflict do nothing');
    const idle = { nextDue: async () => undefined, runDueNow: async () => undefined };
    const market = { refresh: async () => undefined };
    const move = (instant: number) => controls.moveClock({ instant }, idle as never, market);
    await move(END + 5 * DAY_MS);
    await trading.execute(await trading.quote());
    await move(END + 9 * DAY_MS);
    while ((await closeDays(own, trading.clock)) > 0);
    assert.deepEqual(await closing(own), ['2026-03-12', '2026-03-12']);
    await move(EXAMPLE_INSTANT);
    assert.deepEqual(await closing(own), ['2026-03-03', '2026-03-03']);
    await trading.execute(await trading.quote());
    await assertBooks(own);
  });
});

test('posting to one day does not wait for posting to it, nor to another', async () => {
  await inTransaction(pool, async (connection) => {
    await deposit(connection, EXAMPLE_INSTANT);
    await inTransaction(pool, async (other) => {
      await other.query('set local lock_timeout = 1000');
      await deposit(other, EXAMPLE_INSTANT, 5n, desk.customerId);
    });
  });
  const { rows } = await pool.query<{ amount: string }>(
    `select amount from journal_postings where customer_id in ($1, $2) and account = 'bank'`,
    [HOUSE_ID, desk.customerId],
  );
  for (const amount of ['100', '5'])
    assert.ok(
      rows.some((row) => row.amount === amount),
      amount,
    );
});
