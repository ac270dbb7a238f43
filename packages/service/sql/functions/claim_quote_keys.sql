-- Writes the keys of quotes. Those that were used before are answered, by the places of their items, with the quote that they made.
create or replace function claim_quote_keys(items quote_item[], heads spread_head[], at timestamptz, keys_expire_at timestamptz)
returns table (n int, fingerprint text, quote_id uuid) language plpgsql as $$
declare
  -- Of a fingerprint half is kept, which distinguishes two requests as well.
  digits constant int := 32;
begin
  insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
  select h.customer_id, 'quotes', i.key, left(i.fingerprint, digits), 'created', i.id, i.received_at, at, keys_expire_at
  from unnest(items) i join unnest(heads) with ordinality h on h.ordinality = i.head
  where i.key is not null order by h.customer_id, i.key collate "C";
exception when unique_violation then
  -- At least one was used before; what was written is undone, and each is looked for.
  return query
    select c.ord, (c.stored).fingerprint, (c.stored).quote_id
    from (
      select array_agg(h.customer_id order by i.ordinality) as customer_ids, array_agg(i.key order by i.ordinality) as keys,
             array_agg(left(i.fingerprint, digits) order by i.ordinality) as fingerprints, array_agg(i.id order by i.ordinality) as ids,
             array_agg(i.received_at order by i.ordinality) as received_ats
      from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head) k,
    claim_keys(k.customer_ids, array_fill('quotes'::text, array[cardinality(items)]), k.keys, k.fingerprints, k.ids, null,
               k.received_ats, at, keys_expire_at) c;
end $$;
