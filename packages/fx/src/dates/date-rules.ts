import { builtInCalendars } from './built-in.ts';
import type { CalendarSet } from './calendar.ts';
import { type CutOffs, seedCutOffs } from './cut-offs.ts';
import type { CurrencyPair } from './spot-rules.ts';
import type { IsoDate } from './time.ts';
import { marketRollOf, type RollOf, tradeDateAt, tradeDateEnd } from './trade-date.ts';

/**
 * Calendars and cut-offs as they stand at one moment, for everything that works with dates. Immutable: a change makes
 * a new one, and results are remembered per calendar set, so that nothing computed from an old one is ever served.
 */
export interface DateRules {
  readonly calendars: CalendarSet;
  readonly cutOffs: CutOffs;
  /** When the trade date of a pair, in either order, changes; absent: by the market's convention. */
  readonly rollOf?: RollOf;
}

/** Where the rules in force are asked for. Whoever needs them takes `current` once for each piece of work. */
export interface DateRulesSource {
  readonly current: DateRules;
}

/** What is shipped: the built-in calendars and the cut-off seeds. */
export const BUILT_IN_DATE_RULES: DateRules = { calendars: builtInCalendars, cutOffs: seedCutOffs };

/** The trade date of a pair at an instant (epoch milliseconds). */
export function tradeDateOf(
  pair: CurrencyPair,
  now: number,
  { rollOf = marketRollOf }: Pick<DateRules, 'rollOf'>,
): IsoDate {
  return tradeDateAt(now, rollOf(pair));
}

/** The first instant (epoch milliseconds) at which a trade date of a pair is over. */
export function tradeDateEndOf(
  pair: CurrencyPair,
  tradeDate: IsoDate,
  { rollOf = marketRollOf }: Pick<DateRules, 'rollOf'>,
): number {
  return tradeDateEnd(tradeDate, rollOf(pair));
}
