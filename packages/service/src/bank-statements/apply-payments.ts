import { cut } from '@firmquote/bank-formats';
import { extractReferences } from '@firmquote/fx';
import { type Connection, inTransaction } from '../database/pool.ts';
import {
  closeEntryExceptions,
  closePaymentExceptions,
  hasPaymentException,
  reportException,
} from '../deposits/exceptions.ts';
import { implausibleDate } from '../deposits/timeliness.ts';
import {
  applyPaymentReports,
  type BankPaymentReport,
  type BatchOutcome,
} from '../payments/bank-payment-report.ts';
import type { PaymentTarget } from '../payments/payment-report-store.ts';
import type { Logger } from '../platform/logger.ts';
import {
  bankReferenceOf,
  type DueDetail,
  lockDuePayments,
  nextDuePayment,
  type PaymentOutcome,
  paymentsByBankReference,
  writeOutcomes,
} from './due-entry-store.ts';
import { reportStillMissing } from './follow-statement.ts';
import { type DueSpan, processDue } from './process-due.ts';
import type { StatementsRoom } from './room.ts';

/** Entries in one commit. */
const BATCH = 200; // limit
/** What is kept of the bank's words about a payment that failed. */
const DETAIL_MAX = 200;
const DAY_MS = 86_400_000;

/**
 * Matches debits and returned money to the payments of the house: a debit confirms them, returned money returns them. Each
 * batch in a commit of its own; see {@link processDue}.
 * @returns how many entries were settled
 */
export function applyPayments(room: StatementsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  return processDue(
    room,
    {
      what: 'payments',
      kind: 'payment',
      batch: BATCH,
      work: (span) => applyBatch(room, span),
      next: (after, now) => nextDuePayment(room.pool, 'payment', after, now),
    },
    logger,
    only,
  );
}

async function applyBatch({ pool, clock }: StatementsRoom, span: DueSpan): Promise<number> {
  return inTransaction(pool, async (connection) => {
    const locked = await lockDuePayments(connection, 'payment', span);
    if (locked.length === 0) return 0;
    const now = clock.now();
    const misdated = await setMisdatedAside(connection, locked, now);
    const due = locked.filter((detail) => !misdated.has(detail.id));
    const reports: BankPaymentReport[] = [];
    for (const detail of due) {
      const fallback = detail.direction === 'credit' ? await earlierTargets(connection, detail) : undefined;
      const isDoubtful = misdateOf(detail) !== undefined;
      reports.push({ ...reportOf(detail, now), fallback, isDoubtful });
    }
    const results = await applyPaymentReports(connection, reports, now);
    const outcomes = due.flatMap((detail, index) => outcomeOf(detail, results[index]) ?? []);
    await writeOutcomes(connection, outcomes);
    const strangers = outcomes.filter(({ state }) => state === 'unknown').map((each) => each.detailId);
    await closeMismatches(connection, strangers, now);
    for (const [index, detail] of due.entries()) await reportTrouble(connection, detail, results[index], now);
    const inOrder = outcomes.filter(({ state }) => state === 'applied' || state === 'known');
    const settled = { entryIds: inOrder.map((each) => each.detailId), subjectIds: returnedOf(due, results) };
    await closePaymentExceptions(connection, settled, now);
    await reportStillMissing(connection, [...settled.entryIds, ...strangers], now);
    return misdated.size + outcomes.length;
  });
}

/**
 * What did not fit a payment before and is none of ours by now, because that has changed: it is another work, or none any more. Nobody
 * could close what is open about returned money that becomes a deposit.
 */
async function closeMismatches(
  connection: Connection,
  entryIds: readonly string[],
  now: number,
): Promise<void> {
  const closing = { actor: 'bank_feed', resolution: 'superseded', note: null };
  await closeEntryExceptions(connection, entryIds, closing, now, { type: 'payout_mismatch' });
}

/** Why the dates of an entry cannot be right. */
function misdateOf({ bookingDate: bookedOn, valueDate, receivedAt }: DueDetail): string | undefined {
  return implausibleDate({ bookedOn, valueDate, receivedAt });
}

/**
 * A debit whose dates cannot be right confirms nothing and takes nothing back until an operator decides. A credit is matched
 * to the payments first: it returns none of them, and what is not theirs is judged as a deposit.
 * @returns their ids
 */
