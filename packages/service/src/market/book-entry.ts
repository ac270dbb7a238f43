import { crossThrough, type Pair } from '@firmquote/fx';
import type { BookPrice, Tick } from './rate-book.ts';

/** The dollar pairs of the base and of the quote currency. */
export type BookLegs = readonly [base: BookEntry, quote: BookEntry];

/** What the book holds of a pair. Entries are made once per pair and never removed; pairs are finite. */
export interface BookEntry {
  readonly pair: Pair;
  /** The two dollar pairs, unless the pair itself is one. */
  readonly legs: BookLegs | undefined;
  /** The newest tick of a feed. */
  live: Tick | undefined;
  /** What the sandbox set in its place. */
  frozen: Tick | undefined;
  /** `frozen ?? live` as it is given out. */
  price: BookPrice | undefined;
  /** The last cross and the ticks it stands on; other ticks in the legs make it void. */
  cross: { readonly price: BookPrice; readonly base: Tick; readonly quote: Tick } | undefined;
}

/** The cross of the two legs as they are now, computed when first asked for and kept until a leg changes. */
export function crossPriceOf(entry: BookEntry): BookPrice | undefined {
  if (entry.legs === undefined) return undefined;
  const [baseLeg, quoteLeg] = entry.legs;
  const base = baseLeg.frozen ?? baseLeg.live;
  const quote = quoteLeg.frozen ?? quoteLeg.live;
  if (base === undefined || quote === undefined) return undefined;
  if (entry.cross !== undefined && entry.cross.base === base && entry.cross.quote === quote) {
    return entry.cross.price;
  }
  const { bid, ask } = crossThrough(
    entry.pair,
    { pair: baseLeg.pair, price: base },
    { pair: quoteLeg.pair, price: quote },
  );
  const price: BookPrice = {
    bid,
    ask,
    asOf: Math.min(base.at, quote.at),
    source: base.source === quote.source ? base.source : 'composite',
    legs: [base, quote],
  };
  entry.cross = { price, base, quote };
  return price;
}
