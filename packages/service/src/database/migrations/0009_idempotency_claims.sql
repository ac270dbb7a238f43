-- A key is written once, with the outcome that it nearly always has, and whether all of a batch were new is told by the
-- number of rows: only when one was known is it looked for.
drop function claim_keys(idempotency_item[]);
drop type idempotency_item;

-- Reserves the keys that are not null, as 'created' with the given ids; answers those that were known already, with
-- their place counted from 1. A key that another transaction is just writing makes this wait for that transaction, so a
-- known key always has its outcome. `quote_ids` or `transaction_ids` are new with each call: a row that holds others
-- was there before.
create function claim_keys(
  customer_ids uuid[], operations text[], keys text[], fingerprints text[], quote_ids uuid[], transaction_ids uuid[],
  received_ats timestamptz[], at timestamptz, expire_at timestamptz)
returns table (ord int, stored idempotency_keys)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  claimed bigint;
begin
  insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, transaction_id, received_at,
                                created_at, expires_at)
  select i.customer_id, i.operation, i.key, i.fingerprint, 'created', i.quote_id, i.transaction_id, i.received_at, at, expire_at
  from unnest(customer_ids, operations, keys, fingerprints, quote_ids, transaction_ids, received_ats)
    as i (customer_id, operation, key, fingerprint, quote_id, transaction_id, received_at)
  where i.key is not null order by i.customer_id, i.operation collate "C", i.key collate "C"
  -- A key past its retention is as if it had never been used.
  on conflict (customer_id, operation, key) do update set
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, quote_id = excluded.quote_id,
    transaction_id = excluded.transaction_id, received_at = excluded.received_at, created_at = excluded.created_at,
    expires_at = excluded.expires_at
    where idempotency_keys.expires_at <= excluded.created_at;
  get diagnostics claimed = row_count;
  if claimed = cardinality(array_remove(keys, null)) then return; end if;
  return query
    select i.n::int, k
    from unnest(customer_ids, operations, keys, quote_ids, transaction_ids) with ordinality
      as i (customer_id, operation, key, quote_id, transaction_id, n)
    join idempotency_keys k on k.customer_id = i.customer_id and k.operation = i.operation and k.key = i.key
    where (k.quote_id, k.transaction_id) is distinct from (i.quote_id, i.transaction_id);
end $$;

-- Parameters and answers are as they were.
create or replace function insert_quotes(
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
      from claim_keys(customer_ids, array_fill('quotes'::text, array[cardinality(keys)]), keys, fingerprints, ids, null,
                      received_ats, at, keys_expire_at) c
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
