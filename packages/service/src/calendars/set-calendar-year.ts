import { isDeepStrictEqual } from 'node:util';
import { addDays, CalendarMissingError, type CalendarSet, type DateRules, isIsoDate } from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { DATE } from '../http/sentences.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { dateRulesOf } from './date-rules.ts';
import { requireCurrency } from './range.ts';
import type { CalendarsRoom } from './room.ts';
import type { OperatorChange } from './store.ts';
import {
  BUILT_IN_VERSION,
  bumpDateRules,
  type CalendarYearVersion,
  type CorrectedDay,
  calendarYearVersions,
  insertCalendarYear,
  lockDateRules,
  openTransactionsOn,
  readDateRules,
  type StoredDateRules,
} from './store.ts';

/** All of an operator's corrections of one year; they replace the former ones. */
interface CalendarYearInput {
  /** The days are all closing days of the year; nothing built in counts. */
  readonly complete: boolean;
  readonly days: readonly CorrectedDay[];
  /** Why this version is made, for the history. */
  readonly reason: string;
}

/** A day whose state the change has turned, with the trades that keep it as their value date. */
export interface TurnedDay {
  readonly date: string;
  /** `unknown`: no calendar says any more; only days with open trades are reported. */
  readonly state: 'open' | 'closed' | 'unknown';
  readonly openTransactions: bigint;
}

/** A closure of more days in a row is a slip: no holidays are as long, and dates behind it could not be found. */
const CLOSED_RUN_MAX = 14; // limit: Closed days in a row

/**
 * Replaces an operator's corrections of one currency and year. In force with the commit in this process, and within a
 * second in the others. Quotes and trades that exist keep their dates.
 * @throws Problem currency_not_supported, version_mismatch, validation_failed
 */
export async function setCalendarYear(
  room: CalendarsRoom,
  code: string,
  year: number,
  input: CalendarYearInput,
  command: OperatorChange,
): Promise<{ readonly change: CalendarYearVersion | undefined; readonly turned: readonly TurnedDay[] }> {
  const currency = requireCurrency(room, code);
  const days = checkedDays(year, input.days);
  const now = room.clock.now();
  const done = await inTransaction(room.pool, async (connection) => {
    await lockDateRules(connection);
    const [former] = await calendarYearVersions(connection, currency, year, 1);
    requireVersion(command.ifMatch, former?.version ?? BUILT_IN_VERSION);
    const stored = await requireStored(connection);
    const before = dateRulesOf(stored);
    const after = dateRulesOf({
      ...stored,
      years: [...stored.years, { currency, year, complete: input.complete, days }],
    });
    const withdraws = !input.complete && days.length === 0;
    requireSensible(currency, year, before.calendars, after.calendars, withdraws);
    if (withdraws) requireNothingBeyond(currency, year, before.calendars, after.calendars);
    if (isSame(former, input.complete, days)) return { change: former, turned: [], stored };
    const version: CalendarYearVersion = {
      version: (former?.version ?? BUILT_IN_VERSION) + 1,
      complete: input.complete,
      days,
      reason: input.reason,
      changedBy: command.clientId,
      changedAt: now,
      approvedBy: null,
      importId: null,
    };
    await insertCalendarYear(connection, currency, year, version);
    await bumpDateRules(connection);
    const turned = turnedDays(currency, year, before, after);
    const trades = await openTransactionsOn(
      connection,
      currency,
      turned.map(({ date }) => date),
    );
    return {
      change: version,
      turned: turned
        .map((day) => ({ ...day, openTransactions: trades.get(day.date) ?? 0n }))
        .filter(({ state, openTransactions }) => state !== 'unknown' || openTransactions > 0n),
      stored: await requireStored(connection),
    };
  });
  await afterCommit(() => room.dates.take(done.stored));
  return { change: done.change, turned: done.turned };
}

export async function requireStored(
  connection: Parameters<typeof readDateRules>[0],
): Promise<StoredDateRules> {
  const stored = await readDateRules(connection);
  if (stored === undefined) throw new Error('date_rules has no row');
  return stored;
}

