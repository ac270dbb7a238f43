-- As before, but that a trade whose payout waits for a payment file has no job, and that no bank returns what was credited
-- to a balance.
create or replace function sandbox_bank_sees_changes() returns trigger language plpgsql as $$
begin
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select c.customer_id, c.id, c.kind, c.payout_attempts, c.updated_at + c.delay
  from (
    select a.customer_id, a.id, a.payout_attempts, a.updated_at,
      case a.status
        when 'funded' then case when s.settlement = 'fast' and json_array_length(a.holds) = 0 then 'release' end
        when 'settling' then case when s.settlement <> 'runs' then 'payout' end
        when 'settlement_failed' then
          case when a.scenario = 908 and a.payout_status = 'rejected' and a.payout_attempts = 1 then 'retry' end
        when 'settled' then
          case when a.scenario = 909 and a.payout_attempts = 1 and a.proceeds <> 'balance' then 'return' end
      end as kind,
      case when a.status = 'settling' and a.timeline -> -1 ->> 'actor' <> 'operator'
        then interval '0' else interval '5 seconds' end as delay
    from stale b
    join fresh a on a.customer_id = b.customer_id and a.id = b.id
    cross join sandbox_settings s
    where a.status <> b.status or (a.status = 'funded' and json_array_length(a.holds) < json_array_length(b.holds))
  ) c
  where c.kind is not null
  on conflict (customer_id, transaction_id, kind, step) do update set due_at = excluded.due_at;
  return null;
end $$;
