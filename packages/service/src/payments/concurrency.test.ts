import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk } from '../../test/support/trading.ts';
import { inTransaction } from '../database/pool.ts';
import { receiveDeposit, receiveDeposits } from '../deposits/receive-deposit.ts';
import type { NewDeposit } from '../deposits/record.ts';
import { VirtualClock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { endTransaction } from './end-transaction.ts';
import { confirm, settle } from './operate.ts';
import { fundingCutoffSweep, settlementSweep } from './sweeps.ts';

const TRADES = 60;

test('executions, deposits, sweeps and orders on the same trades at once never lock each other out', async () => {
  const { pool } = await createTestDatabase({ connections: 30 });
  const clock = new VirtualClock();
  clock.set(Date.UTC(2026, 2, 4, 14, 30));
  const desks = await Promise.all(Array.from({ length: 4 }, () => createDesk(pool, { clock })));
  const sides = [
    { sellCurrency: 'USD', buyCurrency: 'GBP' },
    { sellCurrency: 'KWD', buyCurrency: 'USD' },
  ] as const;
  const rows = await Promise.all(
    Array.from({ length: TRADES }, async (_, i) => {
      const desk = desks[i % desks.length];
      assert.ok(desk);
      return desk.execute(await desk.quote({ ...sides[i % 2], amount: '1000.00' }));
    }),
  );
  // Monday, when the trades are due: the dinar's cut-off has passed, the dollar's and the pound's have not.
  clock.set(Date.UTC(2026, 2, 9, 14, 30));
  const [desk] = desks;
  assert.ok(desk);

  const part = (row: TransactionRow, n: number): NewDeposit => ({
    account: 'house',
    bankReference: `${row.id}-${n}`,
    source: 'operator',
    amountMinor: (BigInt(row.sell_minor) * (n === 0 ? 6n : 4n)) / 10n,
    currency: row.sell_currency,
    remitterName: null,
    remitterAccount: null,
    remittanceText: row.reference,
    valueDate: '2026-03-09',
    receivedAt: clock.now(),
    fingerprint: `${n}`,
  });
  const order = (row: TransactionRow) => ({ transactionId: row.id, ifMatch: undefined });
  const refusals: string[] = [];
  const orNot = async (work: Promise<unknown>) => {
    await work.catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      refusals.push(error.code);
    });
  };
  const backwards = [...rows].reverse();
  await Promise.all([
    ...rows.map((row) => receiveDeposit(desk, part(row, 0))),
    // The second parts in batches, in another order, with repetitions of the first parts among them.
    ...[0, 1, 2].map((third) =>
      inTransaction(pool, (connection) =>
        receiveDeposits(
          connection,
          backwards.slice(third * 20, third * 20 + 20).flatMap((row) => [part(row, 1), part(row, 0)]),
          clock.now(),
          desk.dates.current,
        ),
      ),
    ),
    ...Array.from({ length: 10 }, () => fundingCutoffSweep(desk).run()),
    ...Array.from({ length: 10 }, () => settlementSweep(desk).run()),
    ...rows
      .slice(0, 15)
      .map((row) => orNot(settle(desk, order(row)).then(() => confirm(desk, order(row), 'X')))),
    ...rows.slice(10, 25).map((row) => orNot(endTransaction(desk, order(row), { reason: 'trade_error' }))),
    ...desks.map(async (each) => each.execute(await each.quote({ amount: '10.00' }))),
  ]);
  // Late dinars were rolled to a later day.
  for (const day of [9, 10, 11, 12]) {
    clock.set(Date.UTC(2026, 2, day, 14, 30));
    await settlementSweep(desk).run();
  }

  const { rows: states } = await pool.query<{ status: string; n: string }>(
    `select status, count(*) as n from transactions where id = any ($1::uuid[]) group by status`,
    [rows.map((row) => row.id)],
  );
  const count = Object.fromEntries(states.map((row) => [row.status, Number.parseInt(row.n, 10)]));
  const ended = (count.settling ?? 0) + (count.settled ?? 0) + (count.cancelled ?? 0);
  assert.equal(ended, TRADES, JSON.stringify(count));
  assert.ok((count.settling ?? 0) >= TRADES - 25);
  assert.ok(refusals.every((code) => code === 'invalid_state_transition'));
  const { rowCount } = await pool.query('select 1 from deposits');
  assert.equal(rowCount, 2 * TRADES);
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});
