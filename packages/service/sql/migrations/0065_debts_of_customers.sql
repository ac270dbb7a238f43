-- A customer's debt is paid from its balance, or written off.
alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind in (
  'trade_executed', 'trade_cancelled', 'deposit_received', 'deposit_allocated', 'deposit_deallocated', 'deposit_returned',
  'payout_sent', 'payout_returned', 'refund_paid', 'refund_returned', 'balance_topped_up', 'proceeds_credited',
  'close_out', 'withdrawal_requested', 'withdrawal_paid', 'withdrawal_undone', 'withdrawal_returned', 'bank_entry_booked',
  'return_ordered', 'return_paid', 'return_undone', 'return_reopened', 'debt_paid', 'debt_written_off'
)) not valid;
