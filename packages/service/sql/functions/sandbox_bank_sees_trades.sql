-- The sandbox's bank also releases trades that are born funded.
create or replace function sandbox_bank_sees_trades() returns trigger language plpgsql as $$
begin
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select f.customer_id, f.id, 'release', 0, f.created_at
  from fresh f cross join sandbox_settings s
  where f.status = 'funded' and s.settlement = 'fast'
  on conflict do nothing;
  if not (select s.auto_deposit from sandbox_settings s) then return null; end if;
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select f.customer_id, f.id, 'deposit', n.step, f.created_at + interval '5 seconds' + (n.step - 1) * interval '1 second'
  from fresh f
  cross join generate_series(1, case f.scenario when 907 then 0 when 910 then 2 else 1 end) as n (step)
  where f.status = 'awaiting_funds'
  on conflict do nothing;
  return null;
end $$;
