create table quotes (
  customer_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  status text not null check (status in ('open', 'executed', 'cancelled', 'expired', 'withdrawn')),
  version int not null check (version > 0),
  pair text not null check (pair ~ '^[A-Z]{6}$'),
  sell_currency text not null check (sell_currency ~ '^[A-Z]{3}$'),
  buy_currency text not null check (buy_currency ~ '^[A-Z]{3}$'),
  fixed_side text not null check (fixed_side in ('sell', 'buy')),
  sell_minor numeric(38, 0) not null check (sell_minor > 0),
  buy_minor numeric(38, 0) not null check (buy_minor > 0),
  -- The leg that is not fixed, at the market's own price. The difference to the customer's leg is the markup.
  market_minor numeric(38, 0) not null check (market_minor > 0),
  markup_minor numeric(38, 0) not null check (markup_minor >= 0),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  -- today, tom, spot, or broken for a date of the caller's own between them.
  tenor text not null check (tenor in ('today', 'tom', 'spot', 'broken')),
  trade_date date not null,
  value_date date not null check (value_date >= trade_date),
  funding_cutoff_at timestamptz not null,
  spread_rule_id uuid not null,
  spread_rule_version int not null,
  -- What the customer was told, as it was told. `json`, not `jsonb`: the text is passed on unread.
  rate json not null,
  pricing json not null,
  metadata json not null,
  -- How the price came about: market snapshot, source, rounding steps. Written once.
  evidence json not null,
  client_reference text,
  validity_seconds int not null check (validity_seconds > 0),
  validity_truncated boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  closed_at timestamptz,
  status_reason text,
  transaction_id uuid,
  -- Sandbox scenario of the amount; null in production.
  scenario smallint,
  primary key (customer_id, id),
  check (sell_currency <> buy_currency),
  check (markup_minor = case fixed_side when 'sell' then market_minor - buy_minor else sell_minor - market_minor end),
  check ((status = 'open') = (closed_at is null)),
  check ((status = 'executed') = (transaction_id is not null))
) with (fillfactor = 85);
create index quotes_open on quotes (expires_at) where status = 'open';
create index quotes_to_withdraw on quotes (created_at) where status = 'open' and scenario = 903;
create index quotes_open_customer on quotes (customer_id, expires_at) where status = 'open';

-- First answers of POST requests that carried an Idempotency-Key. Quotes, executions and cancellations write their
-- row in the commit that does the work and keep only what the answer is rendered from again; other requests
-- (`operation` starting with "http:") reserve the row first and store status and body.
create table idempotency_keys (
  customer_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  outcome text not null,
  quote_id uuid,
  transaction_id uuid,
  received_at timestamptz not null,
  response_status int,
  response_body text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (customer_id, operation, key)
);
create index idempotency_keys_age on idempotency_keys (expires_at);

create type idempotency_item as (
  ord int, customer_id uuid, operation text, key text, fingerprint text, quote_id uuid, received_at timestamptz,
  created_at timestamptz, expires_at timestamptz
);

-- Reserves keys; answers those that were known already. A key that another transaction is just writing makes this
-- wait for that transaction, so a known key always has its outcome.
create function claim_keys(items idempotency_item[]) returns table (ord int, stored idempotency_keys)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  known int[];
begin
  with claimed as (
    insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
    select i.customer_id, i.operation, i.key, i.fingerprint, 'created', i.quote_id, i.received_at, i.created_at, i.expires_at
    from unnest(items) i order by i.customer_id, i.operation, i.key
    on conflict do nothing
    returning idempotency_keys.customer_id, idempotency_keys.operation, idempotency_keys.key
  )
  select array_agg(i.ord) into known from unnest(items) i
  where not exists (
    select from claimed c where c.customer_id = i.customer_id and c.operation = i.operation and c.key = i.key
  );
  if known is null then return; end if;
  return query
    select i.ord, k from unnest(items) i
    join idempotency_keys k on k.customer_id = i.customer_id and k.operation = i.operation and k.key = i.key
    where i.ord = any (known);
end $$;

