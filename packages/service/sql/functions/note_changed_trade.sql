create or replace function note_changed_trade() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into match_changes (kind, customer_id, currency, key)
  select 'trade', new.customer_id, new.sell_currency, new.reference
  where exists (select from deposit_keys k where k.kind = 'owner' and k.key = new.customer_id::text and k.currency = new.sell_currency)
    or exists (select from deposit_keys k where k.kind = 'reference' and k.key = new.reference);
  return null;
end $$;

create or replace trigger transactions_change_for_deposits after update on transactions for each row
  when (old.received_minor <> new.received_minor or old.shortfall_minor <> new.shortfall_minor
    or (old.status in ('awaiting_funds', 'partially_funded', 'overdue')) <> (new.status in ('awaiting_funds', 'partially_funded', 'overdue')))
  execute function note_changed_trade();
