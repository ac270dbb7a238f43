import type { Decimal, ExactPrice } from '@firmquote/fx';

/** Which source a price came from, and when that source made it. */
export interface PriceOrigin {
  readonly source: string;
  /** Epoch milliseconds of the injected clock. */
  readonly at: number;
}

/** One price of one pair from one source. */
export interface Tick extends PriceOrigin {
  /** Six letters in market order: `EURUSD`. */
  readonly pair: string;
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** One of the two prices that a cross was made of. */
export interface BookLeg extends Tick {
  readonly bidFrom: PriceOrigin;
  readonly askFrom: PriceOrigin;
  readonly acceptedPrice?: number;
}

export interface BookPrice {
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** Of a cross: both sides before they were rounded to be shown. */
  readonly exact?: ExactPrice['exact'];
  /** Epoch milliseconds of the older of what it was made from: side of a composite, leg of a cross. */
  readonly asOf: number;
  /** Name of the source; `composite` when it was made from several. */
  readonly source: string;
  /** Where each side comes from. Absent in a cross, whose legs say it. */
  readonly bidFrom?: PriceOrigin;
  readonly askFrom?: PriceOrigin;
  /** Which of the pair's accepted prices it is believed on; absent when nobody had to accept one. */
  readonly acceptedPrice?: number;
  /** What a cross was made of: the base currency's leg, then the quote currency's. */
  readonly legs?: readonly BookLeg[];
}

export type PriceReading =
  | { readonly status: 'fresh' | 'stale'; readonly price: BookPrice; readonly ageMs: number }
  | { readonly status: 'missing' };

/** Name of a price that several sources made. */
export const COMPOSITE = 'composite';
