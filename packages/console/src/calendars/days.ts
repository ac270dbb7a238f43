import type { CalendarYear, SetCalendarYearBody } from '@firmquote/client/operator';
import { counted } from '../parts/words.ts';

/** Closing days of a currency, and what a change of one day is to its year. */

export interface YearRead {
  readonly calendar: Pick<CalendarYear, 'year' | 'complete' | 'changes' | 'days'>;
  readonly tag: string;
}

type Day = SetCalendarYearBody['changes'][number];

/** All changes of the year with this day as it should be: what the service takes is never a part of them. */
export function changedYear(
  { calendar }: Pick<YearRead, 'calendar'>,
  day: Day,
  reason: string,
): SetCalendarYearBody {
  const others = calendar.changes.filter(({ date }) => date !== day.date) as readonly Day[];
  return { complete: calendar.complete, changes: [...others, day], reason };
}

/** The versions of several years in one, as a form keeps what it was opened on. */
export function tagsOf(years: readonly YearRead[]): string {
  return JSON.stringify(Object.fromEntries(years.map(({ calendar, tag }) => [calendar.year, tag])));
}

export function tagOf(tags: string | undefined, year: number): string {
  return JSON.parse(tags ?? '{}')[year] ?? '';
}

/** What became of a change: trades keep their value dates. */
export function saidOfDay(answer: object): string {
  const { turnedDays = [] } = answer as { turnedDays?: readonly { readonly openTransactions: number }[] };
  if (turnedDays.length === 0) return 'It is stored. The day was already like that.';
  const open = turnedDays.reduce((sum, { openTransactions }) => sum + openTransactions, 0);
  return open === 0
    ? 'The day is changed.'
    : `The day is changed. As their value date it stays with ${counted(open, 'open trade')}.`;
}
