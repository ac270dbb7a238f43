/**
 * A ticket from the first digit to the trade. It is a state and a function from events to the next one; what it is shown with and
 * what carries its requests stand elsewhere. It never has two keys for one execution, and so never trades twice.
 */

export interface FirmQuote {
  readonly quoteId: string;
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly sellAmount: string;
  readonly buyAmount: string;
}

export type TicketState<Q extends FirmQuote = FirmQuote> =
  | { readonly at: 'editing'; readonly problem: string | undefined }
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
  | { readonly at: 'withdrawn'; readonly quote: Q };

export type TicketEvent<Q extends FirmQuote = FirmQuote> =
  | { readonly is: 'request'; readonly quoteKey: string }
  | {
      readonly is: 'quoted';
      readonly quoteKey: string;
      readonly quote: Q;
      readonly closesAt: number;
      readonly executeKey: string;
    }
  | { readonly is: 'refused'; readonly quoteKey: string; readonly problem: string }
  | { readonly is: 'execute'; readonly now: number }
  | { readonly is: 'tick'; readonly now: number }
  | { readonly is: 'traded'; readonly executeKey: string; readonly transactionId: string }
  | {
      readonly is: 'ended';
      readonly executeKey: string;
      readonly as: 'expired' | 'withdrawn' | 'rejected';
      readonly reason: string;
    }
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

type Decision = Extract<TicketEvent, { readonly is: 'traded' | 'ended' | 'lost' }>;

/** What came of an execution; asked for in `unknown`, too. */
function decided<Q extends FirmQuote>(state: TicketState<Q>, event: Decision): TicketState<Q> {
  if (state.at !== 'executing' && state.at !== 'unknown') return state;
  if (state.executeKey !== event.executeKey) return state;
  const { quote, executeKey } = state;
  if (event.is === 'traded') return { at: 'executed', quote, transactionId: event.transactionId };
  if (event.is === 'lost') return { at: 'unknown', quote, executeKey };
  if (event.as === 'rejected') return { at: 'rejected', quote, reason: event.reason };
  return { at: event.as, quote };
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
