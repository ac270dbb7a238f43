import type { FileFormat } from '@firmquote/api/operations/settlement-runs';
import type { DateRules } from '@firmquote/fx';
import type { Approvable, ApprovalKind } from '../approvals/approvals.ts';
import { doOrPropose, type Outcome } from '../approvals/do-or-propose.ts';
import { requireSecond } from '../approvals/judge.ts';
import { lockBalances } from '../balances/balances.ts';
import { inFileOf, inUnsentRun } from '../balances/change-withdrawal.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { typeId, uuidOf } from '../platform/ids.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { holdOthers, holdRolled, holdSubjects } from './due-payment-store.ts';
import type { PaymentTarget } from './payment-states.ts';
import { rollBack } from './roll-missed.ts';
import type { PaymentsRoom } from './room.ts';
import { countStates, holdPayeesOf, itemsOfRun, liveRunOf, type StateCount } from './run-payment-store.ts';
import { endRun, findFile, noteDownload, type RunRow } from './run-store.ts';
import { existingRun, runNotFound } from './settlement-runs.ts';
import { nextPayableDate, payableUntil } from './value-dates.ts';

/** An operator's command on a run. */
interface RunCommand {
  /** UUID. */
  readonly runId: string;
  readonly ifMatch: number | '*' | undefined;
  /** Person or OAuth client (UUID). */
  readonly by: string;
  /** The second person, of what is done by approval: who checked it. */
  readonly approvedBy?: string | undefined;
}

type InCommit<Done> = (connection: Connection, done: Done) => Promise<void>;

/**
 * The file is at the bank. Nothing is sent that must not be paid any more. A file that somebody took in time may be there since
 * then, so it is never too late to say so.
 * @throws Problem settlement_run_not_found, version_mismatch; invalid_state_transition when the run has ended, or one of its
 * payments must not be made any more, or not as it is: its customer is suspended, or
 * its account was retired; or its date is over
 */
export function markSent(
  room: PaymentsRoom,
  command: RunCommand,
  inCommit?: InCommit<RunRow>,
): Promise<RunRow> {
  return inTransaction(room.pool, async (connection) => {
    const run = await holdRun(connection, command.runId);
    requireOpen(run, 'sent');
    if (!mayBeOut(run)) requireInTime(room, run, 'sent');
    await requirePayable(connection, run, 'sent');
    // After what the state forbids, which is reported as such.
    requireVersion(command.ifMatch, run.version);
    await endRun(connection, run.id, 'sent', command.approvedBy ?? command.by, room.clock.now());
    const ended = await existingRun(connection, run.id);
    await inCommit?.(connection, ended);
    return ended;
  });
}

/**
 * Everything that a held run pays is looked at once more, and held until the commit.
 * @throws Problem invalid_state_transition when one of its payments must not be made any more, or not as it is
 */
async function requirePayable(connection: Connection, run: RunRow, to: 'sent' | 'downloaded'): Promise<void> {
  await holdPayeesOf(connection, run.id);
  // A bank that has the file may be quicker than who marks it as sent.
  const open = (await countStates(connection, run.id)).filter(
    ({ isReported }) => !(isReported && mayBeOut(run)),
  );
  const count = sumOf(open.filter(({ state }) => state !== 'sent'));
  if (count > 0) {
    const why = `${count} of its payments can no longer be made. Cancel the run and create a new one.`;
    throw refused(run, to, why);
  }
  const held = open.filter((each) => each.held !== null);
  if (held.length > 0) {
    const reasons = [...new Set(held.map((each) => each.held))].join(', ');
    const why = `${sumOf(held)} of its payments are now held back (${reasons}). Cancel the run and create a new one.`;
    throw refused(run, to, why);
  }
}

/** A bank refuses or moves what is to be paid on a date that is over. @throws Problem invalid_state_transition */
function requireInTime({ clock, dates }: PaymentsRoom, run: RunRow, to: 'sent' | 'downloaded'): void {
  const { currency, execution_date: date } = run;
  const now = clock.now();
  if (payableUntil(currency, date, now, dates.current) !== undefined) return;
  const remedy = mayBeOut(run)
    ? 'If the bank has the file, mark the run as sent; otherwise cancel it and create a new one.'
    : 'Cancel the run and create a new one.';
  const nextValueDate = nextPayableDate(currency, date, now, dates.current);
  throw refused(run, to, `${currency} can no longer be paid on ${date}. ${remedy}`, { nextValueDate });
}

