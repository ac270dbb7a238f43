-- As before, with the texts of the price from where they are kept.
create or replace function execute_quotes(
  at timestamptz, at_text text, day date, keys_expire_at timestamptz, repeats boolean, customer_ids uuid[],
  client_ids uuid[], quote_ids uuid[], transaction_ids uuid[], keys text[], fingerprints text[], received_ats timestamptz[], if_matches int[],
  expect_sells numeric[], expect_buys numeric[], client_references text[], metadatas text[], quote_events text[],
  transaction_events text[], entry_ids uuid[])
returns table (result execution_result, txn transactions)
-- The statements are planned once for each connection, with the indexes that they are made for: planning them anew
-- would cost more than running them, and early statistics of a new database would tempt the planner to read it all.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  items execution_item[];
  known int[] := '{}';
  decisions execution_decision[];
  wanted int;
  done int := 0;
  made record;
  lasting constant text[] := '{quote_expired,quote_cancelled,quote_withdrawn,quote_already_executed}';
begin
  select array_agg((i.n - 1, i.customer_id, i.client_id, i.quote_id, i.transaction_id, keys[i.n], fingerprints[i.n], i.received_at,
                    i.if_match, i.expect_sell, i.expect_buy, i.client_reference, i.metadata, i.quote_event,
                    i.transaction_event, i.entry_id)::execution_item) into items
  from unnest(customer_ids, client_ids, quote_ids, transaction_ids, received_ats, if_matches, expect_sells, expect_buys,
              client_references, metadatas, quote_events, transaction_events, entry_ids) with ordinality
    as i (customer_id, client_id, quote_id, transaction_id, received_at, if_match, expect_sell, expect_buy, client_reference,
          metadata, quote_event, transaction_event, entry_id, n);

  if keys is not null then
    for made in
      select (c.ord - 1, (c.stored).outcome, true, (c.stored).fingerprint, (c.stored).received_at,
              q.status, q.version, q.expires_at, q.closed_at, q.transaction_id, q.sell_minor, q.buy_minor,
              null, null, null)::execution_result as result, t as txn
      from claim_keys(customer_ids, (select array_agg('execute:' || i.quote_id order by i.n)
                                     from unnest(quote_ids) with ordinality as i (quote_id, n)),
                      keys, fingerprints, quote_ids, transaction_ids, received_ats, at, keys_expire_at) c
      left join quotes q on q.customer_id = (c.stored).customer_id and q.id = (c.stored).quote_id
      left join transactions t on t.customer_id = (c.stored).customer_id and t.id = (c.stored).transaction_id
    loop
      result := made.result; txn := made.txn;
      known := known || result.ord;
      return next;
    end loop;
    if cardinality(known) > 0 then
      select array_agg(i) into items from unnest(items) i where i.ord <> all (known);
      if items is null then return; end if;
    end if;
  end if;

  select array_agg(d) into decisions from decide_executions(items) d;
  if repeats then select array_agg(d) into decisions from postpone_repeats(items, decisions) d; end if;
  if exceeds_limits(decisions, day) then
    select array_agg(r) into decisions from reserve_limits(decisions, day) r;
  end if;
  if exists (select from unnest(decisions) d where d.outcome = 'ok' and d.pre_funded) then
    select array_agg(r) into decisions from reserve_balances(decisions) r;
  end if;
  select count(*) into wanted from unnest(decisions) d where d.outcome = 'ok';

  if wanted > 0 then
    for made in
      with closed as (
        update quotes q set status = 'executed', version = q.version + 1, closed_at = at, transaction_id = a.transaction_id
        -- Compare and swap on the version that was decided on. Not on the status: that would let the planner read all
        -- open quotes of the customer through the index that is made for counting them.
        from (
          select i.*, d.quote_version, row_number() over (partition by i.customer_id order by i.ord) as place
          from unnest(items) i join unnest(decisions) d on d.ord = i.ord where d.outcome = 'ok'
        ) a where q.customer_id = a.customer_id and q.id = a.quote_id and q.version = a.quote_version
        returning q.*, a.client_id as executing_client_id, a.place, a.entry_id, a.quote_event, a.transaction_event,
          coalesce(a.client_reference, q.client_reference) as own_reference, coalesce(a.metadata::json, q.metadata) as own_metadata
      ), used as (
        update customer_usage u set
          last_event_sequence = u.last_event_sequence + 2 * n.trades,
          limit_day = day,
          daily_usd_minor = case when u.limit_day = day then u.daily_usd_minor else 0 end + n.usd,
          open_usd_minor = u.open_usd_minor + n.usd
        from (select c.customer_id, count(*) as trades, sum(c.usd_minor) as usd from closed c group by c.customer_id) n
        where u.customer_id = n.customer_id
        returning u.customer_id, u.last_event_sequence - 2 * n.trades as before
      ), created as (
        insert into transactions (
          customer_id, id, quote_id, reference, status, pre_funded, received_minor, version, change_sequence,
          created_sequence, pair, sell_currency, buy_currency,
          fixed_side, sell_minor, buy_minor, market_minor, markup_minor, usd_minor, rate, pricing, trade_date, value_date,
          original_value_date, funding_cutoff_at, instructions, destination_id, destination_masked, timeline,
          client_reference, metadata, created_at, updated_at, scenario, client_id)
        select c.customer_id, c.transaction_id, c.id, reference_of(reference_digits(nextval('transaction_references'))),
          case when c.pre_funded then 'funded' else 'awaiting_funds' end, c.pre_funded,
          case when c.pre_funded then c.sell_minor else 0 end, 1, u.before + 2 * c.place, u.before + 2 * c.place, c.pair, c.sell_currency, c.buy_currency,
          c.fixed_side, c.sell_minor, c.buy_minor, c.market_minor, c.markup_minor, c.usd_minor, p.rate,
          quote_pricing(p.pricing, c.markup_minor, p.markup_unit, p.pricing_end),
          c.trade_date, c.value_date, c.value_date, c.funding_cutoff_at, h.details, s.id,
          mask_account(coalesce(s.iban, s.account_number)),
          ('[{"sequence":1,"at":"' || at_text || '","status":"' || case when c.pre_funded then 'funded' else 'awaiting_funds' end
            || '","actor":"client","code":"executed"}]')::json,
          c.own_reference, c.own_metadata, at, at, c.scenario, c.executing_client_id
        from closed c
        join quote_prices p on p.id = c.price_id
        join used u on u.customer_id = c.customer_id
        join collection_accounts h on h.currency = c.sell_currency
        join settlement_instructions s on s.customer_id = c.customer_id and s.currency = c.buy_currency and s.status = 'active'
        returning *
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
        insert into balances (customer_id, account, currency, balance)
        select e.customer_id, p.account, p.currency, sum(p.amount)
        from entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
        group by e.customer_id, p.account, p.currency
        order by e.customer_id, p.account, p.currency
        on conflict (customer_id, account, currency) do update set balance = balances.balance + excluded.balance
      ), told as (
        insert into events (customer_id, sequence, id, type, at, quote_id, transaction_id, version, status,
                            previous_status, client_reference)
        select c.customer_id, u.before + 2 * c.place + e.step, event_id(e.id_prefix, u.before + 2 * c.place + e.step),
               e.type, at, c.id, c.transaction_id, e.version, e.status, e.previous_status, e.client_reference
        from closed c
        join used u on u.customer_id = c.customer_id
        cross join lateral (values
          (-1, c.quote_event, 'quote.executed', c.version, 'executed', 'open', c.client_reference),
          (0, c.transaction_event, 'transaction.created', 1, case when c.pre_funded then 'funded' else 'awaiting_funds' end, null, c.own_reference)
        ) as e (step, id_prefix, type, version, status, previous_status, client_reference)
      )
      select (null, 'created', false, null, null, 'executed', null, null, null, t.id,
              null, null, null, null, null)::execution_result as result, t::transactions as txn
      from created t
    loop
      result := made.result; txn := made.txn;
      done := done + 1;
      return next;
    end loop;
    -- Nothing half: a quote that was taken without its transaction ends the whole commit.
    if done <> wanted then raise exception 'executed % of % accepted quotes', done, wanted; end if;
  end if;

  if wanted = cardinality(decisions) then return; end if;
  return query
    select (d.ord, d.outcome, false, null, i.received_at, d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at,
            d.quote_transaction_id, d.sell_minor, d.buy_minor, d.limit_type, d.limit_minor, d.used_minor)::execution_result,
           null::transactions
    from unnest(decisions) d join unnest(items) i on i.ord = d.ord where d.outcome <> 'ok';
  if keys is not null then
    update idempotency_keys k set outcome = d.outcome, transaction_id = null
    from unnest(items) i join unnest(decisions) d on d.ord = i.ord
    where k.customer_id = i.customer_id and k.operation = 'execute:' || i.quote_id and k.key = i.idempotency_key
      and d.outcome = any (lasting);
    delete from idempotency_keys k using unnest(items) i join unnest(decisions) d on d.ord = i.ord
    where k.customer_id = i.customer_id and k.operation = 'execute:' || i.quote_id and k.key = i.idempotency_key
      and d.outcome <> 'ok' and d.outcome <> all (lasting);
  end if;
end $$;
