-- Nearly every execution succeeds. A batch is therefore written as if all of it did, by one statement that counts only
-- when it wrote all; otherwise what it wrote is undone, and each item is decided on its own, as before.

-- Masked once, not with every trade.
alter table settlement_instructions
  add column masked text generated always as (mask_account(coalesce(iban, account_number))) stored;

-- References come from one sequence: no two are the same, whosever they are.
alter table transactions drop constraint transactions_customer_id_reference_key;
drop index transactions_reference;
alter table transactions add constraint transactions_reference_key unique (reference);

drop function execute_quotes;
drop function decide_executions;
drop type execution_result;

-- Counts the items of one customer, from 1: where their events go.
alter type execution_item add attribute place int;

-- What was decided on an item and, where it was executed now, the transaction; of that only what the execution gave it,
-- the rest is as in every new transaction.
create type execution_answer as (
  ord int, outcome text, replayed boolean, fingerprint text, received_at timestamptz, quote_status text, quote_version int,
  quote_expires_at timestamptz, quote_closed_at timestamptz, quote_transaction_id uuid, limit_type text,
  limit_minor numeric, used_minor numeric,
  customer_id uuid, id uuid, quote_id uuid, reference text, status text, created_sequence bigint, pair text,
  sell_currency text, buy_currency text, fixed_side text, sell_minor numeric, buy_minor numeric, market_minor numeric,
  markup_minor numeric, usd_minor numeric, rate json, pricing json, trade_date date, original_value_date date,
  funding_cutoff_at timestamptz, instructions json, destination_id uuid, destination_masked text, timeline json,
  client_reference text, metadata json, created_at timestamptz, scenario smallint, client_id uuid, pre_funded boolean
);

-- Executes all of the items or says so by answering nothing: then whatever it wrote has to be undone by the caller.
-- What an item's quote, customer and accounts must be is asked here as in decide_executions; the limits of the customers
-- and (by the trigger of balances) the balances of those who pay from them hold for all items together.
-- Every row that is looked up is asked for with a limit of one: so the planner uses the index whose columns are named,
-- where it would read a whole table that was small when it planned.
create function book_executions(items execution_item[], at timestamptz, at_text text, day date)
returns setof execution_answer language plpgsql as $$
declare
  born_awaiting constant json :=
    ('[{"sequence":1,"at":"' || at_text || '","status":"awaiting_funds","actor":"client","code":"executed"}]')::json;
  born_funded constant json :=
    ('[{"sequence":1,"at":"' || at_text || '","status":"funded","actor":"client","code":"executed"}]')::json;
