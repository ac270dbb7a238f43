-- A trade that nothing waits for costs two looks at an index.
create or replace function note_new_trades() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into match_changes (kind, customer_id, currency, key)
  select 'trade', n.customer_id, n.sell_currency, n.reference from written n
  where not n.pre_funded and (
    exists (select from deposit_keys k where k.kind = 'reference' and k.key = n.reference)
    or exists (select from deposit_keys k where k.kind = 'owner' and k.key = n.customer_id::text and k.currency = n.sell_currency));
  return null;
end $$;

create or replace trigger transactions_are_new_to_deposits after insert on transactions referencing new table as written
  for each statement execute function note_new_trades();
