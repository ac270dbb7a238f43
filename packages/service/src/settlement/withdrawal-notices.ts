import { applyWithdrawalNotice } from '../balances/withdrawal-notice.ts';
import type { Connection } from '../database/pool.ts';
import type { BankNotice, BatchOutcome } from './bank-notice.ts';
import type { FoundTargets } from './find-payments.ts';
import { type BlockWithdrawal, insertNotices, toldOf } from './notice-store.ts';

/**
 * Notices that are about no trade may be about withdrawals, and a block of payments that is booked as one sum holds them
 * beside trades. To be called when the trades have moved: withdrawals hold the ends of feeds, which come after trades.
 * @returns the outcomes with those of withdrawals in their places
 */
export async function applyToWithdrawals(
  connection: Connection,
  notices: readonly BankNotice[],
  found: readonly (FoundTargets | undefined)[],
  outcomes: readonly BatchOutcome[],
  now: number,
): Promise<BatchOutcome[]> {
  const after: BatchOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const notice = notices[index];
    const { via, withdrawals = [] } = found[index] ?? {};
    if (notice !== undefined && outcome.outcome === 'unknown' && via !== 'block') {
      after.push(await applyOne(connection, notice, now));
      continue;
    }
    const isAll = outcome.outcome === 'unknown' && notice?.amountMinor === sumOf(withdrawals);
    let wrong: BatchOutcome | undefined;
    if (notice !== undefined && (isAll || outcome.outcome === 'applied' || outcome.outcome === 'known')) {
      // The sum is right; each has its own payment in the block.
      for (const { uetr, amountMinor } of withdrawals) {
        const told = await applyOne(connection, { ...notice, uetr, amountMinor }, now);
        if (told.outcome === 'mismatch') wrong = told;
      }
    }
    // The others are paid as told; of one that cannot have been, its money is in the balance and at the payee.
    after.push(wrong ?? (isAll ? { outcome: 'applied', transactions: [] } : outcome));
  }
  return after;
}

function sumOf(withdrawals: readonly BlockWithdrawal[]): bigint {
  return withdrawals.reduce((sum, each) => sum + each.amountMinor, 0n);
}

/** A withdrawal is instructed once; one that fails is opened anew. */
const ATTEMPT = 1;

async function applyOne(connection: Connection, notice: BankNotice, now: number): Promise<BatchOutcome> {
  const { sourceId, kind, at } = notice;
  const told = await applyWithdrawalNotice(connection, notice, now);
  if (told === undefined) return { outcome: 'unknown' };
  const [row] = told.withdrawals;
  if (told.outcome === 'mismatch' || row === undefined || sourceId === undefined) {
    return { ...told, transactions: [] };
  }
  const id = { customerId: row.customer_id, id: row.id };
  const isToldTwice = (await toldOf(connection, [id])).some((each) => each.kind === kind);
  if (isToldTwice && kind !== 'rejected') {
    return {
      outcome: 'mismatch',
      reason: kind === 'paid' ? 'paid_twice' : 'returned_twice',
      transactions: [],
    };
  }
  const { currency } = row;
  const amountMinor = BigInt(row.amount_minor);
  const of = { customerId: row.customer_id, transactionId: row.id, purpose: 'withdrawal' } as const;
  await insertNotices(connection, [{ ...of, attempt: ATTEMPT, amountMinor, kind, sourceId, currency, at }]);
  return { outcome: told.outcome, transactions: [] };
}
