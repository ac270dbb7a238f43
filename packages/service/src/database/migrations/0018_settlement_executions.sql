-- Executions of pre-funded customers: the functions of before, with the balance among what decides and what is booked.
alter type execution_decision add attribute pre_funded boolean, add attribute sell_currency text;

create or replace function decide_executions(items execution_item[]) returns setof execution_decision
language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query select d.ord, d.customer_id, d.outcome, d.status, d.version, d.expires_at, d.closed_at, d.transaction_id, d.sell_minor, d.buy_minor, d.usd_minor,
    null::text, null::numeric, null::numeric, d.pre_funded, d.sell_currency
  from (
    select i.ord, i.customer_id, i.quote_id, q.status, q.version, q.expires_at, q.closed_at, q.transaction_id, q.sell_minor,
      q.buy_minor, q.usd_minor, q.pre_funded, q.sell_currency,
      case
        when q.status is null then 'quote_not_found'
        when (select c.status from customers c where c.id = i.customer_id) <> 'active' then 'customer_suspended'
        when q.status = 'expired' or (q.status = 'open' and q.expires_at <= i.received_at) then 'quote_expired'
        when i.if_match <> q.version then 'version_mismatch'
        when q.status = 'executed' then 'quote_already_executed'
        when q.status = 'cancelled' then 'quote_cancelled'
        when q.status = 'withdrawn' then 'quote_withdrawn'
        when i.expect_sell <> q.sell_minor or i.expect_buy <> q.buy_minor then 'quote_terms_mismatch'
        when not exists (select from collection_accounts h where h.currency = q.sell_currency)
          or not exists (
            select from settlement_instructions s
            where s.customer_id = q.customer_id and s.currency = q.buy_currency and s.status = 'active'
          ) then 'settlement_instructions_missing'
        else 'ok'
      end as outcome
    from (select * from unnest(items) x order by x.customer_id, x.quote_id, x.ord) i
    left join lateral (
      select * from quotes q where q.customer_id = i.customer_id and q.id = i.quote_id for update
    ) q on true
  ) d;
end $$;

create or replace function postpone_repeats(items execution_item[], decisions execution_decision[]) returns setof execution_decision
language sql as $$
  select d.ord, d.customer_id,
    case when d.outcome = 'ok' and row_number() over (partition by d.outcome, i.customer_id, i.quote_id order by d.ord) > 1
      then 'again' else d.outcome end,
    d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at, d.quote_transaction_id, d.sell_minor,
    d.buy_minor, d.usd_minor, d.limit_type, d.limit_minor, d.used_minor,
    d.pre_funded, d.sell_currency
  from unnest(decisions) d join unnest(items) i on i.ord = d.ord
$$;

create or replace function reserve_limits(decisions execution_decision[], day date)
returns setof execution_decision
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
    with accepted as (
      select d.ord, d.usd_minor as usd, sum(d.usd_minor) over (partition by d.customer_id order by d.ord) as running,
             l.daily_usd_minor as daily_limit, l.open_usd_minor as open_limit, u.open_usd_minor as open,
             case when u.limit_day = day then u.daily_usd_minor else 0 end as daily
      from unnest(decisions) d
      join customer_usage u on u.customer_id = d.customer_id
      join customer_limits l on l.customer_id = d.customer_id
      where d.outcome = 'ok'
    )
    select d.ord, d.customer_id,
      case
        when a.ord is null then d.outcome
        when a.daily + a.usd > a.daily_limit or a.open + a.usd > a.open_limit then 'limit_exceeded'
        when a.daily + a.running > a.daily_limit or a.open + a.running > a.open_limit then 'again'
        else 'ok'
      end,
      d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at, d.quote_transaction_id,
      d.sell_minor, d.buy_minor, d.usd_minor,
      case when a.daily + a.usd > a.daily_limit then 'daily' when a.open + a.usd > a.open_limit then 'openPosition' end,
      case when a.daily + a.usd > a.daily_limit then a.daily_limit else a.open_limit end,
      case when a.daily + a.usd > a.daily_limit then a.daily else a.open end,
      d.pre_funded, d.sell_currency
    from unnest(decisions) d left join accepted a on a.ord = d.ord;
end $$;

-- Holds the accepted items of pre-funded customers against their balances, in order; an item that only fails because of
-- others in the batch is put 'again'. The customers' usage is locked already, by which executions for one customer go
-- one after the other; whatever else takes from a balance takes that lock too.
create function reserve_balances(decisions execution_decision[]) returns setof execution_decision
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
    with wanted as (
      select d.ord, d.sell_minor, sum(d.sell_minor) over (partition by d.customer_id, d.sell_currency order by d.ord) as running,
             coalesce(-b.balance, 0) as available
      from unnest(decisions) d
      left join balances b
        on b.customer_id = d.customer_id and b.account = 'customer_balance' and b.currency = d.sell_currency
      where d.outcome = 'ok' and d.pre_funded
    )
    select d.ord, d.customer_id,
      case
        when w.ord is null then d.outcome
        when w.sell_minor > w.available then 'limit_exceeded'
        when w.running > w.available then 'again'
        else 'ok'
      end,
      d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at, d.quote_transaction_id,
      d.sell_minor, d.buy_minor, d.usd_minor,
      case when w.sell_minor > w.available then 'balance' else d.limit_type end,
      case when w.sell_minor > w.available then w.available else d.limit_minor end,
      case when w.sell_minor > w.available then w.sell_minor else d.used_minor end,
      d.pre_funded, d.sell_currency
    from unnest(decisions) d left join wanted w on w.ord = d.ord;
end $$;

-- As before, and a pre-funded trade is born funded: its balance is debited by the entry of the execution.
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
          c.fixed_side, c.sell_minor, c.buy_minor, c.market_minor, c.markup_minor, c.usd_minor, c.rate, c.pricing,
          c.trade_date, c.value_date, c.value_date, c.funding_cutoff_at, h.details, s.id,
          mask_account(coalesce(s.iban, s.account_number)),
          ('[{"sequence":1,"at":"' || at_text || '","status":"' || case when c.pre_funded then 'funded' else 'awaiting_funds' end
            || '","actor":"client","code":"executed"}]')::json,
          c.own_reference, c.own_metadata, at, at, c.scenario, c.executing_client_id
        from closed c
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

-- The sandbox's bank also releases trades that are born funded.
create or replace function sandbox_bank_sees_trades() returns trigger language plpgsql as $$
begin
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select f.customer_id, f.id, 'release', 0, f.created_at
  from fresh f cross join sandbox_settings s
  where f.status = 'funded' and s.settlement = 'fast'
  on conflict do nothing;
  if not (select s.auto_deposit from sandbox_settings s) then return null; end if;
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select f.customer_id, f.id, 'deposit', n.step, f.created_at + interval '5 seconds' + (n.step - 1) * interval '1 second'
  from fresh f
  cross join generate_series(1, case f.scenario when 907 then 0 when 910 then 2 else 1 end) as n (step)
  where f.status = 'awaiting_funds'
  on conflict do nothing;
  return null;
end $$;
