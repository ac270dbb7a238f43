import type { Operation } from '@firmquote/api/operation';
import type { placeHold } from '@firmquote/api/operations/operator-transactions';
import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import type { Call } from '../http/serve.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { changeTransactions, type TransactionChange } from '../transactions/change.ts';
import {
  existingTransaction,
  pricedTransaction,
  transactionNotFound,
} from '../transactions/list-transactions.ts';
import type { PricedTransaction, TransactionRow } from '../transactions/record.ts';
import { requireNoOpenRun, requireNoRun } from './end-run.ts';
import { payoutState, requireReport } from './payment-states.ts';
import {
  confirmPayout,
  type PayoutFailure,
  redirectPayout,
  rejectPayout,
  retryPayout,
  returnPayout,
} from './payout-changes.ts';
import { attemptOf, failRefund, payRefund, refundOf, retryRefund } from './refund-changes.ts';
import { releasePayouts } from './release.ts';
import type { PaymentsRoom } from './room.ts';
import { activeDestination } from './store.ts';
import { transactionAnswer } from './view.ts';

/** An operator's command on one trade. */
export interface OperatorCommand {
  /** UUID. */
  readonly transactionId: string;
  readonly ifMatch: number | '*' | undefined;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit?: (connection: Connection, row: TransactionRow) => Promise<void>;
}

export type OnTransaction = Operation & { readonly params: typeof placeHold.params };

/** The command of a call, whose answer is the transaction as it is after it, with its tag. */
export function commandOf<O extends OnTransaction>(
  { clock }: Pick<PaymentsRoom, 'clock'>,
  { params, ifMatch, inCommit }: Call<O>,
): OperatorCommand {
  const { transactionId } = params as { readonly transactionId: string };
  return {
    transactionId,
    ifMatch,
    inCommit: inCommit(async (row: TransactionRow, connection) =>
      transactionAnswer(connection, await pricedTransaction(connection, row), clock.now()),
    ),
  };
}

export type Decide = (row: TransactionRow, now: number) => TransactionChange;

/**
 * funded → settling by an operator's decision, who answers for the date; holds stand against it all the same.
 * @throws Problem transaction_not_found, invalid_state_transition, version_mismatch; so do all commands here
 */
export async function settle(room: PaymentsRoom, command: OperatorCommand): Promise<TransactionRow> {
  const { customer_id: customerId, id } = await find(room, command.transactionId);
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    let before: number | undefined;
    const [row] = await releasePayouts(
      connection,
      [{ customerId, id }],
      now,
      room.dates.current,
      (locked) => {
        refuseHeld(locked);
        before = locked.version;
        return 'operator';
      },
    );
    if (row === undefined || before === undefined) throw transactionNotFound();
    // What is credited to a balance changes twice.
    requireVersion(command.ifMatch, before);
    await command.inCommit?.(connection, row);
    return row;
  });
}

/** settling → settled. */
export function confirm(
  room: PaymentsRoom,
  command: OperatorCommand,
  bankReference: string | undefined,
): Promise<TransactionRow> {
  return changeOne(room, outsideRuns(command, 'payout'), (row, now) => {
    requireReport(payoutState(row), 'paid', { what: 'A payout', from: row.status, to: 'settled' });
    return confirmPayout(row, now, 'operator', bankReference);
  });
}

/** The same command, which ends with nothing done when the payment is in a file that is not marked as sent. */
function outsideRuns(command: OperatorCommand, purpose: 'payout' | 'refund'): OperatorCommand {
  return {
    ...command,
    inCommit: async (connection, row) => {
      const refund = refundOf(row);
      const attempt =
        purpose === 'payout' ? row.payout_attempts : refund === undefined ? 0 : attemptOf(refund);
      const target = { customerId: row.customer_id, subjectId: row.id, purpose, attempt };
      await requireNoOpenRun(connection, target, { from: row.status, to: 'paid' });
      await command.inCommit?.(connection, row);
    },
  };
}

/** settling → settlement_failed, and settled → settlement_failed when the money came back. */
export function fail(
  room: PaymentsRoom,
  command: OperatorCommand,
  reason: PayoutFailure | undefined,
  detail: string | undefined,
): Promise<TransactionRow> {
  return changeOne(room, command, (row, now) => {
    const why = reason ?? (row.status === 'settled' ? 'payout_returned' : 'payout_rejected');
    requireReport(payoutState(row), why === 'payout_returned' ? 'returned' : 'rejected', {
      what: 'A payout',
      from: row.status,
      to: 'settlement_failed',
    });
    return why === 'payout_returned'
      ? returnPayout(row, now, 'operator', detail)
      : rejectPayout(now, 'operator', why, detail);
  });
}

