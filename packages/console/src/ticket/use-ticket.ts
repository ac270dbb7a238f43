import { ApiError, OutcomeUnknownError, QuoteAlreadyExecutedError } from '@firmquote/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef } from 'react';
import { business, isRightMissing, noticeFailure, operator, roundTripMs } from '../api/session.ts';
import { inOneLine } from '../parts/states.tsx';
import type { Search } from '../router.tsx';
import { useFoundAgain } from './find-again.ts';
import { findOut, outOfSight } from './find-out.ts';
import { useFollowed } from './follow.ts';
import {
  closingMarginMs,
  type DealtQuote,
  EDITING,
  endOf,
  endOfRefusal,
  next,
  type TicketEvent,
  type TicketState,
} from './machine.ts';
import { forgetPending, keepPending, pendingOf } from './pending.ts';
import { lastTrades } from './twin.ts';

export interface TicketTerms {
  readonly customerId: string;
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly fixedSide: 'sell' | 'buy';
  readonly amount: string;
  readonly tenor?: 'today' | 'tom' | 'spot' | undefined;
  readonly valueDate?: string | undefined;
  readonly validitySeconds?: number | undefined;
  readonly clientReference?: string | undefined;
}

type State = TicketState<DealtQuote>;
type Event = TicketEvent<DealtQuote>;

const TICK_MS = 200;
/** The answer of an execution is waited for so long; then it is asked for instead. */
const EXECUTE_LIMIT_MS = 10_000;

/** Carries the requests of a ticket. Everything that it decides is decided by the machine. */
export function useTicket(personId: string, kept: Search, keep: (changes: Search) => void) {
  const [state, send] = useReducer<State, string, [Event]>(next, personId, begun);
  const queries = useQueryClient();
  const sent = useRef(new Set<string>());
  useEffect(() => {
    if (state.at !== 'firm' && state.at !== 'executing') return;
    const timer = setInterval(() => send({ is: 'tick', now: performance.now() }), TICK_MS);
    return () => clearInterval(timer);
  }, [state.at]);
  useFollowed(state, send);
  useFoundAgain(kept, keep, state, send);
  useEffect(() => {
    // Once for each key, however often the page renders.
    if (state.at !== 'executing' || sent.current.has(state.executeKey)) return;
    sent.current.add(state.executeKey);
    const { quote, executeKey } = state;
    keepPending({ personId, quote, executeKey });
    void execute(quote, executeKey).then((event) => {
      if (event.is !== 'lost') forgetPending(executeKey);
      send(event);
      void queries.invalidateQueries();
    });
  }, [state, personId, queries]);
  useEffect(() => {
    if (state.at !== 'unknown') return;
    const end = new AbortController();
    const { quote, executeKey } = state;
    void askFor(quote, executeKey, end.signal).then((event) => {
      if (event === undefined) return;
      forgetPending(executeKey);
      send(event);
      void queries.invalidateQueries();
    });
    return () => end.abort();
  }, [state, queries]);
  const request = (terms: TicketTerms) => {
    const quoteKey = crypto.randomUUID();
    send({ is: 'request', quoteKey });
    void queries.prefetchQuery({ ...lastTrades(terms.customerId), staleTime: 0 });
    void ask(terms, quoteKey).then(send);
  };
  return { state, send, request };
}

/** What was under way when this tab was loaded anew is asked for before anything else. */
function begun(personId: string): State {
  const pending = pendingOf(personId);
  if (pending === undefined) return EDITING as State;
  const { quote, executeKey } = pending;
  return { at: 'unknown', quote, executeKey };
}

async function ask({ customerId, clientReference, ...terms }: TicketTerms, quoteKey: string): Promise<Event> {
  try {
    const given = clientReference === undefined || clientReference === '' ? {} : { clientReference };
    const call = operator.quoteForCustomer(customerId, { ...terms, ...given }, { idempotencyKey: quoteKey });
    const { data, sentAtMs } = await call.withResponse();
    const quote = { ...data, customerId };
    // From when it was sent: whatever the clock of this machine says, it is never later than the service's own end.
    const closesAt = sentAtMs + quote.validForMs - closingMarginMs(roundTripMs());
    return { is: 'quoted', quoteKey, quote, closesAt, executeKey: crypto.randomUUID() };
  } catch (error) {
    noticeFailure(error);
    const isHalted = error instanceof ApiError && error.members.reason === 'halt';
    return { is: 'refused', quoteKey, problem: { text: inOneLine(error), isHalted } };
  }
}

async function execute({ customerId, quoteId }: DealtQuote, executeKey: string): Promise<Event> {
  try {
    const { transactionId } = await operator.executeForCustomer(customerId, quoteId, {
      idempotencyKey: executeKey,
      timeoutMs: EXECUTE_LIMIT_MS,
      deadlineMs: EXECUTE_LIMIT_MS,
    });
    return { is: 'ended', executeKey, end: { as: 'executed', transactionId } };
  } catch (error) {
    return refusalOf(error, executeKey) ?? { is: 'lost', executeKey };
  }
}

/** What the service has decided; undefined where nobody knows whether it has done it. */
function refusalOf(error: unknown, executeKey: string): Event | undefined {
  if (!(error instanceof ApiError) || error instanceof OutcomeUnknownError || error.status >= 500)
    return undefined;
  noticeFailure(error);
  const transactionId = error instanceof QuoteAlreadyExecutedError ? error.transactionId : undefined;
  const end = endOfRefusal(error.code, transactionId, inOneLine(error));
  return end && { is: 'ended', executeKey, end };
}

/** Asks until it is decided, and says it as the ticket hears it. */
async function askFor(
  quote: DealtQuote,
  executeKey: string,
  signal: AbortSignal,
): Promise<Event | undefined> {
  const { customerId, quoteId } = quote;
  const end = await findOut({
    read: async () => {
      try {
        return endOf(await operator.getAnyQuote(quoteId, { customerId }, { signal }));
      } catch (error) {
        noticeFailure(error);
        return isRightMissing(error) ? outOfSight(quote, business.now()) : undefined;
      }
    },
    repeat: async () => {
      const event = await execute(quote, executeKey);
      // That it is refused for another reason says nothing of the one that was sent before.
      return event.is === 'ended' && event.end.as !== 'rejected' ? event.end : undefined;
    },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    now: () => performance.now(),
    signal,
  });
  return end && { is: 'ended', executeKey, end };
}
