-- A file that was handed over is executed a little later; the payouts of one that was given up are the bank's again.
create or replace function sandbox_bank_sees_runs() returns trigger language plpgsql as $$
begin
  insert into sandbox_bank_runs (run_id, due_at)
  select f.id, f.ended_at + interval '5 seconds'
  from stale b join fresh f on f.id = b.id
  where f.status = 'sent' and b.status <> 'sent'
  on conflict do nothing;
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select i.customer_id, i.transaction_id, 'payout', i.attempt, f.ended_at + interval '5 seconds'
  from stale b
  join fresh f on f.id = b.id
  join payments p on p.run_id = f.id
  join payment_items i on i.payment_id = p.id
  cross join sandbox_settings s
  where f.status = 'cancelled' and b.status <> 'cancelled' and i.purpose = 'payout' and s.settlement <> 'runs'
  on conflict do nothing;
  return null;
end $$;
