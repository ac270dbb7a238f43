-- The tables that the schema began with. Functions, views and triggers are in sql/functions.

-- Customers, what they are charged, what they may do, where their money goes.
-- Every table that a trade touches carries customer_id first in its key, so that it can be distributed by it.
create table customers (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  group_name text check (length(group_name) between 1 and 64),
  status text not null default 'active' check (status in ('active', 'suspended')),
  status_reason text,
  -- Behaviour that is the customer's own: pricingDisclosure, requireStatusCheck, requireIdempotencyKey,
  -- permittedValidities, amountRounding. Only what differs from the service's defaults.
  settings jsonb not null default '{}',
  external_reference text,
  version int not null default 1 check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Postal addresses for payment files: the customer's as creditor, the account holder's as debtor. Not part of the account's
  -- details, which trades show to customers.
  postal_address json
);

-- Limits as set by the operator. Money limits are in US dollar cents, the currency that every trade is valued in.
create table customer_limits (
  customer_id uuid primary key references customers (id),
  daily_usd_minor numeric(38, 0) not null check (daily_usd_minor >= 0),
  open_usd_minor numeric(38, 0) not null check (open_usd_minor >= 0),
  trade_usd_minor numeric(38, 0) not null check (trade_usd_minor >= 0),
  max_open_quotes int not null check (max_open_quotes between 1 and 1000000),
  -- Quotas that differ from the service's, by policy: {"quotes": {"perMinute": 120, "burst": 20}}.
  rates jsonb not null default '{}',
  version int not null default 1 check (version > 0),
  updated_at timestamptz not null
);

-- What is used of the limits, and the end of the customer's event feed. One row a customer, locked by everything
-- that trades for the customer: it is what makes the feed gapless and the limits exact.
create table customer_usage (
  customer_id uuid primary key references customers (id),
  last_event_sequence bigint not null default 0 check (last_event_sequence >= 0),
  limit_day date,
  daily_usd_minor numeric(38, 0) not null default 0 check (daily_usd_minor >= 0),
  open_usd_minor numeric(38, 0) not null default 0 check (open_usd_minor >= 0)
);

-- A rule that is replaced keeps its row: quotes name the version that they were priced with.
create table spread_rules (
  id uuid not null,
  version int not null check (version > 0),
  customer_id uuid references customers (id),
  group_name text,
  pair text check (pair ~ '^[A-Z]{6}$'),
  spread_bps numeric(9, 2) not null check (spread_bps >= 0 and spread_bps < 5000),
  valid_from timestamptz,
  valid_to timestamptz,
  active boolean not null,
  created_at timestamptz not null,
  -- Tiers: without them any tenor, any validity, any amount.
  tenor text check (tenor in ('today', 'tom', 'spot')),
  -- For promises of up to so many seconds, inclusive.
  validity_up_to_seconds int check (validity_up_to_seconds between 1 and 86400),
  -- For fixed amounts worth so much or more, in US dollar cents.
  amount_from_usd_minor numeric(38, 0) not null default 0 check (amount_from_usd_minor >= 0),
  -- Bounds of the whole spread, premiums included.
  min_bps numeric(9, 2) check (min_bps >= 0 and min_bps < 5000),
  max_bps numeric(9, 2) check (max_bps >= 0 and max_bps < 5000),
  primary key (id, version),
  check (customer_id is null or group_name is null),
  check (valid_from is null or valid_to is null or valid_from < valid_to),
  constraint spread_rule_bounds check (min_bps is null or max_bps is null or min_bps <= max_bps)
);
create unique index spread_rules_active on spread_rules (id) where active;
create unique index spread_rules_target on spread_rules (
  coalesce(customer_id, '00000000-0000-0000-0000-000000000000'), coalesce(group_name, ''), coalesce(pair, ''),
  coalesce(tenor, ''), coalesce(validity_up_to_seconds, 0), amount_from_usd_minor
) where active and valid_from is null and valid_to is null;

-- One number for the whole set of rules, so that two operators cannot overwrite each other (If-Match).
create table spread_rule_set (
  singleton boolean primary key default true check (singleton),
  version int not null check (version > 0)
);
insert into spread_rule_set (version) values (1);

-- Where the customer's bought currency is paid to.
create table settlement_instructions (
  customer_id uuid not null references customers (id),
  id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  account_holder text not null,
  bank_name text,
  bank_country text,
  bic text,
  iban text,
  account_number text,
  routing_number text,
  status text not null check (status in ('active', 'retired')),
  created_at timestamptz not null,
  -- Masked once, not with every trade.
  masked text generated always as (mask_account(coalesce(iban, account_number))) stored,
  lei text check (lei ~ '^[A-Z0-9]{18}[0-9]{2}$'),
  primary key (customer_id, id),
  check (iban is not null or account_number is not null)
);
create unique index settlement_instructions_active on settlement_instructions (customer_id, currency) where status = 'active';

-- The house's own accounts at banks: where customers send the sold currency.
create table collection_accounts (
  currency text primary key check (currency ~ '^[A-Z]{3}$'),
  -- accountHolder, bankName, bic, iban, accountNumber, routingNumber, rails
  details json not null,
  updated_at timestamptz not null,
  holder_address json,
  -- The house's legal entity identifier (ISO 17442), which payment files tell banks and trades do not show.
  holder_lei text
);

