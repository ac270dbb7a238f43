create or replace function move_bank_item(of_currency text, subject uuid, of_kind text, of_customer uuid, minor numeric, at timestamptz) returns void
language plpgsql as $$
begin
  if minor = 0 then return; end if;
  insert into bank_open_items (currency, subject_id, kind, customer_id, amount_minor, since)
  values (of_currency, subject, of_kind, of_customer, minor, at)
  on conflict (currency, subject_id) do update set amount_minor = bank_open_items.amount_minor + excluded.amount_minor;
  delete from bank_open_items i where i.currency = of_currency and i.subject_id = subject and i.amount_minor = 0;
end $$;