-- Writes a batch of firm quotes. Answers one row for each that was NOT written as given:
--   known: the key was used before; `quote` is the first one, `fingerprint` what it was asked with
--   too_many_open_quotes: the customer's limit is reached; `open` says how many are open
-- `rows`: [quotes]; `keys`: [idempotency_item] or null; `limits`: [{customer_id, max_open}] or null.
create function insert_quotes(rows json, keys json, limits json, at timestamptz)
returns table (ord int, outcome text, open bigint, fingerprint text, quote quotes)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  refused uuid[] := '{}';
  key_items idempotency_item[];
  found record;
begin
  if keys is not null then
    select array_agg(k) into key_items from json_populate_recordset(null::idempotency_item, keys) k;
    for found in
      select c.ord, (c.stored).fingerprint as fingerprint, q as quote from claim_keys(key_items) c
      left join quotes q on q.customer_id = (c.stored).customer_id and q.id = (c.stored).quote_id
    loop
      ord := found.ord; outcome := 'known'; fingerprint := found.fingerprint; quote := found.quote;
      refused := refused || (select i.quote_id from unnest(key_items) i where i.ord = insert_quotes.ord);
      return next;
    end loop;
  end if;

  if limits is not null then
    -- Serialises the quotes of customers whose limit is small enough to be reached, so that it is exact.
    perform 1 from customer_usage u
      where u.customer_id in (select l.customer_id from json_to_recordset(limits) l (customer_id uuid, max_open int))
      order by u.customer_id for update;
    for found in
      with counted as (
        select l.customer_id, l.max_open,
               (select count(*) from (
                  select from quotes q where q.customer_id = l.customer_id and q.status = 'open' and q.expires_at > at
                  limit l.max_open + 1) o) as open
        from json_to_recordset(limits) l (customer_id uuid, max_open int)
      ), wanted as (
        select r, row_number() over (partition by r.customer_id order by r.id) as place
        from json_populate_recordset(null::quotes, rows) r where r.id <> all (refused)
      )
      select c.open, w.r as quote from wanted w join counted c on c.customer_id = (w.r).customer_id
      where c.open + w.place > c.max_open
    loop
      ord := 0; outcome := 'too_many_open_quotes'; open := found.open; fingerprint := null; quote := found.quote;
      refused := refused || quote.id;
      delete from idempotency_keys k using unnest(key_items) i
        where i.quote_id = quote.id and k.customer_id = i.customer_id and k.operation = i.operation and k.key = i.key;
      return next;
    end loop;
  end if;

  insert into quotes select r.* from json_populate_recordset(null::quotes, rows) r where r.id <> all (refused);
end $$;

-- Moves open quotes to a closed state other than executed, with the event of each, in one commit.
-- Compare and swap: answers only those that were still open. `kind` is cancelled, expired or withdrawn.
create function close_quotes(items json, kind text, reason text, at timestamptz) returns setof quotes
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  closed quotes[];
  -- A variable, so that the planner takes the primary key and not the index over all open quotes.
  open constant text := 'open';
begin
  with wanted as (
    select q.customer_id, q.id from quotes q
    join json_to_recordset(items) i (customer_id uuid, id uuid) on i.customer_id = q.customer_id and i.id = q.id
    -- A quote that ran out has expired, even if nobody has written that down yet; it cannot be withdrawn any more.
    where q.status = open and (kind <> 'withdrawn' or q.expires_at > at)
    order by q.customer_id, q.id for update of q
  ), moved as (
    update quotes q set status = kind, version = q.version + 1, closed_at = at, status_reason = reason
    from wanted w where q.customer_id = w.customer_id and q.id = w.id
    returning q.*
  )
  select array_agg(m::quotes) into closed from (select * from moved) m;
  if closed is null then return; end if;
  perform append_events((
    select json_agg(json_build_object(
      'ord', n.ordinality, 'customer_id', n.customer_id, 'id_prefix', i.id_prefix, 'type', 'quote.' || kind, 'at', at,
      'quote_id', n.id, 'version', n.version, 'status', n.status, 'previous_status', 'open',
      'client_reference', n.client_reference))
    from unnest(closed) with ordinality n
    join json_to_recordset(items) i (customer_id uuid, id uuid, id_prefix text)
      on i.customer_id = n.customer_id and i.id = n.id));
  return query select c.* from unnest(closed) c;
end $$;
