-- A top-up by hand whose money never came is reversed. It is a top-up no more, so that its bank reference is free for another and no deposit takes its place:
-- its row goes from there to here.
create table reversed_top_ups (
  customer_id uuid not null references customers (id),
  id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38,0) not null check (amount_minor > 0),
  bank_reference text not null check (length(bank_reference) between 1 and 140),
  booked_by uuid,
  booked_at timestamptz not null,
  -- What had booked it, and what reverses that.
  journal_entry_id uuid not null,
  reversal_id uuid not null,
  reversed_by uuid not null,
  at timestamptz not null,
  reason text not null check (length(reason) between 1 and 500),
  -- What the balance no longer covered, and the customer owes since.
  owed_minor numeric(38,0) not null,
  primary key (customer_id, id),
  constraint reversed_top_ups_reversal unique (customer_id, reversal_id),
  constraint reversed_top_ups_owed_minor_check check (owed_minor between 0 and amount_minor)
);
alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind in (
  'trade_executed', 'trade_cancelled', 'deposit_received', 'deposit_allocated', 'deposit_deallocated', 'deposit_returned',
  'payout_sent', 'payout_returned', 'refund_paid', 'refund_returned', 'balance_topped_up', 'proceeds_credited',
  'close_out', 'withdrawal_requested', 'withdrawal_paid', 'withdrawal_undone', 'withdrawal_returned', 'bank_entry_booked',
  'return_ordered', 'return_paid', 'return_undone', 'return_reopened', 'debt_paid', 'debt_written_off', 'top_up_reversed'
)) not valid;
