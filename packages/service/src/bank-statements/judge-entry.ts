import { HOUSE_ACCOUNTS } from '@firmquote/api/operations/ledger';
import type { Connection } from '../database/pool.ts';
import { bearLoss, type Loss } from '../deposits/bear-loss.ts';
import { cancelDeposit, type NoDeposit, saidToBeTakenBack } from '../deposits/cancel-deposit.ts';
import { closeEntryException } from '../deposits/exceptions.ts';
import { bankEntry } from '../deposits/funding.ts';
import { bringBackToItsPlace } from '../deposits/never-taken-back.ts';
import { lockForWork, type ManualWork } from '../deposits/operate-deposit.ts';
import { postEntries } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { completed, differences } from './complete-entry.ts';
import { lockDetail, signedMinor, takenBackMinor } from './due-entry-store.ts';
import { followListed, followMissing } from './follow-statement.ts';
import { lockDetails, reportsOf, statementFacts } from './known-store.ts';
import { endDoubts } from './recall-doubts.ts';
import {
  closeSameEntry,
  type JudgedDetail,
  joinTo,
  listWithout,
  lockJudged,
  paymentsOfSums,
  repoint,
  unlist,
  writeCompleted,
  writeNeverBooked,
  writeSame,
  writeSeparate,
} from './sameness-store.ts';
import { isBalanced } from './statement-proof.ts';
import { bearLossOfReturns, undoPayments } from './undo-payments.ts';

/** What an operator decides about an entry and others. Ids as the API writes them. */
export type EntryJudgement =
  /** It is a separate payment, whatever it looks like. */
  | { readonly is: 'another' }
  /** It is the payment that another entry has reported. */
  | { readonly is: 'same'; readonly as: string }
  /** A notification reported it, and the bank has never booked it. What it has paid for that has left is somebody's loss. */
  | { readonly is: 'never_booked'; readonly loss?: Loss };

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
export async function judgeEntry(
  work: ManualWork,
  detailId: string | undefined,
  request: EntryJudgement,
): Promise<void> {
  const [detail] = await lockJudged(work.connection, detailId === undefined ? [] : [detailId]);
  if (detail === undefined)
    throw new Problem('statement_entry_not_found', 'There is no statement entry with this id.');
  if (request.is !== 'another') await endDoubts(work, [detail.id], [], 'no_recall');
  if (request.is === 'another') await markDistinct(work, detail);
  else if (request.is === 'never_booked') await markNeverBooked(work, detail, request.loss);
  else await markDuplicate(work, detail, parseTypeId('ste', request.as));
  const resolution = request.is === 'never_booked' ? request.is : `${request.is}_entry`;
  const { actor, now, reason } = work;
  await closeEntryException(work.connection, detail.id, { actor, resolution, note: reason }, now);
}

async function markDistinct({ connection, now }: ManualWork, detail: JudgedDetail): Promise<void> {
  if (detail.sameReason === 'sum_of_details' || detail.sameReason === 'part_of_sum') {
    throw refuse(detail, 'A sum and its payments are the same money. Name the payment that is separate.');
  }
  if (detail.sameAs === null && detail.maybeSameAs === null) {
    throw refuse(detail, 'The entry is already separate.');
  }
  if (detail.sameAs === null && detail.paymentState !== 'mismatch') {
    throw refuse(detail, 'The entry is already booked.');
  }
  await separate(connection, [[detail]], now);
}

/**
 * Payments of their own, each with others that report the same: they become due, and wait for the statements of their days unless these list
 * them. What is to be known of all of them, as of the sum that they were of, is looked up once: it may have thousands.
 */
async function separate(
  connection: Connection,
  payments: readonly (readonly [JudgedDetail, ...JudgedDetail[]])[],
  now: number,
): Promise<void> {
  for (const [detail, ...others] of payments) {
    await writeSeparate(connection, detail.id);
    await unlist(connection, detail);
    await joinTo(
      connection,
      detail.id,
      others.map(({ id }) => id),
    );
  }
  const separated = payments.map(([detail]) => detail);
  await listWithout(connection, separated);
  const days = new Map(separated.map(daysOf).map((each) => [Object.values(each).join(' '), each]));
  await followMissing(connection, [...days.values()], now);
}

