import type { CalendarSet } from './calendar.ts';
import type { CurrencyPair, SpotRules } from './spot-rules.ts';
import type { IsoDate } from './time.ts';

type DateOfTrade = (
  pair: CurrencyPair,
  tradeDate: IsoDate,
  calendars: CalendarSet,
  rules: SpotRules,
) => IsoDate;
type ByPair = Map<string, Map<string, IsoDate>>;

/** Trade dates remembered per calendar set and rules; a running service needs two, a back-fill a few more. */
const TRADE_DATES_MAX = 32;

/**
 * Remembers the result per calendar set, rules, trade date and pair. Spot costs about 50 µs to compute and
 * 50 ns to look up. The maps are nested because joining a key costs more than the look-ups. Entries are bounded
 * by the trade dates times the pairs that have calendars: an unknown currency throws before it is stored.
 */
export function memoisedByTradeDate(compute: DateOfTrade): DateOfTrade {
  const results = new WeakMap<CalendarSet, WeakMap<SpotRules, Map<IsoDate, ByPair>>>();
  return (pair, tradeDate, calendars, rules) => {
    const byRules = entryOf(results, calendars, () => new WeakMap<SpotRules, Map<IsoDate, ByPair>>());
    const byTradeDate = entryOf(byRules, rules, () => new Map<IsoDate, ByPair>());
    const known = byTradeDate.get(tradeDate)?.get(pair[0])?.get(pair[1]);
    if (known !== undefined) return known;
    const date = compute(pair, tradeDate, calendars, rules);
    if (!byTradeDate.has(tradeDate) && byTradeDate.size >= TRADE_DATES_MAX) dropOldest(byTradeDate);
    const byBase = entryOf(byTradeDate, tradeDate, (): ByPair => new Map());
    entryOf(byBase, pair[0], () => new Map<string, IsoDate>()).set(pair[1], date);
    return date;
  };
}

interface MapLike<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

function entryOf<K, V>(map: MapLike<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function dropOldest(map: Map<IsoDate, unknown>): void {
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
