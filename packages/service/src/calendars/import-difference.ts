import { setImmediate as nextTurn } from 'node:timers/promises';
import { addDays, type CalendarSet, type DateRules, isInWorkingWeek } from '@firmquote/fx';
import type { Connection } from '../database/pool.ts';
import { validationProblem } from '../problems/problem.ts';
import { dateRulesOf } from './date-rules.ts';
import { adjoins, closedTooLong, stateOf } from './set-calendar-year.ts';
import {
  BUILT_IN_VERSION,
  type CorrectedDay,
  newestYears,
  openTransactionsOn,
  type StoredDateRules,
} from './store.ts';

export interface NamedDay {
  readonly date: string;
  readonly name: string;
}

interface RenamedDay extends NamedDay {
  readonly formerName: string;
}

/** A year as it will be. */
interface ImportedYear {
  readonly year: number;
  /** The one that it replaces. */
  readonly replaces: number;
  /** Whether a calendar covers the year already; when not, all its days are added. */
  readonly known: boolean;
  readonly days: readonly CorrectedDay[];
}

/** What an import makes of one currency's calendar. */
export interface ImportedCalendar {
  readonly currency: string;
  readonly years: readonly ImportedYear[];
  readonly added: readonly NamedDay[];
  readonly removed: readonly NamedDay[];
  readonly renamed: readonly RenamedDay[];
}

/** What is imported: closed days by currency and date, of whole years. */
interface ImportedDays {
  readonly fromYear: number;
  readonly toYear: number;
  readonly source: string;
  readonly days: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/**
 * Holds a vendor's days against what is in force. Of what operators said before, days off that they had opened stay
 * open where the file does not close them: a list of holidays does not speak of them.
 * @throws Problem validation_failed where the calendars that come of it could not be worked with
 */
export async function differenceOf(
  connection: Connection,
  stored: StoredDateRules,
  { fromYear, toYear, source, days }: ImportedDays,
): Promise<ImportedCalendar[]> {
  const years = Array.from({ length: toYear - fromYear + 1 }, (_, index) => fromYear + index);
  const former = await newestYears(connection, [...days.keys()], fromYear, toYear);
  const before = dateRulesOf(stored);
  const made = [...days].map(([currency, names]) => ({
    currency,
    years: years.map((year): ImportedYear => {
      const was = former.get(`${currency} ${year}`);
      const opened = (was?.days ?? []).filter(
        ({ date, state }) => state === 'open' && !isInWorkingWeek(currency, date) && !names.has(date),
      );
      const closed = [...names]
        .filter(([date]) => date.startsWith(`${year}-`))
        .map(([date, reason]): CorrectedDay => ({ date, state: 'closed', reason, source }));
      return {
        year,
        replaces: was?.version ?? BUILT_IN_VERSION,
        known: stateOf(before.calendars, currency, `${year}-07-01`) !== 'unknown',
        days: [...opened, ...closed].sort((a, b) => (a.date < b.date ? -1 : 1)),
      };
    }),
  }));
  const after = dateRulesOf({
    ...stored,
    years: [
      ...stored.years,
      ...made.flatMap(({ currency, years }) =>
        years.map(({ year, days }) => ({ currency, year, complete: true, days })),
      ),
    ],
  });
  const calendars: ImportedCalendar[] = [];
  const dates = years.flatMap(datesOf);
  for (const calendar of made) {
    for (const year of years) {
      requireSensible(calendar.currency, year, before.calendars, after.calendars);
      // Every day of hundreds of years is looked at: prices and quotes get their turn between them.
      await nextTurn();
    }
    calendars.push({ ...calendar, ...turnedDays(calendar.currency, dates, before, after) });
  }
  return calendars;
}

/** Open trades whose value date an import closes, by currency; for USD those of every pair. */
export async function tradesOnAdded(
  connection: Connection,
  calendars: readonly Pick<ImportedCalendar, 'currency' | 'added'>[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { currency, added } of calendars) {
    const dates = added.map(({ date }) => date);
    const trades = [...(await openTransactionsOn(connection, currency, dates)).values()];
    counts.set(currency, Number.parseInt(String(trades.reduce((sum, count) => sum + count, 0n)), 10));
  }
  return counts;
}

function datesOf(year: number): string[] {
  const dates: string[] = [];
  for (let date = `${year}-01-01`; date <= `${year}-12-31`; date = addDays(date, 1)) dates.push(date);
  return dates;
}

function requireSensible(currency: string, year: number, before: CalendarSet, after: CalendarSet): void {
  if (!adjoins(currency, year, before, after)) {
    const range = before.range(currency);
    const detail = `must adjoin the calendar of ${currency}, which covers ${range?.from} to ${range?.to}`;
    throw validationProblem([{ pointer: '/query/fromYear', code: 'out_of_range', detail }]);
  }
  const tooLong = closedTooLong(currency, year, after);
  if (tooLong !== undefined)
    throw validationProblem([{ pointer: '', code: 'out_of_range', detail: tooLong }]);
}

function turnedDays(
  currency: string,
  dates: readonly string[],
  { calendars: before }: DateRules,
  { calendars: after }: DateRules,
): Pick<ImportedCalendar, 'added' | 'removed' | 'renamed'> {
  const added: NamedDay[] = [];
  const removed: NamedDay[] = [];
  const renamed: RenamedDay[] = [];
  for (const date of dates) {
    const [was, is] = [stateOf(before, currency, date), stateOf(after, currency, date)];
    const [formerName = '', name = ''] = [before, after].map((set) => set.holidayName(currency, date));
    if (is === 'open') {
      if (was === 'closed') removed.push({ date, name: formerName });
    } else if (was === 'open') added.push({ date, name });
    else if (isInWorkingWeek(currency, date)) {
      if (was === 'unknown') added.push({ date, name });
      else if (name !== formerName) renamed.push({ date, name, formerName });
    }
  }
  return { added, removed, renamed };
}
