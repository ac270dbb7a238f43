-- By whichever version the run is cancelled.
create or replace function cancelled_run_ends_payments() returns trigger language plpgsql as $$
begin
  update payments set live = false where run_id = new.id;
  return null;
end $$;

create or replace trigger settlement_runs_end_payments after update on settlement_runs for each row
  when (old.status <> 'cancelled' and new.status = 'cancelled') execute function cancelled_run_ends_payments();
