import type { IsoDate } from './time.ts';
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
    range(currency) {
      const definition = byCurrency.get(currency);
      return definition && { from: definition.from, to: definition.to };
    },
  };
}

/** An operator's correction of one day: `closed` adds a holiday, `open` takes one away. */
export interface CalendarOverride {
  readonly currency: string;
  readonly date: IsoDate;
  readonly state: 'open' | 'closed';
  readonly reason: string;
}

/**
 * A new set with single days corrected; the last override of a day wins. `open` also opens a weekend day.
 * Ranges stay as they are: an override outside the known range has no effect.
 */
export function withOverrides(base: CalendarSet, overrides: Iterable<CalendarOverride>): CalendarSet {
  const days = new Map<string, CalendarOverride>();
  for (const override of overrides) days.set(`${override.currency} ${override.date}`, override);
  return {
    isBusinessDay(currency, date) {
      const known = base.isBusinessDay(currency, date);
      const override = days.get(`${currency} ${date}`);
      return override === undefined ? known : override.state === 'open';
    },
    holidayName(currency, date) {
      const override = days.get(`${currency} ${date}`);
      if (override === undefined) return base.holidayName(currency, date);
      return override.state === 'closed' ? override.reason : undefined;
    },
    range: (currency) => base.range(currency),
  };
}