/** Details that were payments of sums, and are by themselves now that the sums are gone: of each payment the first that has told of it. */
export async function separatePayments(
  connection: Connection,
  sumIds: readonly string[],
  now: number,
): Promise<void> {
  const details = await lockJudged(connection, await paymentsOfSums(connection, sumIds));
  const payments = [...Map.groupBy(details, ({ samePart }) => samePart).values()];
  await separate(connection, payments as [JudgedDetail, ...JudgedDetail[]][], now);
}

async function markDuplicate(
  work: ManualWork,
  detail: JudgedDetail,
  otherId: string | undefined,
): Promise<void> {
  const { connection, now } = work;
  const [named] = await lockJudged(connection, otherId === undefined ? [] : [otherId]);
  const firstId = named?.sameAs ?? named?.id;
  const [first] = await lockJudged(connection, firstId === undefined ? [] : [firstId]);
  if (first === undefined) {
    throw new Problem('statement_entry_not_found', 'There is no statement entry with the id in `as`.');
  }
  if (first.id === detail.id) throw refuse(detail, 'An entry cannot be the same as itself.');
  // It carries no money, so neither would this one.
  if (first.bookedAs === 'never_booked')
    throw refuse(detail, 'The entry in `as` was marked as one that the bank never booked.');
  if (detail.sameAs !== null)
    throw refuse(detail, 'The entry is already the same as another. Separate it first.');
  const { known, reported, part } = await lockPair(work, first, detail, partOf(named));
  const facts = await statementsOf(work, known.id, detail);
  const isSameMoney =
    first.account === detail.account &&
    known.currency === reported.currency &&
    known.direction === reported.direction &&
    known.status === reported.status &&
    known.amountMinor === reported.amountMinor;
  if (!isSameMoney) throw refuse(detail, 'Account, direction, status, currency and amount must be the same.');
  if (facts.isInOne) throw refuse(detail, 'One statement lists both, so they are two payments.');
  await undoBooking(work, detail, 'same_entry');
  const row = {
    id: detail.id,
    sameAs: first.id,
    part,
    reason: 'operator',
    differs: differences(known, reported),
  } as const;
  await writeSame(connection, [row]);
  await repoint(connection, detail.id, row);
  await writeCompleted(connection, [
    { id: known.id, bankReference: null, from: detail.id, ...completed(known.detail, reported.detail) },
  ]);
  await closeSameEntry(connection, detail.fileId, detail.entryId);
  const sumId = part === undefined ? null : first.id;
  if (facts.listedBy !== undefined)
    await followListed(connection, [{ id: known.id, by: facts.listedBy, sumId }], now);
}

async function markNeverBooked(
  work: ManualWork,
  detail: JudgedDetail,
  loss: Loss | undefined,
): Promise<void> {
  if (detail.missingSince === null) {
    throw refuse(
      detail,
      'Only an entry that the statements of its day do not list can be marked as never booked.',
    );
  }
  if (loss !== undefined) await undoAtLoss(work, detail, loss);
  else if (detail.depositId === null && isInBooks(detail)) await undoInBooks(work, detail);
  else await undoBooking(work, detail, 'never_booked');
  await writeNeverBooked(work.connection, detail.id);
  // Of a sum that the bank has not booked it may have booked a payment.
  await separatePayments(work.connection, [detail.id], work.now);
}

async function undoAtLoss(work: ManualWork, detail: JudgedDetail, loss: Loss): Promise<void> {
  if (detail.depositId !== null) {
    const deposit = await lockForWork(work.connection, detail.depositId);
    const wordMinor = await takenBackByWord(work, deposit.id);
    return postEntries(work.connection, await bearLoss(work, deposit, loss, wordMinor), work.now);
  }
  const reported = isInBooks(detail) ? await lockDetail(work.connection, detail.id) : undefined;
  if (reported === undefined || !(await bearLossOfReturns(work, reported, loss)))
    throw refuse(detail, 'Nothing that the entry brought has been paid on: leave out `as`.');
}

