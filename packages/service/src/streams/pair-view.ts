import { type Pair, resolveTenor } from '@firmquote/fx';
import type { Market, MarketState } from '../market/market.ts';
import type { BookPrice } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';

/** What the market says of one pair at an instant: everything that prices of all its groups are made of. */
export interface PairView {
  readonly price: BookPrice | undefined;
  /** Why it cannot be traded now; undefined when it can. */
  readonly reason: 'market_closed' | 'stale' | 'price_unavailable' | undefined;
  /** `YYYY-MM-DD`, or null beyond the known calendars. */
  readonly spotDate: string | null;
}

/** The one place that asks whether a pair can be traded. The market is open or closed for all pairs at once. */
export function viewPair(market: Market, pair: Pair, now: number): PairView {
  const reading = market.book.read(pair);
  const spot = resolveTenor([pair.base.code, pair.quote.code], 'spot', now);
  const spotDate = spot.ok ? spot.valueDate : null;
  if (reading.status === 'missing') return { price: undefined, reason: 'price_unavailable', spotDate };
  const closed = market.stateNow().state === 'closed';
  const reason = closed ? 'market_closed' : reading.status === 'stale' ? 'stale' : undefined;
  return { price: reading.price, reason, spotDate };
}

export function sameView(a: PairView | undefined, b: PairView): boolean {
  return a !== undefined && a.price === b.price && a.reason === b.reason && a.spotDate === b.spotDate;
}

/** Data of a `market` event; `*` is every pair. */
export function marketEventJson(state: MarketState): string {
  const reason = state.reason === undefined ? '' : `,"reason":"${state.reason}"`;
  const closesAt = state.closesAt === undefined ? '' : `,"closesAt":"${isoInstant(state.closesAt)}"`;
  const reopensAt = state.reopensAt === undefined ? '' : `,"reopensAt":"${isoInstant(state.reopensAt)}"`;
  return `{"pair":"*","state":"${state.state}"${reason}${closesAt}${reopensAt}}`;
}
