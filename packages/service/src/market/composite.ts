import { compare } from '@firmquote/fx';
import type { PairSettings } from './pair-settings.ts';
import type { SourceTop } from './source-top.ts';
import { type BookPrice, COMPOSITE, type Tick } from './tick.ts';

interface Composite {
  readonly price: BookPrice;
  /** How many sources had to be left out because their prices crossed another's. */
  readonly crossings: number;
}

/**
 * The price of a pair from its fresh sources, of which there is at least one.
 *
 * By best bid and offer, the bid of one source can be above the ask of another: one of the two is late. The older of
 * them is left out until nothing crosses any more, so a crossed composite does not exist; a single source is never
 * crossed by itself.
 *
 * @param usable fresh, enabled, not frozen; is not changed
 */
export function composeFrom(usable: readonly SourceTop[], settings: PairSettings): Composite | undefined {
  const [only] = usable;
  if (usable.length < 2) return only?.tick && { price: priceOf(only.tick, only.tick), crossings: 0 };
  if (settings.composite === 'priority') {
    const first = usable.reduce<SourceTop | undefined>(
      (best, top) => (best === undefined || precedes(top, best, settings.priority) ? top : best),
      undefined,
    );
    return first?.tick && { price: priceOf(first.tick, first.tick), crossings: 0 };
  }
  const left = new Set(usable);
  for (let crossings = 0; left.size > 0; crossings++) {
    const [bid, ask] = bestOf(left);
    if (bid?.tick === undefined || ask?.tick === undefined) return undefined;
    const order = bid === ask ? -1 : compare(bid.tick.bid, ask.tick.ask);
    if (order < 0 || (order === 0 && settings.lockedPrices === 'accept')) {
      return { price: priceOf(bid.tick, ask.tick), crossings };
    }
    left.delete(older(bid, ask, settings.priority));
  }
  return undefined;
}

/** The price of one source, whatever its age. */
export function priceOf(bid: Tick, ask: Tick): BookPrice {
  return {
    bid: bid.bid,
    ask: ask.ask,
    asOf: Math.min(bid.at, ask.at),
    source: bid.source === ask.source ? bid.source : COMPOSITE,
    bidFrom: bid,
    askFrom: ask,
  };
}

/** Of equal prices the newer one. */
function bestOf(tops: Iterable<SourceTop>): [bid: SourceTop | undefined, ask: SourceTop | undefined] {
  let bestBid: SourceTop | undefined;
  let bestAsk: SourceTop | undefined;
  for (const top of tops) {
    if (top.tick === undefined) continue;
    const bid = bestBid?.tick === undefined ? 1 : compare(top.tick.bid, bestBid.tick.bid);
    if (bid > 0 || (bid === 0 && isNewer(top, bestBid))) bestBid = top;
    const ask = bestAsk?.tick === undefined ? -1 : compare(top.tick.ask, bestAsk.tick.ask);
    if (ask < 0 || (ask === 0 && isNewer(top, bestAsk))) bestAsk = top;
  }
  return [bestBid, bestAsk];
}

function isNewer(top: SourceTop, than: SourceTop | undefined): boolean {
  return (top.tick?.at ?? 0) > (than?.tick?.at ?? 0);
}

function older(a: SourceTop, b: SourceTop, priority: readonly string[]): SourceTop {
  if (isNewer(a, b)) return b;
  if (isNewer(b, a)) return a;
  return precedes(a, b, priority) ? b : a;
}

/** Named sources in the order of the list, then the others in the order of their names. */
export function precedes(a: SourceTop, b: SourceTop, priority: readonly string[]): boolean {
  const rankA = priority.indexOf(a.source);
  const rankB = priority.indexOf(b.source);
  if (rankA === rankB) return a.source < b.source;
  return rankB === -1 || (rankA !== -1 && rankA < rankB);
}
