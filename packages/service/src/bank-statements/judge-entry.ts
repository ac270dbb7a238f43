import { cancelDeposit, type NoDeposit } from '../deposits/cancel-deposit.ts';
import { closeEntryException } from '../deposits/exceptions.ts';
import { lockForWork, type ManualWork } from '../deposits/operate-deposit.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { completed, differences } from './complete-entry.ts';
import { followListed, followMissing } from './follow-statement.ts';
import { lockEntries, reportsOf, statementFacts } from './known-store.ts';
import {
  closeSameBooking,
  type JudgedEntry,
  lockJudged,
  repoint,
  unlist,
  writeCompleted,
  writeNeverBooked,
  writeSame,
  writeSeparate,
} from './sameness-store.ts';
import { isBalanced } from './statement-proof.ts';

/** What an operator decides about an entry and others. Ids as the API writes them. */
export type EntryJudgement =
  /** It is a separate payment, whatever it looks like. */
  | { readonly is: 'another' }
  /** It is the payment that another entry has reported. */
  | { readonly is: 'same'; readonly as: string }
  /** A notification reported it, and the bank has never booked it. */
  | { readonly is: 'never_booked' };

const JUDGEMENTS: ReadonlySet<string> = new Set(['another', 'same', 'never_booked']);

export function isJudgement(request: { readonly is: string }): request is EntryJudgement {
  return JUDGEMENTS.has(request.is);
}

/**
 * Carries out the decision in the caller's transaction, which holds the lock of imports. What was booked on the entry is
 * undone, as long as nothing depends on it.
 * @throws Problem statement_entry_not_found; invalid_state_transition with the reason, and with the transactions when
 * money has moved on
 */
export async function judge(
  work: ManualWork,
  entryId: string | undefined,
  request: EntryJudgement,
): Promise<void> {
  const [entry] = await lockJudged(work.connection, entryId === undefined ? [] : [entryId]);
  if (entry === undefined) throw new Problem('statement_entry_not_found', 'No statement entry has this id.');
  if (request.is === 'another') await another(work, entry);
  else if (request.is === 'never_booked') await neverBooked(work, entry);
  else await same(work, entry, parseTypeId('ste', request.as));
  const resolution = request.is === 'never_booked' ? request.is : `${request.is}_entry`;
  const { actor, now, reason } = work;
  await closeEntryException(work.connection, entry.id, { actor, resolution, note: reason }, now);
}

async function another({ connection, now }: ManualWork, entry: JudgedEntry): Promise<void> {
  if (entry.sameReason === 'sum_of_details' || entry.sameReason === 'part_of_sum') {
    throw refuse(entry, 'A sum and its payments are the same money. Name the payment that is separate.');
  }
  if (entry.sameAs === null && entry.maybeSameAs === null) {
    throw refuse(entry, 'The entry is already separate.');
  }
  await writeSeparate(connection, entry.id);
  await unlist(connection, entry);
  await followMissing(connection, [daysOf(entry)], now);
}

async function same(work: ManualWork, entry: JudgedEntry, otherId: string | undefined): Promise<void> {
  const { connection, now } = work;
  const [named] = await lockJudged(connection, otherId === undefined ? [] : [otherId]);
  const firstId = named?.sameAs ?? named?.id;
  const [first] = await lockJudged(connection, firstId === undefined ? [] : [firstId]);
  if (first === undefined) {
    throw new Problem('statement_entry_not_found', 'No statement entry has the id in "as".');
  }
  if (first.id === entry.id) throw refuse(entry, 'An entry cannot be the same as itself.');
  if (entry.sameAs !== null)
    throw refuse(entry, 'The entry is already the same as another. Separate it first.');
  const [[known, reported], facts] = [await pair(work, first, entry), await statementsOf(work, first, entry)];
  const isSameMoney =
    first.account === entry.account &&
    known.currency === reported.currency &&
    known.direction === reported.direction &&
    known.status === reported.status &&
    known.amountMinor === reported.amountMinor;
  if (!isSameMoney) throw refuse(entry, 'Account, direction, status, currency and amount must be the same.');
  if (facts.isInOne) throw refuse(entry, 'One statement lists both, so they are two payments.');
  await takeBack(work, entry, 'same_entry');
  const row = {
    id: entry.id,
    sameAs: first.id,
    reason: 'operator',
    differs: differences(known, reported),
  } as const;
  await writeSame(connection, [row]);
  await repoint(connection, entry.id, first.id);
  const { detail, fields, isMatchedBy } = completed(known.detail, reported.detail);
  await writeCompleted(connection, [
    { id: first.id, detail, bankReference: null, fields, from: entry.id, isMatchedBy },
  ]);
  await closeSameBooking(connection, entry.fileId, entry.bookingId);
  if (facts.listedBy !== undefined)
    await followListed(connection, [{ id: first.id, by: facts.listedBy }], now);
}

async function neverBooked(work: ManualWork, entry: JudgedEntry): Promise<void> {
  if (entry.missingSince === null) {
    throw refuse(
      entry,
      'Only an entry that the statements of its day do not list can be marked as never booked.',
    );
  }
  await takeBack(work, entry, 'never_booked');
  await writeNeverBooked(work.connection, entry.id);
}

/** What was booked on an entry is undone. */
async function takeBack(work: ManualWork, entry: JudgedEntry, as: NoDeposit): Promise<void> {
  if (['applied', 'known', 'by_hand'].includes(entry.paymentState) && entry.depositId === null) {
    throw refuse(entry, 'A payment or a house booking depends on it and cannot be undone.');
  }
  if (entry.depositId === null) return;
  const deposit = await lockForWork(work.connection, entry.depositId);
  await cancelDeposit(work, deposit, as);
}

async function pair({ connection }: ManualWork, first: JudgedEntry, entry: JudgedEntry) {
  const stored = await lockEntries(connection, [first.id, entry.id]);
  const of = (id: string) => {
    const found = stored.find((each) => each.fingerprint.id === id);
    if (found === undefined) throw new Error(`entry ${id} vanished`);
    return found.fingerprint;
  };
  return [of(first.id), of(entry.id)] as const;
}

/** Whether one statement reports both, and the entry by which one with balances lists the second. */
async function statementsOf({ connection }: ManualWork, first: JudgedEntry, entry: JudgedEntry) {
  const reports = await reportsOf(connection, [first.id, entry.id], true);
  const of = (id: string) => reports.filter((each) => each.entryId === id).map((each) => each.statementId);
  const statements = await statementFacts(connection, [entry.statementId]);
  const own = statements.get(entry.statementId);
  return {
    isInOne: of(first.id).some((each) => of(entry.id).includes(each)),
    listedBy: own !== undefined && isBalanced(own) ? entry.id : (entry.listedBy ?? undefined),
  };
}

function daysOf({ account, currency, bookingDate }: JudgedEntry) {
  return { account, currency, from: bookingDate, to: bookingDate };
}

function refuse(entry: JudgedEntry, why: string): Problem {
  return new Problem('invalid_state_transition', why, {
    members: {
      entryId: typeId('ste', entry.id),
      sameAs: entry.sameAs === null ? null : typeId('ste', entry.sameAs),
    },
  });
}