/** settlement_failed → settling, to the account that the customer has now; holds stand against it as well. */
export async function retry(room: PaymentsRoom, command: OperatorCommand): Promise<TransactionRow> {
  const found = await find(room, command.transactionId);
  const destination = await activeDestination(room.pool, found.customer_id, found.buy_currency);
  return changeOne(room, command, (row) => {
    refuseHeld(row);
    return retryPayout(row, 'operator', destination);
  });
}

/**
 * A payout that is in no payment file goes to the account that the customer has now: that which it was promised to may have been
 * retired, and then no run takes it.
 * @throws Problem settlement_instructions_missing
 */
export async function redirect(room: PaymentsRoom, command: OperatorCommand): Promise<TransactionRow> {
  const found = await find(room, command.transactionId);
  const destination = await activeDestination(room.pool, found.customer_id, found.buy_currency);
  if (destination === undefined) {
    throw new Problem(
      'settlement_instructions_missing',
      `The customer has no settlement instruction in ${found.buy_currency}.`,
    );
  }
  const inNoRun = {
    ...command,
    inCommit: async (connection: Connection, row: TransactionRow) => {
      const target = { customerId: row.customer_id, subjectId: row.id, purpose: 'payout' as const };
      await requireNoRun(connection, { ...target, attempt: row.payout_attempts }, row.status);
      await command.inCommit?.(connection, row);
    },
  };
  return changeOne(room, inNoRun, (row) => {
    if (row.status === 'funded' || payoutState(row) === 'sent') return redirectPayout(destination);
    throw new Problem(
      'invalid_state_transition',
      `A transaction that is ${inWords(row.status)} has no payout to redirect.`,
      { members: { from: row.status, to: row.status } },
    );
  });
}

/** The refund was paid, as the bank says. */
export function confirmRefund(
  room: PaymentsRoom,
  command: OperatorCommand,
  bankReference: string | undefined,
): Promise<TransactionRow> {
  return changeOne(room, outsideRuns(command, 'refund'), (row, now) =>
    payRefund(row, now, 'operator', bankReference),
  );
}

/** The refund was refused, or came back. */
export function rejectRefund(
  room: PaymentsRoom,
  command: OperatorCommand,
  detail: string | undefined,
): Promise<TransactionRow> {
  return changeOne(room, command, (row) => failRefund(row, 'operator', detail));
}

/** A refund that failed is due again. */
export function repeatRefund(room: PaymentsRoom, command: OperatorCommand): Promise<TransactionRow> {
  return changeOne(room, command, retryRefund);
}

/** @throws Problem transaction_not_found */
export function find({ pool }: Pick<PaymentsRoom, 'pool'>, id: string): Promise<PricedTransaction> {
  return existingTransaction(pool, id);
}

/** Moves one trade, with whatever the command does in the same commit. */
export async function changeOne(
  room: PaymentsRoom,
  command: OperatorCommand,
  decide: Decide,
): Promise<TransactionRow> {
  const { customer_id: customerId, id } = await find(room, command.transactionId);
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const [row] = await changeTransactions(connection, [{ customerId, id }], now, (locked) =>
      decide(locked, now),
    );
    if (row === undefined) throw transactionNotFound();
    requireSeen(command, row);
    await command.inCommit?.(connection, row);
    return row;
  });
}

/** Asked once all else permits the change: what the state forbids is reported as such, whichever version was seen. */
function requireSeen({ ifMatch }: OperatorCommand, changed: TransactionRow): void {
  requireVersion(ifMatch, changed.version - 1);
}

function refuseHeld(row: TransactionRow): void {
  if (!['funded', 'settlement_failed'].includes(row.status) || !hasHolds(row)) return;
  throw new Problem('invalid_state_transition', 'A hold blocks the payout. Release it first.', {
    members: { from: row.status, to: 'settling', holds: JSON.parse(row.holds) as unknown },
  });
}

export function hasHolds(row: TransactionRow): boolean {
  return (JSON.parse(row.holds) as unknown[]).length > 0;
}
