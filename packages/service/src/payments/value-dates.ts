import {
  addDays,
  CalendarMissingError,
  CURRENCIES,
  cutOffInstant,
  type DateRules,
  type IsoDate,
  instantOf,
  isGoodValueDate,
  localDateAt,
  tradeDateOf,
} from '@firmquote/fx';

/** A closure longer than this is a broken calendar. */
const SEARCH_DAYS_MAX = 40; // limit: How far a date for a payment is searched for

/** What the calendars know, undefined past them. */
export function withinCalendars<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof CalendarMissingError) return undefined;
    throw error;
  }
}

/**
 * The first value date that a trade could still be booked for: good for both currencies and USD, and before both
 * cut-offs. Undefined past the known calendars.
 * @param notBefore such as the value date of the money itself
 */
export function nextValueDate(
  pair: readonly [string, string],
  now: number,
  notBefore: IsoDate,
  dates: DateRules,
): IsoDate | undefined {
  const { calendars, cutOffs } = dates;
  const tradeDate = tradeDateOf(pair, now, dates);
  let date = tradeDate > notBefore ? tradeDate : notBefore;
  return withinCalendars(() => {
    for (let days = 0; days < SEARCH_DAYS_MAX; days++) {
      const isGood = isGoodValueDate(pair, date, calendars);
      if (isGood && pair.every((currency) => now < cutOffInstant(currency, date, cutOffs))) return date;
      date = addDays(date, 1);
    }
    return undefined;
  });
}

/**
 * The first date from one on at which the currency can still be paid out: a business day whose cut-off has not passed.
 * Undefined past the known calendars.
 */
export function nextPayableDate(
  currency: string,
  notBefore: IsoDate,
  now: number,
  { calendars, cutOffs }: DateRules,
): IsoDate | undefined {
  const today = localDateAt(now, cutOffs.sameDay(currency).zone);
  let date = notBefore > today ? notBefore : today;
  return withinCalendars(() => {
    for (let days = 0; days < SEARCH_DAYS_MAX; days++) {
      const isOpen = calendars.isBusinessDay(currency, date);
      if (isOpen && now < cutOffInstant(currency, date, cutOffs)) return date;
      date = addDays(date, 1);
    }
    return undefined;
  });
}

/** Until when a currency can be paid on a date; undefined when that is over, or it is not paid on that date at all. */
export function payableUntil(
  currency: string,
  date: IsoDate,
  now: number,
  { calendars, cutOffs }: DateRules,
): number | undefined {
  const cutOffAt = cutOffInstant(currency, date, cutOffs);
  const isClosed = withinCalendars(() => calendars.isBusinessDay(currency, date)) === false;
  return isClosed || now >= cutOffAt ? undefined : cutOffAt;
}

/** The last date of each currency, open or not, whose cut-off has passed. */
export function passedPayoutDates(now: number, { cutOffs }: DateRules): Record<string, IsoDate> {
  return Object.fromEntries(
    CURRENCIES.map(({ code }) => {
      const today = localDateAt(now, cutOffs.sameDay(code).zone);
      return [code, now < cutOffInstant(code, today, cutOffs) ? addDays(today, -1) : today];
    }),
  );
}

/** A currency that can be paid out at this moment, and the date that it is there. */
export interface PayoutWindow {
  readonly currency: string;
  readonly date: IsoDate;
}

/**
 * Currencies that can be paid out now: it is a business day of the currency, where its cut-off is set, and before
 * the cut-off. A trade whose value date is at or before the window's date can go.
 */
export function openPayoutWindows(now: number, dateRules: DateRules): PayoutWindow[] {
  const dates = new Map<string, IsoDate>();
  return CURRENCIES.flatMap(({ code }) => {
    const { zone } = dateRules.cutOffs.sameDay(code);
    const date = dates.get(zone) ?? localDateAt(now, zone);
    dates.set(zone, date);
    const isOpen = withinCalendars(() => dateRules.calendars.isBusinessDay(code, date)) ?? false;
    return isOpen && now < cutOffInstant(code, date, dateRules.cutOffs) ? [{ currency: code, date }] : [];
  });
}

/**
 * The first instant, not before now, at which a trade can be paid out: the start of its value date, or of the next
 * business day of the bought currency whose cut-off has not passed. Undefined past the known calendars.
 */
export function nextPayoutOpening(
  currency: string,
  valueDate: IsoDate,
  now: number,
  dates: DateRules,
): number | undefined {
  const date = nextPayableDate(currency, valueDate, now, dates);
  if (date === undefined) return undefined;
  return Math.max(now, instantOf(date, '00:00', dates.cutOffs.sameDay(currency).zone));
}