export async function setMisdatedAside(
  connection: Connection,
  due: readonly DueDetail[],
  now: number,
): Promise<ReadonlySet<string>> {
  const outcomes: PaymentOutcome[] = [];
  for (const detail of due) {
    const reason = detail.direction === 'debit' ? misdateOf(detail) : undefined;
    if (reason === undefined) continue;
    const nobody = { paymentId: null, returnedDepositId: null, isDeposit: false };
    outcomes.push({ detailId: detail.id, state: 'mismatch', reason, ...nobody });
    await reportMisdate(connection, detail, reason, undefined, now);
  }
  await writeOutcomes(connection, outcomes);
  return new Set(outcomes.map(({ detailId }) => detailId));
}

async function reportMisdate(
  connection: Connection,
  { id: entryId }: DueDetail,
  reason: string,
  about: PaymentTarget | undefined,
  now: number,
): Promise<void> {
  if (await hasPaymentException(connection, { entryId, subjectId: null })) return;
  const what = { ...subjectOf(about), entryId, actor: 'bank_feed' };
  await reportException(connection, { type: 'implausible_date', reason, ...what }, now);
}

/** What has been returned has left: a doubt about that is over. */
function returnedOf(due: readonly DueDetail[], results: readonly BatchOutcome[]): string[] {
  return results.flatMap((each, index) =>
    due[index]?.direction === 'credit' && (each.outcome === 'applied' || each.outcome === 'known')
      ? each.targets.map(({ subjectId }) => subjectId)
      : [],
  );
}

/** An entry as a report about a payment. */
export function reportOf(detail: DueDetail, now: number): BankPaymentReport {
  const isOut = detail.direction === 'debit';
  return {
    kind: isOut ? 'paid' : 'returned',
    endToEndId: detail.endToEndId ?? undefined,
    otherIds: [detail.instructionId, detail.originalReference].flatMap((each) => each ?? []),
    uetr: detail.uetr ?? undefined,
    blockId: blockIdOf(detail),
    references: extractReferences(textsOf(detail).join('\n')),
    amountMinor: detail.amountMinor,
    currency: detail.currency,
    bankReference: bankReferenceOf(detail),
    at: bookedAt(detail, now),
    detail: isOut ? undefined : wordsOfReturn(detail),
    sourceId: detail.id,
  };
}

/**
 * What an earlier debit has paid that this entry refers to by the bank's own reference. Several debits under one
 * reference are distinguished by the amount; otherwise nothing is certain.
 */
async function earlierTargets(
  connection: Connection,
  detail: DueDetail,
): Promise<readonly PaymentTarget[] | undefined> {
  const found = await paymentsByBankReference(connection, detail.account, bankReferencesIn(detail));
  const earlier = [...new Map(found.map((each) => [each.detailId, each.targets])).values()];
  const sumOf = (targets: readonly PaymentTarget[]) =>
    targets.reduce((sum, each) => sum + each.amountMinor, 0n);
  const exact = earlier.filter((targets) => sumOf(targets) === detail.amountMinor);
  const choice = exact.length === 0 ? earlier : exact;
  return choice.length === 1 ? choice[0] : undefined;
}

/** A word of a text that may be a bank's reference. */
const WORD = /[^\s,;]{6,140}/g;
const WORDS_MAX = 50;

/** What may be the bank's reference of an earlier entry: of a reversal also its own, as some banks use it twice. */
export function bankReferencesIn(detail: DueDetail): string[] {
  const { originalReference, endToEndId, instructionId, detailReference, bankReference, remittanceText } =
    detail;
  const words = (remittanceText ?? '').match(WORD)?.slice(0, WORDS_MAX) ?? [];
  const named = [originalReference, endToEndId, instructionId, detailReference, bankReference, ...words];
  return [...new Set(named.flatMap((each) => each ?? []))];
}

function textsOf(detail: DueDetail): string[] {
  const { structuredReferences, endToEndId, instructionId, originalReference, remittanceText } = detail;
  const texts = [...structuredReferences, endToEndId, instructionId, originalReference, remittanceText];
  return texts.filter((text) => text !== null);
}

