-- What is the same for all quotes of one price at one spread is kept once: in quote_prices, with which a quote is as it was
-- shown. A quote keeps what is its own.
create table quote_prices (
  id uuid primary key,
  spread_rule_id uuid not null,
  spread_rule_version int not null,
  rate json not null,
  -- JSON text up to the amount of the markup, which is each quote's own, and from there on; all of it where no markup is shown.
  pricing text not null,
  pricing_end text,
  -- One minor unit of the markup's currency in whole units, with its decimals: 0.01.
  markup_unit numeric,
  -- How the price came about: market snapshot, source, spread. Written once.
  evidence json not null,
  check ((pricing_end is null) = (markup_unit is null))
);

-- Quotes of before have a price of their own under their own id, with `pricing` whole.
insert into quote_prices (id, spread_rule_id, spread_rule_version, rate, pricing, evidence)
select id, spread_rule_id, spread_rule_version, rate, pricing::text, evidence from quotes;
alter table quotes add column price_id uuid;
-- Writes the table anew, which an update of every row would leave twice as large.
alter table quotes alter column price_id type uuid using id;
alter table quotes alter column price_id set not null,
  drop column spread_rule_id, drop column spread_rule_version, drop column rate, drop column pricing, drop column evidence;

-- A foreign key would look at the price again, and lock it, for each of the quotes that share it. Instead insert_quotes
-- refuses a batch of which a price is missing, and prices stay.
create function refuse_forgetting() returns trigger language plpgsql as $$
begin
  raise exception 'prices of quotes are not deleted';
end $$;
create trigger quote_prices_stay before delete or truncate on quote_prices execute function refuse_forgetting();

-- `pricing` of a quote as it was shown.
create function quote_pricing(pricing text, markup_minor numeric, markup_unit numeric, pricing_end text) returns json
language sql immutable as $$
  select case when pricing_end is null then pricing else pricing || (markup_minor * markup_unit)::text || pricing_end end::json
$$;

-- Quotes with all that was said and kept of them.
create view priced_quotes as
select q.*, p.spread_rule_id, p.spread_rule_version, p.rate,
       quote_pricing(p.pricing, q.markup_minor, p.markup_unit, p.pricing_end) as pricing, p.evidence
from quotes q join quote_prices p on p.id = q.price_id;

-- As before, but keys are first written as if all were new, as they nearly always are: looking for each before it is
-- written takes a fifth of the time of a quote.
create or replace function claim_keys(
  customer_ids uuid[], operations text[], keys text[], fingerprints text[], quote_ids uuid[], transaction_ids uuid[],
  received_ats timestamptz[], at timestamptz, expire_at timestamptz)
returns table (ord int, stored idempotency_keys)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  claimed bigint;
begin
  begin
    insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, transaction_id, received_at,
                                  created_at, expires_at)
    select i.customer_id, i.operation, i.key, i.fingerprint, 'created', i.quote_id, i.transaction_id, i.received_at, at, expire_at
    from unnest(customer_ids, operations, keys, fingerprints, quote_ids, transaction_ids, received_ats)
      as i (customer_id, operation, key, fingerprint, quote_id, transaction_id, received_at)
    where i.key is not null order by i.customer_id, i.operation collate "C", i.key collate "C";
    return;
  exception when unique_violation then
    -- At least one was used before; what was written is undone.
  end;
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

-- What quotes of one batch have in common, and what each has of its own with the place of the other, counted from 1, and
-- with its Idempotency-Key. Two arrays of these are read in half the time of one for each column.
create type quote_head as (
  customer_id uuid, client_id uuid, price_id uuid, pair text, sell_currency text, buy_currency text, fixed_side text,
  tenor text, trade_date date, value_date date, funding_cutoff_at timestamptz, validity_seconds int,
  validity_truncated boolean, scenario smallint, pre_funded boolean);
create type quote_item as (
  head int, id uuid, sell_minor numeric, buy_minor numeric, market_minor numeric, markup_minor numeric, usd_minor numeric,
  created_at timestamptz, expires_at timestamptz, key text, fingerprint text, received_at timestamptz);

-- Writes a batch of firm quotes. Answers one row for each that was NOT written:
--   known: the key was used before; `quote_id` is the first one, `fingerprint` what it was asked with
--   too_many_open_quotes: the customer's limit is reached; `open` says how many are open
-- `prices`: those that may not be kept yet, as an array of objects with the columns of quote_prices; null when all are.
-- The others have an element for each quote, or are null where none has one: `client_references`; `metadatas`, one a
-- line, {} when null; `max_open`, the limit of open quotes to be counted. `keyed`: whether any has an Idempotency-Key.
drop function insert_quotes;
create function insert_quotes(
  at timestamptz, keys_expire_at timestamptz, prices json, heads quote_head[], items quote_item[],
  client_references text[], metadatas text, keyed boolean, max_open int[])
