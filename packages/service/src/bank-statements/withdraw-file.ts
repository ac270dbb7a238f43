import type { Approvable, ApprovalKind } from '../approvals/approvals.ts';
import { doOrPropose, type Outcome } from '../approvals/do-or-propose.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { cancelDeposit, holdPlaces, isNoDeposit } from '../deposits/cancel-deposit.ts';
import { closeEntryExceptions } from '../deposits/exceptions.ts';
import { bringBack } from '../deposits/never-taken-back.ts';
import type { ManualWork } from '../deposits/operate-deposit.ts';
import { lockDeposit } from '../deposits/room.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { typeId, uuidOf } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { lockDeposits, takingBack } from './due-entry-store.ts';
import { lockFileById } from './file-store.ts';
import { isInBooks, separatePayments } from './judge-entry.ts';
import { doubtedDeposits } from './recall-doubt-store.ts';
import { endDoubts } from './recall-doubts.ts';
import type { FileRow } from './record.ts';
import type { StatementsRoom } from './room.ts';
import { markSplit } from './sameness-store.ts';
import { lockImports } from './statement-store.ts';
import { noSuchFile } from './view.ts';
import {
  appliedStatuses,
  clearDaysAndBalances,
  forgetDetails,
  listPaymentsAnew,
  lockDetailsOfFile,
  type ReportedDetail,
  retireStatements,
  setWithdrawn,
  simulatedStatementsFrom,
  statementsOfFile,
} from './withdraw-store.ts';

/** Entries of a file that can be withdrawn in one commit. */
const WITHDRAWN_ENTRIES_MAX = 10_000; // limit
/** Dependents are named one by one up to here. */
const DEPENDENTS_MAX = 100; // limit: Dependents of a withdrawn file that are named
/** Name of proposals. */
const WITHDRAW_KIND = 'withdraw_statement_file';

interface WithdrawalCommand {
  /** UUID. */
  readonly fileId: string;
  /** Person or OAuth client (UUID). */
  readonly actor: string;
  readonly reason: string;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit: (connection: Connection, outcome: Outcome<Withdrawn>) => Promise<void>;
}

/** A file that was taken back. */
interface Withdrawn {
  readonly file: FileRow;
  /** How many deposits were undone. */
  readonly undone: number;
}

/** What depends on the file: an entry with what was made of it. Ids as the API writes them. */
type Dependent = Readonly<Record<string, unknown>>;

/**
 * Withdraws a file that should not have been imported: a wrong one, or one that the bank has corrected. Entries that no other
 * file reports are no longer booked, and their deposits are undone, also in trades, as long as nothing has been paid out.
 * Where deposits are undone a second operator has to approve it.
 * @throws Problem statement_file_not_found; invalid_state_transition with `dependents` when something depends on it;
 *   already_exists
 */
export function withdrawFile(room: StatementsRoom, command: WithdrawalCommand): Promise<void> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const { actor, reason } = command;
    const work: ManualWork = { connection, room, now, actor, approvedBy: undefined, reason };
    const outcome = await doOrPropose(
      connection,
      {
        needsTwo: ({ undone }) => undone > 0,
        carryOut: () => carryOut(work, command.fileId),
        proposal: ({ file, undone: deposits }) => {
          const subject = typeId('stf', file.id);
          const request = { fileId: subject, name: file.name, deposits };
          return { kind: WITHDRAW_KIND, subject, request, reason, proposedBy: actor };
        },
      },
      now,
    );
    await command.inCommit(connection, outcome);
  });
}

/**
 * When the clock is set back, days of the simulated bank are repeated. Their earlier statements would declare all new entries
 * missing, so they lose their days and balances, and keep what they list.
 * @param from today
 */
export async function reopenSimulatedDays(connection: Connection, from: string): Promise<void> {
  await lockImports(connection);
  await clearDaysAndBalances(connection, await simulatedStatementsFrom(connection, from));
}

export function withdrawApproval(room: StatementsRoom): Approvable {
  const carry: ApprovalKind['carryOut'] = async (connection, approved) => {
    const { now, reason, proposedBy: actor, decidedBy: approvedBy } = approved;
    const { fileId, deposits } = approved.request as { readonly fileId: string; readonly deposits: number };
    const work = { connection, room, now, actor, approvedBy, reason };
    const { undone } = await carryOut(work, uuidOf('stf', fileId));
    // What another file reported as well may be reported by this one alone by now.
    if (undone === deposits) return;
    const detail = `It was proposed for ${deposits} of its deposits, and ${undone} would be undone now. Reject it and propose it again.`;
    throw new Problem('proposal_outdated', detail, { members: { deposits: undone } });
  };
  return [WITHDRAW_KIND, { scope: 'operator:deposits', carryOut: carry }];
}