-- OAuth clients, what they prove themselves with, and the keys that sign their tokens.
-- Instants here are real time: tokens do not follow the sandbox clock.
create table oauth_clients (
  id uuid primary key,
  kind text not null check (kind in ('customer', 'operator')),
  -- Null for operators.
  customer_id uuid references customers (id),
  name text not null check (length(name) between 1 and 200),
  scopes text[] not null check (cardinality(scopes) between 1 and 20),
  -- Empty: the audience that the service has for the kind, whatever it is configured to be now.
  audiences text[] not null default '{}' check (cardinality(audiences) <= 10),
  -- Addresses and CIDR ranges; empty: from anywhere.
  ip_allow_list text[] not null default '{}' check (cardinality(ip_allow_list) <= 50),
  -- A revoked client keeps its row, because trades name it, and never comes back.
  status text not null default 'active' check (status in ('active', 'suspended', 'revoked')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((kind = 'customer') = (customer_id is not null)),
  -- Which scopes there are is known to the code. The schema holds that the two worlds never mix.
  constraint oauth_clients_scopes_of_kind check (
    case kind
      when 'operator' then array_to_string(scopes, ' ') ~ '^operator:[a-z*]+( operator:[a-z*]+)*$'
      else array_to_string(scopes, ' ') ~ '^[a-z]+:[a-z]+( [a-z]+:[a-z]+)*$' and array_to_string(scopes, ' ') !~ '\moperator:'
    end
  )
);
create index oauth_clients_customer on oauth_clients (customer_id, created_at);

-- SHA-256 is enough only because the service makes the secrets itself, of 256 random bits: there is nothing to
-- guess, so nothing that a slow hash would protect.
create table client_secrets (
  id uuid primary key,
  client_id uuid not null references oauth_clients (id),
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  -- Two places and no third: at most two secrets live at once.
  place smallint not null check (place in (1, 2)),
  created_at timestamptz not null,
  expires_at timestamptz check (expires_at > created_at),
  revoked_at timestamptz
);
create unique index client_secrets_live on client_secrets (client_id, place) where revoked_at is null;

-- Public keys for private_key_jwt.
create table client_keys (
  client_id uuid not null references oauth_clients (id),
  kid text not null check (length(kid) between 1 and 128),
  public_jwk jsonb not null,
  created_at timestamptz not null,
  primary key (client_id, kid)
);

-- Keys that sign access tokens. The next key is in the JWKS from its first day, so that every verifier knows it
-- before it is used; a retired one stays there until its last token has expired, and loses its private half at once.
create table signing_keys (
  kid text primary key,
  alg text not null check (alg = 'ES256'),
  state text not null check (state in ('next', 'active', 'retired')),
  public_jwk jsonb not null,
  -- AES-256-GCM: 12 bytes nonce, 16 bytes tag, then the PKCS #8 key. The kid is authenticated with it.
  encrypted_private_key bytea,
  -- Which key encryption key it is under: the first 8 bytes of its SHA-256, in hex.
  encrypted_under text not null check (encrypted_under ~ '^[0-9a-f]{16}$'),
  published_at timestamptz not null,
  activated_at timestamptz check (activated_at >= published_at),
  retired_at timestamptz check (retired_at >= activated_at),
  check ((state = 'next') = (activated_at is null)),
  check ((state = 'retired') = (retired_at is not null)),
  check ((state = 'retired') = (encrypted_private_key is null))
);
create unique index signing_keys_single on signing_keys (state) where state <> 'retired';

-- The key encryption key of installations that were given none, which only the sandbox may be. It protects nothing
-- from whoever reads this database; it is here so that the sandbox runs the same code as production.
create table sandbox_key_encryption_key (
  singleton boolean primary key default true check (singleton),
  key bytea not null check (octet_length(key) = 32)
);

-- Assertions of private_key_jwt that were used: each counts once, on whichever instance.
create table used_assertions (
  client_id uuid not null references oauth_clients (id),
  jti_hash bytea not null check (octet_length(jti_hash) = 32),
  expires_at timestamptz not null,
  primary key (client_id, jti_hash)
);
create index used_assertions_expiry on used_assertions (expires_at);

-- Tokens withdrawn before they expire: one (jti), or every token of the client made up to revoked_at (jti null).
create table revoked_tokens (
  client_id uuid not null references oauth_clients (id),
  jti uuid,
  revoked_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index revoked_tokens_single on revoked_tokens (client_id, jti) where jti is not null;
create unique index revoked_tokens_all on revoked_tokens (client_id) where jti is null;
create index revoked_tokens_expiry on revoked_tokens (expires_at);

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

create table journal_entries (
  customer_id uuid not null,
  id uuid not null,
  kind text not null check (kind in (
    'trade_executed', 'trade_cancelled', 'deposit_received', 'deposit_allocated', 'deposit_deallocated', 'deposit_returned',
    'payout_sent', 'payout_returned', 'refund_paid', 'refund_returned', 'balance_topped_up', 'proceeds_credited',
    'close_out', 'withdrawal_requested', 'withdrawal_paid', 'withdrawal_undone', 'withdrawal_returned', 'bank_entry_booked',
    'return_ordered', 'return_paid', 'return_undone', 'return_reopened'
  )),
  at timestamptz not null,
  transaction_id uuid,
  deposit_id uuid,
  accounts text[] not null,
  currencies text[] not null,
  amounts numeric(38, 0)[] not null,
  -- Entries of withdrawals name them.
  withdrawal_id uuid,
  primary key (customer_id, id),
  constraint journal_entry_balances check (entry_balances(accounts, currencies, amounts))
);
create index journal_entries_transaction on journal_entries (customer_id, transaction_id) where transaction_id is not null;
-- Reading the ledger, and reports. An entry's id begins with the instant of its `at`, so the order of ids is the order
-- of time, and this one index finds an entry, pages through the journal of all customers, and cuts out a day of it.
create index journal_entries_id on journal_entries (id);

create table balances (
  customer_id uuid not null,
  account text not null,
  currency text not null,
  balance numeric(38, 0) not null,
  primary key (customer_id, account, currency)
) with (fillfactor = 50);
-- The house's position is a sum over these. The balance itself is not in the index: executions change it all the time,
-- and would no longer be able to do that in place.
create index balances_position on balances (currency) where account = 'position';

create table quotes (
  customer_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  status text not null check (status in ('open', 'executed', 'cancelled', 'expired', 'withdrawn')),
  version int not null check (version > 0),
  pair text not null check (length(pair) = 6),
  sell_currency text not null check (length(sell_currency) = 3),
  buy_currency text not null check (length(buy_currency) = 3),
  fixed_side text not null check (fixed_side in ('sell', 'buy')),
  sell_minor numeric(38, 0) not null check (sell_minor > 0),
  buy_minor numeric(38, 0) not null check (buy_minor > 0),
  -- The leg that is not fixed, at the market's own price. The difference to the customer's leg is the markup.
  market_minor numeric(38, 0) not null check (market_minor > 0),
  markup_minor numeric(38, 0) not null check (markup_minor >= 0),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  -- today, tom, spot, or broken for a date of the caller's own between them.
  tenor text not null check (tenor in ('today', 'tom', 'spot', 'broken')),
  trade_date date not null,
  value_date date not null check (value_date >= trade_date),
  funding_cutoff_at timestamptz not null,
  metadata json not null,
  client_reference text,
  validity_seconds int not null check (validity_seconds > 0),
  validity_truncated boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  closed_at timestamptz,
  status_reason text,
  transaction_id uuid,
  -- Sandbox scenario of the amount; null in production.
  scenario smallint,
  -- Money that pre-funded customers have with the house lies in the ledger's account customer_balance (a credit, so
  -- negative); an execution takes it from there in its commit. A quote says how it is funded, and that holds.
  pre_funded boolean not null default false,
  price_id uuid not null,
  primary key (customer_id, id),
  check (sell_currency <> buy_currency),
  check (markup_minor = case fixed_side when 'sell' then market_minor - buy_minor else sell_minor - market_minor end),
  check ((status = 'open') = (closed_at is null)),
  check ((status = 'executed') = (transaction_id is not null))
) with (fillfactor = 85);
create index quotes_open on quotes (expires_at) where status = 'open';
create index quotes_to_withdraw on quotes (created_at) where status = 'open' and scenario = 903;
create index quotes_open_customer on quotes (customer_id, expires_at) where status = 'open';

-- First answers of POST requests that carried an Idempotency-Key. Quotes, executions and cancellations write their
-- row in the commit that does the work and keep only what the answer is rendered from again; other requests
-- (`operation` starting with "http:") reserve the row first and store status and body.
create table idempotency_keys (
  customer_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  outcome text not null,
  quote_id uuid,
  transaction_id uuid,
  received_at timestamptz not null,
  response_status int,
  response_body text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (customer_id, operation, key)
);
-- For the sweep that forgets old keys. They arrive in the order of time, so block ranges find them and cost writers nothing.
create index idempotency_keys_age on idempotency_keys using brin (expires_at);

-- References of transactions, top-ups, withdrawals and returns: no two are the same, whosever they are.
create sequence transaction_references maxvalue 999999999999 cycle;

create table transactions (
  customer_id uuid not null,
  id uuid not null,
  quote_id uuid not null,
  reference text not null,
  status text not null check (status in (
    'awaiting_funds', 'partially_funded', 'funded', 'overdue', 'settling', 'settled', 'settlement_failed', 'cancelled'
  )),
  status_reason text,
  version int not null check (version > 0),
  -- Place of the newest change in the customer's event feed: unlike updated_at, never out of commit order.
  change_sequence bigint not null,
  created_sequence bigint not null,
  pair text not null,
  sell_currency text not null,
  buy_currency text not null,
  fixed_side text not null,
  sell_minor numeric(38, 0) not null check (sell_minor > 0),
  buy_minor numeric(38, 0) not null check (buy_minor > 0),
  market_minor numeric(38, 0) not null,
  markup_minor numeric(38, 0) not null,
  usd_minor numeric(38, 0) not null,
  rate json not null,
  pricing json not null,
  trade_date date not null,
  value_date date not null,
  original_value_date date not null,
  funding_cutoff_at timestamptz not null,
  -- Sum of what is allocated from deposits, never more than sell_minor plus nothing: the rest of a deposit is excess.
  received_minor numeric(38, 0) not null default 0 check (received_minor >= 0),
  excess_minor numeric(38, 0) not null default 0 check (excess_minor >= 0),
  -- What was forgiven of a short payment; received + shortfall covers a funded trade.
  shortfall_minor numeric(38, 0) not null default 0 check (shortfall_minor >= 0),
  deposits json not null default '[]',
  -- The house's account to pay to, as it was at execution.
  instructions json not null,
  destination_id uuid not null,
  destination_masked text not null,
  payout_status text not null default 'pending' check (
    payout_status in ('pending', 'sent', 'paid', 'rejected', 'returned', 'cancelled')
  ),
  payout_attempts int not null default 0,
  payout_reference text,
  paid_at timestamptz,
  settled_at timestamptz,
  refund json,
  holds json not null default '[]',
  failure json,
  timeline json not null,
  client_reference text,
  metadata json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  scenario smallint,
  -- The OAuth client that executed.
  client_id uuid,
  pre_funded boolean not null default false,
  -- Where the bought amount goes: to the customer's bank, or into its balance.
  proceeds text not null default 'payout' check (proceeds in ('payout', 'balance')),
  -- What an execution answered is answered again, whatever has become of the transaction: these are null until one of the
  -- columns that they are named after is changed for the first time.
  first_funding_cutoff_at timestamptz,
  first_destination_id uuid,
  first_destination_masked text,
  primary key (customer_id, id),
  unique (customer_id, quote_id),
  constraint transaction_funding_adds_up check (received_minor <= sell_minor),
  constraint transaction_funded_is_covered check (
    status not in ('funded', 'settling', 'settled') or received_minor + shortfall_minor >= sell_minor
  ),
  constraint transactions_reference_key unique (reference)
) with (fillfactor = 80);
create index transactions_updated on transactions (customer_id, updated_at, id);
create index transactions_value_date on transactions (customer_id, value_date, id);
create index transactions_status on transactions (customer_id, status, id);
create index transactions_client_reference on transactions (customer_id, client_reference, id) where client_reference is not null;
-- The work lists of the sweeps: only rows that still have somewhere to go.
create index transactions_funding_due on transactions (funding_cutoff_at) where status in ('awaiting_funds', 'partially_funded');
create index transactions_settlement_due on transactions (value_date) where status = 'funded';
-- The operator's list goes across customers, newest first, by status.
create index transactions_by_status on transactions (status, id);
create index transactions_refund_due on transactions ((refund ->> 'currency'), customer_id, id)
  where refund ->> 'status' = 'pending';
create index transactions_payout_due on transactions (buy_currency, customer_id, id)
  where status = 'settling' and payout_status = 'sent';
-- The work list of close-outs, in the order in which it is gone through.
create index transactions_overdue_due on transactions (funding_cutoff_at, id) where status = 'overdue';

-- Money that arrived at the house's accounts, and which trade each part of it went to. A deposit has no customer until
-- it is matched, so unlike what a trade touches it is keyed by its own id.
create table deposits (
  id uuid primary key,
  -- The house's account and the bank's own reference of the booking: what arrives twice is one deposit.
  account text not null check (length(account) between 1 and 64),
  bank_reference text not null check (length(bank_reference) between 1 and 140),
  -- SHA-256 over the content as it was told, to know a repetition from another booking under the same reference.
  fingerprint text not null,
  source text not null check (source in ('operator', 'sandbox', 'statement')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  remitter_name text,
  remitter_account text,
  remittance_text text,
  value_date date not null,
  received_at timestamptz not null,
  status text not null,
  exception_type text check (exception_type in (
    'unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency', 'third_party', 'late', 'duplicate', 'returned',
    'payout_mismatch', 'implausible_date'
  )),
  exception_reason text,
  customer_id uuid,
  allocated_minor numeric(38, 0) not null default 0 check (allocated_minor >= 0),
  -- Paid too much: owed back to the customer, no longer in suspense.
  excess_minor numeric(38, 0) not null default 0 check (excess_minor >= 0),
  version int not null default 1 check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Money that went back, deposits that name a virtual account, and deposits that are set aside on purpose.
  returned_minor numeric(38, 0) not null default 0 check (returned_minor >= 0),
  virtual_account text check (length(virtual_account) between 1 and 64),
  -- A deposit that was the house's own money, such as interest: the account that it was booked to.
  booked_as text check (length(booked_as) between 1 and 40),
  -- The day on which the bank booked a deposit, where a statement tells: whether money was late is judged by it.
  booked_on date,
  unique (account, bank_reference),
  constraint deposits_check4 check ((exception_type is null) = (exception_reason is null)),
  constraint deposit_status_known check (status in ('unmatched', 'partially_matched', 'matched', 'returned', 'ignored')),
  constraint deposit_adds_up check (allocated_minor + excess_minor + returned_minor <= amount_minor),
  constraint deposit_unmatched_is_whole check (status <> 'unmatched' or allocated_minor + excess_minor + returned_minor = 0),
  constraint deposit_matched_is_placed check (
    (status = 'matched') = (allocated_minor > 0 and allocated_minor + returned_minor = amount_minor)
  ),
  constraint deposit_returned_is_gone check ((status = 'returned') = (returned_minor = amount_minor)),
  -- Nothing gets lost: money that is in suspense is somebody's work, unless somebody has set it aside.
  constraint deposit_is_somebodys_work check (
    exception_type is not null or status = 'ignored' or allocated_minor + excess_minor + returned_minor = amount_minor
  )
) with (fillfactor = 85);
create index deposits_received on deposits (received_at, id);
create index deposits_unsettled on deposits (received_at, id) where status <> 'matched';
create index deposits_remitter on deposits (remitter_account) where remitter_account is not null;
-- Deposits that no rule has matched and nobody has touched: the engine looks at them again.
create index deposits_untouched on deposits (id) where status = 'unmatched' and version = 1;
-- What operators have in hand when they look for a deposit. Parts of names and texts are looked for in a range of dates.
create index deposits_bank_reference on deposits (bank_reference);
create index deposits_amount on deposits (currency, amount_minor, received_at, id);
create index deposits_customer on deposits (customer_id, received_at, id) where customer_id is not null;
-- Shared by several customers: few.
create index deposits_shared on deposits (received_at, id) where customer_id is null and allocated_minor + excess_minor > 0;
create index deposits_status on deposits (status, received_at, id);
create index deposits_status_currency on deposits (status, currency, received_at, id);
create index deposits_value_date on deposits (value_date);
create index deposits_booked_on on deposits (booked_on) where booked_on is not null;

create table deposit_allocations (
  customer_id uuid not null,
  transaction_id uuid,
  deposit_id uuid not null references deposits (id),
  allocated_minor numeric(38, 0) not null check (allocated_minor > 0),
  excess_minor numeric(38, 0) not null check (excess_minor >= 0),
  -- Forgiven of what was expected because of this deposit.
  shortfall_minor numeric(38, 0) not null check (shortfall_minor >= 0),
  rule text not null,
  matched_by text not null check (matched_by in ('auto', 'manual')),
  actor text not null,
  -- What the rule saw: reference, amounts, tolerance.
  evidence json not null,
  at timestamptz not null,
  -- 0 to 100, by rule; none where a person decided.
  score smallint check (score between 0 and 100),
  constraint deposit_allocation_of_balance_is_plain check (
    transaction_id is not null or (excess_minor = 0 and shortfall_minor = 0)
  )
);
create index deposit_allocations_deposit on deposit_allocations (deposit_id);
create index deposit_allocations_at on deposit_allocations (at);
-- Of a deposit each trade has one part at most, and so has the balance.
create unique index deposit_allocations_once on deposit_allocations (customer_id, transaction_id, deposit_id) nulls not distinct;
create index deposit_allocations_customer on deposit_allocations (customer_id, deposit_id);

-- The sandbox: its controls, and a bank that moves money by itself. In production the tables stay empty and
-- enable_sandbox_bank() is never called.
create table sandbox_settings (
  singleton boolean primary key default true check (singleton),
  -- Business time less real time.
  clock_offset_ms bigint not null default 0,
  auto_deposit boolean not null default true,
  settlement text not null default 'fast',
  customer_id uuid,
  -- True once the sandbox customer has all that it trades with.
  seeded boolean not null default false,
  constraint sandbox_settings_settlement_check check (settlement in ('fast', 'calendar', 'runs'))
);
insert into sandbox_settings default values;

-- OAuth clients that were made for sandbox.json, as `cli_…`, so that a file of another database is not believed.
create table sandbox_clients (
  client_id text primary key,
  kind text not null check (kind in ('customer', 'operator')),
  created_at timestamptz not null
);

-- What the simulated bank is going to do. `kind`: deposit (money arrives), release (funded to settling, when settlement
-- is fast), payout (confirm or reject), retry, return. `step` tells several of one kind apart.
create table sandbox_bank_jobs (
  customer_id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('deposit', 'release', 'payout', 'retry', 'return')),
  step int not null,
  due_at timestamptz not null,
  primary key (customer_id, transaction_id, kind, step)
);
create index sandbox_bank_jobs_due on sandbox_bank_jobs (kind, due_at);

-- Keys that all instances of the service share and nobody else needs, made by whichever instance starts first.
create table service_secrets (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);

-- What operators tell the market. Every instance follows it: the revision says whether anything changed, and the lock
-- on its row puts the changes of all instances into one order.
create table market_revision (
  singleton boolean primary key default true check (singleton),
  revision bigint not null check (revision > 0)
);
insert into market_revision (revision) values (1);

-- Halts, those that were lifted too. `halted_by` and `resumed_by` are the operators' OAuth clients.
create table market_halts (
  id uuid primary key,
  scope text not null check (scope in ('all', 'pair', 'customer')),
  pair text check (length(pair) = 6),
  customer_id uuid,
  reason text not null check (length(reason) between 1 and 200),
  halted_at timestamptz not null,
  halted_by uuid not null,
  resumed_at timestamptz,
  resumed_by uuid,
  resume_reason text check (length(resume_reason) between 1 and 200),
  -- How far the customers have been told, in the order of their ids: first of the close, then of the opening.
  closed_told_to uuid,
  closed_told boolean not null default false,
  opened_told_to uuid,
  opened_told boolean not null default false,
  -- Whether a halt takes back what was quoted before it, as its operator says.
  withdraws_quotes boolean not null default true,
  check ((scope = 'pair') = (pair is not null)),
  check ((scope = 'customer') = (customer_id is not null)),
  check ((resumed_at is null) = (resumed_by is null)),
  check (resume_reason is null or resumed_at is not null),
  check (not opened_told or (closed_told and resumed_at is not null))
);
create unique index market_halts_current on market_halts (scope, coalesce(pair, customer_id::text, ''))
  where resumed_at is null;
create index market_halts_untold on market_halts (halted_at)
  where not closed_told or (resumed_at is not null and not opened_told);

-- How the book treats a pair, every version of it. A pair without a row is treated by default, as version 1.
create table market_pairs (
  pair text not null check (length(pair) = 6),
  version int not null check (version > 1),
  enabled boolean not null,
  staleness_ms int not null check (staleness_ms > 0),
  composite text not null check (composite in ('best', 'priority')),
  priority text[] not null check (cardinality(priority) <= 16),
  locked_prices text not null check (locked_prices in ('accept', 'refuse')),
  outlier_bps numeric(6, 2) check (outlier_bps > 0),
  jump_ticks int not null check (jump_ticks > 1),
  jump_ms int not null check (jump_ms > 0),
  frozen_ms int check (frozen_ms > 0),
  deviation_bps numeric(6, 2) check (deviation_bps > 0),
  agreement_ms int not null check (agreement_ms > 0),
  changed_at timestamptz not null,
  changed_by uuid not null,
  -- What no price of a pair may leave; null is what the pair's class says.
  max_width_bps numeric(6, 2) check (max_width_bps > 0),
  band_bps numeric(6, 2) check (band_bps > 0),
  reference_bps numeric(6, 2) check (reference_bps > 0),
  primary key (pair, version)
);

-- Sources switched off and on, every time. The newest row of a source counts; one without a row is on.
create table market_source_switches (
  source text not null check (length(source) between 1 and 200),
  number int not null check (number > 0),
  enabled boolean not null,
  reason text not null check (length(reason) between 1 and 200),
  changed_at timestamptz not null,
  changed_by uuid not null,
  primary key (source, number)
);

-- The composite price of a pair in each second and minute in which it ticked. Rates, so exact decimals.
create table market_bars_1s (
  pair text not null,
  at timestamptz not null,
  open numeric not null check (open > 0),
  high numeric not null,
  low numeric not null,
  close numeric not null,
  bid numeric not null check (bid > 0),
  ask numeric not null check (ask >= bid),
  ticks int not null check (ticks > 0),
  primary key (pair, at),
  check (low <= open and low <= close and high >= open and high >= close)
);
-- Bars arrive in the order of time, so block ranges find old ones and cost writers nothing.
create index market_bars_1s_age on market_bars_1s using brin (at);

create table market_bars_1m (like market_bars_1s including all);

-- The next set of spread rules, while operators work on it. One for the whole service; `rules` null is none.
create table spread_rule_draft (
  singleton boolean primary key default true check (singleton),
  version int not null check (version > 0),
  -- Version of the set in force that the draft was made from: it replaces that one and no other.
  based_on int,
  rules json,
  changed_at timestamptz,
  check ((rules is null) = (based_on is null))
);
insert into spread_rule_draft (version) values (1);

-- Settings of pricing and risk that operators change as one document each. Every version stays, because quotes name
-- the one that they were priced with; the newest is in force. The primary key is what keeps two operators from writing
-- the same next version.
create table pricing_settings (
  kind text not null check (kind in ('pricing_policy', 'amount_limits', 'exposure_limits')),
  version int not null check (version > 1),
  document json not null,
  changed_by uuid,
  created_at timestamptz not null,
  primary key (kind, version)
);

-- What operators have changed of the calendars and cut-offs that are built in. Every version is kept: the highest of
-- a currency and year, or of a currency, is in force. Version 1 is what is built in and has no row.
create table calendar_years (
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  year int not null check (year between 2000 and 2099),
  version int not null check (version > 1),
  -- True when `days` are all closing days of the year and nothing built in counts.
  complete boolean not null,
  -- [{"date", "state": "open" or "closed", "reason", "source"}], by date.
  days jsonb not null check (jsonb_typeof(days) = 'array'),
  reason text not null,
  -- The operator's OAuth client.
  changed_by uuid not null,
  changed_at timestamptz not null,
  -- Of years that were imported; null for those that one operator has set by hand.
  approved_by uuid,
  import_id uuid,
  primary key (currency, year, version)
);

create table cut_offs (
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  version int not null check (version > 1),
  time_of_day text not null check (time_of_day ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  zone text not null,
  reason text not null,
  source text not null,
  changed_by uuid not null,
  changed_at timestamptz not null,
  primary key (currency, version)
);

-- One row. Its version moves with every change of the two above, so that each instance sees in one small read whether
-- it has to load them again; its lock makes changes go one after the other.
create table date_rules (
  singleton boolean primary key default true check (singleton),
  version bigint not null
);
insert into date_rules (version) values (1);

-- Ed25519 keys that sign the terms of quotes and transactions. As signing_keys, in a table of their own: a key of one
-- kind must never sign or verify what is the other's.
create table evidence_keys (
  kid text primary key,
  alg text not null check (alg = 'EdDSA'),
  state text not null check (state in ('next', 'active', 'retired')),
  public_jwk jsonb not null,
  -- AES-256-GCM: 12 bytes nonce, 16 bytes tag, then the PKCS #8 key. The kid is authenticated with it.
  encrypted_private_key bytea,
  -- Which key encryption key it is under: the first 8 bytes of its SHA-256, in hex.
  encrypted_under text not null check (encrypted_under ~ '^[0-9a-f]{16}$'),
  published_at timestamptz not null,
  activated_at timestamptz check (activated_at >= published_at),
  retired_at timestamptz check (retired_at >= activated_at),
  check ((state = 'next') = (activated_at is null)),
  check ((state = 'retired') = (retired_at is not null)),
  check ((state = 'retired') = (encrypted_private_key is null))
);
create unique index evidence_keys_single on evidence_keys (state) where state <> 'retired';

-- Statements that banks send: the files as they came, what they hold, and what each of their entries has become.
create table statement_files (
  id uuid primary key,
  -- As it was called; only for people. No folder is ever made from it.
  name text not null check (length(name) between 1 and 255),
  -- The same bytes are the same file, whoever brings them and however often.
  sha256 text not null unique check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  source text not null,
  -- The operator's OAuth client; null when nobody asked.
  received_by uuid,
  received_at timestamptz not null,
  -- How often it was brought, and when last. A refused file may be brought again, say with a mapping.
  attempts int not null default 1 check (attempts > 0),
  last_attempt_at timestamptz not null,
  status text not null check (status in ('accepted', 'refused')),
  format text check (format in ('camt', 'mt940', 'csv', 'json', 'pain.002')),
  mapping text,
  refusal_code text,
  refusal_line int,
  refusal_detail text,
  statements int not null default 0,
  bookings int not null default 0,
  new_bookings int not null default 0,
  payment_statuses int not null default 0 check (payment_statuses >= 0),
  -- Files whose own figures do not agree, and which two people have accepted all the same.
  accepted_despite text,
  accepted_despite_line int,
  accepted_despite_detail text,
  accepted_reason text check (length(accepted_reason) between 1 and 500),
  accepted_by uuid,
  approved_by uuid,
  accepted_at timestamptz,
  -- Files that were taken back, and statements that count no more because of it or because another one corrects them: their
  -- dates and balances are gone from the columns that decide, and stand in `withdrawn`.
  withdrawn_at timestamptz,
  withdrawn_reason text check (length(withdrawn_reason) between 1 and 500),
  withdrawn_by uuid,
  withdrawal_approved_by uuid,
  check ((status = 'refused') = (refusal_code is not null)),
  check ((refusal_code is null) = (refusal_detail is null)),
  check (status = 'refused' or format is not null),
  check (new_bookings between 0 and bookings),
  constraint statement_files_source_check check (source in ('api', 'command', 'folder', 'sandbox')),
  check (accepted_at is null or status = 'accepted'),
  check (num_nulls(accepted_reason, accepted_by, approved_by, accepted_at) in (0, 4)),
  check (accepted_by <> approved_by),
  constraint statement_files_withdrawn check (num_nulls(withdrawn_at, withdrawn_reason, withdrawn_by) in (0, 3)),
  constraint statement_files_withdrawn_by_two check (withdrawn_by <> withdrawal_approved_by)
);
create index statement_files_received on statement_files (received_at, id);

-- In parts, so that neither side ever holds a large file in memory.
create table statement_file_parts (
  file_id uuid not null references statement_files (id),
  part int not null check (part >= 0),
  bytes bytea not null,
  primary key (file_id, part)
);

create table bank_statements (
  id uuid primary key,
  file_id uuid not null references statement_files (id),
  position int not null,
  line int not null,
  kind text not null check (kind in ('statement', 'report', 'notification')),
  -- An account of the house as its deposits name it, or as the bank writes one that is not known.
  account text not null check (length(account) between 1 and 64),
  is_own boolean not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  reference text,
  -- The bank's count of statements on the account.
  number numeric(18, 0) check (number > 0),
  page int,
  period_from date,
  period_to date,
  opening_minor numeric(38, 0),
  opening_currency text,
  opening_date date,
  closing_minor numeric(38, 0),
  closing_currency text,
  closing_date date,
  bookings int not null,
  new_bookings int not null,
  -- Statements of which nothing can be booked, each with its reason: the others of their file are taken in all the same.
  set_aside text check (set_aside in ('currency_unknown')),
  entries_left int check (entries_left >= 0),
  -- A page: whether its opening and closing balance are between pages (ITBD, 60M, 62M), and whether it is the last.
  opening_interim boolean not null default false,
  closing_interim boolean not null default false,
  withdrawn json,
  corrected_by uuid,
  -- A bank may cut a statement into pages without telling the balances between them. What a page says of the whole is kept
  -- until all of them are here; then each gets the balances that its entries make.
  is_last_page boolean,
  whole_opening_minor numeric(38, 0),
  whole_opening_date date,
  whole_closing_minor numeric(38, 0),
  whole_closing_date date,
  unique (file_id, position),
  check ((opening_minor is null) = (opening_date is null)),
  check ((closing_minor is null) = (closing_date is null)),
  check ((set_aside is null) = (entries_left is null)),
  check (set_aside is null or not is_own),
  constraint bank_statements_withdrawn check (withdrawn is null or (opening_minor is null and closing_minor is null))
);
-- What came before a statement on its account.
create index bank_statements_before on bank_statements (account, currency, period_to) where kind = 'statement';
create index bank_statements_unknown on bank_statements (account) where not is_own;
-- Statements with a closing balance, by the days that they cover.
create index bank_statements_covering on bank_statements (account, currency, period_to)
  where kind = 'statement' and opening_minor is not null and closing_minor is not null;
create index bank_statements_account_day on bank_statements (account, period_to, id);
create index bank_statements_loose_pages on bank_statements (account, currency, number) where is_last_page is not null;

-- What the bank booked on an account, once, however many files told of it.
create table statement_bookings (
  id uuid primary key,
  -- Of the first that told of it.
  statement_id uuid not null references bank_statements (id) deferrable initially deferred,
  line int not null,
  account text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  direction text not null check (direction in ('credit', 'debit')),
  status text not null check (status in ('booked', 'pending', 'information')),
  amount_minor numeric(38, 0) not null check (amount_minor >= 0),
  booking_date date not null,
  value_date date not null,
  bank_reference text,
  transaction_code text,
  -- What a booking is known again by: reference, UETR, end-to-end id and text without blanks and marks.
  known_reference text,
  known_uetr text,
  known_end_to_end text,
  known_text text not null,
  -- The file, or the report in it, that told of it last: one of them never means the same booking twice.
  last_told_by uuid not null,
  -- Whether a statement with a closing balance has told of a booking. Notifications and reports come before it.
  in_statement boolean not null default false,
  -- How many payments it has.
  payments int check (payments > 0)
) with (fillfactor = 85);
create index statement_bookings_bank_reference on statement_bookings (account, bank_reference) where bank_reference is not null;
create index statement_bookings_batches on statement_bookings (account, booking_date, amount_minor) where payments > 1;
-- What no statement has listed yet, by day.
create index statement_bookings_unlisted on statement_bookings (account, currency, booking_date) where not in_statement and status = 'booked';
-- Entries and statements are looked for by account and day; the entry that a listing is, by its booking.
create index statement_bookings_account_day on statement_bookings (account, booking_date, id);
create index statement_bookings_reference_key on statement_bookings (known_reference, account, booking_date)
  where known_reference is not null;

-- Every entry of every file, in its order, with the booking that it is.
create table statement_listings (
  file_id uuid not null references statement_files (id),
  position int not null,
  statement_position int not null,
  line int not null,
  booking_id uuid not null references statement_bookings (id),
  is_new boolean not null,
  primary key (file_id, position)
);
create index statement_listings_booking on statement_listings (booking_id);

create table statement_mappings (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,39}$'),
  mapping json not null,
  version int not null check (version > 0),
  updated_by uuid,
  updated_at timestamptz not null
);

-- Closing balances of past days (UTC), so that a balance at an instant is one of them and the entries of part of a day.
-- A day has a row for each account that moved in it. Made from the journal, and can be made again from it.
create table ledger_days (
  customer_id uuid not null,
  account text not null,
  currency text not null,
  day date not null,
  balance numeric(38, 0) not null,
  primary key (customer_id, account, currency, day)
);

-- What trades brought into and took out of the house's position from their beginning to the end of the day, with what
-- it cost and yielded in US dollar cents. A cancelled trade counts as if it had not been made.
create table position_days (
  customer_id uuid not null,
  currency text not null,
  day date not null,
  bought_minor numeric(38, 0) not null,
  bought_usd_minor numeric(38, 0) not null,
  sold_minor numeric(38, 0) not null,
  sold_usd_minor numeric(38, 0) not null,
  primary key (customer_id, currency, day)
);

-- The last day that both tables above hold. One row.
create table ledger_closing (
  one boolean primary key default true check (one),
  closed_through date,
  -- A day is fenced first: from then on nobody begins to post to it. It is closed when those who had begun before have
  -- ended, so that its closing balances hold whatever is committed late.
  fenced_through date,
  constraint ledger_days_are_fenced check (
    closed_through is null or (fenced_through is not null and closed_through <= fenced_through)
  )
);
insert into ledger_closing default values;

-- Reports made in the background. Their text lies here in pieces, so that any instance can make one and any other can
-- hand it out. `lease_until` is on the database's own clock: past it, the maker is gone and another begins anew.
create table report_jobs (
  id uuid primary key,
  report text not null,
  format text not null check (format in ('json', 'csv')),
  parameters json not null,
  requested_by uuid not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  attempts int not null default 0 check (attempts >= 0),
  lease uuid,
  lease_until timestamptz,
  rows_written bigint not null default 0,
  bytes_written bigint not null default 0,
  pieces int not null default 0,
  sha256 text,
  balanced boolean,
  failure text,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz not null,
  check ((status = 'completed') = (sha256 is not null)),
  check ((status = 'failed') = (failure is not null)),
  check ((status = 'running') = (lease is not null))
);
create index report_jobs_waiting on report_jobs (created_at) where status in ('queued', 'running');

create table report_pieces (
  report_id uuid not null references report_jobs (id) on delete cascade,
  piece int not null check (piece > 0),
  content text not null,
  primary key (report_id, piece)
);

-- What one operator proposed and another one decides. `request` belongs to the room that proposed it.
create table approvals (
  id uuid primary key,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  -- Id of what it is about, as the API writes it.
  subject text not null check (length(subject) between 1 and 64),
  request json not null,
  reason text not null check (length(reason) between 1 and 500),
  status text not null check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
  proposed_by uuid not null,
  proposed_at timestamptz not null,
  decided_by uuid,
  decided_at timestamptz,
  note text check (length(note) between 1 and 500),
  -- Four eyes are two persons.
  constraint approvals_check1 check (status not in ('approved', 'rejected') or decided_by <> proposed_by),
  constraint approvals_check2 check (status <> 'withdrawn' or decided_by = proposed_by),
  -- Of one that has expired it is known when, and nobody has decided.
  constraint approval_is_decided_by_somebody check (
    (status = 'pending') = (decided_at is null) and (status in ('pending', 'expired')) = (decided_by is null)
  )
);
-- One proposal at a time for each thing.
create unique index approvals_pending on approvals (subject) where status = 'pending';
-- People's proposals on a subject, decided ones too.
create index approvals_subject on approvals (subject, id);
create index approvals_waiting on approvals (proposed_at) where status = 'pending';

-- What became of a deposit, one row for each of its versions.
create table deposit_history (
  deposit_id uuid not null references deposits (id),
  version int not null,
  at timestamptz not null,
  -- `matcher`, `bank_feed`, or the OAuth client of an operator.
  actor text not null,
  action text not null,
  reason text,
  detail json not null,
  primary key (deposit_id, version)
);

-- Accounts at the house's banks that belong to one customer: what arrives there is the customer's.
create table virtual_accounts (
  id uuid primary key,
  customer_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Capitals and digits only.
  number text not null check (number ~ '^[A-Z0-9]{4,64}$'),
  status text not null check (status in ('active', 'closed')),
  created_at timestamptz not null,
  created_by uuid not null,
  closed_at timestamptz
);
create unique index virtual_accounts_number on virtual_accounts (number) where status = 'active';
create index virtual_accounts_customer on virtual_accounts (customer_id, id);
-- A customer with a virtual account in the sold currency is told to pay to it, and not to the account that all pay to.
create index virtual_accounts_active on virtual_accounts (customer_id, currency, id) where status = 'active';

-- Accounts that a customer has paid from before, learnt from what operators matched by hand.
create table known_remitters (
  id uuid primary key,
  customer_id uuid not null,
  account text not null,
  name text,
  learnt_at timestamptz not null,
  learnt_by uuid not null,
  deposit_id uuid not null,
  unique (customer_id, account)
);
create index known_remitters_account on known_remitters (account);
create index known_remitters_deposit on known_remitters (deposit_id);

-- Every version of the matching rules; the newest is in force.
create table matching_settings (
  version int primary key check (version > 1),
  document json not null,
  changed_by uuid not null,
  created_at timestamptz not null
);

-- Holds with their inner reasons. The customer's side of those that stand is in transactions.holds, which is shown as
-- it is; what is here is for operators only.
create table transaction_holds (
  customer_id uuid not null,
  transaction_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('screening', 'review', 'documents')),
  reason text not null check (length(reason) between 1 and 500),
  placed_by uuid not null,
  placed_at timestamptz not null,
  released_by uuid,
  released_at timestamptz,
  release_reason text check (length(release_reason) between 1 and 500),
  primary key (customer_id, transaction_id, id),
  check ((released_at is null) = (released_by is null)),
  check (released_at is not null or release_reason is null)
);