/** Name of proposals. */
const CANCEL_RUN_KIND = 'settlement_run_cancel';

/** What a second person gets to see. */
interface ProposedCancel {
  readonly runId: string;
  readonly currency: string;
  readonly paymentCount: number;
  readonly totalMinor: string;
  readonly downloads: number;
}

/**
 * Gives a run up before it is sent: what it held is due again. Once somebody has had its file, a second person answers for
 * it that no bank has it.
 * @throws Problem settlement_run_not_found, version_mismatch, already_exists; invalid_state_transition when the run has
 * ended, or the bank has reported some of its payments
 */
export function cancelRun(
  room: PaymentsRoom,
  command: RunCommand & { readonly reason: string | undefined },
  inCommit?: InCommit<Outcome<RunRow>>,
): Promise<Outcome<RunRow>> {
  return inTransaction(room.pool, async (connection) => {
    const now = room.clock.now();
    const run = await holdToCancel(connection, command.runId);
    await requireCancellable(connection, run);
    requireVersion(command.ifMatch, run.version);
    const subject = typeId('run', run.id);
    const proposed: ProposedCancel = {
      runId: subject,
      currency: run.currency,
      paymentCount: run.payment_count,
      totalMinor: run.total_minor,
      downloads: run.downloads.reduce((sum, each) => sum + each.count, 0),
    };
    const { by, reason = `Cancel ${run.message_id}, whose file was downloaded` } = command;
    const outcome = await doOrPropose(
      connection,
      {
        needsTwo: mayBeOut(run),
        carryOut: async () => {
          await giveUp(connection, run, by, now, room.dates.current);
          return existingRun(connection, run.id);
        },
        proposal: () => ({ kind: CANCEL_RUN_KIND, subject, request: proposed, reason, proposedBy: by }),
      },
      now,
    );
    await inCommit?.(connection, outcome);
    return outcome;
  });
}

/** What the approval of a proposed cancelling does. */
export function cancelRunApproval({ dates }: Pick<PaymentsRoom, 'dates'>): Approvable {
  const kind: ApprovalKind = {
    scope: 'operator:payouts',
    carryOut: async (connection, { request, decidedBy, now }) => {
      const run = await holdToCancel(connection, uuidOf('run', (request as ProposedCancel).runId));
      await requireCancellable(connection, run);
      await giveUp(connection, run, decidedBy, now, dates.current);
    },
  };
  return [CANCEL_RUN_KIND, kind];
}

/**
 * A file of a run as it was made. Who had it is written down in the same commit. Nobody gets that of a cancelled run, unless
 * somebody had it before: it would be paid besides what was made in its place. Nor that of one that could not be sent: whoever takes it brings it to
 * the bank. Whoever made the run does not get it either, where the
 * policy says so: who makes a file and who takes it to the bank are two.
 * @throws Problem settlement_run_not_found, invalid_state_transition, second_person_required
 */
export function downloadFile(
  room: PaymentsRoom,
  command: Omit<RunCommand, 'ifMatch' | 'approvedBy'> & { readonly format: FileFormat },
): Promise<{ readonly run: RunRow; readonly content: Buffer; readonly sha256: string }> {
  const { runId, format, by } = command;
  return inTransaction(room.pool, async (connection) => {
    const run = await holdRun(connection, runId);
    const file = await findFile(connection, run.id, format);
    if (file === undefined) throw runNotFound();
    if (run.status === 'cancelled' && !mayBeOut(run)) {
      throw new Problem('invalid_state_transition', 'The run was cancelled before any download.', {
        members: { from: run.status, to: 'downloaded' },
      });
    }
    const detail = 'You created the run, so another person must download its file.';
    await requireSecond(connection, 'payment_file_out', run.created_by, by, detail);
    if (run.status === 'created') {
      requireInTime(room, run, 'downloaded');
      await requirePayable(connection, run, 'downloaded');
    }
    await noteDownload(connection, run.id, format, by, room.clock.now());
    return { run, ...file };
  });
}

