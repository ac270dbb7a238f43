create or replace function bank_item_of_details() returns trigger language plpgsql as $$
declare
  of_currency text;
  booked_at timestamptz;
begin
  select b.currency, b.booking_date::timestamptz into strict of_currency, booked_at from bank_entries b where b.id = new.entry_id;
  if old.deposit_id is distinct from new.deposit_id then
    if old.deposit_id is not null then perform move_bank_item(of_currency, old.deposit_id, 'deposit', null, -old.amount_minor, booked_at); end if;
    if new.deposit_id is not null then perform move_bank_item(of_currency, new.deposit_id, 'deposit', null, new.amount_minor, booked_at); end if;
  end if;
  if taken_back_by(old) is distinct from taken_back_by(new) then
    if taken_back_by(old) is not null then perform move_bank_item(of_currency, taken_back_by(old), 'deposit', null, old.amount_minor, booked_at); end if;
    if taken_back_by(new) is not null then perform move_bank_item(of_currency, taken_back_by(new), 'deposit', null, -new.amount_minor, booked_at); end if;
  end if;
  return null;
end $$;

create or replace trigger details_move_bank_items after update on entry_details for each row
  when (old.deposit_id is distinct from new.deposit_id or new.returned_deposit_id is not null or old.returned_deposit_id is not null)
  execute function bank_item_of_details();
