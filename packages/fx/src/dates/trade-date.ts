import type { CurrencyPair } from './spot-rules.ts';
import { addDays, type IsoDate, instantOf, localDateAt, type TimeOfDay, weekdayOf } from './time.ts';

/** When the trade date changes, and which date begins then. */
export interface TradeDateRoll {
  readonly zone: string;
  readonly time: TimeOfDay;
  /** The date that begins at the roll: the local date of the roll itself, or the day after it. */
  readonly begins: 'same-day' | 'next-day';
}

/** The market's convention: the New York date, rolling at 17:00 New York (londonfx). */
export const NEW_YORK_ROLL: TradeDateRoll = { zone: 'America/New_York', time: '17:00', begins: 'next-day' };

/** Where pairs with NZD roll: at 07:00 Auckland, which is 13:00 to 15:00 New York through the year. */
export const AUCKLAND_ROLL: TradeDateRoll = { zone: 'Pacific/Auckland', time: '07:00', begins: 'same-day' };

/** The trade-date roll of a pair, in either order. */
export type RollOf = (pair: CurrencyPair) => TradeDateRoll;

/** The market's convention: pairs with NZD roll in Auckland, all others in New York. */
export const marketRollOf: RollOf = rollingInAuckland(['NZD']);

/** Pairs (`NZDUSD`, in either order) and currencies that roll in Auckland; all others roll in New York. */
export function rollingInAuckland(codes: Iterable<string>): RollOf {
  const named = new Set(codes);
  return ([a, b]) =>
    named.has(a) || named.has(b) || named.has(a + b) || named.has(b + a) ? AUCKLAND_ROLL : NEW_YORK_ROLL;
}

interface Window {
  readonly from: number;
  readonly until: number;
  readonly tradeDate: IsoDate;
}

// One window a roll is enough: a service asks for "now", and the window changes once a day. The zone
// arithmetic behind a window costs tens of microseconds, the comparison with it a few nanoseconds.
const lastWindows = new WeakMap<TradeDateRoll, Window>();

/**
 * The trade date at an instant (epoch milliseconds). After the Friday roll and at the weekend it is Monday.
 * Holidays do not move it.
 */
export function tradeDateAt(instant: number, roll: TradeDateRoll = NEW_YORK_ROLL): IsoDate {
  const last = lastWindows.get(roll);
  if (last !== undefined && instant >= last.from && instant < last.until) return last.tradeDate;
  const window = windowAt(instant, roll);
  lastWindows.set(roll, window);
  return window.tradeDate;
}

/** The instant (epoch milliseconds) at which a weekday's trade date ends. */
export function tradeDateEnd(tradeDate: IsoDate, roll: TradeDateRoll = NEW_YORK_ROLL): number {
  return instantOf(roll.begins === 'next-day' ? tradeDate : addDays(tradeDate, 1), roll.time, roll.zone);
}

function windowAt(instant: number, roll: TradeDateRoll): Window {
  const localDate = localDateAt(instant, roll.zone);
  const hasRolled = instant >= instantOf(localDate, roll.time, roll.zone);
  const began = hasRolled ? localDate : addDays(localDate, -1);
  const calendarDate = roll.begins === 'next-day' ? addDays(began, 1) : began;
  const weekday = weekdayOf(calendarDate);
  const tradeDate = weekday > 5 ? addDays(calendarDate, 8 - weekday) : calendarDate;
  const previous = addDays(tradeDate, weekdayOf(tradeDate) === 1 ? -3 : -1);
  return { from: tradeDateEnd(previous, roll), until: tradeDateEnd(tradeDate, roll), tradeDate };
}
