import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { fund } from '../../test/support/stories.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { readStatement } from './account-statement.ts';
import { checkBooks } from './check-books.ts';
import { CLOSE_AFTER_MS, closeDays, closingSweep } from './closing.ts';
import { balanceBefore, trialBalances } from './store.ts';
import { readTrialBalance } from './trial-balance.ts';

const DAY_MS = 86_400_000;
let pool: Pool;
let desk: Desk;

/** Six weeks with something on every third day, so that closing takes two rounds and days without entries. */
before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await createDesk(pool);
  for (let day = 0; day < 42; day += 3) {
    desk.clock.set(EXAMPLE_INSTANT + day * DAY_MS);
    const row = await desk.execute(await desk.quote({ amount: `${1000 + day}.00` }));
    if (day % 2 === 0) await fund(desk, row);
  }
  const more = await keepBusyBooks(pool);
  assert.ok(more.clock.now() < desk.clock.now());
});

/** Instants at, before and between entries and days. */
const INSTANTS = [0, 1, 86_399, 86_400, 300_000, 1_000_000, 2_700_000, 3_600_000].map(
  (seconds) => EXAMPLE_INSTANT - 50_000_000 + seconds * 1_000,
);

async function assertAllBalances(): Promise<void> {
  // In the last closed day as well: its closing balance is that of its end, and not of then.
  const last = Date.parse(`${(await closedThrough()) ?? '2026-03-04'}T00:00:00Z`);
  for (const at of [...INSTANTS, last, last + DAY_MS / 2]) {
    const { rows } = await pool.query<{ account: string; currency: string; balance: string }>(
      `select account, currency, sum(amount) as balance from journal_postings where at < $1
       group by account, currency order by currency, account`,
      [isoInstant(at)],
    );
    const expected = rows.map((row) => ({ ...row, balance: BigInt(row.balance) }));
    assert.deepEqual(withoutZeros(await trialBalances(pool, {}, at)), withoutZeros(expected));
    const own = { customerId: desk.customerId, account: 'customer_receivable', currency: 'USD' };
    const { rows: sums } = await pool.query<{ balance: string | null }>(
      `select sum(amount) as balance from journal_postings
       where customer_id = $1 and account = $2 and currency = $3 and at < $4`,
      [own.customerId, own.account, own.currency, isoInstant(at)],
    );
    assert.equal(await balanceBefore(pool, own, at), BigInt(sums[0]?.balance ?? '0'));
  }
}

function withoutZeros<Row extends { readonly balance: bigint }>(rows: readonly Row[]): Row[] {
  return rows.filter(({ balance }) => balance !== 0n);
}

async function closedThrough(): Promise<string | null | undefined> {
  const { rows } = await pool.query<{ closed_through: string | null }>('select * from ledger_closing');
  return rows[0]?.closed_through;
}

describe('balances at an instant', () => {
  test('are the sums of what was booked before it, with no day closed', assertAllBalances);

  test('and stay so while days are closed, ended or opened again', async () => {
    const clock = new VirtualClock();
    clock.set(EXAMPLE_INSTANT + 42 * DAY_MS);
    assert.equal(await closeDays(pool, clock), 31);
    assert.equal(await closedThrough(), '2026-04-03');
    await assertAllBalances();
    // Two instances at once: one closes, the other passes over.
    const moved = await Promise.all([closeDays(pool, clock), closeDays(pool, clock)]);
    // From the next entry on, which is on 6 April.
    assert.equal(Math.max(...moved), 9);
    assert.equal(await closedThrough(), '2026-04-14');
    assert.equal(await closeDays(pool, clock), 0);
    await assertAllBalances();

    // What is booked on top of closed days counts at once.
    desk.clock.set(EXAMPLE_INSTANT + 43 * DAY_MS);
    await desk.execute(await desk.quote());
    await assertAllBalances();

    clock.set(EXAMPLE_INSTANT + 10 * DAY_MS);
    await closeDays(pool, clock);
    assert.equal(await closedThrough(), '2026-03-13');
    desk.clock.set(EXAMPLE_INSTANT + 11 * DAY_MS);
    await desk.execute(await desk.quote());
    await assertAllBalances();
    clock.set(EXAMPLE_INSTANT + 50 * DAY_MS);
    while ((await closeDays(pool, clock)) > 0);
    await assertAllBalances();
  });

  test('a day is closed ten minutes after its end, and not before', async () => {
    const { pool: own } = await createTestDatabase();
    const clock = new VirtualClock();
    const { clock: trading, execute, quote } = await createDesk(own);
    trading.set(EXAMPLE_INSTANT);
    await execute(await quote());
    const end = Date.parse('2026-03-05T00:00:00Z');
    clock.set(end + CLOSE_AFTER_MS - 1_000);
    assert.equal(await closeDays(own, clock), 0);
    clock.set(end + CLOSE_AFTER_MS);
    assert.equal(await closeDays(own, clock), 1);
  });

  test('debits and credits of the trial balance are equal, now and at any time, for the house and each customer', async () => {
    for (const at of [undefined, ...INSTANTS]) {
      for (const customerId of [undefined, desk.customerId]) {
        const trial = await readTrialBalance(pool, { customerId }, at, desk.clock.now());
        assert.equal(trial.balanced, true);
        for (const { debit, credit, difference } of trial.currencies) {
          assert.equal(debit, credit);
          assert.match(difference, /^0(\.0+)?$/);
        }
      }
    }
  });

  test('a trial balance that does not add up says so', async () => {
    const { pool: own } = await createTestDatabase();
    const broken = await createDesk(own);
    await broken.execute(await broken.quote());
    await own.query(
      `update balances set balance = balance + 1 where account = 'position' and currency = 'EUR'`,
    );
    const trial = await readTrialBalance(own, {}, undefined, broken.clock.now());
    assert.equal(trial.balanced, false);
    assert.deepEqual(
      trial.currencies.map(({ currency, difference }) => [currency, difference]),
      [
        ['EUR', '0.01'],
        ['USD', '0.00'],
      ],
    );
  });
});

