-- Adds to positions of customers, which are named once each and in the order of their key: so everybody locks them in the same order. Those
-- that are missing are made before any is locked. Changing what is there writes less of the log than an upsert, which locks each row before it
-- changes it. Answers how many it added to.
create or replace function add_to_positions(
  customer_ids uuid[], currencies text[], bought numeric[], bought_usd numeric[], sold numeric[], sold_usd numeric[])
returns int
-- Rows are found by the key in the order in which they are named, as in add_to_balances.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  changed int;
begin
  if customer_ids is null then return 0; end if;
  insert into customer_positions (customer_id, currency, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
  select a.customer_id, a.currency, 0, 0, 0, 0
  from unnest(customer_ids, currencies) with ordinality as a (customer_id, currency, n)
  where not exists (select from customer_positions k where k.customer_id = a.customer_id and k.currency = a.currency)
  order by a.n
  on conflict (customer_id, currency) do nothing;
  update customer_positions k set
    bought_minor = k.bought_minor + a.bought, bought_usd_minor = k.bought_usd_minor + a.bought_usd,
    sold_minor = k.sold_minor + a.sold, sold_usd_minor = k.sold_usd_minor + a.sold_usd
  from unnest(customer_ids, currencies, bought, bought_usd, sold, sold_usd)
    as a (customer_id, currency, bought, bought_usd, sold, sold_usd)
  where k.customer_id = a.customer_id and k.currency = a.currency;
  get diagnostics changed = row_count;
  if changed <> cardinality(customer_ids) then
    raise exception 'added to % of % positions', changed, cardinality(customer_ids);
  end if;
  return changed;
end $$;
