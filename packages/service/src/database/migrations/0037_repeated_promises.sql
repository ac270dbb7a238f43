-- What a promise says when it is asked for again, and what counts where several instances execute at once.

-- The day that a limit is counted on never moves back: instances do not reach the roll of the day at the same instant, and
-- what one of them executes after the other's roll counts on the new day.
create or replace function exceeds_limits(decisions execution_decision[], day date) returns boolean
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform 1 from customer_usage u
    where u.customer_id in (select d.customer_id from unnest(decisions) d where d.outcome = 'ok')
    order by u.customer_id for update;
  return exists (
    select from (
      select d.customer_id, sum(d.usd_minor) as usd from unnest(decisions) d where d.outcome = 'ok' group by d.customer_id
    ) s
    join customer_usage u on u.customer_id = s.customer_id
    join customer_limits l on l.customer_id = s.customer_id
    where s.usd + case when u.limit_day >= day then u.daily_usd_minor else 0 end > l.daily_usd_minor
       or s.usd + u.open_usd_minor > l.open_usd_minor);
end $$;

create or replace function reserve_limits(decisions execution_decision[], day date)
returns setof execution_decision
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
    with accepted as (
      select d.ord, d.usd_minor as usd, sum(d.usd_minor) over (partition by d.customer_id order by d.ord) as running,
             l.daily_usd_minor as daily_limit, l.open_usd_minor as open_limit, u.open_usd_minor as open,
             case when u.limit_day >= day then u.daily_usd_minor else 0 end as daily
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

-- What has become of a quote is told before anything else, and its version only while it is open: whoever asks again for
-- an execution whose answer was lost is told of the transaction.
create or replace function decide_executions(items execution_item[]) returns setof execution_decision language plpgsql as $$
begin
  return query select d.ord, d.customer_id, d.outcome, d.status, d.version, d.expires_at, d.closed_at, d.transaction_id, d.sell_minor, d.buy_minor, d.usd_minor,
    null::text, null::numeric, null::numeric, d.pre_funded, d.sell_currency
  from (
    select i.ord, i.customer_id, i.quote_id, q.status, q.version, q.expires_at, q.closed_at, q.transaction_id, q.sell_minor,
      q.buy_minor, q.usd_minor, q.pre_funded, q.sell_currency,
      case
        when q.status is null then 'quote_not_found'
        when q.status = 'executed' then 'quote_already_executed'
        when c.status <> 'active' then 'customer_suspended'
        when q.status = 'expired' or (q.status = 'open' and q.expires_at <= i.received_at) then 'quote_expired'
        when q.status = 'cancelled' then 'quote_cancelled'
        when q.status = 'withdrawn' then 'quote_withdrawn'
        when i.if_match <> q.version then 'version_mismatch'
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

create or replace function book_executions(items execution_item[], at timestamptz, at_text text, day date)
returns setof execution_answer language plpgsql as $$
declare
  born_awaiting constant json :=
    ('[{"sequence":1,"at":"' || at_text || '","status":"awaiting_funds","actor":"client","code":"executed"}]')::json;
  born_funded constant json :=
    ('[{"sequence":1,"at":"' || at_text || '","status":"funded","actor":"client","code":"executed"}]')::json;
begin
  return query
    with closed as (
      update quotes q set
        status = 'executed', closed_at = at,
        -- After its time readers see an open quote as expired, with the next version: this one is another.
        version = q.version + case when at >= q.expires_at - interval '250 milliseconds' then 2 else 1 end,
        transaction_id = i.transaction_id
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
        limit_day = greatest(u.limit_day, day),
        daily_usd_minor = case when u.limit_day >= day then u.daily_usd_minor else 0 end + n.usd,
        open_usd_minor = u.open_usd_minor + n.usd
      from (
        select c.customer_id, count(*) as trades, sum(c.usd_minor) as usd from closed c
        group by c.customer_id order by c.customer_id
      ) n
      cross join lateral (
        select m.daily_usd_minor, m.open_usd_minor from customer_limits m where m.customer_id = n.customer_id limit 1
      ) l
      where u.customer_id = n.customer_id
        and n.usd + case when u.limit_day >= day then u.daily_usd_minor else 0 end <= l.daily_usd_minor
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

-- What an execution answered is answered again, whatever has become of the transaction: these are null until one of the
-- columns that they are named after is changed for the first time.
alter table transactions
  add column first_funding_cutoff_at timestamptz,
  add column first_destination_id uuid,
  add column first_destination_masked text;

create function keep_first_terms() returns trigger language plpgsql as $$
begin
  if new.funding_cutoff_at <> old.funding_cutoff_at then
    new.first_funding_cutoff_at := coalesce(old.first_funding_cutoff_at, old.funding_cutoff_at);
  end if;
  if (new.destination_id, new.destination_masked) is distinct from (old.destination_id, old.destination_masked) then
    new.first_destination_id := coalesce(old.first_destination_id, old.destination_id);
    new.first_destination_masked := coalesce(old.first_destination_masked, old.destination_masked);
  end if;
  return new;
end $$;
create trigger transactions_keep_first_terms
  before update of funding_cutoff_at, destination_id, destination_masked on transactions for each row
  when (old.funding_cutoff_at <> new.funding_cutoff_at or old.destination_id is distinct from new.destination_id
        or old.destination_masked is distinct from new.destination_masked)
  execute function keep_first_terms();

-- Value dates that were rolled before: the quote has the cut-off of then.
update transactions t set first_funding_cutoff_at = q.funding_cutoff_at
from quotes q
where t.value_date <> t.original_value_date and q.customer_id = t.customer_id and q.id = t.quote_id
  and q.funding_cutoff_at <> t.funding_cutoff_at;
