-- Executes all of the items, or says that it did not by answering nothing or with FQ001: then whatever it wrote has to be undone by the caller.
-- That a quote is executed is told by its trade. The row of the quote is not written, nor locked: what executes or ends a quote holds the
-- customer's row in customer_usage, and a second trade of a quote is refused by its index.
-- What an item's quote, customer and accounts must be is asked here as in decide_executions; the limits of the customers
-- and (by the trigger of balances) the balances of those who pay from them hold for all items together.
-- Every row that is looked up is asked for with a limit of one: so the planner uses the index whose columns are named,
-- where it would read a whole table that was small when it planned.
create or replace function book_trades(items execution_item[], at timestamptz, day date)
returns setof execution_result language plpgsql as $$
declare
  done int;
begin
  return query
    with closed as (
      select q.customer_id, q.id,
        -- After its time readers see an open quote as expired, with the next version: this one is another. Clocks of instances differ by half a
        -- second at most (MAX_CLOCK_SKEW_MS, to either side of the database's).
        q.version + case when at >= q.expires_at - interval '500 milliseconds' then 2 else 1 end as version,
        q.pair, q.sell_currency, q.buy_currency, q.fixed_side, q.sell_minor, q.buy_minor, q.market_minor, q.markup_minor,
        q.usd_minor, q.price_id, q.spread_id, q.rate, q.inverse, q.cost_vs_mid_bps, q.reference_percent, q.trade_date,
        q.value_date, q.funding_cutoff_at, q.scenario, q.pre_funded, q.expires_at, q.client_reference, i.transaction_id,
        i.client_id as executing_client_id, i.idempotency_key, i.fingerprint, i.place, i.entry_id, i.transaction_event,
        coalesce(i.client_reference, q.client_reference) as own_reference, coalesce(i.metadata::json, q.metadata) as own_metadata
      from unnest(items) i
      cross join lateral (select from customers c where c.id = i.customer_id and c.status = 'active' limit 1) c
      cross join lateral (select * from quotes x where x.customer_id = i.customer_id and x.id = i.quote_id limit 1) q
      -- Open is what is not closed and has no trade: a second one is refused by its index, and nearly every quote has none.
      -- One of the future is from before a clock was set back: for how long it has been open, nobody knows.
      where q.closed_at is null and q.expires_at > i.received_at and q.created_at <= i.received_at + interval '500 milliseconds'
        and (i.if_match is null or i.if_match = q.version)
        and (i.expect_sell is null or i.expect_sell = q.sell_minor)
        and (i.expect_buy is null or i.expect_buy = q.buy_minor)
    ), uncounted as (
      -- They are open no more.
      insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
      select expires_by(c.expires_at), l.currency, -sum(l.long_minor), -sum(l.short_minor), -sum(l.quotes)
      from closed c
      cross join lateral legs_of_quote(c.sell_currency, c.buy_currency, c.fixed_side, c.sell_minor, c.buy_minor, c.market_minor) l
      group by 1, 2
    ), used as (
      update customer_usage u set
        last_event_sequence = u.last_event_sequence + 2 * n.trades,
        feed_news = case when u.feed_news is not null then true end,
        limit_day = greatest(u.limit_day, day),
        daily_usd_minor = daily_used(u.limit_day, u.daily_usd_minor, day) + n.usd,
        open_usd_minor = u.open_usd_minor + n.usd
      from (
        select c.customer_id, count(*) as trades, sum(c.usd_minor) as usd from closed c
        group by c.customer_id order by c.customer_id
      ) n
      cross join lateral (
        select m.daily_usd_minor, m.open_usd_minor from customer_limits m where m.customer_id = n.customer_id limit 1
      ) l
      where u.customer_id = n.customer_id
        and exceeded_limit(n.usd, daily_used(u.limit_day, u.daily_usd_minor, day), u.open_usd_minor, l.daily_usd_minor,
                           l.open_usd_minor) is null
      returning u.customer_id, u.last_event_sequence - 2 * n.trades as before
    ), priced as (
      select c.*, u.before + 2 * c.place as sequence, case when c.pre_funded then 'funded' else 'awaiting_funds' end as status,
        reference_of(r.digits) as reference, p.rate as shown_rate, p.pricing, p.evidence,
        case when v.number is null then h.details else with_virtual_account(h.details, v.number) end as instructions,
        s.id as destination_id, s.masked as destination_masked
      from closed c
      join used u on u.customer_id = c.customer_id
      cross join lateral price_of_quote(
        c.price_id, c.spread_id, c.rate, c.inverse, c.cost_vs_mid_bps, c.reference_percent, c.markup_minor) p
      cross join lateral (select x.details from collection_accounts x where x.currency = c.sell_currency limit 1) h
      cross join lateral (
        select x.id, x.masked from settlement_instructions x
        where x.customer_id = c.customer_id and x.currency = c.buy_currency and x.status = 'active' limit 1
      ) s
      -- The newest that does not wait, where there are several.
      left join lateral (
        select x.number from virtual_accounts x
        where x.customer_id = c.customer_id and x.currency = c.sell_currency and x.status = 'active'
          and (x.usable_from is null or x.usable_from <= at)
        order by x.id desc limit 1
      ) v on true
      -- Apart, so that the sequence moves once for each: the reference is made from its digits in two places.
      cross join lateral (select reference_digits(nextval('transaction_references')) as digits offset 0) r
    ), drafted as (
      select p.*, text_id(p.instructions::text) as instructions_id from priced p
    ), kept as (
      insert into funding_instructions (customer_id, id, details)
      select distinct on (d.customer_id, d.instructions_id) d.customer_id, d.instructions_id, d.instructions from drafted d
      where not exists (
        select from funding_instructions x where x.customer_id = d.customer_id and x.id = d.instructions_id)
      order by d.customer_id, d.instructions_id
      on conflict (customer_id, id) do nothing
    ), created as (
      insert into transactions (
        customer_id, id, quote_id, reference, status, pre_funded, received_minor, version, change_sequence,
        created_sequence, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor, market_minor, markup_minor,
        usd_minor, price_id, trade_date, value_date, original_value_date, funding_cutoff_at, instructions_id, destination_id,
        destination_masked, client_reference, metadata, created_at, updated_at, scenario, client_id, key_id, fingerprint_id)
      select d.customer_id, d.transaction_id, d.id, d.reference, d.status, d.pre_funded,
        case when d.pre_funded then d.sell_minor else 0 end, 1, d.sequence, d.sequence, d.pair, d.sell_currency,
        d.buy_currency, d.fixed_side, d.sell_minor, d.buy_minor, d.market_minor, d.markup_minor, d.usd_minor, d.price_id,
        d.trade_date, d.value_date, d.value_date, d.funding_cutoff_at, d.instructions_id, d.destination_id,
        d.destination_masked, d.own_reference, d.own_metadata, at, at, d.scenario, d.executing_client_id,
        text_id(d.idempotency_key), case when d.idempotency_key is not null then text_id(d.fingerprint) end
      from drafted d
      returning 1
    ), entries as (
      insert into journal_entries (customer_id, id, kind, at, transaction_id, accounts, currencies, amounts)
      -- Two single-currency legs through the position accounts and the markup on its own. The leg that is not fixed
      -- enters the position at the market's price; without markup the last posting is left out.
      select c.customer_id, c.entry_id, 'trade_executed', at, c.transaction_id,
        (array[case when c.pre_funded then 'customer_balance' else 'customer_receivable' end, 'position', 'position', 'customer_payable', 'markup_revenue'])[1:n.lines],
        (array[c.sell_currency, c.sell_currency, c.buy_currency, c.buy_currency,
               case c.fixed_side when 'sell' then c.buy_currency else c.sell_currency end])[1:n.lines],
        (array[c.sell_minor, case c.fixed_side when 'sell' then -c.sell_minor else -c.market_minor end,
               case c.fixed_side when 'sell' then c.market_minor else c.buy_minor end, -c.buy_minor, -c.markup_minor])[1:n.lines]
      from closed c cross join lateral (select case when c.markup_minor = 0 then 4 else 5 end as lines) n
      returning customer_id, accounts, currencies, amounts
    ), moved as (
      select add_to_balances(array_agg(s.customer_id), array_agg(s.account), array_agg(s.currency), array_agg(s.amount)) as balances
      from (
        select e.customer_id, p.account, p.currency, sum(p.amount) as amount
        from entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
        group by e.customer_id, p.account, p.currency
        order by e.customer_id, p.account, p.currency
      ) s
    ), announced as (
      -- Both events in one row, without what feed_events says of nearly every one.
      insert into events (customer_id, sequence, id, at, quote_id, transaction_id, status, client_reference, quote_version,
                          quote_reference)
      select c.customer_id, s.sequence, event_id(c.transaction_event, s.sequence), at, c.id, c.transaction_id,
             case when c.pre_funded then 'funded' end, c.own_reference, c.version, c.client_reference
      from closed c
      join used u on u.customer_id = c.customer_id
      cross join lateral (select u.before + 2 * c.place as sequence) s
    )
    select null::int, 'created', false, null::text, null::timestamptz, 'executed', null::int, null::timestamptz,
      null::timestamptz, d.transaction_id, null::text, null::numeric, null::numeric,
      d.customer_id, d.transaction_id, d.id, d.reference, d.status, d.sequence, d.pair, d.sell_currency, d.buy_currency,
      d.fixed_side, d.sell_minor, d.buy_minor, d.market_minor, d.markup_minor, d.usd_minor, d.shown_rate, d.pricing, d.evidence,
      d.trade_date, d.value_date, d.funding_cutoff_at, d.instructions, d.destination_id, d.destination_masked,
      d.own_reference, d.own_metadata, at, d.scenario, d.executing_client_id, d.pre_funded
    from drafted d where (select count(*) from created) = cardinality(items) and (select m.balances from moved m) > 0;
  get diagnostics done = row_count;
  if done < cardinality(items) then return; end if;
  -- What was read of the quotes may be of before somebody ended one. Whoever does so holds the customer first, as this does by now: so what is
  -- seen from here on stays until the commit, and he will see the trade.
  select count(*) into done from unnest(items) i
  cross join lateral (select x.closed_at from quotes x where x.customer_id = i.customer_id and x.id = i.quote_id limit 1) q
  where q.closed_at is null
    -- Under this key the quote may have been told to be gone, to a request that arrived later than this one.
    and (i.idempotency_key is null or (
      select k.expires_at from idempotency_keys k
      where k.customer_id = i.customer_id and k.operation = 'execute:' || i.quote_id and k.key = i.idempotency_key
        and k.expires_at > at limit 1) is null);
  if done <> cardinality(items) then raise exception 'a quote has ended' using errcode = 'FQ001'; end if;
end $$;
