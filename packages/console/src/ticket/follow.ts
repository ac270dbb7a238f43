import { useEffect } from 'react';
import { operator } from '../api/session.ts';
import { prices } from '../prices/store.ts';
import { type DealtQuote, type End, endOf, type TicketState } from './machine.ts';

/** A firm quote is asked for so often, whoever may end it. */
const EVERY_MS = 2_000;
/** While its pair is not traded: quotes are taken back a moment after the stream has told of a halt. */
const SOON_MS = 250;

/** Tells when a firm quote has ended by other hands: a halt, a suspension, somebody who cancelled or executed it. */
export function useFollowed(
  state: TicketState<DealtQuote>,
  send: (event: { readonly is: 'over'; readonly quoteId: string; readonly end: End }) => void,
): void {
  const quote = state.at === 'firm' ? state.quote : undefined;
  const quoteId = quote?.quoteId;
  const customerId = quote?.customerId;
  const pair = quote?.rate.pair;
  useEffect(() => {
    if (quoteId === undefined || pair === undefined) return;
    const stop = new AbortController();
    const { signal } = stop;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    const isHeldBack = () => prices.of(pair)?.price.reason !== undefined;
    const ask = async () => {
      if (isAsking) return;
      isAsking = true;
      clearTimeout(timer);
      // What cannot be read now is read again, and what is sent meanwhile is judged by the service.
      const quote = await operator.getAnyQuote(quoteId, { customerId }, { signal }).catch(() => undefined);
      isAsking = false;
      if (signal.aborted) return;
      const end = quote && endOf(quote);
      if (end !== undefined) send({ is: 'over', quoteId, end });
      else timer = setTimeout(() => void ask(), isHeldBack() ? SOON_MS : EVERY_MS);
    };
    timer = setTimeout(() => void ask(), EVERY_MS);
    let was = false;
    const unwatch = prices.watch(pair, () => {
      const is = isHeldBack();
      if (is && !was) void ask();
      was = is;
    });
    return () => {
      unwatch();
      clearTimeout(timer);
      stop.abort();
    };
  }, [quoteId, pair, customerId, send]);
}