-- Payment files. A run collects what is to be paid in one currency for one date into one message to the bank.
create table settlement_runs (
  id uuid primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Payouts with this value date or an earlier one.
  value_date date not null,
  -- The day on which the bank is asked to pay.
  execution_date date not null,
  charge_bearer text not null check (charge_bearer in ('shared', 'debtor', 'creditor')),
  status text not null check (status in ('created', 'sent', 'cancelled')),
  message_id text not null unique check (length(message_id) between 1 and 35),
  payment_count int not null check (payment_count > 0),
  total_minor numeric(38, 0) not null check (total_minor > 0),
  version int not null default 1 check (version > 0),
  created_by uuid not null,
  created_at timestamptz not null,
  ended_by uuid,
  ended_at timestamptz,
  -- Whether settlement_run_downloads tells who has had the file of the run. If not, it may be at a bank.
  are_downloads_recorded boolean not null default false,
  check ((status = 'created') = (ended_at is null)),
  check ((ended_at is null) = (ended_by is null))
);
create index settlement_runs_by_currency on settlement_runs (currency, id);

create table settlement_run_files (
  run_id uuid not null references settlement_runs (id),
  format text not null check (format in ('pain.001', 'csv')),
  content bytea not null,
  sha256 text not null check (sha256 = encode(sha256(content), 'hex')),
  primary key (run_id, format)
);