describe('the check of the books', () => {
  test('holds with and without closed days, and finds what is off by one', async () => {
    const { pool: own } = await createTestDatabase();
    const busy = await keepBusyBooks(own);
    const look = () => checkBooks(own, busy.clock.now());
    const clock = new VirtualClock();
    assert.equal((await look()).ok, true);
    clock.set(EXAMPLE_INSTANT + 40 * DAY_MS);
    while ((await closeDays(own, clock)) > 0);
    assert.equal((await look()).ok, true);
    const damage = async (sql: string, expected: readonly unknown[]) => {
      const { rowCount } = await ownerOf(own).query(sql);
      assert.ok(rowCount === 1);
      const { ok, unbalancedCurrencies, differences } = await look();
      assert.equal(ok, false);
      assert.deepEqual(
        [
          unbalancedCurrencies,
          differences.map(({ account, balance, journal }) => [account, balance, journal]),
        ],
        expected,
      );
    };
    const suspense = `where account = 'suspense' and currency = 'EUR'`;
    await damage(`update balances set balance = balance + 1 ${suspense}`, [
      [{ currency: 'EUR', difference: '0.01' }],
      [['suspense', '-777.76', '-777.77']],
    ]);
    await own.query(`update balances set balance = balance - 1 ${suspense}`);
    await damage(`update ledger_days set balance = balance + 1 ${suspense}`, [
      [],
      [['suspense', '-777.77', '-777.76']],
    ]);
    await ownerOf(own).query(`update ledger_days set balance = balance - 1 ${suspense}`);
    await damage(`delete from balances ${suspense}`, [
      [{ currency: 'EUR', difference: '777.77' }],
      [['suspense', '0.00', '-777.77']],
    ]);
  });

  test('is made when days are closed, and heard of when it fails', async () => {
    const { pool: own } = await createTestDatabase();
    const desk = await createDesk(own);
    await desk.execute(await desk.quote());
    await own.query(
      `update balances set balance = balance + 1 where account = 'position' and currency = 'EUR'`,
    );
    let written = '';
    const logger = createLogger('error', { write: (line) => (written += line) });
    const clock = new VirtualClock();
    clock.set(EXAMPLE_INSTANT + 3 * DAY_MS);
    assert.ok((await closingSweep(own, clock, logger).run()) > 0);
    assert.match(written, /the books do not add up/);
  });
});

describe('an entry', () => {
  test('has an id that begins with its instant, on which reading by time relies', async () => {
    const { rows } = await pool.query(
      'select kind, id, at from journal_entries where left(id::text, 13) <> left(uuid_floor(at)::text, 13)',
    );
    assert.deepEqual(rows, []);
  });
});

describe('the statement of an account', () => {
  test('pages with the balance after each posting, from any instant', async () => {
    const key = { customerId: desk.customerId, account: 'customer_receivable', currency: 'USD' };
    const { rows } = await pool.query<{ at: number; amount: string }>(
      `select at, amount from journal_postings where customer_id = $1 and account = $2 and currency = $3
       order by entry_id, line`,
      [key.customerId, key.account, key.currency],
    );
    for (const from of [0, ...INSTANTS]) {
      const before = rows.filter(({ at }) => at < from).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      let balance = before;
      const expected = rows
        .filter(({ at }) => at >= from)
        .map(({ amount }) => {
          balance += BigInt(amount);
          return balance;
        });
      const found: bigint[] = [];
      let place: Parameters<typeof readStatement>[3];
      for (;;) {
        const page = await readStatement(pool, key, { from, to: undefined }, place, 4);
        const shown = page.lines.slice(0, 4);
        found.push(...shown.map((line) => line.place.balanceMinor));
        if (page.lines.length <= 4) break;
        place = shown.at(-1)?.place;
      }
      assert.deepEqual(found, expected);
    }
  });
});
