import type { Quote } from '@firmquote/client';

/**
 * A ticket from the first digit to the trade. It is a state and a function from events to the next one; what it is shown with and
 * what carries its requests stand elsewhere. It never has two keys for one execution, and so never trades twice.
 */

export interface FirmQuote {
  readonly quoteId: string;
  /** For whom it was asked. What is done with it is done for nobody else, whoever is chosen on the page by then. */
  readonly customerId: string;
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly sellAmount: string;
  readonly buyAmount: string;
}

/** A quote of the service, with whose it is. */
export type DealtQuote = Quote & FirmQuote;

/** Why there is no quote, in words. */
export interface Refusal {
  readonly text: string;
  /** Somebody, or the sources' own disagreement, holds back quotes. */
  readonly isHalted: boolean;
}

export type TicketState<Q extends FirmQuote = FirmQuote> =
  | { readonly at: 'editing'; readonly problem: Refusal | undefined }
  /** @property quoteKey of the request for a quote, which is repeated with the same one */
  | { readonly at: 'requesting'; readonly quoteKey: string }
  /** @property closesAt by the clock that only goes forward, ms; `executeKey` is the one key of this quote's execution */
  | { readonly at: 'firm'; readonly quote: Q; readonly closesAt: number; readonly executeKey: string }
  | {
      readonly at: 'executing';
      readonly quote: Q;
      readonly executeKey: string;
      readonly since: number;
      readonly isSlow: boolean;
    }
  | { readonly at: 'unknown'; readonly quote: Q; readonly executeKey: string }
  | { readonly at: 'executed'; readonly quote: Q; readonly transactionId: string }
  | { readonly at: 'rejected'; readonly quote: Q; readonly reason: string }
  | { readonly at: 'expired'; readonly quote: Q }
  /** @property because why the service ended it, by its code; undefined where it did not say */
  | { readonly at: 'withdrawn'; readonly quote: Q; readonly because: string | undefined };

/** What became of a quote, whoever did it; a quote that is open has no end yet. */
export type End =
  | { readonly as: 'executed'; readonly transactionId: string }
  | { readonly as: 'expired' }
  | { readonly as: 'withdrawn'; readonly because: string | undefined };
/** @property reason in words */
type Rejected = { readonly as: 'rejected'; readonly reason: string };

export type TicketEvent<Q extends FirmQuote = FirmQuote> =
  | { readonly is: 'request'; readonly quoteKey: string }
  | {
      readonly is: 'quoted';
      readonly quoteKey: string;
      readonly quote: Q;
      readonly closesAt: number;
      readonly executeKey: string;
    }
  | { readonly is: 'refused'; readonly quoteKey: string; readonly problem: Refusal }
  /** A quote of this ticket from before it was left by "back", or loaded anew. */
  | {
      readonly is: 'found';
      readonly quote: Q;
      readonly closesAt: number;
      readonly executeKey: string;
      readonly end: End | undefined;
    }
  /** The service was asked for the quote while it was firm, and it has ended. */
  | { readonly is: 'over'; readonly quoteId: string; readonly end: End }
  | { readonly is: 'execute'; readonly now: number }
  | { readonly is: 'tick'; readonly now: number }
  | { readonly is: 'ended'; readonly executeKey: string; readonly end: End | Rejected }
  | { readonly is: 'lost'; readonly executeKey: string }
  | { readonly is: 'edit' };

/** An execution that takes longer is called slow. */
export const SLOW_AFTER_MS = 2_000;

export const EDITING: TicketState<never> = { at: 'editing', problem: undefined };

/** The next state; the same one where the event does not belong to it: a second press, or an answer that comes too late. */
export function next<Q extends FirmQuote>(state: TicketState<Q>, event: TicketEvent<Q>): TicketState<Q> {
  switch (event.is) {
    case 'request':
      return isBusy(state) ? state : { at: 'requesting', quoteKey: event.quoteKey };
    case 'quoted': {
      if (state.at !== 'requesting' || state.quoteKey !== event.quoteKey) return state;
      const { quote, closesAt, executeKey } = event;
      return { at: 'firm', quote, closesAt, executeKey };
    }
    case 'refused':
      if (state.at !== 'requesting' || state.quoteKey !== event.quoteKey) return state;
      return { at: 'editing', problem: event.problem };
    case 'found': {
      // Whoever has gone on meanwhile is not brought back.
      if (state.at !== 'editing') return state;
      const { quote, closesAt, executeKey, end } = event;
      return end === undefined ? { at: 'firm', quote, closesAt, executeKey } : ended(quote, end);
    }
    case 'over':
      // Once it is being executed, the answer to that decides.
      if (state.at !== 'firm' || state.quote.quoteId !== event.quoteId) return state;
      return ended(state.quote, event.end);
    case 'execute':
      return begun(state, event.now);
    case 'tick':
      return passed(state, event.now);
    case 'edit':
      return isBusy(state) ? state : EDITING;
    default:
      return decided(state, event);
  }
}

