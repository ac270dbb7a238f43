-- The days that are still open, while nobody posts: with this commit the trigger goes on.
lock table journal_entries in share mode;
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
  where e.kind <> 'close_out' and e.id >= (select b.entry_id from pair_positions_begin b)
) l
group by 1, 2;
drop table pair_positions_begin;
