import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import { findTransition, TRANSACTION_TRANSITIONS, type TransactionStatus } from '@firmquote/fx';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, fund, order, trade } from '../../test/support/stories.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { topUpBalance } from '../balances/balances.ts';
import { DEFAULT_SETTINGS } from '../customers/profile.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';
import { endTransaction } from './end-transaction.ts';
import { confirm, fail, retry, settle } from './operate.ts';
import { rollValueDate } from './roll-value-date.ts';
import { fundingCutoffSweep } from './sweeps.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
afterEach(() => assertBooksBalance(pool));

/** The numbers of the transitions that a trade's timeline went through. */
async function walked(desk: Desk, row: TransactionRow): Promise<number[]> {
  const timeline = timelineOf(await current(desk, row));
  let from: TransactionStatus | null = null;
  const numbers: number[] = [];
  for (const { status } of timeline) {
    if (status !== from) numbers.push(findTransition(from, status)?.number ?? 0);
    from = status;
  }
  return numbers;
}

// The fourteenth, a deposit that is taken back, is caused by reconciliation and tested there.
test('every transition that trading and settlement cause happens in some story, and the books balance', async () => {
  const seen = new Set<number>();
  const notify = async (desk: Desk, row: TransactionRow) => {
    for (const number of await walked(desk, row)) seen.add(number);
  };

  const paid = await trade(pool);
  await fund(paid.desk, paid.row, 1_000n);
  await fund(paid.desk, paid.row, BigInt(paid.row.sell_minor) - 1_000n);
  await settle(paid.desk, order(paid.row));
  await fail(paid.desk, order(paid.row), 'payout_rejected', undefined);
  await retry(paid.desk, order(paid.row));
  await confirm(paid.desk, order(paid.row), undefined);
  await fail(paid.desk, order(paid.row), 'payout_returned', undefined);
  await endTransaction(paid.desk, order(paid.row));
  await notify(paid.desk, paid.row);

  for (const part of [0n, 1_000n]) {
    const late = await trade(pool);
    if (part > 0n) await fund(late.desk, late.row, part);
    late.desk.clock.set(late.row.funding_cutoff_at);
    await fundingCutoffSweep(late.desk).run();
    await rollValueDate(late.desk, order(late.row), '2026-03-10', 'late_funding');
    await notify(late.desk, late.row);
  }
  for (const comes of [true, false]) {
    const late = await trade(pool);
    late.desk.clock.set(late.row.funding_cutoff_at);
    await fundingCutoffSweep(late.desk).run();
    if (comes) await fund(late.desk, late.row);
    else await endTransaction(late.desk, order(late.row), { closeOutAt: 'trade' });
    await notify(late.desk, late.row);
  }

  const desk = await createDesk(pool);
  desk.change({ settings: { ...DEFAULT_SETTINGS, fundingMode: 'pre_funded' } });
  const money = {
    customerId: desk.customerId,
    currency: 'USD',
    amountMinor: 10_000_000n,
    bankReference: 'T',
  };
  await inTransaction(pool, (connection) => topUpBalance(connection, money, desk.clock.now()));
  await notify(desk, await desk.execute(await desk.quote()));

  assert.deepEqual(
    TRANSACTION_TRANSITIONS.map((each) => each.number).filter((number) => !seen.has(number)),
    [14],
  );
});