async function carryOut(work: ManualWork, fileId: string): Promise<Withdrawn> {
  const { connection, now, actor, approvedBy, reason } = work;
  await lockImports(connection);
  const file = await lockFileById(connection, fileId);
  if (file === undefined) throw noSuchFile();
  if (file.status !== 'accepted' || file.withdrawn_at !== null) {
    const why =
      file.status === 'accepted'
        ? 'The file is already withdrawn.'
        : `A ${file.status} file cannot be withdrawn.`;
    throw refuse(file, why, []);
  }
  const details = await lockDetailsOfFile(connection, file.id, WITHDRAWN_ENTRIES_MAX + 1);
  if (details.length > WITHDRAWN_ENTRIES_MAX) {
    throw refuse(file, `A file with more than ${WITHDRAWN_ENTRIES_MAX} entries cannot be withdrawn.`, []);
  }
  // What another file reports as well stays booked.
  const gone = details.filter((each) => !each.reported_elsewhere);
  const depositIds = gone.flatMap(({ deposit_id: id }) => id ?? []);
  const ids = gone.map((each) => each.id);
  const back = await takingBack(connection, ids);
  const taken = [...back.values()].map(({ depositId }) => depositId);
  await lockDeposits(connection, [...depositIds, ...taken, ...(await doubtedDeposits(connection, ids))]);
  await holdPlaces(connection, depositIds);
  const dependents: Dependent[] = [];
  const entries: JournalEntry[] = [];
  let undone = 0;
  // What it took back is there again before it is undone itself.
  for (const { depositId, minor, isApplied } of back.values()) {
    // What a person had said before stays.
    if (!isApplied) continue;
    entries.push((await bringBack(work, depositId, minor)).entry);
    undone += 1;
  }
  for (const detail of gone.filter(({ id }) => !back.has(id))) {
    const outcome = await undoDetail(work, detail);
    if (Array.isArray(outcome)) {
      entries.push(...outcome);
      undone += 1;
    } else if (outcome !== undefined) dependents.push(outcome);
  }
  const statuses = await appliedStatuses(connection, file.id);
  if (statuses > 0) dependents.push({ paymentStatuses: statuses });
  if (dependents.length > 0) throw refuse(file, 'Something depends on its entries.', dependents);
  // While it is still known what they list.
  await retireStatements(connection, await statementsOfFile(connection, file.id));
  await forgetDetails(connection, ids);
  await markSplit(connection, await listPaymentsAnew(connection, ids));
  await separatePayments(connection, ids, now);
  await closeEntryExceptions(connection, ids, { actor, resolution: 'withdrawn', note: reason }, now);
  await endDoubts(work, ids, [], 'no_recall');
  await setWithdrawn(connection, file.id, { now, reason, actor, approvedBy });
  await postEntries(connection, entries, now);
  return { file, undone };
}

/** @returns what depends on it, or the house's entries of a deposit that was undone; undefined when nothing was booked */
async function undoDetail(
  work: ManualWork,
  detail: ReportedDetail,
): Promise<Dependent | JournalEntry[] | undefined> {
  const { connection } = work;
  const entryId = typeId('ste', detail.id);
  if (isInBooks({ paymentState: detail.payment_state })) {
    return { entryId, paymentState: detail.payment_state };
  }
  if (detail.deposit_id === null) return undefined;
  const deposit = await lockDeposit(connection, detail.deposit_id);
  // A deposit that an operator has recorded stays, and one that was none is undone already.
  if (deposit === undefined || deposit.source !== 'statement' || isNoDeposit(deposit)) return undefined;
  if (deposit.bookedAs !== null) {
    // The house has its money in an account of the ledger, which nothing takes it out of again.
    return { entryId, depositId: typeId('dep', deposit.id), bookedAs: deposit.bookedAs };
  }
  await connection.query('savepoint deposit');
  try {
    return await cancelDeposit(work, deposit, 'never_booked', { restoresTopUps: true });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await connection.query('rollback to savepoint deposit');
    const { transactions = [] } = error.members as { readonly transactions?: unknown[] };
    return { entryId, depositId: typeId('dep', deposit.id), status: deposit.status, transactions };
  }
}

function refuse(file: FileRow, why: string, dependents: readonly Dependent[]): Problem {
  return new Problem('invalid_state_transition', why, {
    members: {
      from: file.withdrawn_at === null ? file.status : 'withdrawn',
      to: 'withdrawn',
      dependents: dependents.slice(0, DEPENDENTS_MAX),
      dependentCount: dependents.length,
    },
  });
}
