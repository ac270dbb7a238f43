import { compact, cut } from '@firmquote/bank-formats';
import { extractReferences } from '@firmquote/fx';
import { type Connection, inTransaction } from '../database/pool.ts';
import { closePaymentExceptions } from '../deposits/exceptions.ts';
import { lockForWork } from '../deposits/operate-deposit.ts';
import {
  EXCESS_REFUNDED,
  reportOneOfSeveral,
  reportReturn,
  reportUnclearReturn,
} from '../deposits/return-deposit.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { setReportsAside } from '../payments/room.ts';
import type { Logger } from '../platform/logger.ts';
import { bankReferencesIn, reportMismatch, setMisdatedAside } from './apply-payments.ts';
import {
  bankReferenceOf,
  type DueDetail,
  lockDuePayments,
  nextDuePayment,
  type PaymentOutcome,
  writeOutcomes,
} from './due-entry-store.ts';
import { type DueSpan, processDue } from './process-due.ts';
import { keepDoubt } from './recall-doubt-store.ts';
import {
  isToBeTold,
  type ReturnCandidate,
  type ReturnWay,
  returnCandidates,
} from './return-candidate-store.ts';
import type { StatementsRoom } from './room.ts';

/** Entries in one run. */
const BATCH = 50; // limit: Returns of deposits in one run
const REASON_MAX = 200;
/** The surest way first. */
const RETURN_WAYS: readonly ReturnWay[] = ['uetr', 'end_to_end', 'bank_reference', 'remitter'];

/**
 * Undoes deposits that the remitter's bank has taken back (transition 14). Each in a commit of its own, because deposits are
 * locked before trades everywhere.
 * @returns how many entries were settled
 */
export function returnDeposits(room: StatementsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  return processDue(
    room,
    {
      what: 'returns of deposits',
      kind: 'deposit_return',
      batch: BATCH,
      work: (span) => returnSome(room, span),
      next: (after, now) => nextDuePayment(room.pool, 'deposit_return', after, now),
    },
    logger,
    only,
  );
}

async function returnSome(room: StatementsRoom, span: DueSpan): Promise<number> {
  let settled = 0;
  let last: string | undefined = span.after;
  for (let count = 0; count < span.rowsMax && last !== undefined; count++) {
    const [id, isSettled] = await returnOne(room, { ...span, rowsMax: 1, after: last });
    last = id;
    if (isSettled) settled += 1;
  }
  return settled;
}

async function returnOne(room: StatementsRoom, span: DueSpan): Promise<[string | undefined, boolean]> {
  return inTransaction(room.pool, async (connection) => {
    const [detail] = await lockDuePayments(connection, 'deposit_return', span);
    if (detail === undefined) return [undefined, false];
    const misdated = await setMisdatedAside(connection, [detail], room.clock.now());
    if (misdated.has(detail.id)) return [detail.id, true];
    const found = await findReturned(connection, detail);
    if (found === 'later') return [detail.id, false];
    await writeOutcomes(connection, [await decideReturn(connection, room, detail, found)]);
    return [detail.id, true];
  });
}

type Outcome = Pick<PaymentOutcome, 'state' | 'reason' | 'returnedDepositId'>;

async function decideReturn(
  connection: Connection,
  room: StatementsRoom,
  detail: DueDetail,
  found: Found,
): Promise<PaymentOutcome> {
  const now = room.clock.now();
  const { state, reason, returnedDepositId } = await takeBack(connection, room, detail, found, now);
  if (state === 'unknown') await reportMismatch(connection, detail, 'unknown_debit', undefined, now);
  if (state === 'mismatch') await reportMismatch(connection, detail, reason ?? 'state', undefined, now);
  if (state === 'mismatch' && returnedDepositId !== null) {
    const items = [{ customerId: HOUSE_ID, subjectId: returnedDepositId }];
    await setReportsAside(connection, [{ sourceId: detail.id, items }]);
  }
  if (state === 'applied' || state === 'known')
    await closePaymentExceptions(connection, { entryIds: [detail.id], subjectIds: [] }, now);
  return { detailId: detail.id, state, reason, paymentId: null, returnedDepositId, isDeposit: false };
}

