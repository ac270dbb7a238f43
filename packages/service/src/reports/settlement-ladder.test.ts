import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ordered, payable } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { funded } from '../../test/support/stories.ts';
import { createDesk, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { applyPaymentReports } from '../payments/bank-payment-report.ts';
import { newUuid } from '../platform/ids.ts';
import type { ReportParameters, ReportSource } from './report.ts';
import { SETTLEMENT_LADDER } from './settlement-ladder.ts';

let pool: Pool;
let book: ReportSource['book'];
before(async () => {
  ({ pool } = await createTestDatabase());
  ({ book } = (await createDesk(pool)).market);
});

/** What goes out in euros on each day, at the example's instant on 4 March. */
async function ladder(parameters: ReportParameters = {}): Promise<string[]> {
  const source = { database: pool, now: EXAMPLE_INSTANT, book };
  const { value } = await SETTLEMENT_LADDER.rows(source, { ...parameters, currency: 'EUR' }).next();
  assert.ok(Array.isArray(value));
  return value.map(({ valueDate, toPay, toBalances, otherPayments, otherToPay, net }) =>
    [valueDate, toPay, toBalances, otherPayments, otherToPay, net].join(' '),
  );
}

test('refunds, withdrawals and deposits that go back stand on the day of their run, or today, until the bank has paid them', async () => {
  assert.deepEqual(await ladder(), []);
  const kinds = ['refund', 'withdrawal', 'deposit_return'] as const;
  const inRun = await ordered(pool, kinds);
  const total = inRun.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const euros = (minor: bigint): string => `${minor / 100n}.${`${minor % 100n}`.padStart(2, '0')}`;
  assert.deepEqual(await ladder(), [`2026-03-06 0.00 0.00 3 ${euros(total)} -${euros(total)}`]);

  const waiting = await payable(pool, 'withdrawal');
  assert.deepEqual(await ladder(), [
    '2026-03-04 0.00 0.00 1 300.00 -300.00',
    `2026-03-06 0.00 0.00 3 ${euros(total)} -${euros(total)}`,
  ]);
  assert.deepEqual(await ladder({ toDate: '2026-03-04' }), ['2026-03-04 0.00 0.00 1 300.00 -300.00']);
  assert.deepEqual(await ladder({ fromDate: '2026-03-07' }), []);

  const now = waiting.desk.clock.now();
  const reports = inRun.map(({ desk, purpose, subjectId, amountMinor }) => ({
    ...({ kind: 'paid', currency: 'EUR', amountMinor, at: now, sourceId: newUuid(now) } as const),
    targets: [
      {
        customerId: purpose === 'deposit_return' ? HOUSE_ID : desk.customerId,
        ...{ subjectId, purpose, attempt: 1, amountMinor },
      },
    ],
  }));
  await inTransaction(pool, (connection) => applyPaymentReports(connection, reports, now));
  assert.deepEqual(await ladder(), ['2026-03-04 0.00 0.00 1 300.00 -300.00']);
});

test('what customers want in their balances does not leave', async () => {
  const before = await ladder({ fromDate: '2026-03-06' });
  const { desk, row } = await funded(pool);
  const bought = `${BigInt(row.buy_minor) / 100n}.${row.buy_minor.slice(-2)}`;
  assert.deepEqual(await ladder({ fromDate: '2026-03-06' }), [
    ...before,
    `2026-03-06 ${bought} 0.00 0 0.00 -${bought}`,
  ]);
  await pool.query(
    `update customers set settings = (settings::jsonb || '{"proceedsToBalance": true}')::json where id = $1`,
    [desk.customerId],
  );
  assert.deepEqual(await ladder({ fromDate: '2026-03-06' }), [
    ...before,
    `2026-03-06 0.00 ${bought} 0 0.00 0.00`,
  ]);
});