/** Something is under way that nobody may walk away from. */
export function isBusy({ at }: Pick<TicketState, 'at'>): boolean {
  return at === 'requesting' || at === 'executing' || at === 'unknown';
}

function begun<Q extends FirmQuote>(state: TicketState<Q>, now: number): TicketState<Q> {
  if (state.at !== 'firm') return state;
  if (now >= state.closesAt) return { at: 'expired', quote: state.quote };
  const { quote, executeKey } = state;
  return { at: 'executing', quote, executeKey, since: now, isSlow: false };
}

function passed<Q extends FirmQuote>(state: TicketState<Q>, now: number): TicketState<Q> {
  if (state.at === 'firm' && now >= state.closesAt) return { at: 'expired', quote: state.quote };
  if (state.at === 'executing' && !state.isSlow && now - state.since >= SLOW_AFTER_MS)
    return { ...state, isSlow: true };
  return state;
}

type Decision = Extract<TicketEvent, { readonly is: 'ended' | 'lost' }>;

/** What came of an execution; asked for in `unknown`, too. */
function decided<Q extends FirmQuote>(state: TicketState<Q>, event: Decision): TicketState<Q> {
  if (state.at !== 'executing' && state.at !== 'unknown') return state;
  if (state.executeKey !== event.executeKey) return state;
  const { quote, executeKey } = state;
  return event.is === 'lost' ? { at: 'unknown', quote, executeKey } : ended(quote, event.end);
}

function ended<Q extends FirmQuote>(quote: Q, end: End | Rejected): TicketState<Q> {
  const { as: at, ...why } = end;
  return { at, quote, ...why } as TicketState<Q>;
}

/** What became of a quote, of what the service says of it. */
export function endOf({
  status,
  statusReason,
  transactionId,
}: {
  readonly status: string;
  readonly statusReason: string | null;
  readonly transactionId: string | null;
}): End | undefined {
  if (transactionId !== null) return { as: 'executed', transactionId };
  if (status === 'withdrawn') return { as: 'withdrawn', because: statusReason ?? undefined };
  if (status === 'cancelled') return { as: 'withdrawn', because: 'cancelled' };
  // Executed and without its transaction: the next reading has it.
  return status === 'open' || status === 'executed' ? undefined : { as: 'expired' };
}

/**
 * What became of a quote whose execution the service has refused, by the code of the problem. One that was executed under another key,
 * by the customer or in another window, was traded: whoever is told that it was not trades again.
 * @param said the refusal in words
 * @returns undefined where that has to be asked for
 */
export function endOfRefusal(
  code: string,
  transactionId: string | undefined,
  said: string,
): End | Rejected | undefined {
  switch (code) {
    case 'quote_already_executed':
      // Traded, and not said as what: the quote itself says it.
      return transactionId === undefined ? undefined : { as: 'executed', transactionId };
    case 'quote_expired':
      return { as: 'expired' };
    case 'quote_withdrawn':
      return { as: 'withdrawn', because: undefined };
    case 'quote_cancelled':
      return { as: 'withdrawn', because: 'cancelled' };
    default:
      return { as: 'rejected', reason: said };
  }
}

/** The margin before the service's own end at which nothing is sent any more, ms. */
export function closingMarginMs(roundTripMs: number): number {
  return Math.max(250, roundTripMs);
}

/** What is said aloud of the time that is left: at the start, at 30 s, at 10 s, and no other second. */
export function announcementAt(seconds: number, saidAt: number | undefined): number | undefined {
  if (saidAt === undefined) return seconds;
  const due = [30, 10].find((mark) => seconds <= mark && saidAt > mark);
  return due === undefined ? undefined : seconds;
}