-- One instruction to the bank: a payout, a refund, or several payouts of a customer in one payment. Whether it was paid is
-- not here but with the transactions it is for.
create table payments (
  id uuid primary key,
  run_id uuid not null references settlement_runs (id),
  customer_id uuid not null,
  end_to_end_id text not null check (length(end_to_end_id) between 1 and 35),
  uetr uuid not null,
  currency text not null,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  scheme text not null check (scheme in ('sepa', 'instant', 'urgent', 'plain')),
  destination_masked text not null,
  -- What the bank's character set changed: [{field, given, sent}].
  adjustments json not null,
  -- The last that the bank has said of a payment in status reports.
  bank_status text check (length(bank_status) between 1 and 35),
  bank_status_reason text,
  bank_status_at timestamptz,
  -- What a payment is called belongs to the attempts that it pays: when its run is cancelled and it is made again, it is the same
  -- payment to the bank, which so recognises it should both files reach it.
  live boolean not null default true,
  payee_name text,
  payee_account text
);
create index payments_of_run on payments (run_id, id);
create unique index payments_end_to_end_id_once on payments (end_to_end_id) where live;
create unique index payments_uetr_once on payments (uetr) where live;
create index payments_end_to_end_id on payments (end_to_end_id);
create index payments_uetr on payments (uetr);

