import { compact } from '@firmquote/bank-formats';
import { hasProposals } from '../approvals/approvals.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { cancelDeposit } from '../deposits/cancel-deposit.ts';
import { matchDeposits } from '../deposits/match-deposits.ts';
import { type DepositRecord, suspenseMinorOf } from '../deposits/record.ts';
import { type DepositsRoom, lockDeposit, rulesInForce } from '../deposits/room.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { wordsOf } from './book-credits.ts';
import { withText } from './complete-entry.ts';
import {
  completeDeposit,
  lockRevised,
  nextRevised,
  type RevisedEntry,
  splitEntry,
  writeRevised,
} from './revise-store.ts';
import { type DueSpan, settleDue } from './settle-due.ts';

/** Entries in one run. */
const BATCH = 50;
const SYSTEM = { actor: 'system', reason: null, detail: {} } as const;

/**
 * Brings what was booked on entries in line with what later entries have told: a deposit gets what it did not have and is
 * matched again if nobody has touched it; that of a sum gives way to deposits of its payments. Each in a commit of its own.
 * @returns how many entries were settled
 */
export function reviseEntries(room: DepositsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  return settleDue(
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

async function reviseSome(room: DepositsRoom, span: DueSpan): Promise<number> {
  let last: string | undefined = span.after;
  for (let settled = 0; settled < span.rowsMax; settled++) {
    last = await reviseOne(room, { ...span, after: last });
    if (last === undefined) return settled;
  }
  return span.rowsMax;
}

/** @returns id of the entry, or undefined when there is none */
function reviseOne(room: DepositsRoom, span: DueSpan): Promise<string | undefined> {
  return inTransaction(room.pool, async (connection) => {
    const entry = await lockRevised(connection, span);
    if (entry === undefined) return undefined;
    const deposit = entry.depositId === null ? undefined : await lockDeposit(connection, entry.depositId);
    if (deposit !== undefined && entry.revise === 'split') await split(room, connection, entry, deposit);
    else if (deposit !== undefined) await complete(room, connection, entry, deposit);
    await writeRevised(connection, entry.id);
    return entry.id;
  });
}

async function complete(
  { clock, dates }: DepositsRoom,
  connection: Connection,
  entry: RevisedEntry,
  deposit: DepositRecord,
): Promise<void> {
  const words = wordsOf(entry);
  const isMore = compact(words.remittanceText ?? '').includes(compact(deposit.remittanceText ?? ''));
  const after: DepositRecord = {
    ...deposit,
    remittanceText: isMore ? words.remittanceText : withText(deposit.remittanceText, words.remittanceText),
    remitterName: deposit.remitterName ?? entry.counterpartyName,
    remitterAccount: deposit.remitterAccount ?? entry.counterpartyAccount,
    virtualAccount: deposit.virtualAccount ?? words.virtualAccount,
  };
  await completeDeposit(connection, after);
  // What a person has done anything with is that person's.
  const isUntouched = deposit.version === 1 && deposit.status === 'unmatched';
  if (!isUntouched || (await hasProposals(connection, typeId('dep', deposit.id)))) return;
  const settings = await rulesInForce(connection);
  await matchDeposits(connection, [after], clock.now(), dates.current, settings, SYSTEM);
}

/** Only while all of it is in suspense: what was matched by its sum stays so, and its payments are parts of it. */
async function split(
  room: DepositsRoom,
  connection: Connection,
  entry: RevisedEntry,
  deposit: DepositRecord,
): Promise<void> {
  const isFree = deposit.status === 'unmatched' && suspenseMinorOf(deposit) === deposit.amountMinor;
  if (!isFree || (await hasProposals(connection, typeId('dep', deposit.id)))) return;
  const reason = 'The payments of the sum are known.';
  const work = { connection, room, now: room.clock.now(), actor: 'bank_feed', approvedBy: undefined, reason };
  await splitEntry(connection, entry.id);
  await cancelDeposit(work, deposit, 'same_entry');
}
