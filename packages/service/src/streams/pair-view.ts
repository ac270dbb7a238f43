import { type DateRules, type Pair, resolveTenor } from '@firmquote/fx';
import { type Market, type MarketState, stateMembers } from '../market/market.ts';
import type { BookPrice, PriceReading } from '../market/rate-book.ts';

/** What the market says of one pair at an instant: everything that prices of all its groups are made of. */
export interface PairView {
  readonly price: BookPrice | undefined;
  /** Why it cannot be traded now; undefined when it can. */
  readonly reason:
    | 'market_closed'
    | 'halt'
    | 'pair_not_enabled'
    | 'calendar_missing'
    | 'stale'
    | 'price_unavailable'
    | undefined;
  /** `YYYY-MM-DD`, or null beyond the known calendars. */
  readonly spotDate: string | null;
}

/** The one place that asks whether a pair can be traded, by whoever it is: the halt of a customer is in its terms. */
export function viewPair(market: Market, dates: DateRules, pair: Pair, now: number): PairView {
  const reading = market.book.read(pair);
  const spot = resolveTenor([pair.base.code, pair.quote.code], 'spot', now, dates);
  const spotDate = spot.ok ? spot.valueDate : null;
  const reason = reasonOf(market, pair, reading.status) ?? (spot.ok ? undefined : 'calendar_missing');
  return { price: reading.status === 'missing' ? undefined : reading.price, reason, spotDate };
}

function reasonOf(market: Market, pair: Pair, status: PriceReading['status']): PairView['reason'] {
  if (market.isHalted(pair)) return 'halt';
  if (market.stateNow().state === 'closed') return 'market_closed';
  if (!market.book.settingsOf(pair).enabled) return 'pair_not_enabled';
  if (status === 'missing') return 'price_unavailable';
  return status === 'stale' ? 'stale' : undefined;
}

export function sameView(a: PairView | undefined, b: PairView): boolean {
  return a !== undefined && a.price === b.price && a.reason === b.reason && a.spotDate === b.spotDate;
}

/** Data of a `market` event; `*` is every pair. */
export function marketEventJson(state: MarketState): string {
  return `{"pair":"*",${stateMembers(state)}}`;
}
