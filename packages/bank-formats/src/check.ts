import { daysBetween } from '@firmquote/fx';
import { shownAmount } from './amount.ts';
import { ENTRIES_MAX, STATEMENT_AHEAD_DAYS_MAX, STATEMENTS_MAX } from './limits.ts';
import { StatementRefusal } from './refusal.ts';
import type {
  Balance,
  Emit,
  StatementBegin,
  StatementEnd,
  StatementEntry,
  StatementEvent,
} from './statement.ts';

interface Sums {
  count: number;
  credits: bigint;
  debits: bigint;
  readonly counts: { credit: number; debit: number };
  isOneCurrency: boolean;
  currency: string | undefined;
  /** What is booked, by value date. */
  readonly valued: Map<string, bigint>;
}

/**
 * Stands between a reader and whoever takes its events, and refuses what does not add up: opening balance + booked
 * entries = closing balance where a statement has both, but for entries valued later that a forward balance has; the bank's own sums where it gives them; the same statement
 * twice in one file, which would book its entries twice.
 */
export function checked(emit: Emit, { tolerate, today }: Conditions = {}): Emit {
  let begin: StatementBegin | undefined;
  let sums = emptySums();
  let entries = 0;
  let statements = 0;
  const seen = new Set<string>();
  return (event: StatementEvent) => {
    if (event.type === 'begin') {
      begin = event.statement;
      sums = emptySums();
      statements += 1;
      if (statements > STATEMENTS_MAX) throw tooMany('statements', STATEMENTS_MAX, begin.line);
    } else if (event.type === 'entry') {
      entries += event.entry.details.length;
      if (entries > ENTRIES_MAX) throw tooMany('entries', ENTRIES_MAX, event.entry.line);
      add(sums, event.entry);
    } else if (event.type === 'set_aside') {
      statements += 1;
      if (statements > STATEMENTS_MAX) throw tooMany('statements', STATEMENTS_MAX, event.statement.line);
    } else if (event.type === 'payment_status') {
      entries += 1;
      if (entries > ENTRIES_MAX) throw tooMany('statuses', ENTRIES_MAX, event.payment.line);
    } else {
      if (begin === undefined) throw new Error('a statement ended that had not begun');
      const { statement } = event;
      const wrongDate = today === undefined ? undefined : implausibleDate(statement, today);
      if (wrongDate !== undefined)
        tolerating(tolerate, () => {
          throw wrongDate;
        });
      // What is of no day is in no order with others, and closes nothing.
      const closesWithout =
        wrongDate === undefined ? tolerating(tolerate, () => checkBalances(statement, sums)) : undefined;
      tolerating(tolerate, () => checkTotals(statement, sums));
      checkRepeated(begin, statement, sums, seen);
      emit({
        type: 'end',
        statement: { ...statement, ...(wrongDate && UNDATED), ...(closesWithout && { closesWithout }) },
      });
      return;
    }
    emit(event);
  };
}

/** What is left of a statement whose days cannot be. */
const UNDATED = { opening: null, closing: null, from: null, to: null, forward: [] } as const;

/** What people may accept: the bank's own figures do not agree. */
export const TOLERABLE: ReadonlySet<string> = new Set([
  'balance_mismatch',
  'totals_mismatch',
  'date_implausible',
]);
export interface Conditions {
  /** Takes what is wrong with it, where people have said that the file is to be taken all the same. */
  readonly tolerate?: Tolerate | undefined;
  /** YYYY-MM-DD; a statement of much later is a slip, and would be the last one of its account for good. */
  readonly today?: string | undefined;
}
export type Tolerate = (refusal: StatementRefusal) => void;

function tolerating<T>(tolerate: Tolerate | undefined, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (tolerate === undefined || !(error instanceof StatementRefusal) || !TOLERABLE.has(error.code))
      throw error;
    tolerate(error);
    return undefined;
  }
}

function emptySums(): Sums {
  return {
    count: 0,
    credits: 0n,
    debits: 0n,
    counts: { credit: 0, debit: 0 },
    isOneCurrency: true,
    currency: undefined,
    valued: new Map(),
  };
}

