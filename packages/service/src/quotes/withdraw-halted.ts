import { findPair } from '@firmquote/fx';
import { withdraw } from './quote-lifecycle.ts';
import type { QuotesRoom } from './room.ts';

/** Quotes in one statement: the end of the customer's feed is locked meanwhile. */
const BATCH = 250;

/** Takes back every open quote that an operator's halt takes back. Repeatable, on any instance. */
export async function withdrawHalted(room: QuotesRoom): Promise<number> {
  const { market, store, clock } = room;
  if (!market.mayEndQuotes()) return 0;
  const pairs = (await store.openPairs(clock.now())).filter((code) => {
    const pair = findPair(code);
    return pair !== undefined && market.endsQuotes(pair);
  });
  const customers = [...market.halts.withdrawing.customers];
  if (pairs.length === 0 && customers.length === 0) return 0;
  return withdraw(
    (now, held) => store.openUnder({ pairs, customers, besides: held }, now, BATCH),
    room,
    'market_halt',
  );
}
