import type { JournalEntryKind } from '@firmquote/client/operator';

/** What an entry of the journal is of, in words. */
export const ENTRY_WORDS: Readonly<Record<JournalEntryKind, string>> = {
  trade_executed: 'Trade executed',
  trade_cancelled: 'Trade cancelled',
  deposit_received: 'Deposit received',
  deposit_allocated: 'Deposit allocated',
  deposit_deallocated: 'Allocation undone',
  deposit_returned: 'Deposit returned',
  payout_sent: 'Payout sent',
  payout_returned: 'Payout returned',
  refund_paid: 'Refund paid',
  refund_returned: 'Refund returned',
  balance_topped_up: 'Balance topped up',
  proceeds_credited: 'Proceeds credited to the balance',
  close_out: 'Trade closed out',
  withdrawal_requested: 'Withdrawal requested',
  withdrawal_paid: 'Withdrawal paid',
  withdrawal_undone: 'Withdrawal undone',
  withdrawal_returned: 'Withdrawal returned',
  bank_entry_booked: 'Statement entry booked',
  return_ordered: 'Return of a deposit ordered',
  return_paid: 'Return of a deposit paid',
  return_undone: 'Return of a deposit came back',
  return_reopened: 'Return of a deposit reopened',
  debt_paid: 'Debt paid from the balance',
  debt_written_off: 'Debt written off',
  top_up_reversed: 'Top-up reversed',
};

export const ENTRY_KINDS = Object.entries(ENTRY_WORDS);

export function entryInWords(kind: JournalEntryKind): string {
  return ENTRY_WORDS[kind];
}