/** Takes the deposit back, where one is found that can be. @returns what became of the entry */
async function takeBack(
  connection: Connection,
  room: StatementsRoom,
  detail: DueDetail,
  found: Found,
  now: number,
): Promise<Outcome> {
  const mismatch = (reason: string, depositId: string | null): Outcome => ({
    state: 'mismatch',
    reason,
    returnedDepositId: depositId,
  });
  if (found === 'nothing') return { state: 'unknown', reason: null, returnedDepositId: null };
  const told = { bankReference: bankReferenceOf(detail), reason: reasonOf(detail) };
  if (Array.isArray(found)) {
    const depositIds = found.flatMap(({ depositId }) => depositId ?? []);
    await reportOneOfSeveral(connection, depositIds, told, now);
    await keepDoubt(connection, detail.id, depositIds);
    return mismatch('ambiguous', null);
  }
  const { depositId, returnedBy } = found;
  if (depositId === null) throw new Error('a credit that is due was not waited for');
  if (returnedBy !== null) return mismatch('returned_twice', null);
  const report = { depositId, ...told };
  const other = otherThan(detail, found);
  if (other !== undefined) {
    await reportUnclearReturn(connection, report, `other_${other}_returned`, now);
    await keepDoubt(connection, detail.id, [depositId]);
    return mismatch(other, null);
  }
  // Named from here on: no run pays a return of it until a person has decided.
  const deposit = await lockForWork(connection, depositId);
  if (deposit.status === 'returned') {
    const isTold = await isToBeTold(connection, depositId);
    return isTold
      ? { state: 'known', reason: null, returnedDepositId: depositId }
      : mismatch('state', depositId);
  }
  if (deposit.returnedMinor > 0n) {
    await reportUnclearReturn(connection, report, 'returned_in_part', now);
    await keepDoubt(connection, detail.id, [depositId]);
    return mismatch('amount', depositId);
  }
  const after = await reportReturn(connection, room, report, now);
  return after.status === 'returned'
    ? { state: 'applied', reason: null, returnedDepositId: depositId }
    : mismatch(after.exception?.reason === EXCESS_REFUNDED ? EXCESS_REFUNDED : 'payout_begun', depositId);
}

function reasonOf({ returnReason, remittanceText }: DueDetail): string {
  const words = [returnReason, remittanceText?.split('\n')[0]].filter((part) => part).join(' ');
  return cut(words, REASON_MAX) || "returned by the remitter's bank";
}

/** In what a debit differs from the deposit that it names. */
function otherThan(detail: DueDetail, found: ReturnCandidate): 'currency' | 'amount' | undefined {
  if (found.currency !== detail.currency) return 'currency';
  return found.amountMinor === detail.amountMinor ? undefined : 'amount';
}

/** Several: it may be each of them. */
type Found = ReturnCandidate | 'nothing' | ReturnCandidate[];

/**
 * The deposit that is taken back, by the surest identifier that leads to one. Several are distinguished by the amount, by what people have
 * recorded before, and by not having been taken back yet.
 * @returns `later` while a credit is yet to become a deposit
 */
async function findReturned(connection: Connection, detail: DueDetail): Promise<Found | 'later'> {
  for (const way of RETURN_WAYS) {
    const named = await returnCandidates(connection, detail.account, way, valuesOf(detail, way));
    const candidates = way === 'remitter' ? named.filter((each) => isSamePayment(each, detail)) : named;
    const found = onlyOne(candidates, detail);
    if (found === 'nothing') continue;
    return [found].flat().some(({ depositId }) => depositId === null) ? 'later' : found;
  }
  return 'nothing';
}

function valuesOf(detail: DueDetail, way: ReturnWay): readonly string[] {
  const { uetr, endToEndId, originalReference, counterpartyAccount } = detail;
  const given = (...texts: (string | null)[]) => texts.filter((each) => each !== null);
  if (way === 'uetr') return given(uetr);
  if (way === 'end_to_end') return given(endToEndId, originalReference);
  return way === 'bank_reference' ? bankReferencesIn(detail) : given(counterpartyAccount);
}

function onlyOne(candidates: readonly ReturnCandidate[], detail: DueDetail): Found {
  const exact = candidates.filter(
    (each) => each.amountMinor === detail.amountMinor && each.currency === detail.currency,
  );
  const open = exact.filter((each) => each.returnedBy === null && each.status !== 'returned');
  // A person who has told of the debit before has told which it is.
  const told = exact.filter((each) => each.returnedBy === null && each.isToBeTold);
  const choice = [told, open, exact, [...candidates]].find((some) => some.length > 0) ?? [];
  const [first] = choice;
  if (first === undefined) return 'nothing';
  return choice.length === 1 ? first : choice;
}

/** For candidates by the remitter's account alone: the amount and the text must agree too. */
function isSamePayment(candidate: ReturnCandidate, detail: DueDetail): boolean {
  if (candidate.amountMinor !== detail.amountMinor || candidate.currency !== detail.currency) return false;
  const references = extractReferences(detail.remittanceText ?? '');
  if (extractReferences(candidate.remittanceText ?? '').some((each) => references.includes(each)))
    return true;
  const [text, other] = [compact(candidate.remittanceText ?? ''), compact(detail.remittanceText ?? '')];
  return text !== '' && other !== '' && (text.includes(other) || other.includes(text));
}
