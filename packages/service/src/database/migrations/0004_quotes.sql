create table quotes (
  customer_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  status text not null check (status in ('open', 'executed', 'cancelled', 'expired', 'withdrawn')),
  version int not null check (version > 0),
  pair text not null check (length(pair) = 6),
  sell_currency text not null check (length(sell_currency) = 3),
  buy_currency text not null check (length(buy_currency) = 3),
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
-- For the sweep that forgets old keys. They arrive in the order of time, so block ranges find them and cost writers nothing.
create index idempotency_keys_age on idempotency_keys using brin (expires_at);

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
    -- A key past its retention is as if it had never been used.
    on conflict (customer_id, operation, key) do update set
      fingerprint = excluded.fingerprint, outcome = excluded.outcome, quote_id = excluded.quote_id, transaction_id = null,
      received_at = excluded.received_at, created_at = excluded.created_at, expires_at = excluded.expires_at
      where idempotency_keys.expires_at <= excluded.created_at
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

-- Writes a batch of firm quotes, given as one array for each column; JSON columns as one text with a line for each. Answers one row for each that was NOT written:
--   known: the key was used before; `quote_id` is the first one, `fingerprint` what it was asked with
--   too_many_open_quotes: the customer's limit is reached; `open` says how many are open
-- `keys`: an Idempotency-Key for each quote, or null; all null when the whole array is null.
-- `max_open`: the customer's limit where it is to be counted, or null.
create function insert_quotes(
  at timestamptz, keys_expire_at timestamptz, customer_ids uuid[], ids uuid[], client_ids uuid[], pairs text[],
  sell_currencies text[], buy_currencies text[], fixed_sides text[], sell_minors numeric[], buy_minors numeric[],
  market_minors numeric[], markup_minors numeric[], usd_minors numeric[], tenors text[], trade_dates date[],
  value_dates date[], funding_cutoffs timestamptz[], rule_ids uuid[], rule_versions int[], rates text, pricings text,
  metadatas text, evidences text, client_references text[], validities int[], truncateds boolean[],
  created_ats timestamptz[], expires_ats timestamptz[], scenarios smallint[],
  keys text[], fingerprints text[], received_ats timestamptz[], max_open int[])
returns table (ord int, outcome text, open bigint, fingerprint text, quote_id uuid)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  refused uuid[] := '{}';
  found record;
begin
  if keys is not null then
    for found in
      select c.ord, (c.stored).fingerprint as fingerprint, (c.stored).quote_id as quote_id
      from claim_keys((
        select array_agg((k.n, customer_ids[k.n], 'quotes', k.key, fingerprints[k.n], ids[k.n], received_ats[k.n], at,
                          keys_expire_at)::idempotency_item)
        from unnest(keys) with ordinality as k (key, n) where k.key is not null)) c
    loop
      ord := found.ord - 1; outcome := 'known'; fingerprint := found.fingerprint; quote_id := found.quote_id;
      refused := refused || ids[found.ord];
      return next;
    end loop;
  end if;

  if max_open is not null then
    -- Serialises the quotes of customers whose limit is small enough to be reached, so that it is exact.
    perform 1 from customer_usage u
      where u.customer_id in (select customer_ids[m.n] from unnest(max_open) with ordinality as m (most, n) where m.most is not null)
      order by u.customer_id for update;
    for found in
      with wanted as (
        select i.n, i.customer_id, i.id, i.most, row_number() over (partition by i.customer_id order by i.n) as place
        from unnest(customer_ids, ids, max_open) with ordinality as i (customer_id, id, most, n)
        where i.most is not null and i.id <> all (refused)
      ), counted as (
        select w.customer_id,
               (select count(*) from (
                  select from quotes q where q.customer_id = w.customer_id and q.status = 'open' and q.expires_at > at
                  limit w.most + 1) o) as open
        from wanted w where w.place = 1
      )
      select w.n, w.id, w.customer_id, c.open from wanted w join counted c on c.customer_id = w.customer_id
      where c.open + w.place > w.most
    loop
      ord := found.n - 1; outcome := 'too_many_open_quotes'; open := found.open; fingerprint := null; quote_id := null;
      refused := refused || found.id;
      if keys[found.n] is not null then
        delete from idempotency_keys k
        where k.customer_id = found.customer_id and k.operation = 'quotes' and k.key = keys[found.n];
      end if;
      return next;
    end loop;
  end if;

  insert into quotes (
    customer_id, id, client_id, status, version, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor,
    market_minor, markup_minor, usd_minor, tenor, trade_date, value_date, funding_cutoff_at, spread_rule_id,
    spread_rule_version, rate, pricing, metadata, evidence, client_reference, validity_seconds, validity_truncated,
    created_at, expires_at, scenario)
  select i.customer_id, i.id, i.client_id, 'open', 1, i.pair, i.sell_currency, i.buy_currency, i.fixed_side, i.sell_minor,
    i.buy_minor, i.market_minor, i.markup_minor, i.usd_minor, i.tenor, i.trade_date, i.value_date, i.funding_cutoff,
    i.rule_id, i.rule_version, i.rate::json, i.pricing::json, i.metadata::json, i.evidence::json, i.client_reference,
    i.validity, i.truncated, i.created_at, i.expires_at, i.scenario
  from unnest(
    customer_ids, ids, client_ids, pairs, sell_currencies, buy_currencies, fixed_sides, sell_minors, buy_minors,
    market_minors, markup_minors, usd_minors, tenors, trade_dates, value_dates, funding_cutoffs, rule_ids, rule_versions,
    string_to_array(rates, E'\n'), string_to_array(pricings, E'\n'), string_to_array(metadatas, E'\n'),
    string_to_array(evidences, E'\n'), client_references, validities, truncateds, created_ats, expires_ats, scenarios
  ) as i (
    customer_id, id, client_id, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor, market_minor,
    markup_minor, usd_minor, tenor, trade_date, value_date, funding_cutoff, rule_id, rule_version, rate, pricing, metadata,
    evidence, client_reference, validity, truncated, created_at, expires_at, scenario)
  where i.id <> all (refused);
end $$;

-- Moves open quotes to a closed state other than executed, with the event of each, in one commit.
-- Compare and swap: answers only those that were still open. `kind` is cancelled, expired or withdrawn; `skip` passes
-- over quotes that somebody else is just changing.
create function close_quotes(
  customer_ids uuid[], ids uuid[], id_prefixes text[], kind text, reason text, at timestamptz, skip boolean)
returns setof quotes
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  -- A variable, so that the planner takes the primary key and not the index over all open quotes.
  open constant text := 'open';
  taken uuid[];
begin
  -- A quote that ran out has expired, even if nobody has written that down yet; it cannot be withdrawn any more.
  if skip then
    select array_agg(l.id) into taken from (
      select q.id from quotes q join unnest(customer_ids, ids) as i (customer_id, id) on i.customer_id = q.customer_id and i.id = q.id
      where q.status = open and (kind <> 'withdrawn' or q.expires_at > at)
      order by q.customer_id, q.id for update of q skip locked) l;
  else
    select array_agg(l.id) into taken from (
      select q.id from quotes q join unnest(customer_ids, ids) as i (customer_id, id) on i.customer_id = q.customer_id and i.id = q.id
      where q.status = open and (kind <> 'withdrawn' or q.expires_at > at)
      order by q.customer_id, q.id for update of q) l;
  end if;
  if taken is null then return; end if;
  perform 1 from customer_usage u where u.customer_id = any (customer_ids) order by u.customer_id for update;
  return query
    with moved as (
      update quotes q set status = kind, version = q.version + 1, closed_at = at, status_reason = reason
      from unnest(customer_ids, ids, id_prefixes) as i (customer_id, id, id_prefix)
      where q.customer_id = i.customer_id and q.id = i.id and i.id = any (taken)
      returning q as quote, i.id_prefix
    ), placed as (
      select m.quote, m.id_prefix, row_number() over (partition by (m.quote).customer_id order by (m.quote).id) as place
      from moved m
    ), bumped as (
      update customer_usage u set last_event_sequence = u.last_event_sequence + n.events
      from (select (p.quote).customer_id, count(*) as events from placed p group by 1) n
      where u.customer_id = n.customer_id
      returning u.customer_id, u.last_event_sequence - n.events as before
    ), told as (
      insert into events (customer_id, sequence, id, type, at, quote_id, version, status, previous_status, client_reference)
      select (p.quote).customer_id, b.before + p.place, event_id(p.id_prefix, b.before + p.place), 'quote.' || kind, at,
             (p.quote).id, (p.quote).version, kind, open, (p.quote).client_reference
      from placed p join bumped b on b.customer_id = (p.quote).customer_id
    )
    select (m.quote).* from moved m;
end $$;
