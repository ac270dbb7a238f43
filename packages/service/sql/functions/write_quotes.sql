-- Writes quotes, with what they name where it may not be kept yet: `prices` are rows of market_prices, `spreads` of quote_spreads.
-- Answers those that were not written, and why: a key that is known, customer_suspended, too_many_open_quotes. A suspended customer gets
-- no quote, whatever an instance still thinks of it: the row is looked at in the commit that writes.
create or replace function write_quotes(
  at timestamptz, keys_expire_at timestamptz, prices json, spreads json, heads spread_head[], items quote_item[],
  client_references text[], metadatas text, keyed boolean, max_open int[])
returns table (ord int, outcome text, open bigint, fingerprint text, quote_id uuid)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set lock_timeout = '250ms' as $$
declare
  metadata_lines text[] := string_to_array(metadatas, E'\n');
  refused uuid[] := '{}';
  active uuid[];
  found record;
  -- Of a fingerprint half is kept, which tells two requests apart as well.
  digits constant int := 32;
begin
  -- In the order of their ids: another batch may be writing the same.
  if prices is not null then
    insert into market_prices
    select p.* from json_populate_recordset(null::market_prices, prices) p order by p.id on conflict (id) do nothing;
  end if;
  if spreads is not null then
    insert into quote_spreads
    select s.* from json_populate_recordset(null::quote_spreads, spreads) s order by s.id on conflict (id) do nothing;
  end if;
  if exists (
    select from unnest(heads) h
    where (select m.id from market_prices m where m.id = h.price_id limit 1) is null
      or (select s.id from quote_spreads s where s.id = h.spread_id limit 1) is null
  ) then
    raise exception 'a price of these quotes is not kept' using errcode = 'foreign_key_violation';
  end if;

  if keyed then
    begin
      insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
      select h.customer_id, 'quotes', i.key, left(i.fingerprint, digits), 'created', i.id, i.received_at, at, keys_expire_at
      from unnest(items) i join unnest(heads) with ordinality h on h.ordinality = i.head
      where i.key is not null order by h.customer_id, i.key collate "C";
    exception when unique_violation then
      -- At least one was used before; what was written is undone, and each is looked for.
      for found in
        select c.ord, (c.stored).fingerprint as fingerprint, (c.stored).quote_id as quote_id
        from (
          select array_agg(h.customer_id order by i.ordinality) as customer_ids, array_agg(i.key order by i.ordinality) as keys,
                 array_agg(left(i.fingerprint, digits) order by i.ordinality) as fingerprints, array_agg(i.id order by i.ordinality) as ids,
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

  -- Until the commit a suspension waits for this (suspend_after_quotes), and closes the quotes that are being written; what comes after it sees
  -- it. Where open quotes are counted, whoever makes others for the same customer waits too, so that the count is exact. Locking rows
  -- would write each of them, for 54 bytes of the log, and wait for those who execute or end other quotes.
  if max_open is null then
    perform pg_advisory_xact_lock_shared(7106, h.hash)
    from (select distinct uuid_hash(x.customer_id) as hash from unnest(heads) x order by 1) h;
  else
    perform pg_advisory_xact_lock(7106, h.hash)
    from (select distinct uuid_hash(x.customer_id) as hash from unnest(heads) x order by 1) h;
  end if;
  select array_agg(c.id) into active from customers c
  where c.id in (select h.customer_id from unnest(heads) h) and c.status = 'active';
  for found in
    select i.ordinality as n, h.customer_id, i.id, i.key
    from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
    where i.id <> all (refused) and (active is null or h.customer_id <> all (active))
  loop
    ord := found.n - 1; outcome := 'customer_suspended'; open := 0; fingerprint := null; quote_id := null;
    refused := refused || found.id;
    if found.key is not null then
      delete from idempotency_keys k
      where k.customer_id = found.customer_id and k.operation = 'quotes' and k.key = found.key;
    end if;
    return next;
  end loop;

  if max_open is not null then
    for found in
      with wanted as (
        select i.ordinality as n, h.customer_id, i.id, i.key, max_open[i.ordinality] as most,
               row_number() over (partition by h.customer_id order by i.ordinality) as place
        from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
        where max_open[i.ordinality] is not null and i.id <> all (refused)
      ), counted as (
        select w.customer_id,
               (select count(*) from (select from open_quotes_of(w.customer_id, at, null) limit w.most + 1) o) as open
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
    client_reference, validity_seconds, validity_truncated, created_at, expires_at, scenario, pre_funded, spread_id, rate, inverse,
    cost_vs_mid_bps, reference_percent)
  select h.customer_id, i.id, h.client_id, 'open', 1, h.pair, h.sell_currency, h.buy_currency, h.fixed_side, i.sell_minor,
    i.buy_minor, i.market_minor, i.markup_minor, i.usd_minor, h.tenor, h.trade_date, h.value_date, h.funding_cutoff_at,
    h.price_id, coalesce(metadata_lines[i.ordinality], '{}')::json, client_references[i.ordinality], h.validity_seconds,
    h.validity_truncated, i.created_at, i.expires_at, h.scenario, h.pre_funded, h.spread_id, h.rate, h.inverse,
    h.cost_vs_mid_bps, h.reference_percent
  from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
  where i.id <> all (refused);
end $$;
