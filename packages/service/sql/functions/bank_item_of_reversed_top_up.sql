-- A top-up by hand that is reversed is not open any more: its money is not at the bank by the journal either.
create or replace function bank_item_of_reversed_top_up() returns trigger language plpgsql as $$
begin
  perform move_bank_item(new.currency, new.journal_entry_id, 'journal_entry', new.customer_id, new.amount_minor, new.booked_at);
  return null;
end $$;

create or replace trigger reversed_top_ups_move_bank_items after insert on reversed_top_ups for each row execute function bank_item_of_reversed_top_up();
