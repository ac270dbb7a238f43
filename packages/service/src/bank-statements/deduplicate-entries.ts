import type { SameReason } from '@firmquote/api/operations/statement-entries';
import { daysBetween } from '@firmquote/fx';
import {
  ContentIndex,
  contentMask,
  dayAndMoney,
  differ,
  type Fingerprint,
  firstOf,
  identifiersDiffer,
  indexOf,
  isBookedAfter,
  type KnownDetail,
  money,
  referencesDiffer,
  referencesOf,
} from './fingerprint.ts';

/** Why a payment is one that was reported before. */
interface SameDetail {
  readonly reported: Fingerprint;
  readonly known: KnownDetail;
  readonly reason: SameReason;
}

/** A sum that was reported without its payments, and the payments that are reported now. */
export interface SplitSum {
  readonly known: KnownDetail;
  readonly details: readonly Fingerprint[];
}

export interface Deduplicated {
  readonly same: readonly SameDetail[];
  readonly doubts: readonly Doubt[];
  readonly splits: readonly SplitSum[];
}

/**
 * Finds the known payment that each new one repeats. A known payment accounts for one new payment, so equal payments of a statement
 * are counted. The best identifiers are compared first, over all payments.
 * @param reported of one statement
 * @param all that is known of the same account, without what balances prove to be different
 * @param isStatement whether `reported` is a statement of the end of the day, and no notification or report
 */
export function deduplicate(
  reported: readonly Fingerprint[],
  all: readonly KnownDetail[],
  isStatement: boolean,
): Deduplicated {
  const known = all.filter((each) => each.repeats === null);
  const inTwin = ({ isInTwin }: KnownDetail) => isInTwin;
  const twin = known.filter(inTwin);
  const parts = Map.groupBy(
    known.filter((each) => each.sumId !== null),
    (each) => each.sumId,
  );
  const sums = new Map(known.filter((each) => parts.has(each.id)).map((each) => [each.id, each]));
  const carrying = new Map(known.map((each) => [each.id, each]));
  const found = { open: new Set(reported), given: new Set<KnownDetail>(), same: [], splits: [] };
  const state: State = { ...found, parts, sums, carrying, isStatement };
  for (const rule of IDENTIFIERS) matchByRule(state, known, rule);
  matchRestOfSums(state, reported);
  // The same statement in another file tells nothing new, whatever else has.
  matchSums(state, reported, all.filter(inTwin), true);
  matchContent(state, twin);
  matchByRule(state, twin, SAME_STATEMENT);
  matchSums(state, reported, all, true);
  matchContent(state, known);
  matchByRule(state, known, DAY_AND_AMOUNT);
  matchSums(state, reported, all, false);
  if (isStatement) matchListedSingly(state, known);
  return { same: state.same, splits: state.splits, doubts: doubtsOf(state.open, free(state, known)) };
}

interface State {
  readonly open: Set<Fingerprint>;
  readonly given: Set<KnownDetail>;
  readonly same: SameDetail[];
  readonly splits: SplitSum[];
  readonly isStatement: boolean;
  /** Sums of which payments are known, by their ids, and these payments by theirs. */
  readonly sums: ReadonlyMap<string, KnownDetail>;
  readonly parts: ReadonlyMap<string | null, readonly KnownDetail[]>;
  /** What carries money, by its id. */
  readonly carrying: ReadonlyMap<string, KnownDetail>;
}

interface Rule {
  readonly reason: SameReason | ((reported: Fingerprint) => SameReason);
  /** Details are compared when they have a key in common. */
  keys(payment: Fingerprint): readonly string[];
  holds(reported: Fingerprint, known: KnownDetail, isStatement: boolean): boolean;
}

const ifGiven = (payment: Fingerprint, value: string | null) =>
  value === null ? [] : [`${value} ${money(payment)}`];

