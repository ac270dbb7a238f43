import { findPair, type Pair } from '@firmquote/fx';
import type { Market } from '../market/market.ts';
import { isoInstant } from '../platform/clock.ts';

/** The one place of this room that asks the market how it is. */

export interface MarketStatus {
  readonly state: 'open' | 'closed';
  readonly reason?: string;
  readonly closesAt?: string;
  readonly reopensAt?: string;
}

/** Whether a firm quote of a pair could be made now, as far as the market goes. */
export interface PairStatus {
  readonly tradable: boolean;
  /** `market_closed`; `halt`; `pair_not_enabled`; `stale`: the newest price is too old; `no_price`: there is none. */
  readonly reason?: 'market_closed' | 'halt' | 'pair_not_enabled' | 'stale' | 'no_price';
  /** RFC 3339. */
  readonly lastPriceAt?: string;
}

export function marketStatus(market: Market): MarketStatus {
  const { state, reason, closesAt, reopensAt } = market.stateNow();
  return {
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(closesAt === undefined ? {} : { closesAt: isoInstant(closesAt) }),
    ...(reopensAt === undefined ? {} : { reopensAt: isoInstant(reopensAt) }),
  };
}

export function pairStatus(market: Market, pair: Pair, customerId: string): PairStatus {
  const reading = market.book.read(pair);
  if (market.stateNow().state !== 'open') return { tradable: false, reason: 'market_closed' };
  if (market.isHalted(pair, customerId)) return { tradable: false, reason: 'halt' };
  if (!market.book.settingsOf(pair).enabled) return { tradable: false, reason: 'pair_not_enabled' };
  if (reading.status === 'missing') return { tradable: false, reason: 'no_price' };
  if (reading.status === 'fresh') return { tradable: true };
  return { tradable: false, reason: 'stale', lastPriceAt: isoInstant(reading.price.asOf) };
}

/** Pairs that have been quoted and cannot be traded although the market is open. */
export function interruptedPairs(
  market: Market,
  customerId: string,
): (PairStatus & { readonly pair: string })[] {
  if (market.stateNow().state !== 'open') return [];
  return market.book.quotedPairs().flatMap((code) => {
    const pair = findPair(code);
    const status = pair && pairStatus(market, pair, customerId);
    return status === undefined || status.tradable ? [] : [{ pair: code, ...status }];
  });
}
