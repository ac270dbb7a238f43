-- A top-up by hand whose place a deposit has is not open any more: what the deposit's entry in the journal takes back of it was the top-up's.
create or replace function bank_item_of_top_up() returns trigger language plpgsql as $$
begin
  if old.deposit_id is not null then
    perform move_bank_item(old.currency, old.deposit_id, 'deposit', null, old.amount_minor, old.at);
    perform move_bank_item(old.currency, old.journal_entry_id, 'journal_entry', old.customer_id, -old.amount_minor, old.at);
  end if;
  if new.deposit_id is not null then
    perform move_bank_item(new.currency, new.deposit_id, 'deposit', null, -new.amount_minor, new.at);
    perform move_bank_item(new.currency, new.journal_entry_id, 'journal_entry', new.customer_id, new.amount_minor, new.at);
  end if;
  return null;
end $$;

create or replace trigger top_ups_move_bank_items after update on balance_top_ups for each row
  when (old.deposit_id is distinct from new.deposit_id) execute function bank_item_of_top_up();
