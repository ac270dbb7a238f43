-- Folds the rows of each key into one. Who is just adding rows is not waited for: they are not seen yet, and folded later.
create or replace function fold_house_rows() returns void language plpgsql as $$
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
    delete from pair_positions p
    where (p.first_currency, p.second_currency) in (
      select k.first_currency, k.second_currency from pair_positions k group by 1, 2 having count(*) > 1)
    returning p.*
  )
  insert into pair_positions (first_currency, second_currency, bought_minor, paid_minor, sold_minor, received_minor, trades)
  select g.first_currency, g.second_currency, sum(g.bought_minor), sum(g.paid_minor), sum(g.sold_minor), sum(g.received_minor), sum(g.trades)
  from gone g group by 1, 2;
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
