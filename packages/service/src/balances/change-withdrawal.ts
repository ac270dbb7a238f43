import type { EventType } from '@firmquote/api/operations/events';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { requireVersion } from '../http/conditional.ts';
import { postEntries } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { availableMinor, lockBalances } from './balances.ts';
import type { BalancesRoom } from './room.ts';
import {
  type WithdrawalRow,
  type WithdrawalStep,
  withdrawalEntry,
  withdrawalEvent,
} from './withdrawal-record.ts';
import {
  findWithdrawal,
  lockWithdrawals,
  type NamedWithdrawal,
  runOf,
  withdrawalsByReference,
  writeDestination,
  writeWithdrawal,
} from './withdrawal-store.ts';

export type { NamedWithdrawal };

/** What happens to a withdrawal: the bank has paid it, refused it, or sent it back; somebody gives it up. */
export type WithdrawalChange =
  | { readonly to: 'paid'; readonly bankReference: string | undefined; readonly paidAt: number }
  | {
      readonly to: 'failed';
      /** Left out: returned when it was paid, else rejected. */
      readonly failure?: 'rejected' | 'returned';
      /** When it came back, epoch milliseconds; for one that was never seen to leave. */
      readonly at?: number;
      readonly detail: string | undefined;
    }
  | { readonly to: 'cancelled'; readonly by: 'customer' | 'operator'; readonly detail: string | undefined };

/** A command on one withdrawal, of its customer or of an operator. */
export interface WithdrawalCommand {
  /** UUID. */
  readonly withdrawalId: string;
  /** Only when it is this customer's. */
  readonly customerId?: string;
  readonly ifMatch: number | '*' | undefined;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit?: (connection: Connection, row: WithdrawalRow) => Promise<void>;
}

/** @throws Problem withdrawal_not_found, version_mismatch, invalid_state_transition */
export function changeOneWithdrawal(
  room: Pick<BalancesRoom, 'pool' | 'clock'>,
  { withdrawalId, customerId, ifMatch, inCommit }: WithdrawalCommand,
  change: (now: number) => WithdrawalChange,
): Promise<WithdrawalRow> {
  return inTransaction(room.pool, async (connection) => {
    const now = room.clock.now();
    const before = await holdWithdrawal(connection, withdrawalId, customerId);
    if (before === undefined) throw withdrawalNotFound();
    await requireNoOpenRun(connection, before, change(now));
    const after = await changeWithdrawal(connection, before, change(now), now);
    // After what the state forbids, which is reported as such.
    requireVersion(ifMatch, before.version);
    await inCommit?.(connection, after);
    return after;
  });
}

/**
 * Locks a withdrawal, and before it the balances of its customer: opening one, and banks' notices that have moved trades,
 * hold these already.
 * @param customerId only when it is this customer's
 */
async function holdWithdrawal(
  connection: Connection,
  id: string,
  customerId?: string,
): Promise<WithdrawalRow | undefined> {
  const seen = await findWithdrawal(connection, id, customerId);
  if (seen === undefined) return undefined;
  await lockBalances(connection, [seen.customer_id]);
  return findWithdrawal(connection, id, customerId, true);
}

/** Withdrawals that these references are of. */
export function withdrawalsNamed(
  connection: Queryable,
  references: readonly string[],
): Promise<NamedWithdrawal[]> {
  return withdrawalsByReference(connection, references);
}

/** The same for several whose customers' balances the caller has locked, in key order. */
export function holdWithdrawals(connection: Connection, ids: readonly string[]): Promise<WithdrawalRow[]> {
  return lockWithdrawals(connection, ids);
}

interface Step {
  /** None where nothing moves. */
  readonly entry?: WithdrawalStep;
  readonly event: EventType & `withdrawal.${string}`;
}

/**
 * pending → paid, failed, cancelled; paid → failed, when the money comes back. A rejected one that comes back was not
 * rejected: then it says so.
 */
const STEPS: Readonly<Record<string, Step>> = {
  'pending paid': { entry: 'withdrawal_paid', event: 'withdrawal.paid' },
  'pending failed': { entry: 'withdrawal_undone', event: 'withdrawal.failed' },
  'pending cancelled': { entry: 'withdrawal_undone', event: 'withdrawal.cancelled' },
  'paid failed': { entry: 'withdrawal_returned', event: 'withdrawal.failed' },
  'rejected returned': { event: 'withdrawal.failed' },
};

function stepOf(before: WithdrawalRow, change: WithdrawalChange): Step | undefined {
  const isCorrected =
    before.status === 'failed' && before.failure === 'rejected' && failureOf(before, change) === 'returned';
  return isCorrected ? STEPS['rejected returned'] : STEPS[`${before.status} ${change.to}`];
}

function failureOf(before: WithdrawalRow, change: WithdrawalChange): WithdrawalRow['failure'] {
  if (change.to !== 'failed') return null;
  return change.failure ?? (before.status === 'paid' ? 'returned' : 'rejected');
}

/** The one way in which a withdrawal changes: row, event and ledger, in the caller's transaction, which has it by {@link holdWithdrawal}. */
export async function changeWithdrawal(
  connection: Connection,
  before: WithdrawalRow,
  change: WithdrawalChange,
  now: number,
): Promise<WithdrawalRow> {
  const step = stepOf(before, change);
  if (step === undefined) {
    throw refused(
      before,
      change,
      `A withdrawal that is ${inWords(before.status)} cannot become ${inWords(change.to)}.`,
    );
  }
  if (change.to === 'cancelled') await requireNoRun(connection, before, change);
  const after: WithdrawalRow = {
    ...before,
    ...patchOf(before, change, now),
    status: change.to,
    version: before.version + 1,
    updated_at: now,
  };
  await writeWithdrawal(connection, after);
  await appendEvents(connection, [withdrawalEvent(after, step.event)], now);
  if (step.entry !== undefined) await postEntries(connection, [withdrawalEntry(after, step.entry)], now);
  return after;
}

