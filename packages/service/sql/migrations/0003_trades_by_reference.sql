-- What trades have in common is kept once and named by them: the price is a row of quote_prices, the account that customers
-- pay into a row here. Trades of before have both of their own, and the first entry of their timeline.
-- The id is what the text comes to, so that who executes need not ask which row there is; each customer has rows of its own,
-- so that no execution waits for another customer's.
create table funding_instructions (
  customer_id uuid not null,
  id uuid not null,
  details json not null,
  primary key (customer_id, id),
  constraint funding_instructions_are_their_id check (id = text_id(details::text))
);

alter table transactions
  add column price_id uuid,
  add column instructions_id uuid,
  alter column rate drop not null,
  alter column pricing drop not null,
  alter column instructions drop not null,
  alter column timeline drop not null,
  add constraint transaction_names_its_price check (price_id is not null or (rate is not null and pricing is not null)) not valid,
  add constraint transaction_names_its_instructions check (instructions_id is not null or instructions is not null) not valid;

-- What an execution answers: what decided it, and the trade with all that is shown of it.
create type execution_result as (
  ord int, outcome text, replayed boolean, fingerprint text, received_at timestamptz, quote_status text, quote_version int,
  quote_expires_at timestamptz, quote_closed_at timestamptz, quote_transaction_id uuid, limit_type text, limit_minor numeric,
  used_minor numeric, customer_id uuid, id uuid, quote_id uuid, reference text, status text, created_sequence bigint, pair text,
  sell_currency text, buy_currency text, fixed_side text, sell_minor numeric, buy_minor numeric, market_minor numeric,
  markup_minor numeric, usd_minor numeric, rate json, pricing json, evidence json, trade_date date, original_value_date date,
  funding_cutoff_at timestamptz, instructions json, destination_id uuid, destination_masked text, client_reference text,
  metadata json, created_at timestamptz, scenario smallint, client_id uuid, pre_funded boolean);
