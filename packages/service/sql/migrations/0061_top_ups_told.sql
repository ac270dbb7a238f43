-- The deposit that has the place of a top-up by hand, since a bank has told of its money; and the journal entry that had booked it, once that is known.
alter table balance_top_ups add column deposit_id uuid references deposits (id);
alter table balance_top_ups add column journal_entry_id uuid;
alter table balance_top_ups add constraint balance_top_up_told_has_journal_entry check (deposit_id is null or journal_entry_id is not null);
create index if not exists balance_top_ups_bank_reference on balance_top_ups (bank_reference);
create index if not exists balance_top_ups_untold on balance_top_ups (currency, amount_minor) where deposit_id is null;
create unique index if not exists balance_top_ups_deposit on balance_top_ups (deposit_id, customer_id) where deposit_id is not null;
-- Of deposits whose entries have references that were taken, what the bank calls them.
create index if not exists deposits_reference_taken on deposits (split_part(bank_reference, '#ste_', 1)) where bank_reference like '%#ste\_%';
