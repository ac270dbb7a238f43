-- Withdrawals are things that bank and ledger are compared by, as transactions are.

alter table bank_open_items
  drop constraint bank_open_items_kind_check,
  add constraint bank_open_items_kind_check check (kind in ('deposit', 'transaction', 'withdrawal', 'journal_entry'));

create or replace function bank_item_of_journal() returns trigger language plpgsql as $$
declare
  moved record;
begin
  -- What people book of an entry that is nothing else is the entry.
  if new.kind = 'bank_entry_booked' and new.deposit_id is null then return null; end if;
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

create or replace function bank_item_of_notice() returns trigger language plpgsql as $$
begin
  perform move_bank_item(new.currency, new.transaction_id, case new.purpose when 'withdrawal' then 'withdrawal' else 'transaction' end,
    new.customer_id, case new.kind when 'paid' then -new.amount_minor else new.amount_minor end, new.at);
  return null;
end $$;

-- What is there already: one item for each withdrawal instead of one for each of its postings and notices.
with moved as (
  delete from bank_open_items i using journal_entries e
  where i.kind = 'journal_entry' and e.customer_id = i.customer_id and e.id = i.subject_id and e.withdrawal_id is not null
  returning i.currency, e.withdrawal_id, i.customer_id, i.amount_minor, i.since
)
select move_bank_item(currency, withdrawal_id, 'withdrawal', customer_id, amount_minor, since) from moved;
update bank_open_items i set kind = 'withdrawal'
  where i.kind = 'transaction' and exists (
    select from bank_notices n where n.customer_id = i.customer_id and n.transaction_id = i.subject_id and n.purpose = 'withdrawal');
