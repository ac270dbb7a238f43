-- Makes the bank watch. Takes its lock on the table only when something is to be done. With the right of the tables' owner, and in a sandbox alone.
create or replace function enable_sandbox_bank() returns void language plpgsql security definer set search_path from current as $$
begin
  if is_production() then
    raise exception 'production has no simulated bank' using errcode = 'insufficient_privilege';
  end if;
  if (
    select count(*) from pg_trigger
    where (tgrelid = 'transactions'::regclass and tgname in ('sandbox_bank_inserts', 'sandbox_bank_updates'))
      or (tgrelid = 'settlement_runs'::regclass and tgname = 'sandbox_bank_runs')
  ) = 3 then return; end if;
  create or replace trigger sandbox_bank_inserts after insert on transactions
    referencing new table as fresh for each statement execute function sandbox_bank_sees_trades();
  create or replace trigger sandbox_bank_updates after update on transactions
    referencing old table as stale new table as fresh for each statement execute function sandbox_bank_sees_changes();
  create or replace trigger sandbox_bank_runs after update on settlement_runs
    referencing old table as stale new table as fresh for each statement execute function sandbox_bank_sees_runs();
end $$;