const IDENTIFIERS: readonly Rule[] = [
  {
    // Full agreement comes first: a partial match must not take a payment away from its exact repetition.
    reason: bestMarkOf,
    keys: (payment) => [`${dayAndMoney(payment)} ${allMarksOf(payment)}`],
    holds: () => true,
  },
  { reason: 'uetr', keys: (payment) => ifGiven(payment, payment.uetr), holds: () => true },
  {
    reason: 'bank_reference',
    keys: (payment) => referencesOf(payment).map((each) => `${each} ${money(payment)}`),
    holds: (reported, known) =>
      !differ(reported.uetr, known.uetr) &&
      !differ(reported.endToEndId, known.endToEndId) &&
      (reported.bookingDate === known.bookingDate ||
        (reported.endToEndId !== null && reported.endToEndId === known.endToEndId)),
  },
  {
    reason: 'end_to_end_id',
    keys: (payment) => ifGiven(payment, payment.endToEndId),
    holds: (reported, known, isStatement) =>
      !differ(reported.uetr, known.uetr) &&
      !referencesDiffer(reported, known) &&
      areNear(reported, known, isStatement),
  },
  {
    reason: 'entry_reference',
    keys: (payment) =>
      payment.payments === 1 || payment.entryReference === null
        ? []
        : [`${payment.entryReference} ${payment.entryMinor} ${dayAndMoney(payment)}`],
    holds: (reported, known) => !identifiersDiffer(reported, known),
  },
];

/** Of what the same statement has reported in another file. */
const SAME_STATEMENT: Rule = {
  reason: 'same_statement',
  keys: (payment) => [dayAndMoney(payment)],
  holds: (reported, known) => !identifiersDiffer(reported, known),
};

/** A notification that gives only this, before or after the full statement. */
const DAY_AND_AMOUNT: Rule = {
  reason: 'day_and_amount',
  keys: (payment) => [dayAndMoney(payment)],
  holds: (reported, known, isStatement) =>
    (contentMask(reported) === 0 || contentMask(known) === 0) &&
    known.isInStatement !== isStatement &&
    !identifiersDiffer(reported, known),
};

function allMarksOf(payment: Fingerprint): string {
  const { uetr, endToEndId, detailReference, entryReference, entryMinor, number } = payment;
  const { party, partyAccount, text } = payment;
  const marks = [uetr, endToEndId, detailReference, entryReference, party, partyAccount, text];
  return JSON.stringify([...marks, entryMinor.toString(), number]);
}

function bestMarkOf(payment: Fingerprint): SameReason {
  if (payment.uetr !== null) return 'uetr';
  if (referencesOf(payment).length > 0) return 'bank_reference';
  if (payment.endToEndId !== null) return 'end_to_end_id';
  return payment.entryReference === null ? 'content' : 'entry_reference';
}

/**
 * The same day; or the statement says a later day than the notification. Two statements or two notifications do not book
 * one payment on two days.
 */
function areNear(reported: Fingerprint, known: KnownDetail, isStatement: boolean): boolean {
  if (reported.bookingDate === known.bookingDate) return true;
  if (known.isInStatement === isStatement) return false;
  const [notified, booked] = isStatement ? [known, reported] : [reported, known];
  return isBookedAfter(notified.bookingDate, booked.bookingDate);
}

function matchByRule(state: State, known: readonly KnownDetail[], { reason, keys, holds }: Rule): void {
  const { given, isStatement } = state;
  const index = indexOf(free(state, known), keys);
  for (const payment of state.open) {
    for (const key of keys(payment)) {
      const found = firstOf(index.get(key), given, (each) => holds(payment, each, isStatement));
      if (found === undefined) continue;
      recordSame(state, payment, found, typeof reason === 'string' ? reason : reason(payment));
      break;
    }
  }
}

function matchContent(state: State, known: readonly KnownDetail[]): void {
  const index = new ContentIndex(free(state, known));
  for (const payment of state.open) {
    const found = index.find(payment, state.given);
    if (found !== undefined) recordSame(state, payment, found, 'content');
  }
}

function free({ given }: State, known: readonly KnownDetail[]): KnownDetail[] {
  return known.filter((each) => !given.has(each));
}

function recordSame(state: State, reported: Fingerprint, known: KnownDetail, reason: SameReason): void {
  state.open.delete(reported);
  give(state, known);
  state.same.push({ reported, known, reason });
}

/** A statement that reports a sum reports its payments by that, and the other way round. */
function give({ given, sums, parts, carrying }: State, known: KnownDetail): void {
  given.add(known);
  const repeated = known.repeats === null ? undefined : carrying.get(known.repeats);
  if (repeated !== undefined) given.add(repeated);
  const sum = known.sumId === null ? undefined : sums.get(known.sumId);
  if (sum !== undefined) given.add(sum);
  for (const part of parts.get(known.id) ?? []) given.add(part);
}

