create or replace function keep_first_terms() returns trigger language plpgsql as $$
begin
  if new.funding_cutoff_at <> old.funding_cutoff_at then
    new.first_funding_cutoff_at := coalesce(old.first_funding_cutoff_at, old.funding_cutoff_at);
  end if;
  if (new.destination_id, new.destination_masked) is distinct from (old.destination_id, old.destination_masked) then
    new.first_destination_id := coalesce(old.first_destination_id, old.destination_id);
    new.first_destination_masked := coalesce(old.first_destination_masked, old.destination_masked);
  end if;
  return new;
end $$;

create or replace trigger transactions_keep_first_terms
  before update of funding_cutoff_at, destination_id, destination_masked on transactions for each row
  when (old.funding_cutoff_at <> new.funding_cutoff_at or old.destination_id is distinct from new.destination_id
        or old.destination_masked is distinct from new.destination_masked)
  execute function keep_first_terms();
