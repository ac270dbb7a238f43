import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { type Payable, payable } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { entryOf } from '../../test/support/missing-money.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { HOUSE_ID, postEntries } from '../ledger/journal.ts';
import { newUuid } from '../platform/ids.ts';
import { applyPaymentReports } from './bank-payment-report.ts';
import {
  changeReturn,
  failedReturns,
  isInstructed,
  lockReturns,
  type ReturnChange,
  reopenReturn,
  returnState,
  returnsOf,
} from './deposit-returns.ts';
import { cancelRun } from './end-run.ts';
import { countStates } from './run-payment-store.ts';
import { createRun, previewRun } from './settlement-runs.ts';

const BY = '0195f000-0000-7000-8000-00000000000a';
let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
});
afterEach(() => assertBooksBalance(pool));

const lock = async (connection: Connection, { subjectId }: Payable) => {
  const [row] = await lockReturns(connection, [subjectId]);
  assert.ok(row);
  return row;
};
const report = (made: Payable, change: ReturnChange) =>
  inTransaction(pool, async (connection) => {
    const now = made.desk.clock.now();
    const { entries } = await changeReturn(connection, await lock(connection, made), change, now);
    await postEntries(connection, entries, now);
  });
/** What the house has in euros, in cents; all returns of the file are of the house. */
async function house(): Promise<readonly [suspense: bigint, payable: bigint, bank: bigint]> {
  const balances = await balancesOf(pool, HOUSE_ID);
  const of = (account: string) => balances[`${account} EUR`] ?? 0n;
  return [of('suspense'), of('returns_payable'), of('bank')];
}
async function moved(work: () => Promise<unknown>): Promise<readonly bigint[]> {
  const before = await house();
  await work();
  return (await house()).map((each, index) => each - (before[index] ?? 0n));
}

test('what a bank says of two returns, and work on one of their deposits, do not lock each other out', async () => {
  const both = [await payable(pool, 'deposit_return'), await payable(pool, 'deposit_return')];
  const { rows } = await pool.query('select deposit_id as id from deposit_returns where id = $1', [
    both[1]?.subjectId,
  ]);
  const now = both[0]?.desk.clock.now() ?? 0;
  const reports = both.map(({ subjectId, amountMinor }) => ({
    ...({ kind: 'paid', currency: 'EUR', amountMinor, at: now, sourceId: newUuid(now) } as const),
    targets: [
      { customerId: HOUSE_ID, subjectId, purpose: 'deposit_return', attempt: 1, amountMinor } as const,
    ],
  }));
  const over = new Error('only looked at');
  let telling: Promise<{ outcome: string }[]> | undefined;
  const working = inTransaction(pool, async (connection) => {
    // As whoever takes a part of it from a trade, before the house has it again.
    await connection.query("select move_bank_item('EUR', $1, 'deposit', null, 1, now())", [rows[0].id]);
    telling = inTransaction(pool, (other) => applyPaymentReports(other, reports, now));
    telling.catch(() => undefined);
    await untilLocked(pool);
    const postings = [
      { account: 'bank', currency: 'EUR', amount: 1n },
      { account: 'suspense', currency: 'EUR', amount: -1n },
    ] as const;
    await postEntries(connection, [{ customerId: HOUSE_ID, kind: 'deposit_deallocated', postings }], now);
    throw over;
  });
  await assert.rejects(working, over);
  assert.deepEqual(
    (await telling)?.map(({ outcome }) => outcome),
    ['applied', 'applied'],
  );
});

describe('a deposit that the house sends back', () => {
  test('leaves the bank when it is paid, and is owed again when it comes back', async () => {
    const made = await payable(pool, 'deposit_return');
    const { amountMinor, desk } = made;
    const at = desk.clock.now() - 60_000;
    const paid = { to: 'paid', bankReference: 'OUT-1', at } as const;
    assert.deepEqual(await moved(() => report(made, paid)), [0n, amountMinor, -amountMinor]);
    const failed = { to: 'failed', failure: 'returned', detail: 'x'.repeat(600) } as const;
    assert.deepEqual(await moved(() => report(made, failed)), [0n, -amountMinor, amountMinor]);
    await inTransaction(pool, async (connection) => {
      const row = await lock(connection, made);
      assert.deepEqual(
        [row.status, row.failure, row.detail?.length, row.bank_reference, returnState(row)],
        ['failed', 'returned', 500, 'OUT-1', 'returned'],
      );
    });
  });

  test('is owed still when the bank rejects it, and waits to be in suspense again', async () => {
    const made = await payable(pool, 'deposit_return');
    const failed = { to: 'failed', failure: 'rejected', detail: undefined } as const;
    assert.deepEqual(await moved(() => report(made, failed)), [0n, 0n, 0n]);
    const waiting = async () => (await failedReturns(pool, 100)).map(({ id }) => id);
    assert.ok((await waiting()).includes(made.subjectId));
    assert.equal((await failedReturns(pool, 1)).length, 1);
    const reopened = () =>
      inTransaction(pool, async (connection) => {
        const row = await lock(connection, made);
        const entry = await reopenReturn(connection, row, 'failed', made.desk.clock.now());
        await postEntries(connection, [entry], made.desk.clock.now());
      });
    assert.deepEqual(await moved(reopened), [-made.amountMinor, made.amountMinor, 0n]);
    assert.ok(!(await waiting()).includes(made.subjectId), 'once');
  });

  test('shows the run that pays it, as long as it does', async () => {
    const made = await payable(pool, 'deposit_return');
    const { rows } = await pool.query('select deposit_id from deposit_returns where id = $1', [
      made.subjectId,
    ]);
    const depositId = rows[0].deposit_id;
    const shown = async () =>
      (await returnsOf(pool, [depositId])).map(({ id, run_id, run_status }) => [id, run_id, run_status]);
    assert.deepEqual(await shown(), [[made.subjectId, null, null]]);
    assert.equal(await isInstructed(pool, made.subjectId), false);
    const run = await createRun(made.desk, { currency: 'EUR', valueDate: '2026-03-06' }, BY);
    assert.deepEqual(await shown(), [[made.subjectId, run.id, 'created']]);
    assert.equal(await isInstructed(pool, made.subjectId), true);
    const { payments } = await previewRun(made.desk, { currency: 'EUR', valueDate: '2026-03-06' });
    assert.deepEqual(payments, [], 'what a run pays is due for no other');
    // As a run that is made now: statements may come to lack its money.
    const forgotten = new Error('only looked at');
    const looking = inTransaction(pool, async (connection) => {
      await entryOf(connection, depositId, true);
      const [{ held } = { held: null }] = await countStates(connection, run.id);
      assert.equal(held, 'not_in_statement');
      throw forgotten;
    });
    await assert.rejects(looking, forgotten);
    const order = { runId: run.id, ifMatch: undefined, by: BY, reason: undefined };
    assert.ok((await cancelRun({ ...made.desk, clock: { now: () => run.created_at + 1 } }, order)).done);
    assert.deepEqual(await shown(), [[made.subjectId, null, null]]);
    assert.equal(await isInstructed(pool, made.subjectId), false);
    assert.deepEqual(await returnsOf(pool, []), []);
    assert.deepEqual(await inTransaction(pool, (connection) => lockReturns(connection, [])), []);
  });
});
