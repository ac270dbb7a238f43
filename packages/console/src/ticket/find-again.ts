import type { Quote } from '@firmquote/client';
import { useEffect, useRef } from 'react';
import { noticeFailure, operator, roundTripMs } from '../api/session.ts';
import { closingMarginMs, endOf, type TicketEvent, type TicketState } from './machine.ts';

/**
 * The address knows the quote of a ticket: "back" and "forward", a link and a reload find it again for as long as it is open, and then
 * what became of it.
 * @param kept the quote's id in the address
 */
export function useFoundAgain(
  kept: string | undefined,
  keep: (quoteId: string | undefined) => void,
  customerId: string,
  state: TicketState<Quote>,
  send: (event: TicketEvent<Quote>) => void,
): void {
  const began = useRef({ kept, customerId, isEditing: state.at === 'editing' });
  useEffect(() => {
    const { kept: quoteId, customerId: whose, isEditing } = began.current;
    // What was being executed is asked for already.
    if (quoteId === undefined || !isEditing) return;
    const stop = new AbortController();
    void findAgain(quoteId, whose, stop.signal).then((event) => event !== undefined && send(event));
    return () => stop.abort();
  }, [send]);
  const firmId = state.at === 'firm' ? state.quote.quoteId : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another function at each rendering
  useEffect(() => {
    if (firmId !== undefined && firmId !== kept) keep(firmId);
  }, [firmId]);
}

async function findAgain(
  quoteId: string,
  customerId: string,
  signal: AbortSignal,
): Promise<TicketEvent<Quote> | undefined> {
  try {
    const call = operator.getAnyQuote(quoteId, { customerId }, { signal });
    const { data: quote, sentAtMs } = await call.withResponse();
    const closesAt = sentAtMs + quote.validForMs - closingMarginMs(roundTripMs());
    return { is: 'found', quote, closesAt, executeKey: crypto.randomUUID(), end: endOf(quote) };
  } catch (error) {
    // One of somebody else's, or of long ago: the terms stand there, and can be asked for anew.
    if (!signal.aborted) noticeFailure(error);
    return undefined;
  }
}