function add(sums: Sums, entry: StatementEntry): void {
  sums.currency ??= entry.currency;
  if (entry.currency !== sums.currency) sums.isOneCurrency = false;
  if (entry.status !== 'booked') return;
  sums.count += 1;
  sums.counts[entry.direction] += 1;
  if (entry.direction === 'credit') sums.credits += entry.amountMinor;
  else sums.debits += entry.amountMinor;
  const minor = entry.direction === 'credit' ? entry.amountMinor : -entry.amountMinor;
  sums.valued.set(entry.valueDate, (sums.valued.get(entry.valueDate) ?? 0n) + minor);
}

/** @returns the day after which what is valued is left out of the closing balance, if any is */
function checkBalances(end: StatementEnd, sums: Sums): string | undefined {
  const { opening, closing, line } = end;
  if (opening === null || closing === null || !sums.isOneCurrency) return undefined;
  const currency = sums.currency ?? opening.currency;
  // Balances in different currencies cannot be compared; some banks show an account in two.
  if (opening.currency !== closing.currency || opening.currency !== currency) return undefined;
  const expected = opening.minor + sums.credits - sums.debits;
  if (expected === closing.minor) return undefined;
  if (leavesOutLater(closing, expected, end, sums)) return closing.date;
  throw new StatementRefusal(
    'balance_mismatch',
    `opening balance and entries make ${shownAmount(expected, currency)}, the closing balance is ${shownAmount(closing.minor, currency)}`,
    line,
  );
}

/**
 * Whether the closing balance is right without the entries that are valued after its day, and the bank says so: each
 * forward balance has what is valued until its own day, and one of them has all of it.
 */
function leavesOutLater(
  closing: Balance,
  expected: bigint,
  { forward }: StatementEnd,
  { valued }: Sums,
): boolean {
  const later = [...valued].filter(([date]) => date > closing.date);
  const until = (day: string) =>
    later.reduce((sum, [date, minor]) => (date <= day ? sum + minor : sum), closing.minor);
  const reported = forward.filter((each) => each.currency === closing.currency && each.date > closing.date);
  const last = later.reduce((day, [date]) => (date > day ? date : day), closing.date);
  return (
    until(last) === expected &&
    reported.some((each) => each.date >= last) &&
    reported.every((each) => each.minor === until(each.date))
  );
}

function implausibleDate(end: StatementEnd, today: string): StatementRefusal | undefined {
  const dates = [end.from, end.to, end.opening?.date, end.closing?.date].flatMap((each) => each ?? []);
  const date = dates.find((each) => daysBetween(today, each) > STATEMENT_AHEAD_DAYS_MAX);
  if (date === undefined) return undefined;
  return new StatementRefusal('date_implausible', `the statement is of ${date}, which is not yet`, end.line);
}

function checkTotals({ totals, line }: StatementEnd, sums: Sums): void {
  if (!sums.isOneCurrency) return;
  for (const total of totals) {
    if (sums.currency !== undefined && sums.currency !== total.currency) continue;
    const minor = total.direction === 'credit' ? sums.credits : sums.debits;
    if (minor === total.minor && sums.counts[total.direction] === total.count) continue;
    throw new StatementRefusal(
      'totals_mismatch',
      `${sums.counts[total.direction]} ${total.direction}s make ${shownAmount(minor, total.currency)}, the bank says ${total.count} and ${shownAmount(total.minor, total.currency)}`,
      line,
    );
  }
}

function checkRepeated(begin: StatementBegin, end: StatementEnd, sums: Sums, seen: Set<string>): void {
  if (begin.kind !== 'statement' || sums.count === 0 || end.opening === null || end.closing === null) return;
  const key = JSON.stringify([
    begin.account,
    begin.reference,
    `${end.number} ${end.page} ${end.opening.minor} ${end.opening.date} ${end.closing.minor} ${end.closing.date}`,
    `${sums.count} ${sums.credits} ${sums.debits}`,
  ]);
  if (seen.has(key)) {
    throw new StatementRefusal('statement_repeated', 'the file holds this statement twice', begin.line);
  }
  seen.add(key);
}

function tooMany(what: string, limit: number, line: number): StatementRefusal {
  return new StatementRefusal('too_many_entries', `more than ${limit} ${what}`, line);
}
