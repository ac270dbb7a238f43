-- The ordered, gapless feed of each customer.
create table events (
  customer_id uuid not null,
  sequence bigint not null check (sequence > 0),
  id uuid not null,
  type text not null,
  at timestamptz not null,
  quote_id uuid,
  transaction_id uuid,
  deposit_id uuid,
  version int,
  status text,
  previous_status text,
  client_reference text,
  detail json,
  primary key (customer_id, sequence)
);
-- Block ranges: events arrive in the order of time, and only the sweep that forgets old ones looks for their age.
create index events_age on events using brin (at);

-- The id of an event ends in its sequence as ten hex digits; see the event id in the service's ids module.
create function event_id(prefix text, sequence bigint) returns uuid
language sql immutable strict
return (prefix || lpad(to_hex(sequence), 10, '0'))::uuid;

-- Appends events to the feeds of their customers, in the order of `ord` for each. The caller's transaction holds
-- the customers' usage rows until it commits, so a feed has no gap and no two events share a place.
-- `batch`: [{ord, customer_id, id_prefix, type, at, quote_id, ..., detail}]
create type event_item as (
  ord int, customer_id uuid, id_prefix text, type text, at timestamptz, quote_id uuid, transaction_id uuid,
  deposit_id uuid, version int, status text, previous_status text, client_reference text, detail json
);
create function append_events(batch json) returns table (ord int, sequence bigint)
language plpgsql as $$
declare
  items event_item[];
begin
  select array_agg(i) into items from json_populate_recordset(null::event_item, batch) i;
  perform 1 from customer_usage u
    where u.customer_id in (select i.customer_id from unnest(items) i) order by u.customer_id for update;
  return query
    with bumped as (
      update customer_usage u set last_event_sequence = u.last_event_sequence + n.events
      from (select i.customer_id, count(*) as events from unnest(items) i group by i.customer_id) n
      where u.customer_id = n.customer_id
      returning u.customer_id, u.last_event_sequence - n.events as before
    ), placed as (
      select i.*, b.before + row_number() over (partition by i.customer_id order by i.ord) as place
      from unnest(items) i join bumped b on b.customer_id = i.customer_id
    ), written as (
      insert into events (customer_id, sequence, id, type, at, quote_id, transaction_id, deposit_id,
                          version, status, previous_status, client_reference, detail)
      select p.customer_id, p.place, event_id(p.id_prefix, p.place), p.type, p.at, p.quote_id, p.transaction_id,
             p.deposit_id, p.version, p.status, p.previous_status, p.client_reference, p.detail
      from placed p
    )
    select p.ord, p.place from placed p;
end $$;

-- Double entry. An entry is one row with its postings as parallel arrays: it is written whole or not at all, and
-- one CHECK sees all of it. Positive amounts are debits, negative ones credits, in minor units.
create function entry_balances(accounts text[], currencies text[], amounts numeric[]) returns boolean
language plpgsql immutable as $$
declare
  n constant int := cardinality(amounts);
  -- Most entries are in one or two currencies: their sums are kept as the lines go by.
  one constant text := currencies[1];
  two text;
  sum_one numeric := 0;
  sum_two numeric := 0;
begin
  if n < 2 or cardinality(accounts) <> n or cardinality(currencies) <> n then return false; end if;
  if array_position(accounts, null) > 0 or array_position(currencies, null) > 0 or array_position(amounts, null) > 0
    or array_position(amounts, 0::numeric) > 0 then return false; end if;
  for i in 1..n loop
    if currencies[i] = one then sum_one := sum_one + amounts[i];
    elsif two is null or currencies[i] = two then two := currencies[i]; sum_two := sum_two + amounts[i];
    else
      return not exists (
        select from unnest(currencies, amounts) as p (currency, amount) group by currency having sum(amount) <> 0);
    end if;
  end loop;
  return sum_one = 0 and sum_two = 0;
end $$;

create table journal_entries (
  customer_id uuid not null,
  id uuid not null,
  kind text not null check (kind in (
    'trade_executed', 'trade_cancelled', 'deposit_received', 'deposit_allocated', 'deposit_deallocated', 'payout_sent', 'payout_returned'
  )),
  at timestamptz not null,
  transaction_id uuid,
  deposit_id uuid,
  accounts text[] not null,
  currencies text[] not null,
  amounts numeric(38, 0)[] not null,
  primary key (customer_id, id),
  constraint journal_entry_balances check (entry_balances(accounts, currencies, amounts))
);
create index journal_entries_transaction on journal_entries (customer_id, transaction_id) where transaction_id is not null;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger journal_is_append_only before update or delete or truncate on journal_entries
  for each statement execute function refuse_change();

create table balances (
  customer_id uuid not null,
  account text not null,
  currency text not null,
  balance numeric(38, 0) not null,
  primary key (customer_id, account, currency)
) with (fillfactor = 50);

-- The journal one posting a line, for people and reports.
create view journal_postings as
  select e.customer_id, e.id as entry_id, e.kind, e.at, e.transaction_id, e.deposit_id,
         p.line, p.account, p.currency, p.amount
  from journal_entries e,
       unnest(e.accounts, e.currencies, e.amounts) with ordinality as p (account, currency, amount, line);

-- Writes entries and moves the balances that they touch, each balance once a batch and in key order.
-- `batch`: [{customer_id, id, kind, at, transaction_id, deposit_id, accounts, currencies, amounts}]
create function post_entries(batch json) returns void language sql as $$
  with written as (
    insert into journal_entries (customer_id, id, kind, at, transaction_id, deposit_id, accounts, currencies, amounts)
    select customer_id, id, kind, at, transaction_id, deposit_id, accounts, currencies, amounts
    from json_populate_recordset(null::journal_entries, batch)
    returning customer_id, accounts, currencies, amounts
  )
  insert into balances (customer_id, account, currency, balance)
  select w.customer_id, p.account, p.currency, sum(p.amount)
  from written w, unnest(w.accounts, w.currencies, w.amounts) as p (account, currency, amount)
  group by w.customer_id, p.account, p.currency
  order by w.customer_id, p.account, p.currency
  on conflict (customer_id, account, currency) do update set balance = balances.balance + excluded.balance
$$;