/** Something of the statement repeats it already, or what carries its money. */
function isGiven({ given, carrying }: State, known: KnownDetail): boolean {
  const repeated = known.repeats === null ? undefined : carrying.get(known.repeats);
  return given.has(known) || (repeated !== undefined && given.has(repeated));
}

/**
 * One message listed the payments of a sum, and another one does so again: what it does not identify as one of them is one all the same,
 * and the sum itself where none of that amount is left.
 */
function matchRestOfSums(state: State, reported: readonly Fingerprint[]): void {
  const { open, given, same, sums, parts } = state;
  if (sums.size === 0) return;
  const sumOf = new Map(same.map((each) => [each.reported, each.known.sumId]));
  for (const details of batchesOf(reported)) {
    const id = details.map((each) => sumOf.get(each) ?? null).find((each) => each !== null);
    const sum = id === undefined ? undefined : sums.get(id);
    const [first] = details;
    if (id === undefined || sum === undefined || first === undefined || sumKey(first) !== sumKey(sum))
      continue;
    const left = indexOf(free(state, parts.get(id) ?? []), (each) => [money(each)]);
    for (const each of details.filter((one) => open.has(one))) {
      const part = firstOf(left.get(money(each)), given);
      recordSame(state, each, part ?? sum, part === undefined ? 'sum_of_details' : 'content');
    }
  }
}

const sumKey = ({ bookingDate, direction, status, currency, entryMinor }: Fingerprint) =>
  `${bookingDate} ${direction} ${status} ${currency} ${entryMinor}`;

/**
 * One message reports a sum and the other one its payments. A sum that was known is split; one that is reported now is what is
 * known already.
 * @param byReference both give the entry the same reference; otherwise nothing differs, and one is a notification
 */
function matchSums(
  state: State,
  reported: readonly Fingerprint[],
  known: readonly KnownDetail[],
  byReference: boolean,
): void {
  const { open, given, isStatement } = state;
  const isSum = (sum: Fingerprint, part: Fingerprint, from: KnownDetail) => {
    if (sum.uetr !== null || sum.amountMinor !== part.entryMinor) return false;
    const [ofSum, ofPart] = [sum.entryReference, part.entryReference];
    if (byReference) return ofSum !== null && ofSum === ofPart;
    const isSecondLook = from.isInTwin || from.isInStatement !== isStatement;
    return isSecondLook && sum.endToEndId === null && contentMask(sum) === 0 && !differ(ofSum, ofPart);
  };
  const sums = indexOf(
    free(state, known).filter((each) => each.payments === 1 && each.sumId === null && each.repeats === null),
    (each) => [sumKey(each)],
  );
  for (const details of batchesOf(reported)) {
    const [first] = details;
    if (first === undefined || !details.every((each) => open.has(each))) continue;
    const sum = firstOf(sums.get(sumKey(first)), given, (each) => isSum(each, first, each));
    if (sum === undefined) continue;
    give(state, sum);
    for (const each of details) open.delete(each);
    state.splits.push({ known: sum, details });
  }
  const batches = new Map(
    batchesOf(known.filter((each) => each.sumId === null)).flatMap((each) =>
      each[0] === undefined || each.some((part) => isGiven(state, part)) ? [] : [[each[0], each]],
    ),
  );
  const firsts = indexOf(batches.keys(), (each) => [sumKey(each)]);
  for (const payment of open) {
    if (payment.payments > 1) continue;
    const first = firstOf(
      firsts.get(sumKey(payment)),
      given,
      (each) => !isGiven(state, each) && isSum(payment, each, each),
    );
    if (first === undefined) continue;
    recordSame(state, payment, first, 'sum_of_details');
    for (const each of batches.get(first) ?? []) give(state, each);
  }
}

/**
 * A statement lists the payments of a notified sum one by one: each gives the reference of the sum, or what they were ordered in together,
 * and together they are it.
 */