/** A deposit that it took back comes back, and what was booked of it leaves the account of the house, or the debt of the customer. */
async function undoInBooks(work: ManualWork, detail: JudgedDetail): Promise<void> {
  const { connection, now } = work;
  const reported = await lockDetail(connection, detail.id);
  const account = HOUSE_ACCOUNTS.find((each) => each === detail.bookedAs);
  if (reported !== undefined && account !== undefined) {
    await postEntries(connection, [bankEntry(detail.currency, -signedMinor(reported), account)], now);
  } else if (reported !== undefined && detail.bookedFor !== null) {
    const debt = bankEntry(detail.currency, -signedMinor(reported), 'customer_receivable');
    await postEntries(connection, [{ ...debt, customerId: detail.bookedFor }], now);
  } else if (reported?.returnedDepositId != null && detail.bookedAs !== 'deposit_return') {
    await bringBackToItsPlace(work, reported.returnedDepositId, reported.amountMinor);
  } else if (reported === undefined || !(await undoPayments(work, reported, detail.bookedAs))) {
    const how = reported?.direction === 'credit' ? ', or say in `as` who bears the loss' : '';
    const why = `A payment still stands as it reported it. Report first what is true of that${how}.`;
    throw refuse(detail, why);
  }
}

/** What was booked on an entry is undone. */
async function undoBooking(work: ManualWork, detail: JudgedDetail, as: NoDeposit): Promise<void> {
  if (detail.depositId === null) {
    if (isInBooks(detail)) throw dependedOn(detail);
    return;
  }
  const deposit = await lockForWork(work.connection, detail.depositId);
  const wordMinor = as === 'never_booked' ? await takenBackByWord(work, deposit.id) : 0n;
  await postEntries(work.connection, await cancelDeposit(work, deposit, as, { wordMinor }), work.now);
}

/** What of a deposit the remitter's bank is said to have taken back, and no entry has told. */
async function takenBackByWord({ connection }: ManualWork, depositId: string): Promise<bigint> {
  return saidToBeTakenBack(connection, depositId, await takenBackMinor(connection, depositId));
}

/** Something was booked on it besides a deposit. */
export function isInBooks({ paymentState }: Pick<JudgedDetail, 'paymentState'>): boolean {
  return ['applied', 'known', 'by_hand'].includes(paymentState);
}

function dependedOn(detail: JudgedDetail): Problem {
  return refuse(detail, 'A payment or a house booking depends on it and cannot be undone.');
}

/** The payment of a sum that an entry is, or is the same as. */
function partOf(named: JudgedDetail | undefined): string | undefined {
  return named?.samePart ?? (named?.sameReason === 'part_of_sum' ? named.id : undefined);
}

/** What is reported and what it is the same as: a payment of a sum, or what carries the money. */
async function lockPair(
  { connection }: ManualWork,
  first: JudgedDetail,
  detail: JudgedDetail,
  partId: string | undefined,
) {
  const stored = await lockDetails(connection, [
    first.id,
    detail.id,
    ...(partId === undefined ? [] : [partId]),
  ]);
  const of = (id: string) => {
    const found = stored.find((each) => each.fingerprint.id === id);
    if (found === undefined) throw new Error(`details ${id} vanished`);
    return found.fingerprint;
  };
  const [carrying, reported] = [of(first.id), of(detail.id)];
  // Or it is the sum once more.
  const isWhole = partId === undefined || carrying.amountMinor === reported.amountMinor;
  return { reported, known: isWhole ? carrying : of(partId), part: isWhole ? undefined : partId };
}

/** Whether one statement reports both, and the entry by which one with balances lists the second. */
async function statementsOf({ connection }: ManualWork, knownId: string, detail: JudgedDetail) {
  const reports = await reportsOf(connection, [knownId, detail.id], true);
  const of = (id: string) => reports.filter((each) => each.detailId === id).map((each) => each.statementId);
  const statements = await statementFacts(connection, [detail.statementId]);
  const own = statements.get(detail.statementId);
  return {
    isInOne: of(knownId).some((each) => of(detail.id).includes(each)),
    listedBy: own !== undefined && isBalanced(own) ? detail.id : (detail.listedBy ?? undefined),
  };
}

function daysOf({ account, currency, bookingDate }: JudgedDetail) {
  return { account, currency, from: bookingDate, to: bookingDate };
}

function refuse(detail: JudgedDetail, why: string): Problem {
  return new Problem('invalid_state_transition', why, {
    members: {
      entryId: typeId('ste', detail.id),
      sameAs: detail.sameAs === null ? null : typeId('ste', detail.sameAs),
    },
  });
}
