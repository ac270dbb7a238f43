create or replace function bank_item_of_journal() returns trigger language plpgsql as $$
declare
  moved record;
begin
  -- What people book of an entry that is nothing else is the entry. What is reversed of a top-up by hand ends what was open of it.
  if new.kind = 'bank_entry_booked' and new.deposit_id is null or new.kind = 'top_up_reversed' then return null; end if;
  for moved in
    select p.currency, sum(p.amount) as amount from unnest(new.accounts, new.currencies, new.amounts) as p (account, currency, amount)
    where p.account = 'bank' group by p.currency
  loop
    perform move_bank_item(
      moved.currency, coalesce(new.deposit_id, new.transaction_id, new.withdrawal_id, new.id),
      case when new.deposit_id is not null then 'deposit' when new.transaction_id is not null then 'transaction'
        when new.withdrawal_id is not null then 'withdrawal' else 'journal_entry' end,
      case when new.deposit_id is null then new.customer_id end, -moved.amount, new.at);
  end loop;
  return null;
end $$;

create or replace trigger journal_moves_bank_items after insert on journal_entries for each row
  when ('bank' = any (new.accounts)) execute function bank_item_of_journal();