begin
  return query
    with closed as (
      update quotes q set status = 'executed', version = q.version + 1, closed_at = at, transaction_id = i.transaction_id
      from unnest(items) i
      cross join lateral (select from customers c where c.id = i.customer_id and c.status = 'active' limit 1) c
      -- Open is what is not closed. Asked by the status, the planner could read all open quotes of the customer through
      -- the index that is made for counting them.
      where q.customer_id = i.customer_id and q.id = i.quote_id and q.closed_at is null and q.expires_at > i.received_at
        and (i.if_match is null or i.if_match = q.version)
        and (i.expect_sell is null or i.expect_sell = q.sell_minor)
        and (i.expect_buy is null or i.expect_buy = q.buy_minor)
      returning q.customer_id, q.id, q.version, q.pair, q.sell_currency, q.buy_currency, q.fixed_side, q.sell_minor,
        q.buy_minor, q.market_minor, q.markup_minor, q.usd_minor, q.price_id, q.trade_date, q.value_date,
        q.funding_cutoff_at, q.scenario, q.pre_funded, q.client_reference, q.transaction_id,
        i.client_id as executing_client_id, i.place, i.entry_id, i.quote_event, i.transaction_event,
        coalesce(i.client_reference, q.client_reference) as own_reference, coalesce(i.metadata::json, q.metadata) as own_metadata
    ), used as (
      update customer_usage u set
        last_event_sequence = u.last_event_sequence + 2 * n.trades,
        limit_day = day,
        daily_usd_minor = case when u.limit_day = day then u.daily_usd_minor else 0 end + n.usd,
        open_usd_minor = u.open_usd_minor + n.usd
      from (
        select c.customer_id, count(*) as trades, sum(c.usd_minor) as usd from closed c
        group by c.customer_id order by c.customer_id
      ) n
      cross join lateral (
        select m.daily_usd_minor, m.open_usd_minor from customer_limits m where m.customer_id = n.customer_id limit 1
      ) l
      where u.customer_id = n.customer_id
        and n.usd + case when u.limit_day = day then u.daily_usd_minor else 0 end <= l.daily_usd_minor
        and n.usd + u.open_usd_minor <= l.open_usd_minor
      returning u.customer_id, u.last_event_sequence - 2 * n.trades as before
    ), created as (
      insert into transactions (
        customer_id, id, quote_id, reference, status, pre_funded, received_minor, version, change_sequence,
        created_sequence, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor, market_minor, markup_minor,
        usd_minor, rate, pricing, trade_date, value_date, original_value_date, funding_cutoff_at, instructions,
        destination_id, destination_masked, timeline, client_reference, metadata, created_at, updated_at, scenario, client_id)
      select c.customer_id, c.transaction_id, c.id, reference_of(r.digits),
        case when c.pre_funded then 'funded' else 'awaiting_funds' end, c.pre_funded,
        case when c.pre_funded then c.sell_minor else 0 end, 1, u.before + 2 * c.place, u.before + 2 * c.place, c.pair,
        c.sell_currency, c.buy_currency, c.fixed_side, c.sell_minor, c.buy_minor, c.market_minor, c.markup_minor,
        c.usd_minor, p.rate, quote_pricing(p.pricing, c.markup_minor, p.markup_unit, p.pricing_end), c.trade_date,
        c.value_date, c.value_date, c.funding_cutoff_at,
        case when v.number is null then h.details else with_virtual_account(h.details, v.number) end, s.id, s.masked,
        case when c.pre_funded then born_funded else born_awaiting end, c.own_reference, c.own_metadata, at, at, c.scenario,
        c.executing_client_id
      from closed c
      join used u on u.customer_id = c.customer_id
      cross join lateral (select * from quote_prices x where x.id = c.price_id limit 1) p
      cross join lateral (select x.details from collection_accounts x where x.currency = c.sell_currency limit 1) h
      cross join lateral (
        select x.id, x.masked from settlement_instructions x
        where x.customer_id = c.customer_id and x.currency = c.buy_currency and x.status = 'active' limit 1
      ) s
      -- The newest, where there are several.
      left join lateral (
        select x.number from virtual_accounts x
        where x.customer_id = c.customer_id and x.currency = c.sell_currency and x.status = 'active'
        order by x.id desc limit 1
      ) v on true
      -- Apart, so that the sequence moves once for each: the reference is made from its digits in two places.
      cross join lateral (select reference_digits(nextval('transaction_references')) as digits offset 0) r
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
    select null::int, 'created', false, null::text, null::timestamptz, 'executed', null::int, null::timestamptz,
      null::timestamptz, t.id, null::text, null::numeric, null::numeric,
      t.customer_id, t.id, t.quote_id, t.reference, t.status, t.created_sequence, t.pair, t.sell_currency, t.buy_currency,
      t.fixed_side, t.sell_minor, t.buy_minor, t.market_minor, t.markup_minor, t.usd_minor, t.rate, t.pricing, t.trade_date,
      t.original_value_date, t.funding_cutoff_at, t.instructions, t.destination_id, t.destination_masked, t.timeline,
      t.client_reference, t.metadata, t.created_at, t.scenario, t.client_id, t.pre_funded
    from created t where (select count(*) from created) = cardinality(items);
end $$;

-- Decides each item against its quote, which stays locked until the commit. 'ok' goes on.
-- A version that merely ran out answers quote_expired, whatever If-Match says: time is not a change by somebody.
create function decide_executions(items execution_item[]) returns setof execution_decision language plpgsql as $$
begin
  return query select d.ord, d.customer_id, d.outcome, d.status, d.version, d.expires_at, d.closed_at, d.transaction_id, d.sell_minor, d.buy_minor, d.usd_minor,
    null::text, null::numeric, null::numeric, d.pre_funded, d.sell_currency
  from (
    select i.ord, i.customer_id, i.quote_id, q.status, q.version, q.expires_at, q.closed_at, q.transaction_id, q.sell_minor,
      q.buy_minor, q.usd_minor, q.pre_funded, q.sell_currency,
      case
        when q.status is null then 'quote_not_found'
        when c.status <> 'active' then 'customer_suspended'
        when q.status = 'expired' or (q.status = 'open' and q.expires_at <= i.received_at) then 'quote_expired'
        when i.if_match <> q.version then 'version_mismatch'
        when q.status = 'executed' then 'quote_already_executed'
        when q.status = 'cancelled' then 'quote_cancelled'
        when q.status = 'withdrawn' then 'quote_withdrawn'
        when i.expect_sell <> q.sell_minor or i.expect_buy <> q.buy_minor then 'quote_terms_mismatch'
        when h.currency is null or s.id is null then 'settlement_instructions_missing'
        else 'ok'
      end as outcome
    from (select * from unnest(items) x order by x.customer_id, x.quote_id, x.ord) i
    left join lateral (
      select * from quotes q where q.customer_id = i.customer_id and q.id = i.quote_id for update
    ) q on true
    left join lateral (select x.status from customers x where x.id = i.customer_id limit 1) c on true
    left join lateral (select x.currency from collection_accounts x where x.currency = q.sell_currency limit 1) h on true
    left join lateral (
      select x.id from settlement_instructions x
      where x.customer_id = q.customer_id and x.currency = q.buy_currency and x.status = 'active' limit 1
    ) s on true
  ) d;
end $$;

-- Executes a batch of quotes in one commit: idempotency, compare-and-swap, limits, transaction, ledger, events.
-- One array for each column of execution_item; items are in the order of customer and quote, in which rows are locked.
-- `at` is business time of the commit, `at_text` the same as RFC 3339 for the timeline, `day` the day that daily limits
-- are counted on; `repeats` when two items name one quote. `keys` is null when no item has an Idempotency-Key; keys are
-- kept for outcomes that decided something (created, and the quote being gone) and released otherwise. Answers one row
-- for each item; those that were executed are named by `id`, the others by `ord`. An execution of before that is known
-- by its key is 'created' and `replayed`, and `quote_transaction_id` names its transaction.
create function execute_quotes(
  at timestamptz, at_text text, day date, keys_expire_at timestamptz, repeats boolean, customer_ids uuid[],
  client_ids uuid[], quote_ids uuid[], transaction_ids uuid[], keys text[], fingerprints text[], received_ats timestamptz[], if_matches int[],
  expect_sells numeric[], expect_buys numeric[], client_references text[], metadatas text[], quote_events text[],
  transaction_events text[], entry_ids uuid[], places int[])
returns setof execution_answer
-- The statements are planned once for each connection, with the indexes that they are made for: planning them anew
-- would cost more than running them, and early statistics of a new database would tempt the planner to read it all.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  items execution_item[];
  accepted execution_item[];
  known int[] := '{}';
  decisions execution_decision[];
  done int;
  made execution_answer;
  lasting constant text[] := '{quote_expired,quote_cancelled,quote_withdrawn,quote_already_executed}';
begin
  select array_agg((i.n - 1, i.customer_id, i.client_id, i.quote_id, i.transaction_id, i.key, i.fingerprint, i.received_at,
                    i.if_match, i.expect_sell, i.expect_buy, i.client_reference, i.metadata, i.quote_event,
                    i.transaction_event, i.entry_id, i.place)::execution_item) into items
  from unnest(customer_ids, client_ids, quote_ids, transaction_ids, keys, fingerprints, received_ats, if_matches,
              expect_sells, expect_buys, client_references, metadatas, quote_events, transaction_events, entry_ids, places)
    with ordinality
    as i (customer_id, client_id, quote_id, transaction_id, key, fingerprint, received_at, if_match, expect_sell, expect_buy,
          client_reference, metadata, quote_event, transaction_event, entry_id, place, n);

  if not repeats then
    begin
      if keys is not null then
        insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, transaction_id, received_at,
                                      created_at, expires_at)
        select i.customer_id, 'execute:' || i.quote_id, i.idempotency_key, i.fingerprint, 'created', i.quote_id,
               i.transaction_id, i.received_at, at, keys_expire_at
        from unnest(items) i where i.idempotency_key is not null;
      end if;
      return query select * from book_executions(items, at, at_text, day);
      get diagnostics done = row_count;
      if done = cardinality(items) then return; end if;
      raise exception 'not all of them' using errcode = 'FQ001';
    exception when unique_violation or check_violation or sqlstate 'FQ001' then
      -- What was written is undone. A key was used before, a balance does not cover, or an item has to be refused.
    end;
  end if;

  if keys is not null then
    for made in
      select c.ord - 1, (c.stored).outcome, true, (c.stored).fingerprint, (c.stored).received_at, q.status, q.version,
             q.expires_at, q.closed_at, coalesce((c.stored).transaction_id, q.transaction_id)
      from claim_keys(customer_ids, (select array_agg('execute:' || i.quote_id order by i.n)
                                     from unnest(quote_ids) with ordinality as i (quote_id, n)),
                      keys, fingerprints, quote_ids, transaction_ids, received_ats, at, keys_expire_at) c
      left join lateral (
        select * from quotes x where x.customer_id = (c.stored).customer_id and x.id = (c.stored).quote_id limit 1
      ) q on true
    loop
      known := known || made.ord;
      return next made;
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

  select array_agg((i.ord, i.customer_id, i.client_id, i.quote_id, i.transaction_id, i.idempotency_key, i.fingerprint,
                    i.received_at, i.if_match, i.expect_sell, i.expect_buy, i.client_reference, i.metadata, i.quote_event,
                    i.transaction_event, i.entry_id, i.place_among_accepted)::execution_item) into accepted
  from (
    select i.*, row_number() over (partition by i.customer_id order by i.ord) as place_among_accepted
    from unnest(items) i join unnest(decisions) d on d.ord = i.ord where d.outcome = 'ok'
  ) i;
  if accepted is not null then
    return query select * from book_executions(accepted, at, at_text, day);
    get diagnostics done = row_count;
    -- Nothing half: a quote that was taken without its transaction ends the whole commit.
    if done <> cardinality(accepted) then
      raise exception 'executed % of % accepted quotes', done, cardinality(accepted);
    end if;
  end if;

  for made in
    select d.ord, d.outcome, false, null, i.received_at, d.quote_status, d.quote_version, d.quote_expires_at,
           d.quote_closed_at, d.quote_transaction_id, d.limit_type, d.limit_minor, d.used_minor
    from unnest(decisions) d join unnest(items) i on i.ord = d.ord where d.outcome <> 'ok'
  loop
    return next made;
  end loop;
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
