-- What trades brought into and took out of the house's position in a pair, as rows that add up. The pair is kept by its two currencies
-- in alphabetical order, so that who posts looks nothing up. Days that are closed are final, and are summed here without a lock.
create table pair_positions (
  first_currency text not null,
  second_currency text not null,
  -- What the house bought and sold of the first currency, and what it paid and received of the second one for it.
  bought_minor numeric(38, 0) not null,
  paid_minor numeric(38, 0) not null,
  sold_minor numeric(38, 0) not null,
  received_minor numeric(38, 0) not null,
  trades bigint not null,
  constraint pair_positions_in_order check (first_currency < second_currency)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index pair_positions_key on pair_positions (first_currency, second_currency);

-- Where the step that follows goes on; it takes the table away again.
create table pair_positions_begin as
  select coalesce(
    (lpad(to_hex((extract(epoch from (closed_through + 1)::timestamp at time zone 'UTC') * 1000)::bigint), 12, '0')
      || '00000000000000000000')::uuid,
    '00000000-0000-0000-0000-000000000000') as entry_id
  from ledger_closing;

insert into pair_positions (first_currency, second_currency, bought_minor, paid_minor, sold_minor, received_minor, trades)
select l.first_currency, l.second_currency, sum(l.bought), sum(l.paid), sum(l.sold), sum(l.received), sum(l.trades)
from (
  select p.first_currency, p.second_currency,
    case when p.is_bought then p.first else 0 end as bought, case when p.is_bought then -p.second else 0 end as paid,
    case when p.is_bought then 0 else -p.first end as sold, case when p.is_bought then 0 else p.second end as received,
    case when e.kind = 'trade_cancelled' then -1 else 1 end as trades
  from journal_entries e
  cross join lateral (
    select min(q.currency) as first_currency, max(q.currency) as second_currency,
      -sum(q.amount) filter (where q.currency = q.least) as first, -sum(q.amount) filter (where q.currency <> q.least) as second,
      (-sum(q.amount) filter (where q.currency = q.least) > 0) <> (e.kind = 'trade_cancelled') as is_bought
    from (
      select u.currency, u.amount, min(u.currency) over () as least
      from unnest(e.accounts, e.currencies, e.amounts) as u (account, currency, amount) where u.account = 'position'
    ) q
    having count(distinct q.currency) = 2
  ) p
  where e.kind <> 'close_out' and e.id < (select b.entry_id from pair_positions_begin b)
) l
group by 1, 2;
