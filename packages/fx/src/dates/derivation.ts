import type { CalendarSet } from './calendar.ts';
import type { DateReason } from './reasons.ts';
import { type CurrencyPair, decidingCurrencies, type SpotRules } from './spot-rules.ts';
import { addDays, type IsoDate, weekdayOf } from './time.ts';

/** One day that the derivation looked at. It counts when `reasons` is empty. */
export interface ConsideredDay {
  readonly date: IsoDate;
  readonly reasons: readonly DateReason[];
  /** What would speak against the day and does not count here: a US holiday on USD's first day. */
  readonly ignored: readonly DateReason[];
}

/** How one currency of the pair counts its days after the trade date. */
export interface SpotLeg {
  readonly currency: string;
  /** 1 or 2. USD takes the lag of the currency it is traded against. */
  readonly lagDays: number;
  readonly days: readonly ConsideredDay[];
  /** The day on which this currency would settle by its own lag. */
  readonly date: IsoDate;
}

/** How a spot date comes about, step by step. */
export interface SpotDerivation {
  /** The trade date, or the day to which a holiday moved it where the rules say so. */
  readonly countedFrom: IsoDate;
  readonly legs: readonly [SpotLeg, SpotLeg];
  /** Currencies that must be open on the value date. */
  readonly deciding: readonly string[];
  /** From the later of the legs' days on: the days until one is good for all deciding currencies. */
  readonly joint: readonly ConsideredDay[];
  readonly spot: IsoDate;
}

/** A closure longer than this is a broken calendar, and the search must end. */
const SEARCH_DAYS_MAX = 40; // limit: How far a good date is searched for

/** The calendars leave no day within reach. */
export class NoGoodDateError extends Error {
  constructor(start: IsoDate) {
    super(`no good day within ${SEARCH_DAYS_MAX} days of ${start}`);
    this.name = 'NoGoodDateError';
  }
}

/**
 * The spot date of a trade with every day that was looked at. Spot dates are computed here and nowhere else, so an
 * explanation cannot differ from what is traded.
 *
 * @throws CalendarMissingError when a day that decides is outside the known range of a currency
 * @throws NoGoodDateError when the calendars leave none
 */
export function deriveSpot(
  pair: CurrencyPair,
  tradeDate: IsoDate,
  calendars: CalendarSet,
  rules: SpotRules,
): SpotDerivation {
  const [a, b] = pair;
  if (a === b) throw new Error(`a pair needs two currencies, not ${a} twice`);
  const countedFrom = rules.movesTradeDate
    ? firstDate(tradeDate, (date) => calendars.isBusinessDay(a, date) && calendars.isBusinessDay(b, date))
    : tradeDate;
  const legs = [
    deriveLeg(a, b, countedFrom, calendars, rules),
    deriveLeg(b, a, countedFrom, calendars, rules),
  ] as const;
  const later = legs[0].date > legs[1].date ? legs[0].date : legs[1].date;
  const joint: ConsideredDay[] = [];
  const spot = firstCounting(later, joint, (date) => ({
    date,
    reasons: closures(pair, date, calendars, rules),
    ignored: [],
  }));
  return { countedFrom, legs, deciding: decidingCurrencies(pair, rules), joint, spot };
}

/** Why a date is good for the pair or not: one reason for each deciding currency that is closed. */
export function closures(
  pair: CurrencyPair,
  date: IsoDate,
  calendars: CalendarSet,
  rules: SpotRules,
): DateReason[] {
  return decidingCurrencies(pair, rules)
    .filter((currency) => !calendars.isBusinessDay(currency, date))
    .map((currency) => {
      const found = closure(currency, date, calendars);
      const isThird = currency === 'USD' && !pair.includes('USD');
      // At the weekend it is no holiday of anybody.
      return isThird && found.code === 'holiday'
        ? { code: 'us_holiday', ...usClosure(date, calendars) }
        : found;
    });
}

function deriveLeg(
  currency: string,
  other: string,
  tradeDate: IsoDate,
  calendars: CalendarSet,
  rules: SpotRules,
): SpotLeg {
  const lagOwner = currency === 'USD' ? other : currency;
  const days: ConsideredDay[] = [];
  const whenOpen = (date: IsoDate): ConsideredDay => ({
    date,
    reasons: calendars.isBusinessDay(currency, date) ? [] : [closure(currency, date, calendars)],
    ignored: [],
  });
  if (rules.oneDayCurrencies.has(lagOwner)) {
    const date = firstCounting(addDays(tradeDate, 1), days, whenOpen);
    return { currency, lagDays: 1, days, date };
  }
  const firstDay = firstCounting(addDays(tradeDate, 1), days, (date) => {
    // A US holiday on the day between does not delay spot: for USD only the weekend counts here.
    if (currency === 'USD') {
      if (weekdayOf(date) > 5) return { date, reasons: [{ code: 'weekend', currency }], ignored: [] };
      return { date, reasons: [], ignored: whenOpen(date).reasons };
    }
    const day = whenOpen(date);
    if (day.reasons.length > 0 || !rules.usHolidayCountsFor.has(currency)) return day;
    if (calendars.isBusinessDay('USD', date)) return day;
    return { ...day, reasons: [{ ...usClosure(date, calendars), code: 'us_holiday_between', currency }] };
  });
  const date = firstCounting(addDays(firstDay, 1), days, whenOpen);
  return { currency, lagDays: 2, days, date };
}

function closure(currency: string, date: IsoDate, calendars: CalendarSet): DateReason {
  const name = calendars.holidayName(currency, date);
  return name === undefined ? { code: 'weekend', currency } : { code: 'holiday', currency, name };
}

function usClosure(date: IsoDate, calendars: CalendarSet): { currency: 'USD'; name?: string } {
  const name = calendars.holidayName('USD', date);
  return name === undefined ? { currency: 'USD' } : { currency: 'USD', name };
}

function firstCounting(
  start: IsoDate,
  days: ConsideredDay[],
  consider: (date: IsoDate) => ConsideredDay,
): IsoDate {
  return firstDate(start, (date) => {
    const day = consider(date);
    days.push(day);
    return day.reasons.length === 0;
  });
}

/** The first date from `start` on that is good. */
export function firstDate(start: IsoDate, isGood: (date: IsoDate) => boolean): IsoDate {
  let date = start;
  for (let days = 0; days < SEARCH_DAYS_MAX; days += 1) {
    if (isGood(date)) return date;
    date = addDays(date, 1);
  }
  throw new NoGoodDateError(start);
}