-- The payments of a booking; most have one.
create table statement_entries (
  id uuid primary key,
  booking_id uuid not null references statement_bookings (id),
  number int not null check (number > 0),
  kind text not null check (kind in ('payment', 'return', 'reversal')),
  amount_minor numeric(38, 0) not null check (amount_minor >= 0),
  end_to_end_id text,
  uetr text,
  instruction_id text,
  payment_information_id text,
  detail_reference text,
  structured_references text[] not null,
  remittance_text text,
  counterparty_name text,
  counterparty_account text,
  return_reason text,
  original_reference text,
  exchange json,
  -- `due`: a credit that has yet to become a deposit; `unknown_account`: one on an account that is none of the house.
  deposit_state text not null check (deposit_state in ('none', 'due', 'booked', 'unknown_account')),
  deposit_id uuid unique references deposits (id),
  -- What statements say of payments of the house: each entry that is no deposit is held against what was to be paid.
  -- `due`: yet to be looked at; `unknown_account`: on an account that is none of the house; then what was found:
  -- `applied` (trades have moved), `known` (they were there already), `mismatch` (ours, and something is wrong),
  -- `unknown` (none of ours). `none`: pending or information, or a credit that is a deposit.
  payment_state text not null default 'none' check (payment_state in (
    'none', 'due', 'unknown_account', 'applied', 'known', 'mismatch', 'unknown', 'by_hand'
  )),
  payment_reason text check (length(payment_reason) between 1 and 40),
  -- The payment of a settlement run that it is, where it is one.
  payment_id uuid references payments (id),
  -- A debit may be a deposit that its remitter's bank has taken back.
  returned_deposit_id uuid references deposits (id),
  -- The account of the ledger that it was booked to, or `deposit`, `payout`, `refund`.
  booked_as text check (length(booked_as) between 1 and 40),
  -- Which account of the house a payment was made to, where the bank says so beside the account of the statement: a virtual
  -- account that it keeps for one customer.
  credited_account text,
  -- Account and day of its booking and what it is looked up by, without blanks and marks. Null until an import has seen it.
  account text,
  booking_date date,
  known_reference text,
  known_end_to_end text,
  -- Entries are kept as each file told them. Of those that are one payment the first carries its money, and the others
  -- name it, with the reason.
  same_as uuid references statement_entries (id),
  same_reason text check (same_reason in (
    'uetr', 'bank_reference', 'end_to_end_id', 'entry_reference', 'content', 'same_statement', 'day_and_amount',
    'sum_of_details', 'part_of_sum', 'operator'
  )),
  -- What it says otherwise than that entry.
  differs text[],
  -- The entry that it may be; a person says whether.
  maybe_same_as uuid references statement_entries (id),
  -- Fields that entries which came later have completed, with those entries.
  completed json,
  -- The entry by which a statement with balances lists it, when another message told of it first.
  listed_by uuid references statement_entries (id),
  -- Since when the statements that cover its day do not list it.
  missing_since timestamptz,
  -- What is to be done to what was booked on it: `complete` (more is known of it), `split` (its payments are known).
  revise text check (revise in ('complete', 'split')),
  unique (booking_id, number),
  check ((deposit_state = 'booked') = (deposit_id is not null)),
  check (payment_reason is null or payment_state in ('mismatch', 'unknown')),
  check ((same_as is null) = (same_reason is null)),
  check (same_as is null or (same_as <> id and deposit_state = 'none' and payment_state = 'none'))
);
create index statement_entries_due on statement_entries (id) where deposit_state = 'due';
create index statement_entries_payment_due on statement_entries (id) where payment_state = 'due';
create index statement_entries_returned_deposit on statement_entries (returned_deposit_id) where returned_deposit_id is not null;
-- By which an earlier entry is found when its payment comes back.
create index statement_entries_detail_reference on statement_entries (detail_reference) where detail_reference is not null;
-- Deposits by what their payments were called, for when they are taken back.
create index statement_entries_deposit_uetr on statement_entries (uetr) where uetr is not null;
create index statement_entries_deposit_end_to_end on statement_entries (end_to_end_id) where end_to_end_id is not null;
-- Entries that are not in the books.
create index statement_entries_not_booked on statement_entries (booking_id)
  where payment_state in ('due', 'mismatch') or (payment_state = 'unknown' and deposit_state = 'none') or deposit_state = 'due';
