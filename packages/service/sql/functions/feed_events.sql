-- Events as a feed lists them. Both events of a row have places next to each other, the row's own being the second. So whoever looks for places
-- of a feed asks for `kept_at` as well, which is the row's and has an index: it is the place that is looked for, or the one after it.
create or replace view feed_events as
select e.customer_id, e.sequence as kept_at, t.sequence, t.id, t.type, e.at, e.quote_id, e.transaction_id, e.deposit_id, t.version,
       t.status, t.previous_status, t.client_reference, t.detail
from events e
cross join lateral (
  select e.sequence - 1 as sequence, event_id(left(replace(e.id::text, '-', ''), 22), e.sequence - 1) as id, 'quote.executed' as type,
         e.quote_version as version, 'executed' as status, 'open' as previous_status, e.quote_reference as client_reference,
         null::json as detail
  where e.quote_version is not null
  union all
  select e.sequence, e.id, case when e.quote_version is null then e.type else 'transaction.created' end,
         case when e.quote_version is null then e.version else 1 end,
         case when e.quote_version is null then e.status else coalesce(e.status, 'awaiting_funds') end, e.previous_status,
         e.client_reference, e.detail
) t;
