/** States of a firm quote. All but `open` are terminal. */
export type QuoteStatus = 'open' | 'executed' | 'cancelled' | 'expired' | 'withdrawn';

/** States of a transaction, from the execution of its quote to the payout. */
export const TRANSACTION_STATUSES = [
  'awaiting_funds',
  'partially_funded',
  'funded',
  'overdue',
  'settling',
  'settled',
  'settlement_failed',
  'cancelled',
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** Who or what may cause a transition. */
export type Actor = 'client' | 'operator' | 'risk' | 'matcher' | 'bank_feed' | 'system';

export interface QuoteTransition {
  /** `null`: the quote comes into being. */
  readonly from: 'open' | null;
  readonly to: QuoteStatus;
  /** Stable code of the cause. */
  readonly trigger: string;
  readonly by: readonly Actor[];
}

export const QUOTE_TRANSITIONS: readonly QuoteTransition[] = [
  { from: null, to: 'open', trigger: 'requested', by: ['client'] },
  { from: 'open', to: 'executed', trigger: 'executed', by: ['client'] },
  { from: 'open', to: 'cancelled', trigger: 'cancelled', by: ['client'] },
  { from: 'open', to: 'expired', trigger: 'validity_ended', by: ['system'] },
  { from: 'open', to: 'withdrawn', trigger: 'withdrawn', by: ['operator', 'risk'] },
];

export interface TransactionTransition {
  /** 1 to 15, the number under which the transition is documented. */
  readonly number: number;
  /** `null`: the transaction comes into being. */
  readonly from: readonly (TransactionStatus | null)[];
  readonly to: readonly TransactionStatus[];
  /** Stable code of the cause, as the timeline shows it. */
  readonly trigger: string;
  /** What has to be true. */
  readonly when: string;
  readonly by: readonly Actor[];
  /** States from which a second person has to agree. */
  readonly twoPersonsFrom?: readonly TransactionStatus[];
}

export const TRANSACTION_TRANSITIONS: readonly TransactionTransition[] = [
  {
    number: 1,
    from: [null],
    to: ['awaiting_funds'],
    trigger: 'executed',
    when: 'a post-funded customer executes a quote',
    by: ['client'],
  },
  {
    number: 2,
    from: [null],
    to: ['funded'],
    trigger: 'executed',
    when: 'a pre-funded customer executes a quote and the balance is debited in the same commit',
    by: ['client'],
  },
  {
    number: 3,
    from: ['awaiting_funds'],
    to: ['partially_funded'],
    trigger: 'deposit_matched',
    when: 'the matched total is below the expected amount less tolerance',
    by: ['matcher', 'operator'],
  },
  {
    number: 4,
    from: ['awaiting_funds', 'partially_funded'],
    to: ['funded'],
    trigger: 'deposit_matched',
    when: 'the matched total reaches the expected amount less tolerance',
    by: ['matcher', 'operator'],
  },
  {
    number: 5,
    from: ['awaiting_funds', 'partially_funded'],
    to: ['overdue'],
    trigger: 'funding_cutoff_passed',
    when: 'the clock reaches the funding cut-off',
    by: ['system'],
  },
  {
    number: 6,
    from: ['overdue'],
    to: ['funded'],
    trigger: 'late_deposit_matched',
    when: 'late money is matched; the value date rolls on and the original one is kept',
    by: ['matcher', 'operator'],
  },
  {
    number: 7,
    from: ['overdue'],
    to: ['cancelled'],
    trigger: 'closed_out',
    when: 'the grace period ends or a close-out is decided',
    by: ['operator', 'system'],
  },
  {
    number: 8,
    from: ['funded'],
    to: ['settling'],
    trigger: 'settlement_started',
    when: 'the value date is reached before the buy currency cut-off and no hold stands',
    by: ['system', 'operator'],
  },
  {
    number: 9,
    from: ['settling'],
    to: ['settled'],
    trigger: 'payout_confirmed',
    when: "the payout is confirmed, or credited to the customer's balance",
    by: ['bank_feed', 'operator', 'system'],
  },
  {
    number: 10,
    from: ['settling'],
    to: ['settlement_failed'],
    trigger: 'payout_rejected',
    when: 'the payout is rejected',
    by: ['bank_feed', 'operator'],
  },
  {
    number: 11,
    from: ['settled'],
    to: ['settlement_failed'],
    trigger: 'payout_returned',
    when: 'the bank returns the money after the payout',
    by: ['bank_feed', 'operator'],
  },
  {
    number: 12,
    from: ['settlement_failed'],
    to: ['settling'],
    trigger: 'payout_retried',
    when: 'the payout is tried again with corrected instructions',
    by: ['operator'],
  },
  {
    number: 13,
    from: ['awaiting_funds', 'partially_funded', 'funded', 'settlement_failed'],
    to: ['cancelled'],
    trigger: 'unwound',
    when: 'the trade is unwound; money that was received is refunded',
    by: ['operator'],
    twoPersonsFrom: ['funded'],
  },
  {
    number: 14,
    from: ['funded', 'partially_funded'],
    to: ['awaiting_funds', 'partially_funded'],
    trigger: 'deposit_removed',
    when: 'a deposit is unmatched, or returned by the bank of its remitter',
    by: ['operator', 'bank_feed'],
  },
  {
    number: 15,
    from: ['overdue'],
    to: ['awaiting_funds', 'partially_funded'],
    trigger: 'value_date_rolled',
    when: 'late payment is agreed: the value date moves to a later date, and the funding cut-off with it',
    by: ['operator'],
  },
];

/**
 * The status that a reader is shown: an open quote at or past its expiry (epoch milliseconds) is expired,
 * whether or not the sweeper has come by.
 */
export function quoteStatusAt(stored: QuoteStatus, expiresAt: number, now: number): QuoteStatus {
  return stored === 'open' && now >= expiresAt ? 'expired' : stored;
}

/** The one transition from a status to another, if there is one and the actor (when given) may cause it. */
export function findQuoteTransition(
  from: QuoteStatus | null,
  to: QuoteStatus,
  by?: Actor,
): QuoteTransition | undefined {
  return QUOTE_TRANSITIONS.find(
    (each) => each.from === from && each.to === to && (by === undefined || each.by.includes(by)),
  );
}

export function canQuoteTransition(from: QuoteStatus | null, to: QuoteStatus, by?: Actor): boolean {
  return findQuoteTransition(from, to, by) !== undefined;
}

/**
 * The one transition from a status to another, if there is one and the actor (when given) may cause it.
 * `from: null` asks for the creation of a transaction.
 */
export function findTransition(
  from: TransactionStatus | null,
  to: TransactionStatus,
  by?: Actor,
): TransactionTransition | undefined {
  return TRANSACTION_TRANSITIONS.find(
    (each) => each.from.includes(from) && each.to.includes(to) && (by === undefined || each.by.includes(by)),
  );
}

export function canTransition(from: TransactionStatus | null, to: TransactionStatus, by?: Actor): boolean {
  return findTransition(from, to, by) !== undefined;
}

/** No transition leads out of it. */
export function isTerminalQuoteStatus(status: QuoteStatus): boolean {
  return status !== 'open';
}

/** Nothing more is expected to happen; only a returned payout (transition 11) still leads out of `settled`. */
export function isFinalTransactionStatus(status: TransactionStatus): boolean {
  return status === 'settled' || status === 'cancelled';
}
