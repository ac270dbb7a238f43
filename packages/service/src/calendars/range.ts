import {
  addMonths,
  builtInDefinitions,
  CURRENCIES,
  currencyStatus,
  type DateRules,
  daysBetween,
  tradeDateAt,
} from '@firmquote/fx';
import { requireTradable } from '../http/market-codes.ts';
import type { CalendarsRoom } from './room.ts';

/** A calendar that ends sooner than so many months from now has to be extended: alarms are given until it is. */
export const WARNING_MONTHS = 13; // limit: Months before its end from which a calendar is reported as running short

/** How far the calendar of a currency goes. Dates are `YYYY-MM-DD`, both ends included. */
export interface CalendarRange {
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  /** From this day on, the built-in days are calculated and await an announcement; null when none are. */
  readonly estimatedFrom: string | null;
  /** Where the built-in days come from; null when all are an operator's. */
  readonly source: string | null;
  /** True when it ends less than 13 months from the trade date. */
  readonly runsShort: boolean;
}

/** The calendar of every tradable currency at an instant (epoch milliseconds); null where there is none. */
export function calendarRanges(dates: DateRules, now: number): Map<string, CalendarRange | null> {
  const today = tradeDateAt(now);
  return new Map(
    CURRENCIES.filter(({ code }) => currencyStatus(code, today) === 'tradable').map(({ code }) => [
      code,
      calendarRange(dates, code, today),
    ]),
  );
}

/** Whether a calendar says anything of a day: one may have ended, or not have begun. */
export function covers(range: Pick<CalendarRange, 'from' | 'to'> | null | undefined, date: string): boolean {
  return range != null && range.from <= date && date <= range.to;
}

/** @param today trade date */
export function calendarRange(
  { calendars }: DateRules,
  currency: string,
  today: string,
): CalendarRange | null {
  const range = calendars.range(currency);
  if (range === undefined) return null;
  const builtIn = builtInDefinitions.find((definition) => definition.currency === currency);
  return {
    currency,
    ...range,
    estimatedFrom: builtIn?.estimatedFrom ?? null,
    source: builtIn?.source ?? null,
    runsShort: range.to < addMonths(today, WARNING_MONTHS),
  };
}

/** The calendars that run short, the one that ends first in front. */
export function calendarsRunningShort(dates: DateRules, now: number): CalendarRange[] {
  return [...calendarRanges(dates, now).values()]
    .filter((range) => range?.runsShort === true)
    .flatMap((range) => range ?? [])
    .sort((a, b) => (a.to === b.to ? 0 : a.to < b.to ? -1 : 1));
}

/** Whole days from the trade date to the end of each calendar; negative when it has ended. */
export function daysLeft(dates: DateRules, now: number): Map<string, number> {
  const today = tradeDateAt(now);
  const left = new Map<string, number>();
  for (const [currency, range] of calendarRanges(dates, now)) {
    if (range !== null) left.set(currency, daysBetween(today, range.to));
  }
  return left;
}

/** @throws Problem currency_not_supported, currency_withdrawn */
export function requireCurrency(room: CalendarsRoom, code: string, field = '/path/currency'): string {
  return requireTradable(code, field, tradeDateAt(room.clock.now())).code;
}
