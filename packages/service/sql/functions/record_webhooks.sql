-- Writes down what came of attempts for an endpoint, and how far its feed was read. `done` gives it back: it is due again at once
-- when its feed has gone on or there is `more`, and otherwise when the next attempt is: where the order counts, of the first of a resource,
-- since the others wait for it whatever their own time is. A reason in `disable` ends its deliveries: then
-- `at` is business time, as in its other instants and in what operators are told, and otherwise real time.
-- False, and nothing is written, when somebody else has it by now.
create or replace function record_webhooks(
  endpoint uuid, lease_id uuid, at timestamptz, seen bigint, results json, slow boolean, done boolean, more boolean,
  disable text)
returns boolean language plpgsql as $$
begin
  perform from webhook_endpoints e where e.id = endpoint and e.lease = lease_id for update;
  if not found then return false; end if;
  insert into webhook_deliveries as d
    (endpoint_id, event_id, sequence, type, resource, status, attempts, next_attempt_at, log)
  select endpoint, r.event_id, r.sequence, r.type, r.resource, r.status, r.attempts, r.next_attempt_at, r.log
  from json_populate_recordset(null::webhook_deliveries, results) r
  on conflict (endpoint_id, event_id) do update set status = excluded.status, attempts = excluded.attempts,
    next_attempt_at = excluded.next_attempt_at, log = excluded.log;
  update webhook_endpoints e set
    sequence = greatest(e.sequence, seen),
    is_slow = slow,
    status = case when disable is null then e.status else 'disabled' end,
    disabled_reason = coalesce(disable, e.disabled_reason),
    disabled_at = case when disable is null then e.disabled_at else at end,
    version = e.version + case when disable is null then 0 else 1 end,
    updated_at = case when disable is null then e.updated_at else at end,
    lease = case when not done and disable is null then e.lease end,
    due_at = case
      when disable is not null then null
      when not done then e.due_at
      when e.has_news or more then at
      when e.ordering = 'resource' then (
        select min(f.next_attempt_at) from (
          select distinct on (coalesce(d.resource, d.event_id::text)) d.next_attempt_at
          from webhook_deliveries d where d.endpoint_id = endpoint and d.status = 'pending'
          order by coalesce(d.resource, d.event_id::text), d.sequence) f)
      else (select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = endpoint and d.status = 'pending')
    end
  where e.id = endpoint;
  if disable is not null then
    perform notify_operators('webhook.disabled', at, endpoint::text,
      (select json_build_object('webhookId', endpoint, 'customerId', e.customer_id, 'reason', disable)
       from webhook_endpoints e where e.id = endpoint));
  end if;
  return true;
end $$;