/** Identifiers of our payment files (`FQ` and the id of the run) and of the blocks in them, wherever the bank repeats them. */
const FILE = /FQ([0-9a-f]{32})([SIUP]?)(?![0-9a-z])/i;

/** Only what was booked as one sum can be a block, or a whole file. */
function blockIdOf(detail: DueDetail): string | undefined {
  if (detail.payments !== 1) return undefined;
  for (const text of [detail.paymentInformationId ?? '', ...textsOf(detail)]) {
    const [, run, block = ''] = FILE.exec(text) ?? [];
    if (run !== undefined) return `FQ${run.toLowerCase()}${block.toUpperCase()}`;
  }
  return undefined;
}

/** Statements report days. The money moved on that day, and not after the file that reports it. */
function bookedAt({ bookingDate, receivedAt }: DueDetail, now: number): number {
  const endOfDay = Date.parse(`${bookingDate}T00:00:00Z`) + DAY_MS - 1;
  return Math.min(endOfDay, receivedAt, now);
}

function wordsOfReturn({ returnReason, remittanceText }: DueDetail): string | undefined {
  const text = [returnReason, remittanceText?.split('\n')[0]].filter((part) => part).join(' ');
  return cut(text, DETAIL_MAX) || undefined;
}

function outcomeOf(detail: DueDetail, result: BatchOutcome | undefined): PaymentOutcome | undefined {
  if (result === undefined || result.outcome === 'later') return undefined;
  const isUnknown = result.outcome === 'unknown';
  return {
    detailId: detail.id,
    state: result.outcome,
    reason: result.outcome === 'mismatch' ? (misdateOf(detail) ?? result.reason) : null,
    paymentId: isUnknown ? null : (result.paymentId ?? null),
    returnedDepositId: null,
    // Returned money that belongs to no payment of ours is money all the same.
    isDeposit: isUnknown && detail.direction === 'credit',
  };
}

/** Opens exceptions for payments that do not fit, and for debits that match nothing. */
async function reportTrouble(
  connection: Connection,
  detail: DueDetail,
  result: BatchOutcome | undefined,
  now: number,
): Promise<void> {
  if (result?.outcome === 'mismatch') {
    // If it was looked at again and nothing has changed, its exception is still open.
    if (await hasPaymentException(connection, { entryId: detail.id, subjectId: null })) return;
    const { targets, reason } = result;
    const [only] = targets.length === 1 ? targets : [];
    const misdate = misdateOf(detail);
    if (misdate !== undefined) await reportMisdate(connection, detail, misdate, only, now);
    else await reportMismatch(connection, detail, reason, only, now);
  } else if (result?.outcome === 'unknown' && detail.direction === 'debit') {
    await reportMismatch(connection, detail, 'unknown_debit', undefined, now);
  } else if (result?.outcome === 'applied' || result?.outcome === 'known') {
    for (const { target, reason } of result.doubts) await reportPayment(connection, target, reason, now);
  }
}

/** Opens an exception about an entry, and about what it paid when that is one thing. */
export async function reportMismatch(
  connection: Connection,
  detail: Pick<DueDetail, 'id'>,
  reason: string,
  about: PaymentTarget | undefined,
  now: number,
): Promise<void> {
  const what = { ...subjectOf(about), entryId: detail.id, actor: 'bank_feed' };
  await reportException(connection, { type: 'payout_mismatch', reason, ...what }, now);
}

/** Opens an exception about a payment itself rather than an entry, unless one is open. */
export async function reportPayment(
  connection: Connection,
  target: PaymentTarget,
  reason: string,
  now: number,
): Promise<void> {
  const { subjectId } = target;
  if (await hasPaymentException(connection, { entryId: null, subjectId })) return;
  const what = { ...subjectOf(target), actor: 'bank_feed' };
  await reportException(connection, { type: 'payout_mismatch', reason, ...what }, now);
}

function subjectOf(target: PaymentTarget | undefined) {
  if (target?.purpose === 'deposit_return') {
    return { customerId: null, transactionId: null, withdrawalId: null, returnId: target.subjectId };
  }
  const isWithdrawal = target?.purpose === 'withdrawal';
  return {
    customerId: target?.customerId ?? null,
    transactionId: target === undefined || isWithdrawal ? null : target.subjectId,
    withdrawalId: isWithdrawal ? target.subjectId : null,
  };
}
