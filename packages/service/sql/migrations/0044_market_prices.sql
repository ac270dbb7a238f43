-- What a firm quote is made from, kept in two rows that many quotes name: the market's price, which all customers share as long as it
-- lasts, and what a customer is charged on it, which lasts as long as the spread does. What follows from both together stands in the
-- quote. Quotes of before name a row of quote_prices and have no spread of these.
create table market_prices (
  id uuid not null,
  pair text not null,
  -- The house's side, at which the customer trades.
  side text not null,
  -- At the pair's decimals, as they are shown.
  mid text not null,
  market text not null,
  as_of text not null,
  source text not null,
  -- What the customer's rate is compared with: provider, rate and date.
  reference json,
  -- The market's part of a quote's evidence.
  evidence json not null,
  constraint market_prices_pkey primary key (id)
);

-- The id is what the row comes to, so instances that know nothing of each other keep it once.
create table quote_spreads (
  id uuid not null,
  spread_rule_id uuid not null,
  spread_rule_version int not null,
  -- How much of it is shown: none, total or full.
  disclosure text not null,
  spread_bps text not null,
  components json not null,
  markup_currency text not null,
  -- One minor unit in whole units with all decimals, 0.01.
  markup_unit numeric not null,
  pricing_policy_version int not null,
  amount_rounding text not null,
  rate_decimals int not null,
  -- Whose days are estimates up to the value date.
  estimated_currencies json,
  constraint quote_spreads_pkey primary key (id)
);

alter table quotes
  add column spread_id uuid,
  -- The rate and what was shown beside it, with the decimals that were shown; null is what was not.
  add column rate numeric,
  add column inverse numeric,
  add column cost_vs_mid_bps numeric,
  add column reference_percent numeric,
  add constraint quote_has_its_rate check (
    (spread_id is null) = (rate is null) and (rate is null) = (inverse is null)) not valid;

-- What quotes of one statement have in common, with what they name.
create type spread_head as (
  customer_id uuid, client_id uuid, price_id uuid, spread_id uuid, rate numeric, inverse numeric, cost_vs_mid_bps numeric,
  reference_percent numeric, pair text, sell_currency text, buy_currency text, fixed_side text, tenor text, trade_date date,
  value_date date, funding_cutoff_at timestamptz, validity_seconds int, validity_truncated boolean, scenario smallint,
  pre_funded boolean);