returns table (ord int, outcome text, open bigint, fingerprint text, quote_id uuid)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  metadata_lines text[] := string_to_array(metadatas, E'\n');
  refused uuid[] := '{}';
  found record;
begin
  if prices is not null then
    -- In the order of their ids: another batch may be writing the same.
    insert into quote_prices (id, spread_rule_id, spread_rule_version, rate, pricing, pricing_end, markup_unit, evidence)
    select p.id, p.spread_rule_id, p.spread_rule_version, p.rate::json, p.pricing, p.pricing_end, p.markup_unit, p.evidence::json
    from json_to_recordset(prices) as p (
      id uuid, spread_rule_id uuid, spread_rule_version int, rate text, pricing text, pricing_end text, markup_unit numeric,
      evidence text)
    order by p.id
    on conflict (id) do nothing;
  end if;
  if exists (select from unnest(heads) h where not exists (select from quote_prices p where p.id = h.price_id)) then
    raise exception 'a price of these quotes is not kept' using errcode = 'foreign_key_violation';
  end if;

  if keyed then
    begin
      insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
      select h.customer_id, 'quotes', i.key, i.fingerprint, 'created', i.id, i.received_at, at, keys_expire_at
      from unnest(items) i join unnest(heads) with ordinality h on h.ordinality = i.head
      where i.key is not null order by h.customer_id, i.key collate "C";
    exception when unique_violation then
      -- At least one was used before; what was written is undone, and each is looked for.
      for found in
        select c.ord, (c.stored).fingerprint as fingerprint, (c.stored).quote_id as quote_id
        from (
          select array_agg(h.customer_id order by i.ordinality) as customer_ids, array_agg(i.key order by i.ordinality) as keys,
                 array_agg(i.fingerprint order by i.ordinality) as fingerprints, array_agg(i.id order by i.ordinality) as ids,
                 array_agg(i.received_at order by i.ordinality) as received_ats
          from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head) k,
        claim_keys(k.customer_ids, array_fill('quotes'::text, array[cardinality(items)]), k.keys, k.fingerprints, k.ids, null,
                   k.received_ats, at, keys_expire_at) c
      loop
        ord := found.ord - 1; outcome := 'known'; fingerprint := found.fingerprint; quote_id := found.quote_id;
        refused := refused || items[found.ord].id;
        return next;
      end loop;
    end;
  end if;

  if max_open is not null then
    -- Serialises the quotes of customers whose limit is small enough to be reached, so that it is exact.
    perform 1 from customer_usage u
      where u.customer_id in (
        select h.customer_id
        from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
        where max_open[i.ordinality] is not null)
      order by u.customer_id for update;
    for found in
      with wanted as (
        select i.ordinality as n, h.customer_id, i.id, i.key, max_open[i.ordinality] as most,
               row_number() over (partition by h.customer_id order by i.ordinality) as place
        from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
        where max_open[i.ordinality] is not null and i.id <> all (refused)
      ), counted as (
        select w.customer_id,
               (select count(*) from (
                  select from quotes q where q.customer_id = w.customer_id and q.status = 'open' and q.expires_at > at
                  limit w.most + 1) o) as open
        from wanted w where w.place = 1
      )
      select w.n, w.id, w.customer_id, w.key, c.open from wanted w join counted c on c.customer_id = w.customer_id
      where c.open + w.place > w.most
    loop
      ord := found.n - 1; outcome := 'too_many_open_quotes'; open := found.open; fingerprint := null; quote_id := null;
      refused := refused || found.id;
      if found.key is not null then
        delete from idempotency_keys k
        where k.customer_id = found.customer_id and k.operation = 'quotes' and k.key = found.key;
      end if;
      return next;
    end loop;
  end if;

  insert into quotes (
    customer_id, id, client_id, status, version, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor,
    market_minor, markup_minor, usd_minor, tenor, trade_date, value_date, funding_cutoff_at, price_id, metadata,
    client_reference, validity_seconds, validity_truncated, created_at, expires_at, scenario, pre_funded)
  select h.customer_id, i.id, h.client_id, 'open', 1, h.pair, h.sell_currency, h.buy_currency, h.fixed_side, i.sell_minor,
    i.buy_minor, i.market_minor, i.markup_minor, i.usd_minor, h.tenor, h.trade_date, h.value_date, h.funding_cutoff_at,
    h.price_id, coalesce(metadata_lines[i.ordinality], '{}')::json, client_references[i.ordinality], h.validity_seconds,
    h.validity_truncated, i.created_at, i.expires_at, h.scenario, h.pre_funded
  from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
  where i.id <> all (refused);
end $$;
