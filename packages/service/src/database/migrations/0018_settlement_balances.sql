-- Pre-funded customers. Money that they have with the house lies in the ledger's account customer_balance (a credit, so
-- negative); an execution takes it from there in its commit. A quote says how it is funded, and that holds.
alter table quotes add column pre_funded boolean not null default false;
alter table transactions add column pre_funded boolean not null default false;
-- Where the bought amount goes: to the customer's bank, or into its balance.
alter table transactions add column proceeds text not null default 'payout' check (proceeds in ('payout', 'balance'));

-- Whatever the code does, nobody's balance is overdrawn. Not a CHECK: of an upsert that one would look at the row which was
-- to be inserted, and that is only the difference.
create function refuse_overdraft() returns trigger language plpgsql as $$
begin
  raise exception 'balance of customer % in % is overdrawn', new.customer_id, new.currency
    using errcode = 'check_violation', constraint = 'balances_not_overdrawn';
end $$;
create trigger balances_not_overdrawn after insert or update on balances for each row
  when (new.account = 'customer_balance' and new.balance > 0) execute function refuse_overdraft();

-- The reference under which a customer pays into its balance: from the same sequence as those of transactions, so that
-- no two are the same.
create table balance_references (
  customer_id uuid primary key references customers (id),
  reference text not null unique default reference_of(reference_digits(nextval('transaction_references')))
);

-- Money that was paid into a balance. A booking of the bank counts once.
create table balance_top_ups (
  customer_id uuid not null references customers (id),
  id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  bank_reference text not null check (length(bank_reference) between 1 and 140),
  deposit_id uuid unique,
  booked_by uuid,
  at timestamptz not null,
  primary key (customer_id, id),
  unique (customer_id, bank_reference)
);

drop function insert_quotes(timestamptz, timestamptz, uuid[], uuid[], uuid[], text[], text[], text[], text[], numeric[], numeric[], numeric[], numeric[], numeric[], text[], date[], date[], timestamptz[], uuid[], int[], text, text, text, text, text[], int[], boolean[], timestamptz[], timestamptz[], smallint[], text[], text[], timestamptz[], int[]);
create or replace function insert_quotes(
  at timestamptz, keys_expire_at timestamptz, customer_ids uuid[], ids uuid[], client_ids uuid[], pairs text[],
  sell_currencies text[], buy_currencies text[], fixed_sides text[], sell_minors numeric[], buy_minors numeric[],
  market_minors numeric[], markup_minors numeric[], usd_minors numeric[], tenors text[], trade_dates date[],
  value_dates date[], funding_cutoffs timestamptz[], rule_ids uuid[], rule_versions int[], rates text, pricings text,
  metadatas text, evidences text, client_references text[], validities int[], truncateds boolean[],
  created_ats timestamptz[], expires_ats timestamptz[], scenarios smallint[], pre_fundeds boolean[],
  keys text[], fingerprints text[], received_ats timestamptz[], max_open int[])
returns table (ord int, outcome text, open bigint, fingerprint text, quote_id uuid)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  refused uuid[] := '{}';
  found record;
begin
  if keys is not null then
    for found in
      select c.ord, (c.stored).fingerprint as fingerprint, (c.stored).quote_id as quote_id
      from claim_keys(customer_ids, array_fill('quotes'::text, array[cardinality(keys)]), keys, fingerprints, ids, null,
                      received_ats, at, keys_expire_at) c
    loop
      ord := found.ord - 1; outcome := 'known'; fingerprint := found.fingerprint; quote_id := found.quote_id;
      refused := refused || ids[found.ord];
      return next;
    end loop;
  end if;

  if max_open is not null then
    -- Serialises the quotes of customers whose limit is small enough to be reached, so that it is exact.
    perform 1 from customer_usage u
      where u.customer_id in (select customer_ids[m.n] from unnest(max_open) with ordinality as m (most, n) where m.most is not null)
      order by u.customer_id for update;
    for found in
      with wanted as (
        select i.n, i.customer_id, i.id, i.most, row_number() over (partition by i.customer_id order by i.n) as place
        from unnest(customer_ids, ids, max_open) with ordinality as i (customer_id, id, most, n)
        where i.most is not null and i.id <> all (refused)
      ), counted as (
        select w.customer_id,
               (select count(*) from (
                  select from quotes q where q.customer_id = w.customer_id and q.status = 'open' and q.expires_at > at
                  limit w.most + 1) o) as open
        from wanted w where w.place = 1
      )
      select w.n, w.id, w.customer_id, c.open from wanted w join counted c on c.customer_id = w.customer_id
      where c.open + w.place > w.most
    loop
      ord := found.n - 1; outcome := 'too_many_open_quotes'; open := found.open; fingerprint := null; quote_id := null;
      refused := refused || found.id;
      if keys[found.n] is not null then
        delete from idempotency_keys k
        where k.customer_id = found.customer_id and k.operation = 'quotes' and k.key = keys[found.n];
      end if;
      return next;
    end loop;
  end if;

  insert into quotes (
    customer_id, id, client_id, status, version, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor,
    market_minor, markup_minor, usd_minor, tenor, trade_date, value_date, funding_cutoff_at, spread_rule_id,
    spread_rule_version, rate, pricing, metadata, evidence, client_reference, validity_seconds, validity_truncated,
    created_at, expires_at, scenario, pre_funded)
  select i.customer_id, i.id, i.client_id, 'open', 1, i.pair, i.sell_currency, i.buy_currency, i.fixed_side, i.sell_minor,
    i.buy_minor, i.market_minor, i.markup_minor, i.usd_minor, i.tenor, i.trade_date, i.value_date, i.funding_cutoff,
    i.rule_id, i.rule_version, i.rate::json, i.pricing::json, i.metadata::json, i.evidence::json, i.client_reference,
    i.validity, i.truncated, i.created_at, i.expires_at, i.scenario, i.pre_funded
  from unnest(
    customer_ids, ids, client_ids, pairs, sell_currencies, buy_currencies, fixed_sides, sell_minors, buy_minors,
    market_minors, markup_minors, usd_minors, tenors, trade_dates, value_dates, funding_cutoffs, rule_ids, rule_versions,
    string_to_array(rates, E'\n'), string_to_array(pricings, E'\n'), string_to_array(metadatas, E'\n'),
    string_to_array(evidences, E'\n'), client_references, validities, truncateds, created_ats, expires_ats, scenarios, pre_fundeds
  ) as i (
    customer_id, id, client_id, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor, market_minor,
    markup_minor, usd_minor, tenor, trade_date, value_date, funding_cutoff, rule_id, rule_version, rate, pricing, metadata,
    evidence, client_reference, validity, truncated, created_at, expires_at, scenario, pre_funded)
  where i.id <> all (refused);
end $$;
