import { builtInCalendars } from './built-in.ts';
import type { CalendarSet } from './calendar.ts';
import { deriveSpot, firstDate } from './derivation.ts';
import { type CurrencyPair, DEFAULT_SPOT_RULES, decidingCurrencies, type SpotRules } from './spot-rules.ts';
import { addDays, type IsoDate } from './time.ts';
import { memoisedByTradeDate } from './trade-date-memo.ts';

/**
 * The spot date of a trade: each currency counts its own lag, the later of the two holds, then on to the first
 * day that is good for both and for USD.
 *
 * @throws CalendarMissingError when a day that decides is outside the known range of a currency
 * @throws NoGoodDateError when the calendars leave no day within reach
 */
export function spotDate(
  pair: CurrencyPair,
  tradeDate: IsoDate,
  calendars: CalendarSet = builtInCalendars,
  rules: SpotRules = DEFAULT_SPOT_RULES,
): IsoDate {
  return memoisedSpotDate(pair, tradeDate, calendars, rules);
}

/** The first day after the trade date that is good for both currencies and USD; never later than spot. */
export function tomDate(
  pair: CurrencyPair,
  tradeDate: IsoDate,
  calendars: CalendarSet = builtInCalendars,
  rules: SpotRules = DEFAULT_SPOT_RULES,
): IsoDate {
  return memoisedTomDate(pair, tradeDate, calendars, rules);
}

/** Whether both currencies, and USD even when it is not in the pair, can settle on the date. */
export function isGoodValueDate(
  pair: CurrencyPair,
  date: IsoDate,
  calendars: CalendarSet = builtInCalendars,
  rules: SpotRules = DEFAULT_SPOT_RULES,
): boolean {
  return decidingCurrencies(pair, rules).every((currency) => calendars.isBusinessDay(currency, date));
}

const NONE: readonly string[] = Object.freeze([]);

/** Of the currencies that decide, those whose days between two dates, both included, may still be moved. */
export function estimatedCurrencies(
  pair: CurrencyPair,
  from: IsoDate,
  to: IsoDate,
  calendars: CalendarSet = builtInCalendars,
  rules: SpotRules = DEFAULT_SPOT_RULES,
): readonly string[] {
  // Within a year days are known up to some date, and the year after may be known as a whole.
  const year = from.slice(0, 4);
  const lasts = to.startsWith(year) ? [to] : [`${year}-12-31`, to];
  const found = decidingCurrencies(pair, rules).filter((currency) =>
    lasts.some((date) => calendars.isEstimated(currency, date)),
  );
  return found.length === 0 ? NONE : found;
}

const memoisedSpotDate = memoisedByTradeDate(
  (pair, tradeDate, calendars, rules) => deriveSpot(pair, tradeDate, calendars, rules).spot,
);

const memoisedTomDate = memoisedByTradeDate((pair, tradeDate, calendars, rules) =>
  firstDate(addDays(tradeDate, 1), (date) => isGoodValueDate(pair, date, calendars, rules)),
);
