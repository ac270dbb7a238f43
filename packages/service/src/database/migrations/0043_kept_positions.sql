-- Positions, what open quotes may add to them and the settlement ladder were summed from all that is open, which with a
-- million trades of a day took seconds. Now they are rows that move in the commit that moves what they are sums of.
--
-- What belongs to one customer is one row, as in balances. What belongs to the house would be a row that all customers wait
-- for; so nobody changes such a row: each commit adds rows with what it changed, the sum over a key is what counts, and once
-- a second the rows of a key are folded into one.
lock table quotes, transactions, journal_entries, balances in share row exclusive mode;

create table customer_positions (
  customer_id uuid not null,
  currency text not null,
  bought_minor numeric(38, 0) not null,
  bought_usd_minor numeric(38, 0) not null,
  sold_minor numeric(38, 0) not null,
  sold_usd_minor numeric(38, 0) not null,
  primary key (customer_id, currency)
) with (fillfactor = 50);

-- `balance_minor` is the sum of the position accounts (debits positive), the others are as in customer_positions.
create table house_positions (
  currency text not null,
  balance_minor numeric(38, 0) not null,
  bought_minor numeric(38, 0) not null,
  bought_usd_minor numeric(38, 0) not null,
  sold_minor numeric(38, 0) not null,
  sold_usd_minor numeric(38, 0) not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What open quotes add to each currency (long) and take off it (short) if they are executed, and how many of them sell
-- it; by the ten seconds in which they run out.
create table house_open_quotes (
  expires_by timestamptz not null,
  currency text not null,
  long_minor numeric(38, 0) not null,
  short_minor numeric(38, 0) not null,
  quotes bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What open trades bring in and pay out on each value date.
create table settlement_ladder (
  value_date date not null,
  currency text not null,
  trades_in bigint not null,
  expected_minor numeric(38, 0) not null,
  received_minor numeric(38, 0) not null,
  outstanding_minor numeric(38, 0) not null,
  trades_out bigint not null,
  to_pay_minor numeric(38, 0) not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Legs of entries as in the view position_legs, which the books are checked against.
create function keep_positions() returns trigger language plpgsql as $$
begin
  with moved as (
    select w.customer_id, p.currency, p.amount,
           w.kind <> 'close_out' and p.currency <> 'USD' as is_leg,
           (p.amount > 0) <> (w.kind = 'trade_cancelled') as is_bought,
           case when u.usd <> 0 then -u.usd else sign(p.amount) * coalesce(t.usd_minor, 0) end as usd
    from written w
    cross join lateral (
      select q.currency, sum(q.amount) as amount
      from unnest(w.accounts, w.currencies, w.amounts) as q (account, currency, amount)
      where q.account = 'position' group by q.currency
    ) p
    cross join lateral (
      select coalesce(sum(q.amount), 0) as usd
      from unnest(w.accounts, w.currencies, w.amounts) as q (account, currency, amount)
      where q.account = 'position' and q.currency = 'USD'
    ) u
    left join lateral (
      select x.usd_minor from transactions x
      where u.usd = 0 and x.customer_id = w.customer_id and x.id = w.transaction_id limit 1
    ) t on true
    where 'position' = any (w.accounts) and p.amount <> 0
  ), of_customers as (
    insert into customer_positions as k (customer_id, currency, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
    select m.customer_id, m.currency,
           coalesce(sum(m.amount) filter (where m.is_bought), 0), coalesce(sum(m.usd) filter (where m.is_bought), 0),
           coalesce(-sum(m.amount) filter (where not m.is_bought), 0), coalesce(-sum(m.usd) filter (where not m.is_bought), 0)
    from moved m where m.is_leg group by m.customer_id, m.currency order by m.customer_id, m.currency
    on conflict (customer_id, currency) do update set
      bought_minor = k.bought_minor + excluded.bought_minor, bought_usd_minor = k.bought_usd_minor + excluded.bought_usd_minor,
      sold_minor = k.sold_minor + excluded.sold_minor, sold_usd_minor = k.sold_usd_minor + excluded.sold_usd_minor
  )
  insert into house_positions (currency, balance_minor, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
  select m.currency, sum(m.amount),
         coalesce(sum(m.amount) filter (where m.is_leg and m.is_bought), 0),
         coalesce(sum(m.usd) filter (where m.is_leg and m.is_bought), 0),
         coalesce(-sum(m.amount) filter (where m.is_leg and not m.is_bought), 0),
         coalesce(-sum(m.usd) filter (where m.is_leg and not m.is_bought), 0)
  from moved m group by m.currency;
  return null;
end $$;
create trigger journal_keeps_positions after insert on journal_entries referencing new table as written
  for each statement execute function keep_positions();

-- The end of the ten seconds in which a quote runs out.
create function expires_by(expires_at timestamptz) returns timestamptz language sql immutable strict
return date_bin('10 seconds', expires_at, timestamptz '2000-01-01 00:00:00+00') + interval '10 seconds';

-- What one quote counts, in each of its currencies. The leg that is not fixed enters a position at the market's price.
create function quote_legs(q quotes) returns table (currency text, long_minor numeric, short_minor numeric, quotes bigint)
language sql immutable as $$
  values
    (q.sell_currency, case q.fixed_side when 'sell' then q.sell_minor else q.market_minor end, 0::numeric, 1::bigint),
    (q.buy_currency, 0, case q.fixed_side when 'sell' then q.market_minor else q.buy_minor end, 0)
$$;
create function keep_added_quotes() returns trigger language plpgsql as $$
begin
  insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
  select expires_by(q.expires_at), l.currency, sum(l.long_minor), sum(l.short_minor), sum(l.quotes)
  from added q cross join lateral quote_legs(q) l where q.status = 'open' group by 1, 2;
  return null;
end $$;
create trigger quotes_are_counted after insert on quotes referencing new table as added
  for each statement execute function keep_added_quotes();
create function keep_removed_quotes() returns trigger language plpgsql as $$
begin
  insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
  select expires_by(q.expires_at), l.currency, -sum(l.long_minor), -sum(l.short_minor), -sum(l.quotes)
  from removed q cross join lateral quote_legs(q) l where q.status = 'open' group by 1, 2;
  return null;
end $$;
create trigger deleted_quotes_are_counted after delete on quotes referencing old table as removed
  for each statement execute function keep_removed_quotes();
create function keep_changed_quotes() returns trigger language plpgsql as $$
begin
  insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
  select s.expires_by, s.currency, sum(s.long_minor), sum(s.short_minor), sum(s.quotes)
  from (
    select expires_by(q.expires_at) as expires_by, l.* from added q cross join lateral quote_legs(q) l where q.status = 'open'
    union all
    select expires_by(q.expires_at), l.currency, -l.long_minor, -l.short_minor, -l.quotes
    from removed q cross join lateral quote_legs(q) l where q.status = 'open'
  ) s
  group by 1, 2 having sum(s.long_minor) <> 0 or sum(s.short_minor) <> 0 or sum(s.quotes) <> 0;
  return null;
end $$;
create trigger changed_quotes_are_counted after update on quotes referencing old table as removed new table as added
  for each statement execute function keep_changed_quotes();

-- What one open trade brings in and pays out.
create function ladder_rungs(t transactions)
returns table (currency text, trades_in bigint, expected numeric, received numeric, outstanding numeric, trades_out bigint, to_pay numeric)
language sql immutable as $$
  select v.* from (values
    (t.sell_currency, 1::bigint, t.sell_minor, t.received_minor,
     greatest(t.sell_minor - t.received_minor - t.shortfall_minor, 0), 0::bigint, 0::numeric),
    (t.buy_currency, 0, 0, 0, 0, 1, t.buy_minor)
  ) as v (currency, trades_in, expected, received, outstanding, trades_out, to_pay)
  where t.status in ('awaiting_funds', 'partially_funded', 'funded', 'overdue', 'settling', 'settlement_failed')
$$;
create function keep_added_trades() returns trigger language plpgsql as $$
begin
  insert into settlement_ladder (value_date, currency, trades_in, expected_minor, received_minor, outstanding_minor, trades_out, to_pay_minor)
  select t.value_date, r.currency, sum(r.trades_in), sum(r.expected), sum(r.received), sum(r.outstanding), sum(r.trades_out), sum(r.to_pay)
  from added t cross join lateral ladder_rungs(t) r group by 1, 2;
  return null;
end $$;
create trigger trades_are_on_the_ladder after insert on transactions referencing new table as added
  for each statement execute function keep_added_trades();
create function keep_removed_trades() returns trigger language plpgsql as $$
begin
  insert into settlement_ladder (value_date, currency, trades_in, expected_minor, received_minor, outstanding_minor, trades_out, to_pay_minor)
  select t.value_date, r.currency, -sum(r.trades_in), -sum(r.expected), -sum(r.received), -sum(r.outstanding), -sum(r.trades_out), -sum(r.to_pay)
  from removed t cross join lateral ladder_rungs(t) r group by 1, 2;
  return null;
end $$;
create trigger deleted_trades_are_off_the_ladder after delete on transactions referencing old table as removed
  for each statement execute function keep_removed_trades();
create function keep_changed_trades() returns trigger language plpgsql as $$
begin
  insert into settlement_ladder (value_date, currency, trades_in, expected_minor, received_minor, outstanding_minor, trades_out, to_pay_minor)
  select s.value_date, s.currency, sum(s.trades_in), sum(s.expected), sum(s.received), sum(s.outstanding), sum(s.trades_out), sum(s.to_pay)
  from (
    select t.value_date, r.* from added t cross join lateral ladder_rungs(t) r
    union all
    select t.value_date, r.currency, -r.trades_in, -r.expected, -r.received, -r.outstanding, -r.trades_out, -r.to_pay
    from removed t cross join lateral ladder_rungs(t) r
  ) s
  group by 1, 2
  having sum(s.trades_in) <> 0 or sum(s.expected) <> 0 or sum(s.received) <> 0 or sum(s.outstanding) <> 0
    or sum(s.trades_out) <> 0 or sum(s.to_pay) <> 0;
  return null;
end $$;
create trigger changed_trades_move_on_the_ladder after update on transactions referencing old table as removed new table as added
  for each statement execute function keep_changed_trades();

-- Folds the rows of each key into one. Who is just adding rows is not waited for: they are not seen yet, and folded later.
create function fold_house_rows() returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(7102, 0) then return; end if;
  with gone as (
    delete from house_positions p
    where p.currency in (select k.currency from house_positions k group by 1 having count(*) > 1) returning p.*
  )
  insert into house_positions (currency, balance_minor, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
  select g.currency, sum(g.balance_minor), sum(g.bought_minor), sum(g.bought_usd_minor), sum(g.sold_minor), sum(g.sold_usd_minor)
  from gone g group by 1;
  with gone as (
    delete from house_open_quotes q
    where (q.expires_by, q.currency) in (select k.expires_by, k.currency from house_open_quotes k group by 1, 2 having count(*) > 1)
    returning q.*
  )
  insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
  select g.expires_by, g.currency, sum(g.long_minor), sum(g.short_minor), sum(g.quotes)
  from gone g group by 1, 2 having sum(g.long_minor) <> 0 or sum(g.short_minor) <> 0 or sum(g.quotes) <> 0;
  with gone as (
    delete from settlement_ladder l
    where (l.value_date, l.currency) in (select k.value_date, k.currency from settlement_ladder k group by 1, 2 having count(*) > 1)
    returning l.*
  )
  insert into settlement_ladder (value_date, currency, trades_in, expected_minor, received_minor, outstanding_minor, trades_out, to_pay_minor)
  select g.value_date, g.currency, sum(g.trades_in), sum(g.expected_minor), sum(g.received_minor), sum(g.outstanding_minor),
         sum(g.trades_out), sum(g.to_pay_minor)
  from gone g group by 1, 2
  having sum(g.trades_in) <> 0 or sum(g.expected_minor) <> 0 or sum(g.received_minor) <> 0 or sum(g.outstanding_minor) <> 0
    or sum(g.trades_out) <> 0 or sum(g.to_pay_minor) <> 0;
end $$;

-- The same positions from the books: the last closed day of each and the legs since.
create function booked_positions()
returns table (customer_id uuid, currency text, bought_minor numeric, bought_usd_minor numeric, sold_minor numeric, sold_usd_minor numeric)
language sql stable as $$
  with closed as (select closed_through as day from ledger_closing)
  select b.customer_id, b.currency, d.bought_minor, d.bought_usd_minor, d.sold_minor, d.sold_usd_minor
  from balances b cross join lateral (
    select * from position_days p
    where p.customer_id = b.customer_id and p.currency = b.currency and p.day <= (select day from closed)
    order by p.day desc limit 1
  ) d
  where b.account = 'position'
  union all
  select l.customer_id, l.currency,
    case when l.is_bought then l.amount else 0 end, case when l.is_bought then l.usd_minor else 0 end,
    case when l.is_bought then 0 else -l.amount end, case when l.is_bought then 0 else -l.usd_minor end
  from position_legs l
  where l.entry_id >= coalesce(
    uuid_floor(((select day from closed) + 1)::timestamp at time zone 'UTC'), '00000000-0000-0000-0000-000000000000')
$$;

-- What is there already: positions from the books, the rest from what is open.
insert into customer_positions (customer_id, currency, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
  select customer_id, currency, sum(bought_minor), sum(bought_usd_minor), sum(sold_minor), sum(sold_usd_minor)
  from booked_positions() group by customer_id, currency;
insert into house_positions (currency, balance_minor, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
  select b.currency, b.balance, coalesce(k.bought, 0), coalesce(k.bought_usd, 0), coalesce(k.sold, 0), coalesce(k.sold_usd, 0)
  from (select currency, sum(balance) as balance from balances where account = 'position' group by currency) b
  left join (
    select currency, sum(bought_minor) as bought, sum(bought_usd_minor) as bought_usd, sum(sold_minor) as sold,
      sum(sold_usd_minor) as sold_usd
    from customer_positions group by currency
  ) k on k.currency = b.currency;
insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
  select expires_by(q.expires_at), l.currency, sum(l.long_minor), sum(l.short_minor), sum(l.quotes)
  from quotes q cross join lateral quote_legs(q) l where q.status = 'open' group by 1, 2;
insert into settlement_ladder (value_date, currency, trades_in, expected_minor, received_minor, outstanding_minor, trades_out, to_pay_minor)
  select t.value_date, r.currency, sum(r.trades_in), sum(r.expected), sum(r.received), sum(r.outstanding), sum(r.trades_out), sum(r.to_pay)
  from transactions t cross join lateral ladder_rungs(t) r
  where t.status in ('awaiting_funds', 'partially_funded', 'funded', 'overdue', 'settling', 'settlement_failed')
  group by 1, 2;

-- The work list of close-outs, in the order in which it is gone through.
create index transactions_overdue_due on transactions (funding_cutoff_at, id) where status = 'overdue';
