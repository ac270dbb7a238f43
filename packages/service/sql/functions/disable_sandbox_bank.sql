-- Triggers are made with the right of the tables' owner, and in a sandbox alone.
create or replace function disable_sandbox_bank() returns void language plpgsql security definer set search_path from current as $$
begin
  if is_production() then
    raise exception 'production has no simulated bank' using errcode = 'insufficient_privilege';
  end if;
  if not exists (
    select from pg_trigger
    where (tgrelid = 'transactions'::regclass and tgname in ('sandbox_bank_inserts', 'sandbox_bank_updates'))
      or (tgrelid = 'settlement_runs'::regclass and tgname = 'sandbox_bank_runs')
  ) then return; end if;
  drop trigger if exists sandbox_bank_inserts on transactions;
  drop trigger if exists sandbox_bank_updates on transactions;
  drop trigger if exists sandbox_bank_runs on settlement_runs;
end $$;
