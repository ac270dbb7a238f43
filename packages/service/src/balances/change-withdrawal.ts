import { type Connection, inTransaction } from '../database/pool.ts';
import { appendEvents, type EventType } from '../events/append.ts';
import { requireVersion } from '../http/conditional.ts';
import { postEntries } from '../ledger/journal.ts';
import { Problem } from '../problems/problem.ts';
import { lockBalances } from './balances.ts';
import type { BalancesRoom } from './room.ts';
import {
  type WithdrawalRow,
  type WithdrawalStatus,
  type WithdrawalStep,
  withdrawalEntry,
  withdrawalEvent,
} from './withdrawal-record.ts';
import { findWithdrawal, runStatusOf, writeWithdrawal } from './withdrawal-store.ts';

/** What happens to a withdrawal: the bank has paid it, refused it, or sent it back; somebody gives it up. */
export type WithdrawalChange =
  | { readonly to: 'paid'; readonly bankReference: string | undefined; readonly paidAt: number }
  | { readonly to: 'failed'; readonly detail: string | undefined }
  | { readonly to: 'cancelled'; readonly by: 'customer' | 'operator'; readonly detail: string | undefined };

/** An order on one withdrawal. */
export interface WithdrawalOrder {
  /** UUID, or undefined when what the caller gave is no withdrawal id. */
  readonly withdrawalId: string | undefined;
  /** Only when it is this customer's. */
  readonly customerId?: string;
  readonly ifMatch: number | '*' | undefined;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit?: (connection: Connection, row: WithdrawalRow) => Promise<void>;
}

/** @throws Problem withdrawal_not_found, version_mismatch, invalid_state_transition */
export function orderOnWithdrawal(
  room: Pick<BalancesRoom, 'pool' | 'clock'>,
  { withdrawalId, customerId, ifMatch, inCommit }: WithdrawalOrder,
  change: (now: number) => WithdrawalChange,
): Promise<WithdrawalRow> {
  return inTransaction(room.pool, async (connection) => {
    const now = room.clock.now();
    const before =
      withdrawalId === undefined ? undefined : await holdWithdrawal(connection, withdrawalId, customerId);
    if (before === undefined) throw withdrawalNotFound();
    requireVersion(ifMatch, before.version);
    const after = await changeWithdrawal(connection, before, change(now), now);
    await inCommit?.(connection, after);
    return after;
  });
}

/**
 * Locks a withdrawal, and before it the balances of its customer: opening one, and banks' notices that have moved trades,
 * hold these already.
 * @param customerId only when it is this customer's
 */
export async function holdWithdrawal(
  connection: Connection,
  id: string,
  customerId?: string,
): Promise<WithdrawalRow | undefined> {
  const seen = await findWithdrawal(connection, id, customerId);
  if (seen === undefined) return undefined;
  await lockBalances(connection, [seen.customer_id]);
  return findWithdrawal(connection, id, customerId, true);
}

interface Step {
  readonly entry: WithdrawalStep;
  readonly event: EventType & `withdrawal.${string}`;
}

/** pending → paid, failed, cancelled; paid → failed, when the money comes back. */
const STEPS: Readonly<Record<string, Step>> = {
  'pending paid': { entry: 'withdrawal_paid', event: 'withdrawal.paid' },
  'pending failed': { entry: 'withdrawal_undone', event: 'withdrawal.failed' },
  'pending cancelled': { entry: 'withdrawal_undone', event: 'withdrawal.cancelled' },
  'paid failed': { entry: 'withdrawal_returned', event: 'withdrawal.failed' },
};

export function canChange(from: WithdrawalStatus, to: WithdrawalStatus): boolean {
  return `${from} ${to}` in STEPS;
}

/** The one way in which a withdrawal changes: row, event and ledger, in the caller's transaction, which has it by {@link holdWithdrawal}. */
export async function changeWithdrawal(
  connection: Connection,
  before: WithdrawalRow,
  change: WithdrawalChange,
  now: number,
): Promise<WithdrawalRow> {
  const step = STEPS[`${before.status} ${change.to}`];
  if (step === undefined) {
    throw refused(before, change, `A withdrawal that is ${before.status} cannot become ${change.to}.`);
  }
  if (change.to === 'cancelled') await requireNoRun(connection, before, change);
  const after: WithdrawalRow = {
    ...before,
    ...patchOf(before, change),
    status: change.to,
    version: before.version + 1,
    updated_at: now,
  };
  await writeWithdrawal(connection, after);
  await appendEvents(connection, [withdrawalEvent(after, step.event)], now);
  await postEntries(connection, [withdrawalEntry(after, step.entry)], now);
  return after;
}

function patchOf(before: WithdrawalRow, change: WithdrawalChange): Partial<WithdrawalRow> {
  switch (change.to) {
    case 'paid':
      return { paid_at: change.paidAt, bank_reference: change.bankReference ?? null };
    case 'failed':
      return {
        failure: before.status === 'paid' ? 'returned' : 'rejected',
        detail: change.detail ?? null,
      };
    case 'cancelled':
      return { detail: change.detail ?? null };
  }
}

/** What the bank has is not cancelled; a file that is only made can be given up by those who made it. */
async function requireNoRun(
  connection: Connection,
  row: WithdrawalRow,
  change: WithdrawalChange & { readonly to: 'cancelled' },
): Promise<void> {
  const run = await runStatusOf(connection, row.id);
  if (run === undefined || (run === 'created' && change.by === 'operator')) return;
  throw refused(row, change, 'Its payment is on the way to the bank.');
}

function refused(row: WithdrawalRow, { to }: WithdrawalChange, why: string): Problem {
  return new Problem('invalid_state_transition', why, { members: { from: row.status, to } });
}

export function withdrawalNotFound(): Problem {
  return new Problem('withdrawal_not_found', 'There is no such withdrawal.');
}
