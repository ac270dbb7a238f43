import { builtInCalendars } from './built-in.ts';
import type { CalendarSet } from './calendar.ts';
import { addDays, type IsoDate, weekdayOf } from './time.ts';
import { memoisedByTradeDate } from './trade-date-memo.ts';

export type CurrencyPair = readonly [string, string];

/** What differs between deployments; the default is the market's convention. */
export interface SpotRules {
  /** Currencies whose spot against USD is one day; a cross takes the later of its two USD legs. */
  readonly oneDayCurrencies: ReadonlySet<string>;
  /** Currencies for which a US holiday on the first day counts (the Latin American rule). */
  readonly usHolidayCountsFor: ReadonlySet<string>;
  /** Pairs that may settle on a US holiday although the rest may not; both currencies in any order. */
  readonly settlesOnUsHoliday: readonly CurrencyPair[];
  /** Whether a holiday of either currency moves the trade date itself, as ObjectLab does by default. */
  readonly movesTradeDate: boolean;
}

/** Lags: fmbasics, londonfx for CAD. EUR/RSD: londonfx. Trade date kept: this project's decision. */
export const DEFAULT_SPOT_RULES: SpotRules = {
  oneDayCurrencies: new Set(['CAD', 'KZT', 'PHP', 'PKR', 'RUB', 'TRY']),
  usHolidayCountsFor: new Set(['ARS', 'CLP', 'MXN']),
  settlesOnUsHoliday: [['EUR', 'RSD']],
  movesTradeDate: false,
};

/** A closure longer than this is a broken calendar, and the search must end. */
const SEARCH_DAYS_MAX = 40;

/**
 * The spot date of a trade: each currency counts its own lag, the later of the two holds, then on to the first
 * day that is good for both and for USD.
 *
 * @throws CalendarMissingError when a day that decides is outside the known range of a currency.
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

/** The currencies that must be open on a value date: the two of the pair, and USD. */
export function decidingCurrencies(pair: CurrencyPair, rules: SpotRules = DEFAULT_SPOT_RULES): string[] {
  const [a, b] = pair;
  const ignoresUsd = rules.settlesOnUsHoliday.some(([x, y]) => (x === a && y === b) || (x === b && y === a));
  return a === 'USD' || b === 'USD' || ignoresUsd ? [a, b] : [a, b, 'USD'];
}

const memoisedSpotDate = memoisedByTradeDate(computeSpotDate);

const memoisedTomDate = memoisedByTradeDate((pair, tradeDate, calendars, rules) =>
  firstDate(addDays(tradeDate, 1), (date) => isGoodValueDate(pair, date, calendars, rules)),
);

function computeSpotDate(
  pair: CurrencyPair,
  tradeDate: IsoDate,
  calendars: CalendarSet,
  rules: SpotRules,
): IsoDate {
  const [a, b] = pair;
  if (a === b) throw new Error(`a pair needs two currencies, not ${a} twice`);
  const start = rules.movesTradeDate
    ? firstDate(tradeDate, (date) => calendars.isBusinessDay(a, date) && calendars.isBusinessDay(b, date))
    : tradeDate;
  const ofA = legDate(a, b, start, calendars, rules);
  const ofB = legDate(b, a, start, calendars, rules);
  return firstDate(ofA > ofB ? ofA : ofB, (date) => isGoodValueDate(pair, date, calendars, rules));
}

/** The day on which one currency of the pair would settle by its own lag. */
function legDate(
  currency: string,
  other: string,
  tradeDate: IsoDate,
  calendars: CalendarSet,
  rules: SpotRules,
): IsoDate {
  const isOpen = (date: IsoDate) => calendars.isBusinessDay(currency, date);
  const lagOwner = currency === 'USD' ? other : currency;
  if (rules.oneDayCurrencies.has(lagOwner)) return firstDate(addDays(tradeDate, 1), isOpen);
  const firstDay = firstDate(addDays(tradeDate, 1), (date) => {
    // A US holiday on the day between does not delay spot: for USD only the weekend counts here.
    if (currency === 'USD') return weekdayOf(date) <= 5;
    return isOpen(date) && !(rules.usHolidayCountsFor.has(currency) && !calendars.isBusinessDay('USD', date));
  });
  return firstDate(addDays(firstDay, 1), isOpen);
}

function firstDate(start: IsoDate, isGood: (date: IsoDate) => boolean): IsoDate {
  let date = start;
  for (let days = 0; days < SEARCH_DAYS_MAX; days += 1) {
    if (isGood(date)) return date;
    date = addDays(date, 1);
  }
  throw new Error(`no good day within ${SEARCH_DAYS_MAX} days of ${start}`);
}
