import type { JournalEntryKind } from '@firmquote/api/operations/ledger';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { NewEvent } from '../events/append.ts';
import type { JournalEntry } from './journal.ts';

/** Why a customer owes something apart from its trades, or no longer does, as events and statements say it. */
type DebtReason = 'bank_debit' | 'close_out' | 'deposit_missing' | 'top_up_reversed' | 'paid' | 'written_off';

type ReasonsOfKinds = Readonly<Partial<Record<JournalEntryKind, DebtReason>>>;

/** Why an entry of these kinds books a debt, or ends one; some debts end as they began. Others post to `customer_receivable` of open trades only. */
export const DEBT_KINDS: ReasonsOfKinds = {
  bank_entry_booked: 'bank_debit',
  close_out: 'close_out',
  debt_paid: 'paid',
  debt_written_off: 'written_off',
  top_up_reversed: 'top_up_reversed',
};

export function debtReason(kind: JournalEntryKind, depositId: string | null): DebtReason | undefined {
  return kind === 'bank_entry_booked' && depositId !== null ? 'deposit_missing' : DEBT_KINDS[kind];
}

/** What these entries tell their customers of debts. What the balance pays is told of otherwise. */
export function debtEvents(entries: readonly JournalEntry[]): NewEvent[] {
  return entries.flatMap(({ customerId, kind, postings, transactionId, depositId }) => {
    const reason = debtReason(kind, depositId ?? null);
    if (reason === undefined || reason === 'paid') return [];
    const owed = postings.filter(({ account, amount }) => account === 'customer_receivable' && amount !== 0n);
    return owed.map(({ currency, amount }) => ({
      customerId,
      type: amount > 0n ? ('balance.debt_booked' as const) : ('balance.debt_released' as const),
      detail: {
        amount: formatAmount(amount < 0n ? -amount : amount, knownCurrency(currency)),
        currency,
        reason,
      },
      ...(transactionId === undefined ? {} : { transactionId }),
    }));
  });
}