-- The ways in which an entry is known again.
create index statement_entries_no_keys on statement_entries (id) where account is null;
create index statement_entries_day on statement_entries (account, booking_date, amount_minor) where same_as is null;
create index statement_entries_same_as on statement_entries (same_as) where same_as is not null;
create index statement_entries_maybe on statement_entries (account) where maybe_same_as is not null and payment_state = 'mismatch';
create index statement_entries_revise on statement_entries (id) where revise is not null;
create index statement_entries_missing on statement_entries (id) where missing_since is not null;
-- An entry is looked up by one key at a time. Led by the key, only one index fits each way of looking, whatever the planner
-- knows of accounts and days: led by the account it read all entries of an account or day for every batch of a file.
create index statement_entries_reference_key on statement_entries (known_reference, account, booking_date)
  where known_reference is not null and same_as is null;
create index statement_entries_end_to_end_key on statement_entries (known_end_to_end, account, amount_minor)
  where known_end_to_end is not null and same_as is null;

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
  booked_by uuid,
  at timestamptz not null,
  primary key (customer_id, id),
  unique (customer_id, bank_reference)
);

-- What a bank has told of a payout or refund, one row for each source and trade. Each attempt leaves the house once and
-- comes back once: what is told beyond that is another movement of money, and a person's work.
create table bank_notices (
  customer_id uuid not null,
  transaction_id uuid not null,
  purpose text not null,
  attempt int not null check (attempt > 0),
  kind text not null check (kind in ('paid', 'rejected', 'returned')),
  -- What told it: an entry of a statement or of a status report.
  source_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  at timestamptz not null,
  primary key (customer_id, transaction_id, source_id)
);
create index bank_notices_source on bank_notices (source_id);
create unique index bank_notices_once on bank_notices (customer_id, transaction_id, purpose, attempt, kind) where kind <> 'rejected';

-- The books of the sandbox's bank, and the files in which it tells of them. In production these tables stay empty.
create table sandbox_bank_accounts (
  id uuid primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- As customers are told to pay to, and as the bank's files name it.
  account text not null check (length(account) between 1 and 64),
  is_iban boolean not null,
  holder text not null,
  bic text,
  -- How many statements there have been, and what the last one closed with. May be negative: the bank lends.
  statements int not null default 0 check (statements >= 0),
  closing_minor numeric(38, 0) not null default 0,
  unique (account, currency)
);

-- What the bank sends, byte for byte. `told_at` is set when the service has taken it in.
create table sandbox_bank_files (
  id uuid primary key,
  sequence bigint generated always as identity unique,
  kind text not null check (kind in ('camt.054', 'camt.053', 'pain.002')),
  name text not null,
  entries int not null check (entries > 0),
  content bytea not null,
  sha256 text not null check (sha256 = encode(sha256(content), 'hex')),
  created_at timestamptz not null,
  -- Real time: who made it tells it at once; others only when that has not happened for a while.
  written_at timestamptz not null default clock_timestamp(),
  told_at timestamptz
);
create index sandbox_bank_files_untold on sandbox_bank_files (sequence) where told_at is null;

create table sandbox_bank_statements (
  id uuid primary key,
  account_id uuid not null references sandbox_bank_accounts (id),
  number int not null check (number > 0),
  day date not null,
  opening_minor numeric(38, 0) not null,
  closing_minor numeric(38, 0) not null,
  file_id uuid not null references sandbox_bank_files (id) deferrable initially deferred,
  unique (account_id, number)
);