function matchListedSingly(state: State, known: readonly KnownDetail[]): void {
  const { open, given, splits, isStatement } = state;
  const notified = free(state, known).filter((each) => isBare(each) && !each.isInStatement);
  const singles = indexOf(
    [...open].filter((each) => each.payments === 1),
    namesOf,
  );
  for (const [name, [sum, ...others]] of indexOf(notified, namesOf)) {
    if (sum === undefined || others.length > 0 || given.has(sum)) continue;
    const named =
      singles.get(name)?.filter((each) => open.has(each) && areNear(each, sum, isStatement)) ?? [];
    const total = named.reduce((minor, each) => minor + each.amountMinor, 0n);
    if (named.length < 2 || total !== sum.amountMinor) continue;
    give(state, sum);
    for (const each of named) open.delete(each);
    splits.push({ known: sum, details: named });
  }
}

/** It names neither a payment nor who is on the other side, as what was booked as one of several does not. */
function isBare({ payments, sumId, uetr, endToEndId, party, partyAccount }: KnownDetail): boolean {
  return payments === 1 && [sumId, uetr, endToEndId, party, partyAccount].every((each) => each === null);
}

/** What payments that were booked together, and their sum, have in common. */
function namesOf(payment: Fingerprint): string[] {
  const { direction, status, currency, detail } = payment;
  const block = detail.paymentInformationId;
  const names = [
    ...referencesOf(payment).map((each) => `r ${each}`),
    ...(block === null ? [] : [`b ${block}`]),
  ];
  return names.map((each) => `${each} ${direction} ${detail.kind} ${status} ${currency}`);
}

function batchesOf<T extends Fingerprint>(details: readonly T[]): T[][] {
  const several = details.filter((each) => each.payments > 1);
  return [...Map.groupBy(several, (each) => each.entryId).values()];
}

/** Why only an operator can say whether it is the same. */
export type DoubtReason =
  | 'same_uetr_other_amount'
  | 'same_reference_other_amount'
  | 'same_reference_other_date'
  | 'same_reference_other_id';

export interface Doubt {
  readonly reported: Fingerprint;
  readonly known: KnownDetail;
  readonly reason: DoubtReason;
}

/** Banks reuse references. Within this time, with the same amount, it is undecidable whether one has. */
export const REFERENCE_DAYS = 7; // limit: Days within which the same bank reference on another day is a question

/**
 * New payments that share an identifier with a known one and contradict it otherwise.
 * @param known payments that the statement does not repeat
 */
function doubtsOf(open: Iterable<Fingerprint>, known: readonly KnownDetail[]): Doubt[] {
  const rest = known.filter((each) => each.status === 'booked');
  const keys = (names: readonly string[], { direction, currency }: Fingerprint) =>
    names.map((each) => `${each} ${direction} ${currency}`);
  const byUetr = indexOf(rest, (each) => keys(each.uetr === null ? [] : [each.uetr], each));
  const byReference = indexOf(rest, (each) => keys(referencesOf(each), each));
  const doubts: Doubt[] = [];
  for (const reported of rest.length === 0 ? [] : open) {
    if (reported.status !== 'booked' || reported.amountMinor === 0n) continue;
    const [uetr = ''] = keys(reported.uetr === null ? [] : [reported.uetr], reported);
    const twin = byUetr.get(uetr)?.[0];
    if (twin !== undefined) {
      doubts.push({ reported, known: twin, reason: 'same_uetr_other_amount' });
      continue;
    }
    for (const key of keys(referencesOf(reported), reported)) {
      const found = firstOf(byReference.get(key), NOBODY, (each) => clashOf(reported, each) !== undefined);
      const reason = found === undefined ? undefined : clashOf(reported, found);
      if (found === undefined || reason === undefined) continue;
      doubts.push({ reported, known: found, reason });
      break;
    }
  }
  return doubts;
}

const NOBODY: ReadonlySet<KnownDetail> = new Set();

/** Of payments with the same bank reference. Other identifiers distinguish what has nothing else in common. */
function clashOf(reported: Fingerprint, known: KnownDetail): DoubtReason | undefined {
  const hasOtherId = differ(reported.uetr, known.uetr) || differ(reported.endToEndId, known.endToEndId);
  const isSameDay = reported.bookingDate === known.bookingDate;
  if (reported.amountMinor !== known.amountMinor) {
    return isSameDay && !hasOtherId ? 'same_reference_other_amount' : undefined;
  }
  if (isSameDay) return differ(reported.uetr, known.uetr) ? undefined : 'same_reference_other_id';
  const days = Math.abs(daysBetween(reported.bookingDate, known.bookingDate));
  return hasOtherId || days > REFERENCE_DAYS ? undefined : 'same_reference_other_date';
}
