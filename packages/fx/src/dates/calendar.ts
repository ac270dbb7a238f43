import { type IsoDate, yearOf } from './time.ts';
import { isInWorkingWeek } from './weeks.ts';

/**
 * The days on which each currency can settle. A set never changes after it is made: results are memoised
 * per set. A changed calendar is a new set.
 */
export interface CalendarSet {
  /** @throws CalendarMissingError for an unknown currency or a date outside its known range. */
  isBusinessDay(currency: string, date: IsoDate): boolean;
  /** The holiday's name, also on a weekend; undefined when there is none or the date is not known. */
  holidayName(currency: string, date: IsoDate): string | undefined;
  /** Whether the days of the currency are calculated at that date and may still be moved by an announcement. */
  isEstimated(currency: string, date: IsoDate): boolean;
  /** The known range, both ends included; undefined for an unknown currency. */
  range(currency: string): { from: IsoDate; to: IsoDate } | undefined;
}

/** One currency's holidays. Days outside its working week need no entry. */
export interface CalendarDefinition {
  readonly currency: string;
  /** Where the days come from: the authority or law, and how they were obtained. */
  readonly source: string;
  readonly from: IsoDate;
  readonly to: IsoDate;
  /** From this day on, days that follow the moon or await an announcement are calculated. */
  readonly estimatedFrom?: IsoDate;
  readonly holidays: ReadonlyMap<IsoDate, string>;
}

/** No calendar says whether this currency settles on this date; nothing may be priced for it. */
export class CalendarMissingError extends Error {
  readonly currency: string;
  readonly date: IsoDate;

  constructor(currency: string, date: IsoDate) {
    super(`no settlement calendar for ${currency} on ${date}`);
    this.name = 'CalendarMissingError';
    this.currency = currency;
    this.date = date;
  }
}

/** @throws Error when two definitions name the same currency or a range is upside down. */
export function calendarSetOf(definitions: Iterable<CalendarDefinition>): CalendarSet {
  const byCurrency = new Map<string, CalendarDefinition>();
  for (const definition of definitions) {
    const { currency, from, to } = definition;
    if (byCurrency.has(currency)) throw new Error(`two calendars for ${currency}`);
    if (from > to) throw new Error(`calendar of ${currency} ends before it begins`);
    byCurrency.set(currency, definition);
  }
  return {
    isBusinessDay(currency, date) {
      const definition = byCurrency.get(currency);
      if (definition === undefined || date < definition.from || date > definition.to) {
        throw new CalendarMissingError(currency, date);
      }
      return isInWorkingWeek(currency, date) && !definition.holidays.has(date);
    },
    holidayName: (currency, date) => byCurrency.get(currency)?.holidays.get(date),
    isEstimated(currency, date) {
      const from = byCurrency.get(currency)?.estimatedFrom;
      return from !== undefined && date >= from;
    },
    range(currency) {
      const definition = byCurrency.get(currency);
      return definition && { from: definition.from, to: definition.to };
    },
  };
}

/** An operator's correction of one day: `closed` adds a holiday, `open` takes one away or opens a day off. */
export interface CalendarOverride {
  readonly date: IsoDate;
  readonly state: 'open' | 'closed';
  /** The holiday's name, for a closed day. */
  readonly name: string;
}

/** An operator's word on one year of one currency. */
export interface CalendarYear {
  readonly currency: string;
  readonly year: number;
  /** True when the days are all closing days of the year: nothing built in counts, and the year becomes known. */
  readonly complete: boolean;
  readonly days: readonly CalendarOverride[];
}

interface CorrectedYear {
  readonly complete: boolean;
  readonly days: ReadonlyMap<IsoDate, CalendarOverride>;
}

/**
 * A new set with years corrected; of two for one currency and year the last holds. A complete year extends the known
 * range when it adjoins it, and begins one for a currency without a calendar (of several years, the ones that follow
 * the first without a gap). Corrections outside the known range have no effect.
 */
export function withCalendarYears(base: CalendarSet, years: Iterable<CalendarYear>): CalendarSet {
  const corrected = new Map<string, Map<string, CorrectedYear>>();
  for (const { currency, year, complete, days } of years) {
    const byYear = corrected.get(currency) ?? new Map<string, CorrectedYear>();
    corrected.set(currency, byYear);
    byYear.set(String(year), { complete, days: new Map(days.map((day) => [day.date, day])) });
  }
  const ranges = new Map<string, { from: IsoDate; to: IsoDate }>();
  for (const [currency, byYear] of corrected) {
    const range = extendedRange(base.range(currency), byYear);
    if (range !== undefined) ranges.set(currency, range);
  }
  const rangeOf = (currency: string) => ranges.get(currency) ?? base.range(currency);
  const correctedYear = (currency: string, date: IsoDate) => corrected.get(currency)?.get(date.slice(0, 4));
  return {
    isBusinessDay(currency, date) {
      const year = correctedYear(currency, date);
      if (year === undefined) return base.isBusinessDay(currency, date);
      const range = rangeOf(currency);
      if (range === undefined || date < range.from || date > range.to) {
        throw new CalendarMissingError(currency, date);
      }
      const day = year.days.get(date);
      if (day !== undefined) return day.state === 'open';
      return year.complete ? isInWorkingWeek(currency, date) : base.isBusinessDay(currency, date);
    },
    holidayName(currency, date) {
      const year = correctedYear(currency, date);
      const day = year?.days.get(date);
      if (day !== undefined) return day.state === 'closed' ? day.name : undefined;
      return year?.complete === true ? undefined : base.holidayName(currency, date);
    },
    isEstimated: (currency, date) =>
      correctedYear(currency, date)?.complete !== true && base.isEstimated(currency, date),
    range: rangeOf,
  };
}

function extendedRange(
  known: { from: IsoDate; to: IsoDate } | undefined,
  years: ReadonlyMap<string, CorrectedYear>,
): { from: IsoDate; to: IsoDate } | undefined {
  const complete = [...years].filter(([, year]) => year.complete).map(([year]) => year);
  const first = complete.sort()[0];
  const range = known ?? (first === undefined ? undefined : { from: `${first}-01-01`, to: `${first}-12-31` });
  if (range === undefined) return undefined;
  const isComplete = new Set(complete);
  let { from, to } = range;
  for (let next = yearAfter(to, 1); to.endsWith('-12-31') && isComplete.has(next); next = yearAfter(to, 1)) {
    to = `${next}-12-31`;
  }
  for (
    let next = yearAfter(from, -1);
    from.endsWith('-01-01') && isComplete.has(next);
    next = yearAfter(from, -1)
  ) {
    from = `${next}-01-01`;
  }
  return { from, to };
}

function yearAfter(date: IsoDate, years: number): string {
  return String(yearOf(date) + years);
}
