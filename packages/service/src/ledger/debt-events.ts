import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { NewEvent } from '../events/append.ts';
import type { JournalEntry, PostedKind } from './journal.ts';

/** Why a customer owes something apart from its trades, as the customer's events say it; some debts end as they began. */
type DebtReason = 'bank_debit' | 'close_out' | 'deposit_missing' | 'top_up_reversed' | 'written_off';

/** What is booked of a trade as long as it is open, and what the balance pays, is told of otherwise. */
const REASONS: Readonly<Partial<Record<PostedKind, DebtReason>>> = {
  bank_entry_booked: 'bank_debit',
  close_out: 'close_out',
  debt_written_off: 'written_off',
  top_up_reversed: 'top_up_reversed',
};

/** What these entries tell their customers of debts. */
export function debtEvents(entries: readonly JournalEntry[]): NewEvent[] {
  return entries.flatMap(({ customerId, kind, postings, ...of }) => {
    const reason =
      kind === 'bank_entry_booked' && of.depositId !== undefined ? 'deposit_missing' : REASONS[kind];
    const owed = postings.filter(({ account, amount }) => account === 'customer_receivable' && amount !== 0n);
    if (reason === undefined) return [];
    return owed.map(({ currency, amount }) => ({
      ...debtEvent(customerId, currency, amount, reason),
      ...(of.transactionId === undefined ? {} : { transactionId: of.transactionId }),
    }));
  });
}

/** @param minor what the customer owes more, or less where it is below zero */
export function debtEvent(
  customerId: string,
  currency: string,
  minor: bigint,
  reason: DebtReason,
): NewEvent & { readonly type: 'balance.debt_booked' | 'balance.debt_released' } {
  const size = minor < 0n ? -minor : minor;
  return {
    customerId,
    type: minor > 0n ? 'balance.debt_booked' : 'balance.debt_released',
    detail: { amount: formatAmount(size, knownCurrency(currency)), currency, reason },
  };
}