/** Days in order; every wrong one is reported with its pointer. */
function checkedDays(year: number, days: readonly CorrectedDay[]): CorrectedDay[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { date }] of days.entries()) {
    const wrong = (code: string, detail: string) =>
      errors.push({ pointer: `/changes/${index}/date`, code, detail });
    if (!isIsoDate(date)) wrong('wrong_format', DATE);
    else if (!date.startsWith(`${year}-`)) wrong('out_of_range', `must be a day of ${year}`);
    else if (seen.has(date)) wrong('repeated', 'is listed twice');
    seen.add(date);
  }
  if (errors.length > 0) throw validationProblem(errors);
  return [...days].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/**
 * The year must be known afterwards, and no closure longer than any that there is.
 * @param withdraws nothing is said of the year any more, which is permitted also where nothing else is known of it
 */
function requireSensible(
  currency: string,
  year: number,
  before: CalendarSet,
  after: CalendarSet,
  withdraws: boolean,
): void {
  if (!withdraws && !adjoins(currency, year, before, after)) {
    const range = before.range(currency);
    const detail =
      range === undefined
        ? `${currency} has no calendar yet: list all closing days of the year and set \`complete\``
        : `the calendar of ${currency} covers ${range.from} to ${range.to}: list all closing days of a year that adjoins it and set \`complete\``;
    throw validationProblem([{ pointer: '/complete', code: 'out_of_range', detail }]);
  }
  const tooLong = closedTooLong(currency, year, after);
  if (tooLong !== undefined)
    throw validationProblem([{ pointer: '/changes', code: 'out_of_range', detail: tooLong }]);
}

/**
 * Whether a year is known, and all that was known before still is: a calendar without built-in days begins with its first year, and
 * ends before the first gap.
 */
export function adjoins(currency: string, year: number, before: CalendarSet, after: CalendarSet): boolean {
  const is = after.range(currency);
  if (is === undefined || is.from > `${year}-01-01` || is.to < `${year}-12-31`) return false;
  const was = before.range(currency);
  return was === undefined || (is.from <= was.from && is.to >= was.to);
}

/** What is said of a closure around the year that is longer than any that there is; undefined when there is none. */
export function closedTooLong(currency: string, year: number, calendars: CalendarSet): string | undefined {
  let run = 0;
  const first = addDays(`${year}-01-01`, -CLOSED_RUN_MAX);
  const last = addDays(`${year}-12-31`, CLOSED_RUN_MAX);
  for (let date = first; date <= last; date = addDays(date, 1)) {
    run = stateOf(calendars, currency, date) === 'closed' ? run + 1 : 0;
    if (run > CLOSED_RUN_MAX)
      return `would close ${currency} on more than ${CLOSED_RUN_MAX} days in a row, up to ${date}`;
  }
  return undefined;
}

/** A year that others adjoin cannot go before them: what lies beyond it would not be known any more. */
function requireNothingBeyond(currency: string, year: number, before: CalendarSet, after: CalendarSet): void {
  const [was, is] = [before.range(currency), after.range(currency)];
  if (was === undefined || is === undefined) return;
  const losesLater = was.to > `${year}-12-31` && is.to < `${year}-01-01`;
  const losesEarlier = was.from < `${year}-01-01` && is.from > `${year}-12-31`;
  if (!losesLater && !losesEarlier) return;
  const beyond = losesLater ? `up to ${was.to}` : `from ${was.from} on`;
  const detail = `the years ${beyond} adjoin ${year}: withdraw them first`;
  throw validationProblem([{ pointer: '/changes', code: 'not_permitted', detail }]);
}

export function stateOf(calendars: CalendarSet, currency: string, date: string): TurnedDay['state'] {
  try {
    return calendars.isBusinessDay(currency, date) ? 'open' : 'closed';
  } catch (error) {
    if (error instanceof CalendarMissingError) return 'unknown';
    throw error;
  }
}

/** Days that were known before and are another thing now. Nothing has a value date that was not known. */
function turnedDays(
  currency: string,
  year: number,
  before: DateRules,
  after: DateRules,
): Omit<TurnedDay, 'openTransactions'>[] {
  const turned: Omit<TurnedDay, 'openTransactions'>[] = [];
  for (let date = `${year}-01-01`; date <= `${year}-12-31`; date = addDays(date, 1)) {
    const was = stateOf(before.calendars, currency, date);
    const is = stateOf(after.calendars, currency, date);
    if (was !== 'unknown' && was !== is) turned.push({ date, state: is });
  }
  return turned;
}

function isSame(
  former: CalendarYearVersion | undefined,
  complete: boolean,
  days: readonly CorrectedDay[],
): boolean {
  const known = former ?? { complete: false, days: [] };
  return known.complete === complete && isDeepStrictEqual(known.days, days);
}
