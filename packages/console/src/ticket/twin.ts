import type { OperatorTransactionSummary } from '@firmquote/client/operator';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { business, operator } from '../api/session.ts';
import type { DealtQuote } from './machine.ts';

/** The same trade within so long may be one that somebody gives a second time. */
const TWIN_MS = 60_000;
const LOOKED_AT = 20;
/** A look that was begun with the request for a quote is good for that quote. */
const GOOD_FOR_MS = 5_000;
/** For so long Execute waits for it. A price is not lost to a slow list. */
const WAIT_MS = 1_000;

/** What the customer traded last. It is asked for with a quote, so that it is there when the quote is. */
export const lastTrades = (customerId: string) =>
  queryOptions({
    queryKey: ['last-trades', customerId],
    queryFn: async () => (await operator.listAllTransactions({ customerId, limit: LOOKED_AT })).items,
  });

/** @property twin a trade of the same customer, pair, side and amount of a moment ago, whoever made it; `isLooking` while it may be one */
export function useTwin(
  quote: DealtQuote,
  isFirm: boolean,
): { readonly twin: OperatorTransactionSummary | undefined; readonly isLooking: boolean } {
  const { data, isFetching } = useQuery({
    ...lastTrades(quote.customerId),
    enabled: isFirm,
    staleTime: GOOD_FOR_MS,
    refetchOnWindowFocus: false,
  });
  const [isPatient, setPatient] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  const twin = isFirm ? data?.find((each) => isTwin(each, quote, business.now())) : undefined;
  return { twin, isLooking: isFirm && isFetching && isPatient };
}

function isTwin(made: OperatorTransactionSummary, quote: DealtQuote, now: number): boolean {
  const fixed = quote.fixedSide === 'sell' ? 'sellAmount' : 'buyAmount';
  return (
    made.sellCurrency === quote.sellCurrency &&
    made.buyCurrency === quote.buyCurrency &&
    made[fixed] === quote[fixed] &&
    now - Date.parse(made.createdAt) < TWIN_MS
  );
}
