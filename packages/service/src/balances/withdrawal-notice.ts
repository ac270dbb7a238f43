import type { Connection } from '../database/pool.ts';
import { canChange, changeWithdrawal, holdWithdrawal, type WithdrawalChange } from './change-withdrawal.ts';
import type { WithdrawalRow } from './withdrawal-record.ts';
import { type WithdrawalMarks, withdrawalsMeant } from './withdrawal-store.ts';

/** What a bank tells of a payment that may be a withdrawal. */
export interface WithdrawalNotice extends WithdrawalMarks {
  readonly kind: 'paid' | 'rejected' | 'returned';
  readonly bankReference?: string | undefined;
  /** When the bank booked it, epoch milliseconds. */
  readonly at: number;
  readonly detail?: string | undefined;
}

/** As the notices of other payments end; see there. */
export type WithdrawalNoticeOutcome =
  | { readonly outcome: 'applied' | 'known'; readonly withdrawals: readonly WithdrawalRow[] }
  | {
      readonly outcome: 'mismatch';
      readonly reason: 'amount' | 'currency' | 'state' | 'ambiguous';
      readonly withdrawals: readonly WithdrawalRow[];
    };

const DETAIL_MAX = 500;

/**
 * Confirms, rejects or returns a withdrawal by what a bank says, in the caller's transaction: found by UETR or
 * EndToEndId, else by its reference and the exact amount.
 * @returns undefined when it is about no withdrawal
 */
export async function applyWithdrawalNotice(
  connection: Connection,
  notice: WithdrawalNotice,
  now: number,
): Promise<WithdrawalNoticeOutcome | undefined> {
  const ids = await withdrawalsMeant(connection, notice);
  const withdrawals: WithdrawalRow[] = [];
  for (const id of ids) {
    const row = await holdWithdrawal(connection, id);
    if (row !== undefined) withdrawals.push(row);
  }
  const [row, other] = withdrawals;
  if (row === undefined) return undefined;
  if (other !== undefined) return { outcome: 'mismatch', reason: 'ambiguous', withdrawals };
  if (notice.currency !== undefined && row.currency !== notice.currency)
    return { outcome: 'mismatch', reason: 'currency', withdrawals };
  if (notice.amountMinor !== undefined && BigInt(row.amount_minor) !== notice.amountMinor) {
    return { outcome: 'mismatch', reason: 'amount', withdrawals };
  }
  const to = notice.kind === 'paid' ? 'paid' : 'failed';
  if (row.status === to) return { outcome: 'known', withdrawals };
  // A bank rejects what it has not paid; what was paid comes back.
  if (!canChange(row.status, to) || (row.status === 'paid' && notice.kind === 'rejected')) {
    return { outcome: 'mismatch', reason: 'state', withdrawals };
  }
  const change: WithdrawalChange =
    to === 'paid'
      ? { to, bankReference: notice.bankReference, paidAt: notice.at }
      : { to, detail: notice.detail?.slice(0, DETAIL_MAX) };
  return { outcome: 'applied', withdrawals: [await changeWithdrawal(connection, row, change, now)] };
}
