import { findPair } from '@firmquote/fx';
import type { WithdrawHalted } from '../market/control.ts';
import { withdraw } from './quote-lifecycle.ts';
import type { QuotesRoom } from './room.ts';

/** Quotes in one statement: the end of the customer's feed is locked meanwhile. */
const BATCH = 250;

/** Takes back every open quote that an operator's halt takes back. Repeatable, on any instance. */
export async function withdrawHalted(
  room: QuotesRoom,
  isCurrent: Parameters<WithdrawHalted>[0],
): Promise<number> {
  const { market, store, clock } = room;
  if (!market.mayEndQuotes()) return 0;
  const pairs = (await store.openPairs(clock.now())).filter((code) => {
    const pair = findPair(code);
    return pair !== undefined && market.endsQuotes(pair);
  });
  const customers = [...market.halts.withdrawing.customers];
  if (pairs.length === 0 && customers.length === 0) return 0;
  return withdraw(
    async (now, held) => {
      const found = await store.openUnder({ pairs, customers, besides: held }, now, BATCH);
      return found.length > 0 && (await isCurrent()) ? found : [];
    },
    room,
    'market_halt',
  );
}