/**
 * What is in a file that may be on its way to the bank is not paid by hand as well: the run is ended first.
 * @throws Problem invalid_state_transition with the run
 */
export async function requireNoOpenRun(
  connection: Queryable,
  target: Omit<PaymentTarget, 'amountMinor'>,
  { from, to }: { readonly from: string; readonly to: 'paid' | 'failed' },
): Promise<void> {
  const run = await liveRunOf(connection, target);
  if (run?.status !== 'created') return;
  const runId = typeId('run', run.id);
  throw new Problem('invalid_state_transition', inUnsentRun(runId), { members: { from, to, runId } });
}

/** Whether a run that was not cancelled pays it: then only what becomes of the run says whether it leaves. */
export async function isInRun(
  connection: Queryable,
  target: Omit<PaymentTarget, 'amountMinor'>,
): Promise<boolean> {
  return (await liveRunOf(connection, target)) !== undefined;
}

/** What is in a payment file goes where the file says. @throws Problem invalid_state_transition with the run */
export async function requireNoRun(
  connection: Queryable,
  target: Omit<PaymentTarget, 'amountMinor'>,
  from: string,
): Promise<void> {
  const run = await liveRunOf(connection, target);
  if (run === undefined) return;
  const runId = typeId('run', run.id);
  throw new Problem('invalid_state_transition', inFileOf(runId), { members: { from, to: from, runId } });
}

/** Locks what a run pays, and then the run: everybody who works on a payment has it before its run. */
async function holdRun(connection: Connection, id: string | undefined): Promise<RunRow> {
  if (id === undefined) throw runNotFound();
  await holdSubjects(connection, await itemsOfRun(connection, id));
  return existingRun(connection, id, true);
}

/** The same for one that may be given up, which rolls what it has rolled: in the order in which it was made. */
async function holdToCancel(connection: Connection, id: string | undefined): Promise<RunRow> {
  const { id: runId, execution_date: executionDate } = await existingRun(connection, id);
  const items = await itemsOfRun(connection, runId);
  const isRolled = (date: string) => date === executionDate;
  await lockBalances(connection, await holdRolled(connection, items, isRolled));
  await holdOthers(connection, items);
  return existingRun(connection, runId, true);
}

/** Its payments are due again, and on the dates that they were due. */
async function giveUp(
  connection: Connection,
  run: RunRow,
  by: string,
  now: number,
  dates: DateRules,
): Promise<void> {
  await endRun(connection, run.id, 'cancelled', by, now);
  const items = await itemsOfRun(connection, run.id);
  const payouts = items.flatMap(({ customerId, subjectId: id, purpose }) =>
    purpose === 'payout' ? [{ customerId, id }] : [],
  );
  await rollBack(connection, payouts, run, now, dates);
}

/** Whether a file of the run can be anywhere but here. */
function mayBeOut(run: RunRow): boolean {
  return !run.are_downloads_recorded || run.downloads.length > 0;
}

async function requireCancellable(connection: Queryable, run: RunRow): Promise<void> {
  requireOpen(run, 'cancelled');
  const reported = sumOf((await countStates(connection, run.id)).filter((each) => each.isReported));
  if (reported > 0 && mayBeOut(run)) {
    throw refused(
      run,
      'cancelled',
      `The bank has already reported ${reported} of its payments, so it has the file.`,
    );
  }
}

function requireOpen(run: RunRow, to: string): void {
  if (run.status !== 'created') throw refused(run, to, `The run is ${inWords(run.status)}.`);
}

function sumOf(counts: readonly StateCount[]): number {
  return counts.reduce((sum, each) => sum + each.items, 0);
}

function refused(
  run: RunRow,
  to: string,
  why: string,
  more: Readonly<Record<string, unknown>> = {},
): Problem {
  return new Problem('invalid_state_transition', why, { members: { from: run.status, to, ...more } });
}
