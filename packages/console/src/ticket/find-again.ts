import { useEffect, useRef } from 'react';
import { noticeFailure, operator, roundTripMs } from '../api/session.ts';
import type { Search } from '../router.tsx';
import { closingMarginMs, type DealtQuote, endOf, type TicketEvent, type TicketState } from './machine.ts';

/**
 * The address knows the quote of a ticket: "back" and "forward", a link and a reload find it again for as long as it is open, and then
 * what became of it. Whose it is the quote itself says, and the address says so from then on.
 * @param kept the address: `firm`, and `for` whom it is
 */
export function useFoundAgain(
  kept: Search,
  keep: (changes: Search) => void,
  state: TicketState<DealtQuote>,
  send: (event: TicketEvent<DealtQuote>) => void,
): void {
  const began = useRef({ quoteId: kept.firm, isEditing: state.at === 'editing' });
  useEffect(() => {
    const { quoteId, isEditing } = began.current;
    // What was being executed is asked for already.
    if (quoteId === undefined || !isEditing) return;
    const stop = new AbortController();
    void findAgain(quoteId, stop.signal).then((event) => event !== undefined && send(event));
    return () => stop.abort();
  }, [send]);
  const quote = 'quote' in state ? state.quote : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another function at each rendering
  useEffect(() => {
    if (quote === undefined) return;
    const { quoteId, customerId } = quote;
    const now = { firm: state.at === 'firm' ? quoteId : kept.firm, for: customerId };
    if (now.firm !== kept.firm || now.for !== kept.for) keep(now);
  }, [quote?.quoteId]);
}

async function findAgain(quoteId: string, signal: AbortSignal): Promise<TicketEvent<DealtQuote> | undefined> {
  try {
    const call = operator.getAnyQuote(quoteId, {}, { signal });
    const { data: quote, sentAtMs } = await call.withResponse();
    const closesAt = sentAtMs + quote.validForMs - closingMarginMs(roundTripMs());
    return { is: 'found', quote, closesAt, executeKey: crypto.randomUUID(), end: endOf(quote) };
  } catch (error) {
    // One of somebody else's, or of long ago: the terms stand there, and can be asked for anew.
    if (!signal.aborted) noticeFailure(error);
    return undefined;
  }
}
