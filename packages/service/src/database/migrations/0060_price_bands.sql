-- What no price of a pair may leave; null is what the pair's class says. Rows of before have none.
alter table market_pairs
  add column max_width_bps numeric(6, 2) check (max_width_bps > 0),
  add column band_bps numeric(6, 2) check (band_bps > 0),
  add column reference_bps numeric(6, 2) check (reference_bps > 0);

-- Where each pair was last dealt and where first, so that neither a restart nor a silence makes any price believable.
-- Written every few seconds where a price has moved, not with each.
create table market_last_prices (
  pair text primary key check (length(pair) = 6),
  mid numeric not null check (mid > 0),
  at timestamptz not null,
  first_mid numeric not null check (first_mid > 0),
  first_at timestamptz not null
) with (fillfactor = 50);

-- Prices that operators said are right, every one. `accepted_by` is the operator's OAuth client.
create table market_accepted_prices (
  pair text not null check (length(pair) = 6),
  number int not null check (number > 0),
  mid numeric not null check (mid > 0),
  -- The last good mid until then; null where there was none.
  previous_mid numeric check (previous_mid > 0),
  reason text not null check (length(reason) between 1 and 200),
  accepted_at timestamptz not null,
  accepted_by uuid not null,
  primary key (pair, number)
);