/**
 * What came back by an entry that the bank has never booked has not come back: the withdrawal stays paid, and its money leaves the balance
 * again. The caller has it by {@link holdWithdrawal}.
 * @throws Problem invalid_state_transition when the balance does not cover it
 */
export async function keepPaid(
  connection: Connection,
  before: WithdrawalRow,
  now: number,
): Promise<WithdrawalRow> {
  const to = {
    to: 'paid',
    bankReference: before.bank_reference ?? undefined,
    paidAt: before.paid_at ?? now,
  } as const;
  if (!(await canKeepPaid(connection, before))) {
    const why =
      'What came back has left the balance again: wait until the balance covers it, or say in `as` who bears the loss.';
    throw refused(before, to, why, { withdrawalId: typeId('wdr', before.id) });
  }
  const after: WithdrawalRow = {
    ...before,
    ...patchOf(before, to, now),
    status: 'paid',
    failure: null,
    detail: null,
    version: before.version + 1,
    updated_at: now,
  };
  await writeWithdrawal(connection, after);
  await appendEvents(connection, [withdrawalEvent(after, 'withdrawal.paid')], now);
  const entries = [withdrawalEntry(after, 'withdrawal_requested'), withdrawalEntry(after, 'withdrawal_paid')];
  await postEntries(connection, entries, now);
  return after;
}

/** Whether the balance covers it. */
export async function canKeepPaid(
  connection: Connection,
  { customer_id: customerId, currency, amount_minor: minor }: WithdrawalRow,
): Promise<boolean> {
  return (await availableMinor(connection, customerId, currency)) >= BigInt(minor);
}

function patchOf(before: WithdrawalRow, change: WithdrawalChange, now: number): Partial<WithdrawalRow> {
  switch (change.to) {
    case 'paid':
      return { paid_at: change.paidAt, bank_reference: change.bankReference ?? null };
    case 'failed': {
      const failure = failureOf(before, change);
      // What came back has left, and not after that.
      const paidAt = failure === 'returned' ? (before.paid_at ?? change.at ?? now) : null;
      return { failure, paid_at: paidAt, detail: change.detail ?? null };
    }
    case 'cancelled':
      return { detail: change.detail ?? null };
  }
}

/**
 * A withdrawal that is in no payment file goes to the account that the customer has now, because an operator says so: that
 * which it was promised to may have been retired, and then no run takes it.
 * @throws Problem withdrawal_not_found, version_mismatch, invalid_state_transition, settlement_instructions_missing
 */
export function redirectWithdrawal(
  room: Pick<BalancesRoom, 'pool' | 'clock'>,
  { withdrawalId, ifMatch, inCommit }: WithdrawalCommand,
): Promise<WithdrawalRow> {
  return inTransaction(room.pool, async (connection) => {
    const before = withdrawalId === undefined ? undefined : await holdWithdrawal(connection, withdrawalId);
    if (before === undefined) throw withdrawalNotFound();
    const refuse = (why: string, more = {}) =>
      new Problem('invalid_state_transition', why, {
        members: { from: before.status, to: before.status, ...more },
      });
    if (before.status !== 'pending')
      throw refuse(`A withdrawal that is ${inWords(before.status)} cannot be redirected.`);
    const run = await runOf(connection, before.id);
    if (run !== undefined) {
      const runId = typeId('run', run.id);
      throw refuse(inFileOf(runId), { runId });
    }
    requireVersion(ifMatch, before.version);
    const now = room.clock.now();
    const after = await writeDestination(connection, before, now);
    if (after === undefined) {
      throw new Problem(
        'settlement_instructions_missing',
        `The customer has no settlement instruction in ${before.currency}.`,
      );
    }
    await appendEvents(connection, [withdrawalEvent(after, 'withdrawal.redirected')], now);
    await inCommit?.(connection, after);
    return after;
  });
}

/** What the bank has is not cancelled; a file that is only made can be given up by those who made it. */
async function requireNoRun(
  connection: Connection,
  row: WithdrawalRow,
  change: WithdrawalChange & { readonly to: 'cancelled' },
): Promise<void> {
  const run = await runOf(connection, row.id);
  if (run === undefined || (run.status === 'created' && change.by === 'operator')) return;
  throw refused(row, change, 'Its payment is on the way to the bank.');
}

/** What is in a file that may be on its way to the bank is not paid by hand as well: the run is ended first. */
async function requireNoOpenRun(
  connection: Connection,
  row: WithdrawalRow,
  change: WithdrawalChange,
): Promise<void> {
  if (change.to !== 'paid') return;
  const run = await runOf(connection, row.id);
  if (run?.status !== 'created') return;
  const runId = typeId('run', run.id);
  throw refused(row, change, inUnsentRun(runId), { runId });
}

/** Of any payment that a settlement run holds, as `payments` says it too. */
export function inUnsentRun(runId: string): string {
  return `It is in settlement run ${runId}, which is not sent. Mark the run as sent or cancel it first.`;
}

export function inFileOf(runId: string): string {
  return `It is in the payment file of settlement run ${runId}.`;
}

function refused(row: WithdrawalRow, { to }: WithdrawalChange, why: string, more = {}): Problem {
  return new Problem('invalid_state_transition', why, { members: { from: row.status, to, ...more } });
}

export function withdrawalNotFound(): Problem {
  return new Problem('withdrawal_not_found', 'There is no withdrawal with this id.');
}