create table sandbox_bank_entries (
  id bigint generated always as identity primary key,
  account_id uuid not null references sandbox_bank_accounts (id),
  -- What brought it about, such as a deposit of a trade or a payment of a file: nothing is booked twice.
  source text not null unique,
  direction text not null check (direction in ('credit', 'debit')),
  kind text not null check (kind in ('payment', 'return', 'charge', 'interest')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  end_to_end_id text,
  uetr uuid,
  payment_information_id text,
  remittance_text text,
  counterparty_name text,
  counterparty_account text,
  -- Of a return: the entry that comes back, and why.
  original_id bigint references sandbox_bank_entries (id),
  return_reason text,
  booking_date date not null,
  value_date date not null,
  booked_at timestamptz not null,
  notification_id uuid not null references sandbox_bank_files (id) deferrable initially deferred,
  statement_id uuid references sandbox_bank_statements (id) deferrable initially deferred
) with (fillfactor = 85);
create index sandbox_bank_entries_open on sandbox_bank_entries (account_id, booking_date, id) where statement_id is null;
create index sandbox_bank_entries_day on sandbox_bank_entries (booking_date) where statement_id is null;

-- Payment files that operators have handed to the bank.
create table sandbox_bank_runs (
  run_id uuid primary key references settlement_runs (id),
  due_at timestamptz not null
);

-- Money that goes out of balances, to the customer's own account.
create table balance_withdrawals (
  customer_id uuid not null references customers (id),
  id uuid not null,
  -- From the same sequence as those of transactions: no two are the same, whatever a bank hands on.
  reference text not null unique default reference_of(reference_digits(nextval('transaction_references'))),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  status text not null check (status in ('pending', 'paid', 'failed', 'cancelled')),
  -- The settlement instruction that the customer had then.
  destination_id uuid not null,
  destination_masked text not null,
  client_reference text,
  requested_as text not null check (requested_as in ('customer', 'operator')),
  requested_by uuid not null,
  approved_by uuid,
  -- An operator's reason.
  reason text check (length(reason) between 1 and 500),
  bank_reference text check (length(bank_reference) between 1 and 140),
  paid_at timestamptz,
  -- Why it failed: the bank refused it, or sent it back after it was paid.
  failure text check (failure in ('rejected', 'returned')),
  -- What the bank, or the one who cancelled it, said.
  detail text check (length(detail) between 1 and 500),
  version int not null default 1 check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (customer_id, id),
  check ((status = 'failed') = (failure is not null)),
  check ((status = 'paid' or failure = 'returned') = (paid_at is not null))
);
create unique index balance_withdrawals_id on balance_withdrawals (id);
create index balance_withdrawals_due on balance_withdrawals (currency, customer_id, id) where status = 'pending';

-- What is the same for all quotes of one price at one spread is kept once: in quote_prices, with which a quote is as it was
-- shown. A quote keeps what is its own.
create table quote_prices (
  id uuid primary key,
  spread_rule_id uuid not null,
  spread_rule_version int not null,
  rate json not null,
  -- JSON text up to the amount of the markup, which is each quote's own, and from there on; all of it where no markup is shown.
  pricing text not null,
  pricing_end text,
  -- One minor unit of the markup's currency in whole units, with its decimals: 0.01.
  markup_unit numeric,
  -- How the price came about: market snapshot, source, spread. Written once.
  evidence json not null,
  check ((pricing_end is null) = (markup_unit is null))
);

create table payment_statuses (
  id uuid primary key,
  file_id uuid not null references statement_files (id),
  position int not null check (position >= 0),
  line int not null,
  -- Of a whole file of ours, of a block in it, or of one payment.
  level text not null check (level in ('file', 'block', 'payment')),
  -- ISO external code, such as RJCT or ACSC, as the bank writes it.
  status text not null check (length(status) between 1 and 35),
  reason_code text,
  reason_text text,
  original_id text,
  end_to_end_id text,
  instruction_id text,
  uetr text,
  amount_minor numeric(38, 0),
  currency text,
  -- As of an entry; `noted`: it moves nothing.
  state text not null check (state in ('due', 'noted', 'applied', 'known', 'mismatch', 'unknown')),
  mismatch_reason text,
  unique (file_id, position)
);
create index payment_statuses_due on payment_statuses (id) where state = 'due';

-- What the bank has more than the ledger because of one thing (a deposit, a transaction, an entry of the journal): entries of
-- statements that are it less postings to `bank` for it. Only what is not nothing is here, so it stays small however long the
-- history is. Triggers keep it, so that no way of posting can forget it.
create table bank_open_items (
  currency text not null,
  subject_id uuid not null,
  kind text not null check (kind in ('deposit', 'transaction', 'withdrawal', 'journal_entry')),
  customer_id uuid,
  amount_minor numeric(38, 0) not null,
  since timestamptz not null,
  primary key (currency, subject_id)
) with (fillfactor = 70);

-- Weekends and holidays of the market, each known by the instant at which it ends: a closure can change its reason while
-- it lasts, never its end. Written when it begins, so that customers are told of it and of its end once.
create table market_closures (
  id uuid primary key,
  reopens_at timestamptz not null unique,
  closed_at timestamptz not null,
  reason text not null check (reason in ('weekend', 'holiday')),
  opened_at timestamptz,
  -- How far the customers have been told, in the order of their ids: first of the close, then of the opening.
  closed_told_to uuid,
  closed_told boolean not null default false,
  opened_told_to uuid,
  opened_told boolean not null default false,
  check (closed_at <= reopens_at),
  check (not opened_told or (closed_told and opened_at is not null))
);
create index market_closures_untold on market_closures (closed_at)
  where not closed_told or (opened_at is not null and not opened_told);
create index market_closures_current on market_closures (reopens_at) where opened_at is null;

-- Reports of a bank that could not be true when they came, such as a debit less a payment that it had not yet told to be
-- refused. When what they are about moves, or more is told of it, they are due again; who looks at them takes them out.
create table bank_reports_set_aside (
  -- An entry of a statement, or a status of a status report.
  source_id uuid not null,
  customer_id uuid not null,
  -- The transaction or the withdrawal.
  subject_id uuid not null,
  due boolean not null default false,
  primary key (customer_id, subject_id, source_id)
);
create index bank_reports_set_aside_source on bank_reports_set_aside (source_id);
create index bank_reports_set_aside_due on bank_reports_set_aside (source_id) where due;

-- What statements and status reports tell and could not be applied: tried again later and later, and work for people meanwhile.
create table apply_failures (
  -- An entry of a statement, or a status of a report.
  subject_id uuid primary key,
  kind text not null check (kind in ('credit', 'payment', 'deposit_return', 'status', 'revise')),
  attempts int not null check (attempts > 0),
  -- Stable code of the problem, or `internal_error`.
  reason text not null check (length(reason) between 1 and 64),
  detail text,
  first_at timestamptz not null,
  last_at timestamptz not null,
  next_at timestamptz not null
) with (fillfactor = 70);

-- A sign of life of each instance, which proves that the database still takes writes. Rows of instances that are gone are
-- deleted, so the table has as many rows as there are instances.
create table instance_heartbeats (
  instance uuid primary key,
  started_at timestamptz not null default clock_timestamp(),
  beat_at timestamptz not null
);

-- Deposits that no rule has matched and nobody has touched, by what may make them clear later: a reference that their text
-- names, the account that they came in on, its owner, the account of the remitter. `held`: somebody else pays.
create table deposit_keys (
  kind text not null check (kind in ('reference', 'account', 'owner', 'remitter', 'held')),
  key text not null,
  currency text not null,
  amount_minor numeric(38, 0) not null,
  deposit_id uuid not null references deposits (id),
  primary key (kind, key, currency, amount_minor, deposit_id)
);
create index deposit_keys_deposit on deposit_keys (deposit_id);
create index deposit_keys_pages on deposit_keys (kind, key, deposit_id);

-- What has come into being or changed since the last look, by which such a deposit may be clear now. Written in the commit
-- of the change, read and deleted by the sweep.
create table match_changes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('trade', 'reference', 'account', 'remitter', 'customer', 'deposit', 'rules')),
  -- Of a trade.
  customer_id uuid,
  currency text,
  -- Reference, account, or id of a customer or deposit.
  key text not null,
  due_at timestamptz not null default now()
);

-- Changes that concern more deposits than are looked at in one go, and how far the look has come.
create table match_walks (
  kind text not null check (kind in ('group', 'owner', 'account', 'remitter', 'held', 'all')),
  key text not null,
  currency text not null,
  after_minor numeric(38, 0) not null default -1,
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Something has changed meanwhile: once more from the beginning.
  again boolean not null default false,
  primary key (kind, key, currency)
);

-- Positions, what open quotes may add to them and the settlement ladder: rows that move in the commit that moves what they
-- are sums of. Triggers keep them.
--
-- What belongs to one customer is one row, as in balances. What belongs to the house would be a row that all customers wait
-- for; so nobody changes such a row: each commit adds rows with what it changed, the sum over a key is what counts, and once
-- a second the rows of a key are folded into one.
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

