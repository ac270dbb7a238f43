import type { Quote } from '@firmquote/client';
import type { OperatorTransactionSummary } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { business, operator } from '../api/session.ts';

/** The same trade within so long may be one that somebody gives a second time. */
const TWIN_MS = 60_000;
const LOOKED_AT = 20;

/** A trade of the same customer, pair, side and amount of a moment ago, whoever made it. */
export function useTwin(quote: Quote, isFirm: boolean): OperatorTransactionSummary | undefined {
  const { data } = useQuery({
    queryKey: ['twin', quote.quoteId],
    queryFn: async () => {
      const { customerId } = await operator.getAnyQuote(quote.quoteId);
      const { items } = await operator.listAllTransactions({ customerId, limit: LOOKED_AT });
      return items.find((each) => isTwin(each, quote, business.now())) ?? null;
    },
    enabled: isFirm,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? undefined;
}

function isTwin(made: OperatorTransactionSummary, quote: Quote, now: number): boolean {
  const fixed = quote.fixedSide === 'sell' ? 'sellAmount' : 'buyAmount';
  return (
    made.sellCurrency === quote.sellCurrency &&
    made.buyCurrency === quote.buyCurrency &&
    made[fixed] === quote[fixed] &&
    now - Date.parse(made.createdAt) < TWIN_MS
  );
}
