import { type Decimal, parseDecimal } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { lastPricesBefore } from './bar-store.ts';

/** A price of a pair as it was, and until when bars have it. */
export interface PastPrice {
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly at: number;
}

/** The last prices that pairs had before an instant, as far as bars of that time are kept. */
export async function pricesBefore(
  database: Queryable,
  pairs: readonly string[],
  before: number,
): Promise<ReadonlyMap<string, PastPrice>> {
  const rows = await lastPricesBefore(database, pairs, before);
  const price = (text: string) => {
    const read = parseDecimal(text);
    if (read === undefined) throw new Error(`${text} is no price`);
    return read;
  };
  return new Map(rows.map(({ pair, at, bid, ask }) => [pair, { bid: price(bid), ask: price(ask), at }]));
}
