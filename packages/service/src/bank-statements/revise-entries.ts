import { compact } from '@firmquote/bank-formats';
import { hasProposals } from '../approvals/approvals.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { cancelDeposit } from '../deposits/cancel-deposit.ts';
import { closeEntryException } from '../deposits/exceptions.ts';
import { matchDeposits } from '../deposits/match-deposits.ts';
import { type DepositRecord, suspenseMinorOf } from '../deposits/record.ts';
import { lockDeposit } from '../deposits/room.ts';
import { postEntries } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { wordsOf } from './book-credits.ts';
import { withText } from './complete-entry.ts';
import { reportStillMissing } from './follow-statement.ts';
import { type DueSpan, processDue } from './process-due.ts';
import {
  lockRevised,
  nextRevised,
  type RevisedDetail,
  splitDetail,
  writeCompletedDeposit,
  writeRevised,
} from './revision-store.ts';
import type { StatementsRoom } from './room.ts';

/** Entries in one run. */
const BATCH = 50;
const SYSTEM = { actor: 'system', reason: null, detail: {} } as const;

/**
 * Brings deposits in line with what later entries have reported: a deposit is completed and, if nobody has touched it, matched
 * again; that of a sum gives way to deposits of its payments. Each in a commit of its own.
 * @returns how many entries were settled
 */
export function reviseEntries(room: StatementsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  return processDue(
    room,
    {
      what: 'completed entries',
      kind: 'revise',
      batch: BATCH,
      work: (span) => reviseSome(room, span),
      next: (after, now) => nextRevised(room.pool, after, now),
    },
    logger,
    only,
  );
}

async function reviseSome(room: StatementsRoom, span: DueSpan): Promise<number> {
  let last: string | undefined = span.after;
  for (let settled = 0; settled < span.rowsMax; settled++) {
    last = await reviseOne(room, { ...span, after: last });
    if (last === undefined) return settled;
  }
  return span.rowsMax;
}

/** @returns id of the details, or undefined when there are none */
function reviseOne(room: StatementsRoom, span: DueSpan): Promise<string | undefined> {
  return inTransaction(room.pool, async (connection) => {
    const detail = await lockRevised(connection, span);
    if (detail === undefined) return undefined;
    const deposit = detail.depositId === null ? undefined : await lockDeposit(connection, detail.depositId);
    if (deposit !== undefined && detail.revise === 'split') await splitSum(room, connection, detail, deposit);
    else if (deposit !== undefined) await completeDeposit(room, connection, detail, deposit);
    await writeRevised(connection, detail.id);
    return detail.id;
  });
}

async function completeDeposit(
  { clock, dates }: StatementsRoom,
  connection: Connection,
  detail: RevisedDetail,
  deposit: DepositRecord,
): Promise<void> {
  const words = wordsOf(detail);
  const isMore = compact(words.remittanceText ?? '').includes(compact(deposit.remittanceText ?? ''));
  const after: DepositRecord = {
    ...deposit,
    remittanceText: isMore ? words.remittanceText : withText(deposit.remittanceText, words.remittanceText),
    remitterName: deposit.remitterName ?? detail.counterpartyName,
    remitterAccount: deposit.remitterAccount ?? detail.counterpartyAccount,
    virtualAccount: deposit.virtualAccount ?? words.virtualAccount,
  };
  await writeCompletedDeposit(connection, after);
  // Once an operator has touched it, it is theirs.
  const isUntouched = deposit.version === 1 && deposit.status === 'unmatched';
  if (!isUntouched || (await hasProposals(connection, typeId('dep', deposit.id)))) return;
  await matchDeposits(connection, [after], clock.now(), dates.current, SYSTEM);
}

/** Only while all of it is in suspense: a sum that was matched stays so, and its payments are parts of it. */
async function splitSum(
  room: StatementsRoom,
  connection: Connection,
  detail: RevisedDetail,
  deposit: DepositRecord,
): Promise<void> {
  const isFree = deposit.status === 'unmatched' && suspenseMinorOf(deposit) === deposit.amountMinor;
  if (!isFree || (await hasProposals(connection, typeId('dep', deposit.id)))) return;
  const reason = 'The payments of the sum are known.';
  const work = { connection, room, now: room.clock.now(), actor: 'bank_feed', approvedBy: undefined, reason };
  const parts = await splitDetail(connection, detail.id);
  if (parts.length === 0) return;
  // Before the payments' own, should no statement list them.
  const closing = { actor: 'bank_feed', resolution: 'split', note: null };
  await closeEntryException(connection, detail.id, closing, work.now);
  await reportStillMissing(connection, parts, work.now);
  await postEntries(connection, await cancelDeposit(work, deposit, 'same_entry'), work.now);
}
