import { localTimeAt } from './dates/time.ts';
import type { Decimal } from './decimal.ts';
import { bps, bpsUnits } from './spread.ts';

/** Hours of the week in which prices are wider, as wall-clock time of an IANA zone, so that they follow its clocks. */
export interface PricingWindow {
  /** The pair that it is for; undefined is every pair. */
  readonly pair: string | undefined;
  readonly zone: string;
  /** ISO weekdays on which it begins: 1 is Monday, 7 is Sunday. */
  readonly days: readonly number[];
  /** Minutes after midnight: from inclusive, to exclusive. An end that is not after the start is on the next day. */
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly bps: Decimal;
}

export function windowCovers(window: PricingWindow, instant: number): boolean {
  const { weekday, minute } = localTimeAt(instant, window.zone);
  const begins = window.days.includes(weekday);
  if (window.toMinute > window.fromMinute) {
    return begins && minute >= window.fromMinute && minute < window.toMinute;
  }
  if (begins && minute >= window.fromMinute) return true;
  const yesterday = weekday === 1 ? 7 : weekday - 1;
  return minute < window.toMinute && window.days.includes(yesterday);
}

/** The widest of the windows that cover the instant and are for the pair; they do not add up. */
export function marketHoursBps(windows: readonly PricingWindow[], pair: string, instant: number): Decimal {
  let widest = 0n;
  for (const window of windows) {
    if (window.pair !== undefined && window.pair !== pair) continue;
    const units = bpsUnits(window.bps);
    if (units > widest && windowCovers(window, instant)) widest = units;
  }
  return bps(widest);
}
