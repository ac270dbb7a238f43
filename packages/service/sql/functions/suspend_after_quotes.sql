-- Who suspends a customer waits for those who write quotes for it (write_quotes), and then sees these quotes.
create or replace function suspend_after_quotes() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7106, uuid_hash(new.id));
  return new;
end $$;

create or replace trigger customers_are_suspended_after_quotes before update of status on customers for each row
  when (old.status = 'active' and new.status <> 'active') execute function suspend_after_quotes();
