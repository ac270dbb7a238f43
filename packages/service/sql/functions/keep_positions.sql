-- Legs of entries as in the view position_legs, which the books are checked against; and both legs of a trade together, by pair.
create or replace function keep_positions() returns trigger language plpgsql as $$
begin
  with moved as (
    select w.id, w.kind, w.customer_id, p.currency, p.amount,
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
    select add_to_positions(array_agg(s.customer_id), array_agg(s.currency), array_agg(s.bought), array_agg(s.bought_usd),
                            array_agg(s.sold), array_agg(s.sold_usd)) as changed
    from (
      select m.customer_id, m.currency,
             coalesce(sum(m.amount) filter (where m.is_bought), 0) as bought,
             coalesce(sum(m.usd) filter (where m.is_bought), 0) as bought_usd,
             coalesce(-sum(m.amount) filter (where not m.is_bought), 0) as sold,
             coalesce(-sum(m.usd) filter (where not m.is_bought), 0) as sold_usd
      from moved m where m.is_leg group by m.customer_id, m.currency order by m.customer_id, m.currency
    ) s
  ), of_pairs as (
    -- A trade has two currencies. What the house has is the other way round: its accounts are equity.
    select min(m.currency) as first_currency, max(m.currency) as second_currency, m.kind = 'trade_cancelled' as is_undone,
           -(array_agg(m.amount order by m.currency))[1] as first, -(array_agg(m.amount order by m.currency))[2] as second
    from moved m where m.kind <> 'close_out' group by m.id, m.kind having count(*) = 2
  ), kept_pairs as (
    insert into pair_positions (first_currency, second_currency, bought_minor, paid_minor, sold_minor, received_minor, trades)
    select p.first_currency, p.second_currency,
           coalesce(sum(p.first) filter (where (p.first > 0) <> p.is_undone), 0),
           coalesce(-sum(p.second) filter (where (p.first > 0) <> p.is_undone), 0),
           coalesce(-sum(p.first) filter (where (p.first > 0) = p.is_undone), 0),
           coalesce(sum(p.second) filter (where (p.first > 0) = p.is_undone), 0),
           sum(case when p.is_undone then -1 else 1 end)
    from of_pairs p group by 1, 2
  )
  insert into house_positions (currency, balance_minor, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor)
  select m.currency, sum(m.amount),
         coalesce(sum(m.amount) filter (where m.is_leg and m.is_bought), 0),
         coalesce(sum(m.usd) filter (where m.is_leg and m.is_bought), 0),
         coalesce(-sum(m.amount) filter (where m.is_leg and not m.is_bought), 0),
         coalesce(-sum(m.usd) filter (where m.is_leg and not m.is_bought), 0)
  from moved m where (select o.changed from of_customers o) >= 0 group by m.currency;
  return null;
end $$;

create or replace trigger journal_keeps_positions after insert on journal_entries referencing new table as written
  for each statement execute function keep_positions();