create table settlement_run_downloads (
  run_id uuid not null references settlement_runs (id),
  format text not null check (format in ('pain.001', 'csv')),
  by uuid not null,
  count int not null check (count > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (run_id, format, by)
);

-- The house's exposure limits, which the commit that moves a position holds.
--
-- Far from the limits nobody waits: what is left of them is dealt out to slots, and an execution takes from the slot of its
-- connection. Where a slot has too little, all of them are locked: then no other move is under way, the limits are held
-- against the positions as they are, and what is left is dealt out anew. So trades go one after the other only close to a
-- limit, and one is refused only when it would really go over.
create table exposure_limits (
  -- A currency; `each` for every currency that is not listed, but the dollar; `total` for all but the dollar together.
  key text primary key,
  limit_usd_minor numeric(38, 0) not null check (limit_usd_minor >= 0)
);

create table exposure_hedges (currency text primary key, amount numeric not null);

-- What minor units of a currency are worth in US dollar cents, as an exact fraction. Instances write it when it moves.
create table exposure_values (
  currency text primary key,
  numerator numeric not null check (numerator > 0),
  denominator numeric not null check (denominator > 0),
  minor_units int not null
);

-- What of each limit a slot may still take, in US dollar cents, upwards (longer) and downwards; -1 where a limit is exceeded
-- already. Empty: to be dealt out.
create table exposure_slots (
  slot int primary key,
  keys text[] not null default '{}',
  up_minor numeric[] not null default '{}',
  down_minor numeric[] not null default '{}'
) with (fillfactor = 50);
insert into exposure_slots (slot) select generate_series(0, 7);

-- Money that the house sends back to remitters: paid by settlement runs, as everything that the house pays.
create table deposit_returns (
  id uuid primary key,
  deposit_id uuid not null references deposits (id),
  -- From the same sequence as those of transactions: no two are the same, whatever a bank hands on.
  reference text not null unique default reference_of(reference_digits(nextval('transaction_references'))),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  status text not null check (status in ('pending', 'paid', 'failed', 'cancelled')),
  account_holder text not null,
  bic text,
  iban text,
  account_number text,
  routing_number text,
  -- Why it failed: the bank refused it, or sent it back after it was paid.
  failure text check (failure in ('rejected', 'returned')),
  detail text check (length(detail) between 1 and 500),
  bank_reference text check (length(bank_reference) between 1 and 140),
  paid_at timestamptz,
  -- When what failed or was cancelled came back into suspense.
  reopened_at timestamptz,
  requested_by uuid not null,
  approved_by uuid,
  reason text not null check (length(reason) between 1 and 500),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (iban is not null or account_number is not null),
  check ((status = 'failed') = (failure is not null))
);
create index deposit_returns_deposit on deposit_returns (deposit_id);
create index deposit_returns_due on deposit_returns (currency, id) where status = 'pending';
create index deposit_returns_failed on deposit_returns (id) where status = 'failed' and reopened_at is null;

-- Work for a person. One open exception for each deposit; closed ones stay.
create table reconciliation_exceptions (
  id uuid primary key,
  type text not null check (type in (
    'unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency', 'third_party', 'late', 'duplicate', 'returned',
    'payout_mismatch', 'not_applied', 'implausible_date'
  )),
  reason text not null,
  deposit_id uuid references deposits (id),
  customer_id uuid,
  transaction_id uuid,
  status text not null check (status in ('open', 'resolved')),
  assignee text check (length(assignee) between 1 and 100),
  opened_at timestamptz not null,
  resolved_at timestamptz,
  resolution text,
  version int not null check (version > 0),
  -- Work for people may be about an entry of a statement that nothing else is known of.
  entry_id uuid references statement_entries (id),
  -- Work for people may be about a withdrawal.
  withdrawal_id uuid,
  status_id uuid references payment_statuses (id),
  return_id uuid references deposit_returns (id),
  constraint reconciliation_exceptions_check1 check (
    (status = 'open') = (resolved_at is null) and (resolved_at is null) = (resolution is null)
  ),
  constraint exception_is_about_something check (
    deposit_id is not null or transaction_id is not null or entry_id is not null or withdrawal_id is not null
    or status_id is not null or return_id is not null
  )
);
create unique index reconciliation_exceptions_deposit on reconciliation_exceptions (deposit_id) where status = 'open';
create index reconciliation_exceptions_transaction on reconciliation_exceptions (transaction_id) where transaction_id is not null;
create index reconciliation_exceptions_open on reconciliation_exceptions (id) where status = 'open';
create unique index reconciliation_exceptions_entry on reconciliation_exceptions (entry_id) where status = 'open';
-- A trade has at most one open exception that it is short of money.
create unique index reconciliation_exceptions_short on reconciliation_exceptions (transaction_id) where type = 'short' and status = 'open';
create index reconciliation_exceptions_withdrawal on reconciliation_exceptions (withdrawal_id) where withdrawal_id is not null;
create unique index reconciliation_exceptions_status on reconciliation_exceptions (status_id) where status = 'open';
-- What waits is counted by type and age.
create index reconciliation_exceptions_open_type on reconciliation_exceptions (type, opened_at) where status = 'open';

create table exception_history (
  exception_id uuid not null references reconciliation_exceptions (id),
  version int not null,
  at timestamptz not null,
  actor text not null,
  action text not null check (action in ('opened', 'assigned', 'resolved', 'retried')),
  note text,
  detail json not null,
  primary key (exception_id, version)
);

create table payment_items (
  customer_id uuid not null,
  transaction_id uuid,
  purpose text not null check (purpose in ('payout', 'refund', 'withdrawal', 'deposit_return')),
  -- Of the payout or of the refund: a retry is another one.
  attempt int not null check (attempt > 0),
  payment_id uuid not null references payments (id),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  -- False once the run was cancelled: then it may be taken into another.
  live boolean not null default true,
  withdrawal_id uuid,
  -- Returns belong to no customer: their payments are kept under the house's id.
  return_id uuid references deposit_returns (id),
  constraint payment_items_subject check (
    (purpose = 'withdrawal') = (withdrawal_id is not null) and (purpose = 'deposit_return') = (return_id is not null)
    and (purpose in ('payout', 'refund')) = (transaction_id is not null)
  )
);
-- Nothing is paid twice: an attempt is in one run that was not cancelled.
create unique index payment_items_once on payment_items (customer_id, transaction_id, purpose, attempt) where live;
create index payment_items_payment on payment_items (payment_id);
create unique index payment_items_subjects
  on payment_items (customer_id, transaction_id, withdrawal_id, purpose, attempt, payment_id) nulls not distinct;
create unique index payment_items_withdrawal_once on payment_items (withdrawal_id) where live and withdrawal_id is not null;
create index payment_items_withdrawal on payment_items (withdrawal_id) where withdrawal_id is not null;
create unique index payment_items_return_once on payment_items (return_id) where live and return_id is not null;
create index payment_items_return on payment_items (return_id) where return_id is not null;

-- Whether the database is a sandbox's or a production's, said once: what a sandbox has made (credentials that lie in a file,
-- limits without end, trades at made-up prices) must never be found in production, nor be done to it.
create table database_mode (
  singleton boolean primary key default true check (singleton),
  mode text not null check (mode in ('sandbox', 'production')),
  since timestamptz not null default now()
);

-- Swap points: what lies between the rate for spot and one for an earlier value date. Points belong to the trade date on
-- which they were made, because the days that they span change with it; what is older is never read again.

-- What an operator has set for a pair. Every version is kept, the newest is in force on its trade date.
create table swap_point_versions (
  pair text not null check (pair ~ '^[A-Z]{6}$'),
  version int not null check (version > 1),
  trade_date date not null,
  -- {"on": {"bid", "ask"} or null, "tn": the same}, in pips as texts.
  points jsonb not null,
  source text not null,
  reason text not null,
  -- The operator's OAuth client.
  changed_by uuid not null,
  changed_at timestamptz not null,
  primary key (pair, version)
);
create index swap_point_versions_of_day on swap_point_versions (trade_date);

-- What sources push: the newest of each source, pair and leg.
create table pushed_swap_points (
  source text not null check (source ~ '^[a-z0-9][a-z0-9._-]{0,49}$' and source <> 'operator'),
  pair text not null check (pair ~ '^[A-Z]{6}$'),
  leg text not null check (leg in ('on', 'tn')),
  bid numeric not null,
  ask numeric not null check (bid <= ask),
  trade_date date not null,
  made_at timestamptz not null,
  pushed_by uuid not null,
  primary key (source, pair, leg)
);
create index pushed_swap_points_of_day on pushed_swap_points (trade_date);

-- How prices before spot are made where there are no points. Every version is kept: quotes name theirs.
create table swap_point_policies (
  version int primary key check (version > 1),
  document jsonb not null,
  changed_by uuid not null,
  changed_at timestamptz not null
);

-- One row. Its version moves with every change of the three above, so that each instance sees in one small read whether
-- it has to load them again.
create table swap_points_state (
  singleton boolean primary key default true check (singleton),
  version bigint not null
);
insert into swap_points_state (version) values (1);

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

-- Calendars that came as a vendor's file: what each import proposed, whatever became of it. The approval says who
-- proposed and who decided, and when.
create table calendar_imports (
  id uuid primary key,
  approval_id uuid not null,
  -- What is imported, in the operator's words: the vendor and its file.
  source text not null,
  -- Of the bytes that were sent.
  file_sha256 text not null,
  -- The years as they will be, with the versions that they replace, and the difference when it was proposed.
  proposal json not null
);

-- An event for append_events, which gives it its place in the feed of its customer.
create type event_item as (
  ord int, customer_id uuid, id_prefix text, type text, at timestamptz, quote_id uuid, transaction_id uuid,
  deposit_id uuid, version int, status text, previous_status text, client_reference text, detail json
);

-- What quotes of one batch have in common, and what each has of its own with the place of the other, counted from 1, and
-- with its Idempotency-Key. Two arrays of these are read in half the time of one for each column.
create type quote_head as (
  customer_id uuid, client_id uuid, price_id uuid, pair text, sell_currency text, buy_currency text, fixed_side text,
  tenor text, trade_date date, value_date date, funding_cutoff_at timestamptz, validity_seconds int,
  validity_truncated boolean, scenario smallint, pre_funded boolean);

create type quote_item as (
  head int, id uuid, sell_minor numeric, buy_minor numeric, market_minor numeric, markup_minor numeric, usd_minor numeric,
  created_at timestamptz, expires_at timestamptz, key text, fingerprint text, received_at timestamptz);

-- Executions are decided and written in batches: what is asked, what is decided of it, and what is answered.
create type execution_item as (
  ord int, customer_id uuid, client_id uuid, quote_id uuid, transaction_id uuid, idempotency_key text, fingerprint text,
  received_at timestamptz, if_match int, expect_sell numeric(38, 0), expect_buy numeric(38, 0), client_reference text,
  metadata text, quote_event text, transaction_event text, entry_id uuid,
  -- Counts the items of one customer, from 1: where their events go.
  place int
);

create type execution_decision as (
  ord int, customer_id uuid, outcome text, quote_status text, quote_version int, quote_expires_at timestamptz, quote_closed_at timestamptz,
  quote_transaction_id uuid, sell_minor numeric, buy_minor numeric, usd_minor numeric,
  limit_type text, limit_minor numeric, used_minor numeric, pre_funded boolean, sell_currency text
);

-- What was decided on an item and, where it was executed now, the transaction; of that only what the execution gave it,
-- the rest is as in every new transaction.
create type execution_answer as (
  ord int, outcome text, replayed boolean, fingerprint text, received_at timestamptz, quote_status text, quote_version int,
  quote_expires_at timestamptz, quote_closed_at timestamptz, quote_transaction_id uuid, limit_type text,
  limit_minor numeric, used_minor numeric,
  customer_id uuid, id uuid, quote_id uuid, reference text, status text, created_sequence bigint, pair text,
  sell_currency text, buy_currency text, fixed_side text, sell_minor numeric, buy_minor numeric, market_minor numeric,
  markup_minor numeric, usd_minor numeric, rate json, pricing json, trade_date date, original_value_date date,
  funding_cutoff_at timestamptz, instructions json, destination_id uuid, destination_masked text, timeline json,
  client_reference text, metadata json, created_at timestamptz, scenario smallint, client_id uuid, pre_funded boolean
);
