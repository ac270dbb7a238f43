-- What the migrations and functions make, as PostgreSQL words it. Made by `node scripts/generate-schema.ts`.

create sequence audit_numbers as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807;

create sequence operator_event_places as bigint start 1 increment 1 minvalue 1 maxvalue 9223372036854775807;

create sequence transaction_references as bigint start 1 increment 1 minvalue 1 maxvalue 9999999999 cycle;

create type event_item as (
  ord integer,
  customer_id uuid,
  id_prefix text,
  type text,
  at timestamp with time zone,
  quote_id uuid,
  transaction_id uuid,
  deposit_id uuid,
  version integer,
  status text,
  previous_status text,
  client_reference text,
  detail json
);

create type execution_decision as (
  ord integer,
  customer_id uuid,
  outcome text,
  quote_status text,
  quote_version integer,
  quote_expires_at timestamp with time zone,
  quote_closed_at timestamp with time zone,
  quote_transaction_id uuid,
  sell_minor numeric,
  buy_minor numeric,
  usd_minor numeric,
  limit_type text,
  limit_minor numeric,
  used_minor numeric,
  pre_funded boolean,
  sell_currency text
);

create type execution_item as (
  ord integer,
  customer_id uuid,
  client_id uuid,
  quote_id uuid,
  transaction_id uuid,
  idempotency_key text,
  fingerprint text,
  received_at timestamp with time zone,
  if_match integer,
  expect_sell numeric(38,0),
  expect_buy numeric(38,0),
  client_reference text,
  metadata text,
  quote_event text,
  transaction_event text,
  entry_id uuid,
  place integer
);

create type execution_result as (
  ord integer,
  outcome text,
  replayed boolean,
  fingerprint text,
  received_at timestamp with time zone,
  quote_status text,
  quote_version integer,
  quote_expires_at timestamp with time zone,
  quote_closed_at timestamp with time zone,
  quote_transaction_id uuid,
  limit_type text,
  limit_minor numeric,
  used_minor numeric,
  customer_id uuid,
  id uuid,
  quote_id uuid,
  reference text,
  status text,
  created_sequence bigint,
  pair text,
  sell_currency text,
  buy_currency text,
  fixed_side text,
  sell_minor numeric,
  buy_minor numeric,
  market_minor numeric,
  markup_minor numeric,
  usd_minor numeric,
  rate json,
  pricing json,
  evidence json,
  trade_date date,
  original_value_date date,
  funding_cutoff_at timestamp with time zone,
  instructions json,
  destination_id uuid,
  destination_masked text,
  client_reference text,
  metadata json,
  created_at timestamp with time zone,
  scenario smallint,
  client_id uuid,
  pre_funded boolean
);

create type quote_item as (
  head integer,
  id uuid,
  sell_minor numeric,
  buy_minor numeric,
  market_minor numeric,
  markup_minor numeric,
  usd_minor numeric,
  created_at timestamp with time zone,
  expires_at timestamp with time zone,
  key text,
  fingerprint text,
  received_at timestamp with time zone
);

create type spread_head as (
  customer_id uuid,
  client_id uuid,
  price_id uuid,
  spread_id uuid,
  rate numeric,
  inverse numeric,
  cost_vs_mid_bps numeric,
  reference_percent numeric,
  pair text,
  sell_currency text,
  buy_currency text,
  fixed_side text,
  tenor text,
  trade_date date,
  value_date date,
  funding_cutoff_at timestamp with time zone,
  validity_seconds integer,
  validity_truncated boolean,
  scenario smallint,
  pre_funded boolean
);

create table acted_amounts (
  id uuid not null,
  kind text not null,
  acted_by uuid not null,
  customer_id uuid,
  usd_minor numeric(38,0) not null,
  at timestamp with time zone not null,
  constraint acted_amounts_pkey PRIMARY KEY (id),
  constraint acted_amounts_usd_minor_check CHECK (usd_minor > 0::numeric)
);
CREATE INDEX acted_amounts_by_actor ON acted_amounts USING btree (acted_by, at);
CREATE INDEX acted_amounts_by_customer ON acted_amounts USING btree (customer_id, at);
CREATE INDEX acted_amounts_by_time ON acted_amounts USING btree (at);

create table apply_failures (
  subject_id uuid not null,
  kind text not null,
  attempts integer not null,
  reason text not null,
  detail text,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  next_at timestamp with time zone not null,
  constraint apply_failures_pkey PRIMARY KEY (subject_id),
  constraint apply_failures_attempts_check CHECK (attempts > 0),
  constraint apply_failures_kind_check CHECK (kind = ANY (ARRAY['credit'::text, 'payment'::text, 'deposit_return'::text, 'status'::text, 'revise'::text])),
  constraint apply_failures_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 64)
) with (fillfactor=70);

create table approvals (
  id uuid not null,
  kind text not null,
  subject text not null,
  request json not null,
  reason text not null,
  status text not null,
  proposed_by uuid not null,
  proposed_at timestamp with time zone not null,
  decided_by uuid,
  decided_at timestamp with time zone,
  note text,
  proposed_by_person uuid,
  decided_by_person uuid,
  why json not null default '[]'::json,
  effects json not null default '[]'::json,
  effects_digest text,
  affected json not null default '[]'::json,
  result json,
  constraint approvals_pkey PRIMARY KEY (id),
  constraint approval_is_decided_by_somebody CHECK ((status = 'pending'::text) = (decided_at IS NULL) AND (status = ANY (ARRAY['pending'::text, 'expired'::text])) = (decided_by IS NULL)),
  constraint approvals_by_two_persons CHECK (status <> 'approved'::text OR decided_by_person <> proposed_by_person),
  constraint approvals_check1 CHECK ((status <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by <> proposed_by),
  constraint approvals_decided_by_person_fkey FOREIGN KEY (decided_by_person) REFERENCES persons(id),
  constraint approvals_kind_check CHECK (kind ~ '^[a-z_]{1,40}$'::text),
  constraint approvals_note_check CHECK (length(note) >= 1 AND length(note) <= 500),
  constraint approvals_proposed_by_person_fkey FOREIGN KEY (proposed_by_person) REFERENCES persons(id),
  constraint approvals_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint approvals_status_check CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'expired'::text])),
  constraint approvals_subject_check CHECK (length(subject) >= 1 AND length(subject) <= 64),
  constraint approvals_withdrawn_by_who_proposed CHECK (status <> 'withdrawn'::text OR decided_by = proposed_by OR COALESCE(decided_by_person = proposed_by_person, false))
);
CREATE UNIQUE INDEX approvals_pending ON approvals USING btree (subject) WHERE status = 'pending'::text;
CREATE INDEX approvals_subject ON approvals USING btree (subject, id);
CREATE INDEX approvals_waiting ON approvals USING btree (proposed_at) WHERE status = 'pending'::text;
CREATE TRIGGER approvals_are_audited AFTER INSERT OR DELETE OR UPDATE ON approvals FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');
CREATE TRIGGER approvals_notify_operators AFTER INSERT OR UPDATE OF status ON approvals FOR EACH ROW EXECUTE FUNCTION notify_of_approval();

create table audit_log (
  number bigint not null default nextval('audit_numbers'::regclass),
  at timestamp with time zone not null,
  kind text not null,
  operation text not null,
  resource text not null,
  subjects text[] not null,
  outcome text not null,
  actor text not null,
  actor_id uuid,
  person_id uuid,
  customer_id uuid,
  token_id text,
  address text,
  request_id text,
  approval_id uuid,
  count integer not null default 1,
  changes json not null,
  constraint audit_log_pkey PRIMARY KEY (number),
  constraint audit_log_actor_check CHECK (actor = ANY (ARRAY['client'::text, 'person'::text, 'command'::text, 'service'::text, 'unknown'::text])),
  constraint audit_log_check CHECK ((actor = ANY (ARRAY['client'::text, 'person'::text])) = (actor_id IS NOT NULL)),
  constraint audit_log_count_check CHECK (count > 0),
  constraint audit_log_kind_check CHECK (kind = ANY (ARRAY['change'::text, 'read'::text, 'sign_in'::text, 'refusal'::text]))
);
CREATE INDEX audit_log_actor ON audit_log USING btree (actor_id, number) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_log_at ON audit_log USING btree (at, number);
CREATE INDEX audit_log_operation ON audit_log USING btree (operation, number);
CREATE INDEX audit_log_person ON audit_log USING btree (person_id, number) WHERE person_id IS NOT NULL;
CREATE INDEX audit_log_request ON audit_log USING btree (request_id, number) WHERE request_id IS NOT NULL;
CREATE INDEX audit_log_subjects ON audit_log USING gin (subjects);
CREATE TRIGGER audit_log_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table balance_references (
  customer_id uuid not null,
  reference text not null default reference_of(reference_digits(nextval('transaction_references'::regclass))),
  constraint balance_references_pkey PRIMARY KEY (customer_id),
  constraint balance_references_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint balance_references_reference_key UNIQUE (reference)
);
CREATE TRIGGER balance_references_are_audited AFTER INSERT OR DELETE OR UPDATE ON balance_references FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id');
CREATE TRIGGER references_are_new_to_deposits AFTER INSERT ON balance_references FOR EACH ROW EXECUTE FUNCTION note_match_change();

create table balance_top_ups (
  customer_id uuid not null,
  id uuid not null,
  currency text not null,
  amount_minor numeric(38,0) not null,
  bank_reference text not null,
  booked_by uuid,
  at timestamp with time zone not null,
  deposit_id uuid,
  journal_entry_id uuid,
  constraint balance_top_ups_pkey PRIMARY KEY (customer_id, id),
  constraint balance_top_up_told_has_journal_entry CHECK (deposit_id IS NULL OR journal_entry_id IS NOT NULL),
  constraint balance_top_ups_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint balance_top_ups_bank_reference_check CHECK (length(bank_reference) >= 1 AND length(bank_reference) <= 140),
  constraint balance_top_ups_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint balance_top_ups_customer_id_bank_reference_key UNIQUE (customer_id, bank_reference),
  constraint balance_top_ups_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint balance_top_ups_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id)
);
CREATE INDEX balance_top_ups_bank_reference ON balance_top_ups USING btree (bank_reference);
CREATE UNIQUE INDEX balance_top_ups_deposit ON balance_top_ups USING btree (deposit_id, customer_id) WHERE deposit_id IS NOT NULL;
CREATE INDEX balance_top_ups_untold ON balance_top_ups USING btree (currency, amount_minor) WHERE deposit_id IS NULL;
CREATE TRIGGER balance_top_ups_are_audited AFTER INSERT OR DELETE OR UPDATE ON balance_top_ups FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id,id');
CREATE TRIGGER top_ups_are_new_to_deposits AFTER INSERT ON balance_top_ups FOR EACH ROW EXECUTE FUNCTION note_match_change();
CREATE TRIGGER top_ups_move_bank_items AFTER UPDATE ON balance_top_ups FOR EACH ROW WHEN (old.deposit_id IS DISTINCT FROM new.deposit_id) EXECUTE FUNCTION bank_item_of_top_up();

create table balance_withdrawals (
  customer_id uuid not null,
  id uuid not null,
  reference text not null default reference_of(reference_digits(nextval('transaction_references'::regclass))),
  currency text not null,
  amount_minor numeric(38,0) not null,
  status text not null,
  destination_id uuid not null,
  destination_masked text not null,
  client_reference text,
  requested_as text not null,
  requested_by uuid not null,
  approved_by uuid,
  reason text,
  bank_reference text,
  paid_at timestamp with time zone,
  failure text,
  detail text,
  version integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint balance_withdrawals_pkey PRIMARY KEY (customer_id, id),
  constraint balance_withdrawals_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint balance_withdrawals_bank_reference_check CHECK (length(bank_reference) >= 1 AND length(bank_reference) <= 140),
  constraint balance_withdrawals_check CHECK ((status = 'failed'::text) = (failure IS NOT NULL)),
  constraint balance_withdrawals_check1 CHECK ((status = 'paid'::text OR failure = 'returned'::text) = (paid_at IS NOT NULL)),
  constraint balance_withdrawals_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint balance_withdrawals_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint balance_withdrawals_detail_check CHECK (length(detail) >= 1 AND length(detail) <= 500),
  constraint balance_withdrawals_failure_check CHECK (failure = ANY (ARRAY['rejected'::text, 'returned'::text])),
  constraint balance_withdrawals_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint balance_withdrawals_reference_key UNIQUE (reference),
  constraint balance_withdrawals_requested_as_check CHECK (requested_as = ANY (ARRAY['customer'::text, 'operator'::text])),
  constraint balance_withdrawals_status_check CHECK (status = ANY (ARRAY['pending'::text, 'paid'::text, 'failed'::text, 'cancelled'::text])),
  constraint balance_withdrawals_version_check CHECK (version > 0)
);
CREATE INDEX balance_withdrawals_due ON balance_withdrawals USING btree (currency, customer_id, id) WHERE status = 'pending'::text;
CREATE UNIQUE INDEX balance_withdrawals_id ON balance_withdrawals USING btree (id);
CREATE TRIGGER balance_withdrawals_are_audited AFTER INSERT OR DELETE OR UPDATE ON balance_withdrawals FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id,id');
CREATE TRIGGER withdrawals_wake_bank_reports AFTER UPDATE ON balance_withdrawals FOR EACH ROW WHEN (old.status <> new.status OR old.failure IS DISTINCT FROM new.failure) EXECUTE FUNCTION wake_bank_reports();

create table balances (
  customer_id uuid not null,
  account text not null,
  currency text not null,
  balance numeric(38,0) not null,
  constraint balances_pkey PRIMARY KEY (customer_id, account, currency)
) with (fillfactor=50);
CREATE INDEX balances_position ON balances USING btree (currency) WHERE account = 'position'::text;
CREATE TRIGGER balances_not_overdrawn AFTER INSERT OR UPDATE ON balances FOR EACH ROW WHEN (new.account = 'customer_balance'::text AND new.balance > 0::numeric) EXECUTE FUNCTION refuse_overdraft();

create table bank_entries (
  id uuid not null,
  statement_id uuid not null,
  line integer not null,
  account text not null,
  currency text not null,
  direction text not null,
  status text not null,
  amount_minor numeric(38,0) not null,
  booking_date date not null,
  value_date date not null,
  bank_reference text,
  transaction_code text,
  known_reference text,
  in_statement boolean not null default false,
  payments integer,
  constraint bank_entries_pkey PRIMARY KEY (id),
  constraint bank_entries_amount_minor_check CHECK (amount_minor >= 0::numeric),
  constraint bank_entries_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint bank_entries_direction_check CHECK (direction = ANY (ARRAY['credit'::text, 'debit'::text])),
  constraint bank_entries_payments_check CHECK (payments > 0),
  constraint bank_entries_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES bank_statements(id) DEFERRABLE INITIALLY DEFERRED,
  constraint bank_entries_status_check CHECK (status = ANY (ARRAY['booked'::text, 'pending'::text, 'information'::text]))
) with (fillfactor=85);
CREATE INDEX bank_entries_account_day ON bank_entries USING btree (account, booking_date, id);
CREATE INDEX bank_entries_bank_reference ON bank_entries USING btree (account, bank_reference) WHERE bank_reference IS NOT NULL;
CREATE INDEX bank_entries_batches ON bank_entries USING btree (account, booking_date, amount_minor) WHERE payments > 1;
CREATE INDEX bank_entries_reference_key ON bank_entries USING btree (known_reference, account, booking_date) WHERE known_reference IS NOT NULL;
CREATE INDEX bank_entries_unlisted ON bank_entries USING btree (account, currency, booking_date) WHERE NOT in_statement AND status = 'booked'::text;

create table bank_notices (
  customer_id uuid not null,
  transaction_id uuid not null,
  purpose text not null,
  attempt integer not null,
  kind text not null,
  source_id uuid not null,
  currency text not null,
  amount_minor numeric(38,0) not null,
  at timestamp with time zone not null,
  constraint bank_notices_pkey PRIMARY KEY (customer_id, transaction_id, source_id),
  constraint bank_notices_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint bank_notices_attempt_check CHECK (attempt > 0),
  constraint bank_notices_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint bank_notices_kind_check CHECK (kind = ANY (ARRAY['paid'::text, 'rejected'::text, 'returned'::text]))
);
CREATE UNIQUE INDEX bank_notices_once ON bank_notices USING btree (customer_id, transaction_id, purpose, attempt, kind) WHERE kind <> 'rejected'::text;
CREATE INDEX bank_notices_source ON bank_notices USING btree (source_id);
CREATE TRIGGER failed_payments_notify_operators AFTER INSERT ON bank_notices FOR EACH ROW WHEN (new.kind = ANY (ARRAY['rejected'::text, 'returned'::text])) EXECUTE FUNCTION notify_of_payment();
CREATE TRIGGER forgotten_notices_move_bank_items AFTER DELETE ON bank_notices FOR EACH ROW WHEN (old.kind <> 'rejected'::text) EXECUTE FUNCTION bank_item_of_notice();
CREATE TRIGGER notices_move_bank_items AFTER INSERT ON bank_notices FOR EACH ROW WHEN (new.kind <> 'rejected'::text) EXECUTE FUNCTION bank_item_of_notice();
CREATE TRIGGER notices_wake_bank_reports AFTER INSERT ON bank_notices FOR EACH ROW EXECUTE FUNCTION wake_bank_reports_of_notice();

create table bank_open_items (
  currency text not null,
  subject_id uuid not null,
  kind text not null,
  customer_id uuid,
  amount_minor numeric(38,0) not null,
  since timestamp with time zone not null,
  constraint bank_open_items_pkey PRIMARY KEY (currency, subject_id),
  constraint bank_open_items_kind_check CHECK (kind = ANY (ARRAY['deposit'::text, 'transaction'::text, 'withdrawal'::text, 'journal_entry'::text]))
) with (fillfactor=70);

create table bank_reports_set_aside (
  source_id uuid not null,
  customer_id uuid not null,
  subject_id uuid not null,
  due boolean not null default false,
  constraint bank_reports_set_aside_pkey PRIMARY KEY (customer_id, subject_id, source_id)
);
CREATE INDEX bank_reports_set_aside_due ON bank_reports_set_aside USING btree (source_id) WHERE due;
CREATE INDEX bank_reports_set_aside_source ON bank_reports_set_aside USING btree (source_id);

create table bank_statements (
  id uuid not null,
  file_id uuid not null,
  position integer not null,
  line integer not null,
  kind text not null,
  account text not null,
  is_own boolean not null,
  currency text not null,
  reference text,
  number numeric(18,0),
  page integer,
  period_from date,
  period_to date,
  opening_minor numeric(38,0),
  opening_currency text,
  opening_date date,
  closing_minor numeric(38,0),
  closing_currency text,
  closing_date date,
  bookings integer not null,
  new_bookings integer not null,
  set_aside text,
  entries_left integer,
  opening_interim boolean not null default false,
  closing_interim boolean not null default false,
  withdrawn json,
  corrected_by uuid,
  is_last_page boolean,
  whole_opening_minor numeric(38,0),
  whole_opening_date date,
  whole_closing_minor numeric(38,0),
  whole_closing_date date,
  constraint bank_statements_pkey PRIMARY KEY (id),
  constraint bank_statements_account_check CHECK (length(account) >= 1 AND length(account) <= 64),
  constraint bank_statements_check CHECK ((opening_minor IS NULL) = (opening_date IS NULL)),
  constraint bank_statements_check1 CHECK ((closing_minor IS NULL) = (closing_date IS NULL)),
  constraint bank_statements_check2 CHECK ((set_aside IS NULL) = (entries_left IS NULL)),
  constraint bank_statements_check3 CHECK (set_aside IS NULL OR NOT is_own),
  constraint bank_statements_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint bank_statements_entries_left_check CHECK (entries_left >= 0),
  constraint bank_statements_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id),
  constraint bank_statements_file_id_position_key UNIQUE (file_id, "position"),
  constraint bank_statements_kind_check CHECK (kind = ANY (ARRAY['statement'::text, 'report'::text, 'notification'::text])),
  constraint bank_statements_number_check CHECK (number > 0::numeric),
  constraint bank_statements_set_aside_check CHECK (set_aside = 'currency_unknown'::text),
  constraint bank_statements_withdrawn CHECK (withdrawn IS NULL OR opening_minor IS NULL AND closing_minor IS NULL)
);
CREATE INDEX bank_statements_account_day ON bank_statements USING btree (account, period_to, id);
CREATE INDEX bank_statements_before ON bank_statements USING btree (account, currency, period_to) WHERE kind = 'statement'::text;
CREATE INDEX bank_statements_covering ON bank_statements USING btree (account, currency, period_to) WHERE kind = 'statement'::text AND opening_minor IS NOT NULL AND closing_minor IS NOT NULL;
CREATE INDEX bank_statements_loose_pages ON bank_statements USING btree (account, currency, number) WHERE is_last_page IS NOT NULL;
CREATE INDEX bank_statements_unknown ON bank_statements USING btree (account) WHERE NOT is_own;

create table calendar_imports (
  id uuid not null,
  approval_id uuid not null,
  source text not null,
  file_sha256 text not null,
  proposal json not null,
  constraint calendar_imports_pkey PRIMARY KEY (id)
);
CREATE TRIGGER calendar_imports_are_audited AFTER INSERT OR DELETE OR UPDATE ON calendar_imports FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table calendar_years (
  currency text not null,
  year integer not null,
  version integer not null,
  complete boolean not null,
  days jsonb not null,
  reason text not null,
  changed_by uuid not null,
  changed_at timestamp with time zone not null,
  approved_by uuid,
  import_id uuid,
  constraint calendar_years_pkey PRIMARY KEY (currency, year, version),
  constraint calendar_years_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint calendar_years_days_check CHECK (jsonb_typeof(days) = 'array'::text),
  constraint calendar_years_version_check CHECK (version > 1),
  constraint calendar_years_year_check CHECK (year >= 2000 AND year <= 2099)
);
CREATE TRIGGER calendar_years_are_audited AFTER INSERT OR DELETE OR UPDATE ON calendar_years FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('currency,year,version');

create table client_keys (
  client_id uuid not null,
  kid text not null,
  public_jwk jsonb not null,
  created_at timestamp with time zone not null,
  constraint client_keys_pkey PRIMARY KEY (client_id, kid),
  constraint client_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id),
  constraint client_keys_kid_check CHECK (length(kid) >= 1 AND length(kid) <= 128)
);
CREATE TRIGGER client_keys_are_audited AFTER INSERT OR DELETE OR UPDATE ON client_keys FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('client_id,kid');

create table client_secrets (
  id uuid not null,
  client_id uuid not null,
  secret_hash bytea not null,
  place smallint not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint client_secrets_pkey PRIMARY KEY (id),
  constraint client_secrets_check CHECK (expires_at > created_at),
  constraint client_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id),
  constraint client_secrets_place_check CHECK (place = ANY (ARRAY[1, 2])),
  constraint client_secrets_secret_hash_check CHECK (octet_length(secret_hash) = 32)
);
CREATE UNIQUE INDEX client_secrets_live ON client_secrets USING btree (client_id, place) WHERE revoked_at IS NULL;
CREATE TRIGGER client_secrets_are_audited AFTER INSERT OR DELETE OR UPDATE ON client_secrets FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id', 'secret_hash');

create table client_uses (
  client_id uuid not null,
  last_used_at timestamp with time zone not null,
  constraint client_uses_pkey PRIMARY KEY (client_id),
  constraint client_uses_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id)
);

create table collection_accounts (
  currency text not null,
  details json not null,
  updated_at timestamp with time zone not null,
  holder_address json,
  holder_lei text,
  next_details json,
  next_holder_address json,
  next_holder_lei text,
  usable_from timestamp with time zone,
  constraint collection_accounts_pkey PRIMARY KEY (currency),
  constraint collection_accounts_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint collection_accounts_next_check CHECK ((next_details IS NULL) = (usable_from IS NULL))
);
CREATE INDEX collection_accounts_waiting ON collection_accounts USING btree (usable_from) WHERE usable_from IS NOT NULL;
CREATE TRIGGER collection_accounts_are_audited AFTER INSERT OR DELETE OR UPDATE ON collection_accounts FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('currency');

create table customer_limits (
  customer_id uuid not null,
  daily_usd_minor numeric(38,0) not null,
  open_usd_minor numeric(38,0) not null,
  trade_usd_minor numeric(38,0) not null,
  max_open_quotes integer not null,
  rates jsonb not null default '{}'::jsonb,
  version integer not null default 1,
  updated_at timestamp with time zone not null,
  constraint customer_limits_pkey PRIMARY KEY (customer_id),
  constraint customer_limits_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint customer_limits_daily_usd_minor_check CHECK (daily_usd_minor >= 0::numeric),
  constraint customer_limits_max_open_quotes_check CHECK (max_open_quotes >= 1 AND max_open_quotes <= 1000000),
  constraint customer_limits_open_usd_minor_check CHECK (open_usd_minor >= 0::numeric),
  constraint customer_limits_trade_usd_minor_check CHECK (trade_usd_minor >= 0::numeric),
  constraint customer_limits_version_check CHECK (version > 0)
);
CREATE TRIGGER customer_limits_are_audited AFTER INSERT OR DELETE OR UPDATE ON customer_limits FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id');

create table customer_positions (
  customer_id uuid not null,
  currency text not null,
  bought_minor numeric(38,0) not null,
  bought_usd_minor numeric(38,0) not null,
  sold_minor numeric(38,0) not null,
  sold_usd_minor numeric(38,0) not null,
  constraint customer_positions_pkey PRIMARY KEY (customer_id, currency)
) with (fillfactor=50);

create table customer_usage (
  customer_id uuid not null,
  last_event_sequence bigint not null default 0,
  limit_day date,
  daily_usd_minor numeric(38,0) not null default 0,
  open_usd_minor numeric(38,0) not null default 0,
  feed_news boolean,
  constraint customer_usage_pkey PRIMARY KEY (customer_id),
  constraint customer_usage_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint customer_usage_daily_usd_minor_check CHECK (daily_usd_minor >= 0::numeric),
  constraint customer_usage_last_event_sequence_check CHECK (last_event_sequence >= 0),
  constraint customer_usage_open_usd_minor_check CHECK (open_usd_minor >= 0::numeric)
);
CREATE INDEX customer_usage_feed_news ON customer_usage USING btree (customer_id) WHERE feed_news;

create table customers (
  id uuid not null,
  name text not null,
  group_name text,
  status text not null default 'active'::text,
  status_reason text,
  settings jsonb not null default '{}'::jsonb,
  external_reference text,
  version integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  postal_address json,
  constraint customers_pkey PRIMARY KEY (id),
  constraint customers_group_name_check CHECK (length(group_name) >= 1 AND length(group_name) <= 64),
  constraint customers_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint customers_status_check CHECK (status = ANY (ARRAY['active'::text, 'suspended'::text])),
  constraint customers_version_check CHECK (version > 0)
);
CREATE TRIGGER customers_are_audited AFTER INSERT OR DELETE OR UPDATE ON customers FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');
CREATE TRIGGER customers_are_suspended_after_quotes BEFORE UPDATE OF status ON customers FOR EACH ROW WHEN (old.status = 'active'::text AND new.status <> 'active'::text) EXECUTE FUNCTION suspend_after_quotes();
CREATE TRIGGER customers_change_for_deposits AFTER UPDATE ON customers FOR EACH ROW WHEN (old.name <> new.name OR old.settings <> new.settings) EXECUTE FUNCTION note_match_change();

create table cut_offs (
  currency text not null,
  version integer not null,
  time_of_day text not null,
  zone text not null,
  reason text not null,
  source text not null,
  changed_by uuid not null,
  changed_at timestamp with time zone not null,
  constraint cut_offs_pkey PRIMARY KEY (currency, version),
  constraint cut_offs_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint cut_offs_time_of_day_check CHECK (time_of_day ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text),
  constraint cut_offs_version_check CHECK (version > 1)
);
CREATE TRIGGER cut_offs_are_audited AFTER INSERT OR DELETE OR UPDATE ON cut_offs FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('currency,version');

create table database_mode (
  singleton boolean not null default true,
  mode text not null,
  since timestamp with time zone not null default now(),
  constraint database_mode_pkey PRIMARY KEY (singleton),
  constraint database_mode_mode_check CHECK (mode = ANY (ARRAY['sandbox'::text, 'production'::text])),
  constraint database_mode_singleton_check CHECK (singleton)
);

create table date_rules (
  singleton boolean not null default true,
  version bigint not null,
  constraint date_rules_pkey PRIMARY KEY (singleton),
  constraint date_rules_singleton_check CHECK (singleton)
);

create table debt_days (
  customer_id uuid not null,
  currency text not null,
  day date not null,
  debt_minor numeric(38,0) not null,
  constraint debt_days_pkey PRIMARY KEY (customer_id, currency, day)
);

create table deposit_allocations (
  customer_id uuid not null,
  transaction_id uuid,
  deposit_id uuid not null,
  allocated_minor numeric(38,0) not null,
  excess_minor numeric(38,0) not null,
  shortfall_minor numeric(38,0) not null,
  rule text not null,
  matched_by text not null,
  actor text not null,
  evidence json not null,
  at timestamp with time zone not null,
  score smallint,
  constraint deposit_allocation_of_balance_is_plain CHECK (transaction_id IS NOT NULL OR excess_minor = 0::numeric AND shortfall_minor = 0::numeric),
  constraint deposit_allocations_allocated_minor_check CHECK (allocated_minor > 0::numeric),
  constraint deposit_allocations_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint deposit_allocations_excess_minor_check CHECK (excess_minor >= 0::numeric),
  constraint deposit_allocations_matched_by_check CHECK (matched_by = ANY (ARRAY['auto'::text, 'manual'::text])),
  constraint deposit_allocations_score_check CHECK (score >= 0 AND score <= 100),
  constraint deposit_allocations_shortfall_minor_check CHECK (shortfall_minor >= 0::numeric)
);
CREATE INDEX deposit_allocations_at ON deposit_allocations USING btree (at);
CREATE INDEX deposit_allocations_customer ON deposit_allocations USING btree (customer_id, deposit_id);
CREATE INDEX deposit_allocations_deposit ON deposit_allocations USING btree (deposit_id);
CREATE UNIQUE INDEX deposit_allocations_once ON deposit_allocations USING btree (customer_id, transaction_id, deposit_id) NULLS NOT DISTINCT;
CREATE TRIGGER deposit_allocations_are_audited AFTER INSERT OR DELETE OR UPDATE ON deposit_allocations FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('deposit_id');

create table deposit_history (
  deposit_id uuid not null,
  version integer not null,
  at timestamp with time zone not null,
  actor text not null,
  action text not null,
  reason text,
  detail json not null,
  constraint deposit_history_pkey PRIMARY KEY (deposit_id, version),
  constraint deposit_history_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id)
);
CREATE TRIGGER deposit_history_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON deposit_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table deposit_keys (
  kind text not null,
  key text not null,
  currency text not null,
  amount_minor numeric(38,0) not null,
  deposit_id uuid not null,
  constraint deposit_keys_pkey PRIMARY KEY (kind, key, currency, amount_minor, deposit_id),
  constraint deposit_keys_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint deposit_keys_kind_check CHECK (kind = ANY (ARRAY['reference'::text, 'account'::text, 'owner'::text, 'remitter'::text, 'held'::text]))
);
CREATE INDEX deposit_keys_deposit ON deposit_keys USING btree (deposit_id);
CREATE INDEX deposit_keys_pages ON deposit_keys USING btree (kind, key, deposit_id);

create table deposit_returns (
  id uuid not null,
  deposit_id uuid not null,
  reference text not null default reference_of(reference_digits(nextval('transaction_references'::regclass))),
  currency text not null,
  amount_minor numeric(38,0) not null,
  status text not null,
  account_holder text not null,
  bic text,
  iban text,
  account_number text,
  routing_number text,
  failure text,
  detail text,
  bank_reference text,
  paid_at timestamp with time zone,
  reopened_at timestamp with time zone,
  requested_by uuid not null,
  approved_by uuid,
  reason text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint deposit_returns_pkey PRIMARY KEY (id),
  constraint deposit_returns_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint deposit_returns_bank_reference_check CHECK (length(bank_reference) >= 1 AND length(bank_reference) <= 140),
  constraint deposit_returns_check CHECK (iban IS NOT NULL OR account_number IS NOT NULL),
  constraint deposit_returns_check1 CHECK ((status = 'failed'::text) = (failure IS NOT NULL)),
  constraint deposit_returns_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint deposit_returns_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint deposit_returns_detail_check CHECK (length(detail) >= 1 AND length(detail) <= 500),
  constraint deposit_returns_failure_check CHECK (failure = ANY (ARRAY['rejected'::text, 'returned'::text])),
  constraint deposit_returns_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint deposit_returns_reference_key UNIQUE (reference),
  constraint deposit_returns_status_check CHECK (status = ANY (ARRAY['pending'::text, 'paid'::text, 'failed'::text, 'cancelled'::text]))
);
CREATE INDEX deposit_returns_deposit ON deposit_returns USING btree (deposit_id);
CREATE INDEX deposit_returns_due ON deposit_returns USING btree (currency, id) WHERE status = 'pending'::text;
CREATE INDEX deposit_returns_failed ON deposit_returns USING btree (id) WHERE status = 'failed'::text AND reopened_at IS NULL;
CREATE TRIGGER deposit_returns_are_audited AFTER INSERT OR DELETE OR UPDATE ON deposit_returns FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');
CREATE TRIGGER deposit_returns_wake_bank_reports AFTER UPDATE ON deposit_returns FOR EACH ROW WHEN (old.status <> new.status OR old.failure IS DISTINCT FROM new.failure) EXECUTE FUNCTION wake_bank_reports_of_return();

create table deposits (
  id uuid not null,
  account text not null,
  bank_reference text not null,
  fingerprint text not null,
  source text not null,
  amount_minor numeric(38,0) not null,
  currency text not null,
  remitter_name text,
  remitter_account text,
  remittance_text text,
  value_date date not null,
  received_at timestamp with time zone not null,
  status text not null,
  exception_type text,
  exception_reason text,
  customer_id uuid,
  allocated_minor numeric(38,0) not null default 0,
  excess_minor numeric(38,0) not null default 0,
  version integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  returned_minor numeric(38,0) not null default 0,
  virtual_account text,
  booked_as text,
  booked_on date,
  constraint deposits_pkey PRIMARY KEY (id),
  constraint deposit_adds_up CHECK ((allocated_minor + excess_minor + returned_minor) <= amount_minor),
  constraint deposit_is_somebodys_work CHECK (exception_type IS NOT NULL OR status = 'ignored'::text OR (allocated_minor + excess_minor + returned_minor) = amount_minor),
  constraint deposit_matched_is_placed CHECK ((status = 'matched'::text) = (returned_minor < amount_minor AND (allocated_minor + excess_minor + returned_minor) = amount_minor) OR status = 'partially_matched'::text AND excess_minor > 0::numeric) NOT VALID,
  constraint deposit_returned_is_gone CHECK ((status = 'returned'::text) = (returned_minor = amount_minor)),
  constraint deposit_status_known CHECK (status = ANY (ARRAY['unmatched'::text, 'partially_matched'::text, 'matched'::text, 'returned'::text, 'ignored'::text])),
  constraint deposit_unmatched_is_whole CHECK (status <> 'unmatched'::text OR (allocated_minor + excess_minor + returned_minor) = 0::numeric),
  constraint deposits_account_bank_reference_key UNIQUE (account, bank_reference),
  constraint deposits_account_check CHECK (length(account) >= 1 AND length(account) <= 64),
  constraint deposits_allocated_minor_check CHECK (allocated_minor >= 0::numeric),
  constraint deposits_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint deposits_bank_reference_check CHECK (length(bank_reference) >= 1 AND length(bank_reference) <= 140),
  constraint deposits_booked_as_check CHECK (length(booked_as) >= 1 AND length(booked_as) <= 40),
  constraint deposits_check4 CHECK ((exception_type IS NULL) = (exception_reason IS NULL)),
  constraint deposits_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint deposits_exception_type_check CHECK (exception_type = ANY (ARRAY['unmatched'::text, 'ambiguous'::text, 'short'::text, 'excess'::text, 'wrong_currency'::text, 'third_party'::text, 'late'::text, 'duplicate'::text, 'returned'::text, 'payout_mismatch'::text, 'implausible_date'::text])),
  constraint deposits_excess_minor_check CHECK (excess_minor >= 0::numeric),
  constraint deposits_returned_minor_check CHECK (returned_minor >= 0::numeric),
  constraint deposits_source_check CHECK (source = ANY (ARRAY['operator'::text, 'sandbox'::text, 'statement'::text])),
  constraint deposits_version_check CHECK (version > 0),
  constraint deposits_virtual_account_check CHECK (length(virtual_account) >= 1 AND length(virtual_account) <= 64)
) with (fillfactor=85);
CREATE INDEX deposits_amount ON deposits USING btree (currency, amount_minor, received_at, id);
CREATE INDEX deposits_bank_reference ON deposits USING btree (bank_reference);
CREATE INDEX deposits_booked_on ON deposits USING btree (booked_on) WHERE booked_on IS NOT NULL;
CREATE INDEX deposits_customer ON deposits USING btree (customer_id, received_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX deposits_received ON deposits USING btree (received_at, id);
CREATE INDEX deposits_reference_taken ON deposits USING btree (split_part(bank_reference, '#ste_'::text, 1)) WHERE bank_reference ~~ '%#ste\_%'::text;
CREATE INDEX deposits_remitter ON deposits USING btree (remitter_account) WHERE remitter_account IS NOT NULL;
CREATE INDEX deposits_shared ON deposits USING btree (received_at, id) WHERE customer_id IS NULL AND (allocated_minor + excess_minor) > 0::numeric;
CREATE INDEX deposits_status ON deposits USING btree (status, received_at, id);
CREATE INDEX deposits_status_currency ON deposits USING btree (status, currency, received_at, id);
CREATE INDEX deposits_unsettled ON deposits USING btree (received_at, id) WHERE status <> 'matched'::text;
CREATE INDEX deposits_untouched ON deposits USING btree (id) WHERE status = 'unmatched'::text AND version = 1;
CREATE INDEX deposits_value_date ON deposits USING btree (value_date);
CREATE TRIGGER deposits_are_audited AFTER INSERT OR DELETE OR UPDATE ON deposits FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');
CREATE TRIGGER deposits_wake_bank_reports AFTER UPDATE ON deposits FOR EACH ROW WHEN (old.status <> 'returned'::text AND new.status = 'returned'::text) EXECUTE FUNCTION wake_bank_reports_of_deposit();

create table entry_details (
  id uuid not null,
  entry_id uuid not null,
  number integer not null,
  kind text not null,
  amount_minor numeric(38,0) not null,
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
  deposit_state text not null,
  deposit_id uuid,
  payment_state text not null default 'none'::text,
  payment_reason text,
  payment_id uuid,
  returned_deposit_id uuid,
  booked_as text,
  credited_account text,
  account text,
  booking_date date,
  known_reference text,
  known_end_to_end text,
  same_as uuid,
  same_reason text,
  differs text[],
  maybe_same_as uuid,
  completed json,
  listed_by uuid,
  missing_since timestamp with time zone,
  revise text,
  same_part uuid,
  booked_for uuid,
  constraint entry_details_pkey PRIMARY KEY (id),
  constraint entry_details_amount_minor_check CHECK (amount_minor >= 0::numeric),
  constraint entry_details_booked_as_check CHECK (length(booked_as) >= 1 AND length(booked_as) <= 40),
  constraint entry_details_check CHECK ((deposit_state = 'booked'::text) = (deposit_id IS NOT NULL)),
  constraint entry_details_check1 CHECK (payment_reason IS NULL OR (payment_state = ANY (ARRAY['mismatch'::text, 'unknown'::text]))),
  constraint entry_details_check2 CHECK ((same_as IS NULL) = (same_reason IS NULL)),
  constraint entry_details_check3 CHECK (same_as IS NULL OR same_as <> id AND deposit_state = 'none'::text AND payment_state = 'none'::text),
  constraint entry_details_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint entry_details_deposit_id_key UNIQUE (deposit_id),
  constraint entry_details_deposit_state_check CHECK (deposit_state = ANY (ARRAY['none'::text, 'due'::text, 'booked'::text, 'unknown_account'::text])),
  constraint entry_details_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES bank_entries(id),
  constraint entry_details_entry_id_number_key UNIQUE (entry_id, number),
  constraint entry_details_kind_check CHECK (kind = ANY (ARRAY['payment'::text, 'return'::text, 'reversal'::text])),
  constraint entry_details_listed_by_fkey FOREIGN KEY (listed_by) REFERENCES entry_details(id),
  constraint entry_details_maybe_same_as_fkey FOREIGN KEY (maybe_same_as) REFERENCES entry_details(id),
  constraint entry_details_number_check CHECK (number > 0),
  constraint entry_details_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint entry_details_payment_reason_check CHECK (length(payment_reason) >= 1 AND length(payment_reason) <= 40),
  constraint entry_details_payment_state_check CHECK (payment_state = ANY (ARRAY['none'::text, 'due'::text, 'unknown_account'::text, 'applied'::text, 'known'::text, 'mismatch'::text, 'unknown'::text, 'by_hand'::text])),
  constraint entry_details_returned_deposit_id_fkey FOREIGN KEY (returned_deposit_id) REFERENCES deposits(id),
  constraint entry_details_revise_check CHECK (revise = ANY (ARRAY['complete'::text, 'split'::text])),
  constraint entry_details_same_as_fkey FOREIGN KEY (same_as) REFERENCES entry_details(id),
  constraint entry_details_same_part_fkey FOREIGN KEY (same_part) REFERENCES entry_details(id),
  constraint entry_details_same_reason_check CHECK (same_reason = ANY (ARRAY['uetr'::text, 'bank_reference'::text, 'end_to_end_id'::text, 'entry_reference'::text, 'content'::text, 'same_statement'::text, 'day_and_amount'::text, 'sum_of_details'::text, 'part_of_sum'::text, 'operator'::text]))
);
CREATE INDEX entry_details_block ON entry_details USING btree (payment_information_id, account, booking_date) WHERE payment_information_id IS NOT NULL AND same_as IS NULL;
CREATE INDEX entry_details_day ON entry_details USING btree (account, booking_date, amount_minor) WHERE same_as IS NULL;
CREATE INDEX entry_details_deposit_end_to_end ON entry_details USING btree (end_to_end_id) WHERE end_to_end_id IS NOT NULL;
CREATE INDEX entry_details_deposit_uetr ON entry_details USING btree (uetr) WHERE uetr IS NOT NULL;
CREATE INDEX entry_details_detail_reference ON entry_details USING btree (detail_reference) WHERE detail_reference IS NOT NULL;
CREATE INDEX entry_details_due ON entry_details USING btree (id) WHERE deposit_state = 'due'::text;
CREATE INDEX entry_details_end_to_end_key ON entry_details USING btree (known_end_to_end, account, amount_minor) WHERE known_end_to_end IS NOT NULL AND same_as IS NULL;
CREATE INDEX entry_details_listed_by ON entry_details USING btree (listed_by) WHERE listed_by IS NOT NULL;
CREATE INDEX entry_details_maybe ON entry_details USING btree (account) WHERE maybe_same_as IS NOT NULL AND payment_state = 'mismatch'::text;
CREATE INDEX entry_details_missing ON entry_details USING btree (id) WHERE missing_since IS NOT NULL;
CREATE INDEX entry_details_not_booked ON entry_details USING btree (entry_id) WHERE (payment_state = ANY (ARRAY['due'::text, 'mismatch'::text])) OR payment_state = 'unknown'::text AND deposit_state = 'none'::text OR deposit_state = 'due'::text;
CREATE INDEX entry_details_part_day ON entry_details USING btree (account, booking_date, amount_minor) WHERE same_reason = 'part_of_sum'::text;
CREATE INDEX entry_details_part_end_to_end_key ON entry_details USING btree (known_end_to_end, account, amount_minor) WHERE known_end_to_end IS NOT NULL AND same_reason = 'part_of_sum'::text;
CREATE INDEX entry_details_part_reference_key ON entry_details USING btree (known_reference, account, booking_date) WHERE known_reference IS NOT NULL AND same_reason = 'part_of_sum'::text;
CREATE INDEX entry_details_payment_due ON entry_details USING btree (id) WHERE payment_state = 'due'::text;
CREATE INDEX entry_details_reference_key ON entry_details USING btree (known_reference, account, booking_date) WHERE known_reference IS NOT NULL AND same_as IS NULL;
CREATE INDEX entry_details_returned_deposit ON entry_details USING btree (returned_deposit_id) WHERE returned_deposit_id IS NOT NULL;
CREATE INDEX entry_details_revise ON entry_details USING btree (id) WHERE revise IS NOT NULL;
CREATE INDEX entry_details_same_as ON entry_details USING btree (same_as) WHERE same_as IS NOT NULL;
CREATE INDEX entry_details_same_part ON entry_details USING btree (same_part) WHERE same_part IS NOT NULL;
CREATE TRIGGER details_move_bank_items AFTER UPDATE ON entry_details FOR EACH ROW WHEN (old.deposit_id IS DISTINCT FROM new.deposit_id OR new.returned_deposit_id IS NOT NULL OR old.returned_deposit_id IS NOT NULL) EXECUTE FUNCTION bank_item_of_details();
CREATE TRIGGER entry_details_are_audited AFTER UPDATE ON entry_details FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table entry_listings (
  file_id uuid not null,
  position integer not null,
  statement_position integer not null,
  line integer not null,
  entry_id uuid not null,
  is_new boolean not null,
  constraint entry_listings_pkey PRIMARY KEY (file_id, "position"),
  constraint entry_listings_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES bank_entries(id),
  constraint entry_listings_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id)
);
CREATE INDEX entry_listings_entry ON entry_listings USING btree (entry_id);

create table events (
  customer_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  type text,
  at timestamp with time zone not null,
  quote_id uuid,
  transaction_id uuid,
  deposit_id uuid,
  version integer,
  status text,
  previous_status text,
  client_reference text,
  detail json,
  quote_version integer,
  quote_reference text,
  constraint event_says_what_it_is CHECK (type IS NOT NULL OR quote_version IS NOT NULL) NOT VALID,
  constraint events_sequence_check CHECK (sequence > 0)
) partition by RANGE (at);

create table evidence_keys (
  kid text not null,
  alg text not null,
  state text not null,
  public_jwk jsonb not null,
  encrypted_private_key bytea,
  encrypted_under text not null,
  published_at timestamp with time zone not null,
  activated_at timestamp with time zone,
  retired_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revocation_reason text,
  rotation_reason text,
  constraint evidence_keys_pkey PRIMARY KEY (kid),
  constraint evidence_keys_activated CHECK (
CASE state
    WHEN 'next'::text THEN activated_at IS NULL
    WHEN 'revoked'::text THEN true
    ELSE activated_at IS NOT NULL
END),
  constraint evidence_keys_alg_check CHECK (alg = 'EdDSA'::text),
  constraint evidence_keys_check CHECK (activated_at >= published_at),
  constraint evidence_keys_check1 CHECK (retired_at >= activated_at),
  constraint evidence_keys_encrypted_under_check CHECK (encrypted_under ~ '^[0-9a-f]{16}$'::text),
  constraint evidence_keys_ended CHECK ((state = ANY (ARRAY['retired'::text, 'revoked'::text])) = (retired_at IS NOT NULL)),
  constraint evidence_keys_private_half CHECK ((state = ANY (ARRAY['retired'::text, 'revoked'::text])) = (encrypted_private_key IS NULL)),
  constraint evidence_keys_revoked CHECK ((state = 'revoked'::text) = (revoked_at IS NOT NULL AND revocation_reason IS NOT NULL)),
  constraint evidence_keys_state_check CHECK (state = ANY (ARRAY['next'::text, 'active'::text, 'retired'::text, 'revoked'::text]))
);
CREATE UNIQUE INDEX evidence_keys_single ON evidence_keys USING btree (state) WHERE state = ANY (ARRAY['next'::text, 'active'::text]);
CREATE TRIGGER evidence_keys_are_audited AFTER INSERT OR DELETE OR UPDATE ON evidence_keys FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('kid', 'encrypted_private_key');

create table exception_history (
  exception_id uuid not null,
  version integer not null,
  at timestamp with time zone not null,
  actor text not null,
  action text not null,
  note text,
  detail json not null,
  constraint exception_history_pkey PRIMARY KEY (exception_id, version),
  constraint exception_history_action_check CHECK (action = ANY (ARRAY['opened'::text, 'assigned'::text, 'resolved'::text, 'retried'::text])),
  constraint exception_history_exception_id_fkey FOREIGN KEY (exception_id) REFERENCES reconciliation_exceptions(id)
);
CREATE TRIGGER exception_history_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON exception_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table exposure_hedges (
  currency text not null,
  amount numeric not null,
  constraint exposure_hedges_pkey PRIMARY KEY (currency)
);
CREATE TRIGGER exposure_hedges_are_audited AFTER INSERT OR DELETE OR UPDATE ON exposure_hedges FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('currency');

create table exposure_limits (
  key text not null,
  limit_usd_minor numeric(38,0) not null,
  constraint exposure_limits_pkey PRIMARY KEY (key),
  constraint exposure_limits_limit_usd_minor_check CHECK (limit_usd_minor >= 0::numeric)
);

create table exposure_slots (
  slot integer not null,
  keys text[] not null default '{}'::text[],
  up_minor numeric[] not null default '{}'::numeric[],
  down_minor numeric[] not null default '{}'::numeric[],
  constraint exposure_slots_pkey PRIMARY KEY (slot)
) with (fillfactor=50);

create table exposure_values (
  currency text not null,
  numerator numeric not null,
  denominator numeric not null,
  minor_units integer not null,
  constraint exposure_values_pkey PRIMARY KEY (currency),
  constraint exposure_values_denominator_check CHECK (denominator > 0::numeric),
  constraint exposure_values_numerator_check CHECK (numerator > 0::numeric)
);

create table four_eyes_policies (
  version integer not null,
  document json not null,
  changed_by uuid not null,
  changed_at timestamp with time zone not null,
  constraint four_eyes_policies_pkey PRIMARY KEY (version),
  constraint four_eyes_policies_version_check CHECK (version > 1)
);
CREATE TRIGGER four_eyes_policies_are_audited AFTER INSERT OR DELETE OR UPDATE ON four_eyes_policies FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('version');

create table funding_instructions (
  customer_id uuid not null,
  id uuid not null,
  details json not null,
  constraint funding_instructions_pkey PRIMARY KEY (customer_id, id),
  constraint funding_instructions_are_their_id CHECK (id = text_id(details::text))
);
CREATE TRIGGER funding_instructions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON funding_instructions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table house_open_quotes (
  expires_by timestamp with time zone not null,
  currency text not null,
  long_minor numeric(38,0) not null,
  short_minor numeric(38,0) not null,
  quotes bigint not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);

create table house_positions (
  currency text not null,
  balance_minor numeric(38,0) not null,
  bought_minor numeric(38,0) not null,
  bought_usd_minor numeric(38,0) not null,
  sold_minor numeric(38,0) not null,
  sold_usd_minor numeric(38,0) not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);

create table idempotency_keys (
  customer_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  outcome text not null,
  quote_id uuid,
  transaction_id uuid,
  received_at timestamp with time zone not null,
  response_status integer,
  response_body text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (customer_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (expires_at);

create table instance_heartbeats (
  instance uuid not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  beat_at timestamp with time zone not null,
  constraint instance_heartbeats_pkey PRIMARY KEY (instance)
);

create table journal_entries (
  customer_id uuid not null,
  id uuid not null,
  kind text not null,
  at timestamp with time zone not null,
  transaction_id uuid,
  deposit_id uuid,
  accounts text[] not null,
  currencies text[] not null,
  amounts numeric(38,0)[] not null,
  withdrawal_id uuid,
  constraint journal_entries_pkey PRIMARY KEY (customer_id, id),
  constraint journal_entries_kind_check CHECK (kind = ANY (ARRAY['trade_executed'::text, 'trade_cancelled'::text, 'deposit_received'::text, 'deposit_allocated'::text, 'deposit_deallocated'::text, 'deposit_returned'::text, 'payout_sent'::text, 'payout_returned'::text, 'refund_paid'::text, 'refund_returned'::text, 'balance_topped_up'::text, 'proceeds_credited'::text, 'close_out'::text, 'withdrawal_requested'::text, 'withdrawal_paid'::text, 'withdrawal_undone'::text, 'withdrawal_returned'::text, 'bank_entry_booked'::text, 'return_ordered'::text, 'return_paid'::text, 'return_undone'::text, 'return_reopened'::text, 'debt_paid'::text, 'debt_written_off'::text, 'top_up_reversed'::text])) NOT VALID,
  constraint journal_entry_balances CHECK (entry_balances(accounts, currencies, amounts))
);
CREATE INDEX journal_entries_id ON journal_entries USING btree (id);
CREATE INDEX journal_entries_later ON journal_entries USING btree (customer_id, transaction_id) WHERE transaction_id IS NOT NULL AND kind <> 'trade_executed'::text;
CREATE TRIGGER journal_has_open_days AFTER INSERT ON journal_entries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION post_to_open_days();
CREATE TRIGGER journal_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON journal_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_keeps_positions AFTER INSERT ON journal_entries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION keep_positions();
CREATE TRIGGER journal_moves_bank_items AFTER INSERT ON journal_entries FOR EACH ROW WHEN ('bank'::text = ANY (new.accounts)) EXECUTE FUNCTION bank_item_of_journal();
CREATE TRIGGER journal_within_house_limits AFTER INSERT ON journal_entries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION hold_house_limits();

create table key_encryption (
  singleton boolean not null default true,
  sealed_under text not null,
  since timestamp with time zone not null,
  constraint key_encryption_pkey PRIMARY KEY (singleton),
  constraint key_encryption_sealed_under_check CHECK (sealed_under ~ '^[0-9a-f]{16}$'::text),
  constraint key_encryption_singleton_check CHECK (singleton)
);
CREATE TRIGGER key_encryption_are_audited AFTER INSERT OR DELETE OR UPDATE ON key_encryption FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('singleton');

create table key_holders (
  instance uuid not null,
  opens text[] not null,
  seen_at timestamp with time zone not null,
  constraint key_holders_pkey PRIMARY KEY (instance)
);

create table known_remitters (
  id uuid not null,
  customer_id uuid not null,
  account text not null,
  name text,
  learnt_at timestamp with time zone not null,
  learnt_by uuid not null,
  deposit_id uuid not null,
  constraint known_remitters_pkey PRIMARY KEY (id),
  constraint known_remitters_customer_id_account_key UNIQUE (customer_id, account)
);
CREATE INDEX known_remitters_account ON known_remitters USING btree (account);
CREATE INDEX known_remitters_deposit ON known_remitters USING btree (deposit_id);
CREATE TRIGGER known_remitters_are_audited AFTER INSERT OR DELETE OR UPDATE ON known_remitters FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');
CREATE TRIGGER remitters_are_new_to_deposits AFTER INSERT ON known_remitters FOR EACH ROW EXECUTE FUNCTION note_match_change();

create table ledger_closing (
  one boolean not null default true,
  closed_through date,
  fenced_through date,
  debts_closed_through date,
  constraint ledger_closing_pkey PRIMARY KEY (one),
  constraint ledger_closing_one_check CHECK (one),
  constraint ledger_days_are_fenced CHECK (closed_through IS NULL OR fenced_through IS NOT NULL AND closed_through <= fenced_through)
);

create table ledger_days (
  customer_id uuid not null,
  account text not null,
  currency text not null,
  day date not null,
  balance numeric(38,0) not null,
  constraint ledger_days_pkey PRIMARY KEY (customer_id, account, currency, day)
);

create table log_archives (
  log text not null,
  seals bigint not null,
  size bigint not null,
  rows bigint not null,
  archived_at timestamp with time zone not null,
  constraint log_archives_pkey PRIMARY KEY (log, seals),
  constraint log_archives_log_check CHECK (log = 'audit'::text),
  constraint log_archives_rows_check CHECK (rows > 0)
);
CREATE TRIGGER log_archives_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON log_archives FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_archives_are_audited AFTER INSERT ON log_archives FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('log,seals');

create table log_exports (
  id uuid not null,
  log text not null,
  from_size bigint not null,
  size bigint not null,
  root bytea not null,
  sha256 bytea not null,
  exported_at timestamp with time zone not null default now(),
  constraint log_exports_pkey PRIMARY KEY (id),
  constraint log_exports_check CHECK (size > from_size),
  constraint log_exports_from_size_check CHECK (from_size >= 0),
  constraint log_exports_log_check CHECK (log = ANY (ARRAY['audit'::text, 'journal'::text])),
  constraint log_exports_root_check CHECK (length(root) = 32),
  constraint log_exports_sha256_check CHECK (length(sha256) = 32)
);
CREATE INDEX log_exports_size ON log_exports USING btree (log, size);
CREATE TRIGGER log_exports_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON log_exports FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table log_heads (
  log text not null,
  size bigint not null,
  seals bigint not null,
  root bytea not null,
  peaks bytea not null,
  signed_at timestamp with time zone not null,
  jws text not null,
  constraint log_heads_pkey PRIMARY KEY (log, size, signed_at)
);
CREATE TRIGGER log_heads_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON log_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_heads_are_audited AFTER INSERT ON log_heads FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('log,size,signed_at');

create table log_nodes (
  log text not null,
  level smallint not null,
  place bigint not null,
  hash bytea not null,
  leaves bytea,
  constraint log_nodes_pkey PRIMARY KEY (log, level, place),
  constraint log_nodes_check CHECK ((level = 8) = (leaves IS NOT NULL)),
  constraint log_nodes_hash_check CHECK (length(hash) = 32),
  constraint log_nodes_leaves_check CHECK (length(leaves) = (32 * 256)),
  constraint log_nodes_level_check CHECK (level >= 8),
  constraint log_nodes_log_check CHECK (log = ANY (ARRAY['audit'::text, 'journal'::text])),
  constraint log_nodes_place_check CHECK (place >= 0)
);
CREATE TRIGGER log_nodes_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON log_nodes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table log_seals (
  log text not null,
  number bigint not null,
  sealed_at timestamp with time zone not null,
  rows integer not null,
  after_key text not null,
  through_key text not null,
  late text[],
  fingerprints bytea not null,
  size bigint not null,
  root bytea not null,
  constraint log_seals_pkey PRIMARY KEY (log, number),
  constraint log_seals_check CHECK (length(fingerprints) = (4 * rows)),
  constraint log_seals_log_check CHECK (log = ANY (ARRAY['audit'::text, 'journal'::text])),
  constraint log_seals_root_check CHECK (length(root) = 32),
  constraint log_seals_rows_check CHECK (rows > 0)
);
CREATE INDEX log_seals_late ON log_seals USING btree (log, after_key) WHERE late IS NOT NULL;
CREATE INDEX log_seals_sealed_at ON log_seals USING btree (log, sealed_at);
CREATE INDEX log_seals_size ON log_seals USING btree (log, size);
CREATE TRIGGER log_seals_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON log_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table log_tips (
  log text not null,
  seals bigint not null default 0,
  looked bigint not null default 0,
  size bigint not null default 0,
  through_key text,
  peaks bytea not null default '\x'::bytea,
  blocks bigint not null default 0,
  constraint log_tips_pkey PRIMARY KEY (log)
);

create table market_accepted_prices (
  pair text not null,
  number integer not null,
  mid numeric not null,
  previous_mid numeric,
  reason text not null,
  accepted_at timestamp with time zone not null,
  accepted_by uuid not null,
  constraint market_accepted_prices_pkey PRIMARY KEY (pair, number),
  constraint market_accepted_prices_mid_check CHECK (mid > 0::numeric),
  constraint market_accepted_prices_number_check CHECK (number > 0),
  constraint market_accepted_prices_pair_check CHECK (length(pair) = 6),
  constraint market_accepted_prices_previous_mid_check CHECK (previous_mid > 0::numeric),
  constraint market_accepted_prices_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 200)
);
CREATE TRIGGER market_accepted_prices_are_audited AFTER INSERT OR DELETE OR UPDATE ON market_accepted_prices FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('pair,number');

create table market_bars_1m (
  pair text not null,
  at timestamp with time zone not null,
  open numeric not null,
  high numeric not null,
  low numeric not null,
  close numeric not null,
  bid numeric not null,
  ask numeric not null,
  ticks integer not null,
  constraint market_bars_1m_pkey PRIMARY KEY (pair, at),
  constraint market_bars_1s_bid_check CHECK (bid > 0::numeric),
  constraint market_bars_1s_check CHECK (ask >= bid),
  constraint market_bars_1s_check1 CHECK (low <= open AND low <= close AND high >= open AND high >= close),
  constraint market_bars_1s_open_check CHECK (open > 0::numeric),
  constraint market_bars_1s_ticks_check CHECK (ticks > 0)
);
CREATE INDEX market_bars_1m_at_idx ON market_bars_1m USING brin (at);

create table market_bars_1s (
  pair text not null,
  at timestamp with time zone not null,
  open numeric not null,
  high numeric not null,
  low numeric not null,
  close numeric not null,
  bid numeric not null,
  ask numeric not null,
  ticks integer not null,
  constraint market_bars_1s_pkey PRIMARY KEY (pair, at),
  constraint market_bars_1s_bid_check CHECK (bid > 0::numeric),
  constraint market_bars_1s_check CHECK (ask >= bid),
  constraint market_bars_1s_check1 CHECK (low <= open AND low <= close AND high >= open AND high >= close),
  constraint market_bars_1s_open_check CHECK (open > 0::numeric),
  constraint market_bars_1s_ticks_check CHECK (ticks > 0)
);
CREATE INDEX market_bars_1s_age ON market_bars_1s USING brin (at);

create table market_closures (
  id uuid not null,
  reopens_at timestamp with time zone not null,
  closed_at timestamp with time zone not null,
  reason text not null,
  opened_at timestamp with time zone,
  closed_told_to uuid,
  closed_told boolean not null default false,
  opened_told_to uuid,
  opened_told boolean not null default false,
  constraint market_closures_pkey PRIMARY KEY (id),
  constraint market_closures_check CHECK (closed_at <= reopens_at),
  constraint market_closures_check1 CHECK (NOT opened_told OR closed_told AND opened_at IS NOT NULL),
  constraint market_closures_reason_check CHECK (reason = ANY (ARRAY['weekend'::text, 'holiday'::text])),
  constraint market_closures_reopens_at_key UNIQUE (reopens_at)
);
CREATE INDEX market_closures_current ON market_closures USING btree (reopens_at) WHERE opened_at IS NULL;
CREATE INDEX market_closures_untold ON market_closures USING btree (closed_at) WHERE NOT closed_told OR opened_at IS NOT NULL AND NOT opened_told;

create table market_halts (
  id uuid not null,
  scope text not null,
  pair text,
  customer_id uuid,
  reason text not null,
  halted_at timestamp with time zone not null,
  halted_by uuid not null,
  resumed_at timestamp with time zone,
  resumed_by uuid,
  resume_reason text,
  closed_told_to uuid,
  closed_told boolean not null default false,
  opened_told_to uuid,
  opened_told boolean not null default false,
  withdraws_quotes boolean not null default true,
  constraint market_halts_pkey PRIMARY KEY (id),
  constraint market_halts_check CHECK ((scope = 'pair'::text) = (pair IS NOT NULL)),
  constraint market_halts_check1 CHECK ((scope = 'customer'::text) = (customer_id IS NOT NULL)),
  constraint market_halts_check2 CHECK ((resumed_at IS NULL) = (resumed_by IS NULL)),
  constraint market_halts_check3 CHECK (resume_reason IS NULL OR resumed_at IS NOT NULL),
  constraint market_halts_check4 CHECK (NOT opened_told OR closed_told AND resumed_at IS NOT NULL),
  constraint market_halts_pair_check CHECK (length(pair) = 6),
  constraint market_halts_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 200),
  constraint market_halts_resume_reason_check CHECK (length(resume_reason) >= 1 AND length(resume_reason) <= 200),
  constraint market_halts_scope_check CHECK (scope = ANY (ARRAY['all'::text, 'pair'::text, 'customer'::text]))
);
CREATE UNIQUE INDEX market_halts_current ON market_halts USING btree (scope, COALESCE(pair, customer_id::text, ''::text)) WHERE resumed_at IS NULL;
CREATE INDEX market_halts_untold ON market_halts USING btree (halted_at) WHERE NOT closed_told OR resumed_at IS NOT NULL AND NOT opened_told;
CREATE TRIGGER market_halts_are_audited AFTER INSERT OR DELETE OR UPDATE ON market_halts FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table market_last_prices (
  pair text not null,
  mid numeric not null,
  at timestamp with time zone not null,
  first_mid numeric not null,
  first_at timestamp with time zone not null,
  constraint market_last_prices_pkey PRIMARY KEY (pair),
  constraint market_last_prices_first_mid_check CHECK (first_mid > 0::numeric),
  constraint market_last_prices_mid_check CHECK (mid > 0::numeric),
  constraint market_last_prices_pair_check CHECK (length(pair) = 6)
) with (fillfactor=50);

create table market_pairs (
  pair text not null,
  version integer not null,
  enabled boolean not null,
  staleness_ms integer not null,
  composite text not null,
  priority text[] not null,
  locked_prices text not null,
  outlier_bps numeric(6,2),
  jump_ticks integer not null,
  jump_ms integer not null,
  frozen_ms integer,
  deviation_bps numeric(6,2),
  agreement_ms integer not null,
  changed_at timestamp with time zone not null,
  changed_by uuid not null,
  max_width_bps numeric(6,2),
  band_bps numeric(6,2),
  reference_bps numeric(6,2),
  constraint market_pairs_pkey PRIMARY KEY (pair, version),
  constraint market_pairs_agreement_ms_check CHECK (agreement_ms > 0),
  constraint market_pairs_band_bps_check CHECK (band_bps > 0::numeric),
  constraint market_pairs_composite_check CHECK (composite = ANY (ARRAY['best'::text, 'priority'::text])),
  constraint market_pairs_deviation_bps_check CHECK (deviation_bps > 0::numeric),
  constraint market_pairs_frozen_ms_check CHECK (frozen_ms > 0),
  constraint market_pairs_jump_ms_check CHECK (jump_ms > 0),
  constraint market_pairs_jump_ticks_check CHECK (jump_ticks > 1),
  constraint market_pairs_locked_prices_check CHECK (locked_prices = ANY (ARRAY['accept'::text, 'refuse'::text])),
  constraint market_pairs_max_width_bps_check CHECK (max_width_bps > 0::numeric),
  constraint market_pairs_outlier_bps_check CHECK (outlier_bps > 0::numeric),
  constraint market_pairs_pair_check CHECK (length(pair) = 6),
  constraint market_pairs_priority_check CHECK (cardinality(priority) <= 16),
  constraint market_pairs_reference_bps_check CHECK (reference_bps > 0::numeric),
  constraint market_pairs_staleness_ms_check CHECK (staleness_ms > 0),
  constraint market_pairs_version_check CHECK (version > 1)
);
CREATE TRIGGER market_pairs_are_audited AFTER INSERT OR DELETE OR UPDATE ON market_pairs FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('pair,version');

create table market_prices (
  id uuid not null,
  pair text not null,
  side text not null,
  mid text not null,
  market text not null,
  as_of text not null,
  source text not null,
  reference json,
  evidence json not null,
  constraint market_prices_pkey PRIMARY KEY (id)
);
CREATE TRIGGER market_prices_stay BEFORE DELETE OR TRUNCATE ON market_prices FOR EACH STATEMENT EXECUTE FUNCTION refuse_forgetting();

create unlogged table market_pushed_prices (
  source text not null,
  pair text not null,
  bid numeric,
  ask numeric,
  at timestamp with time zone not null,
  instance uuid not null,
  written_in xid8 not null default pg_current_xact_id(),
  constraint market_pushed_prices_pkey PRIMARY KEY (source, pair),
  constraint market_pushed_prices_bid_check CHECK (bid > 0::numeric),
  constraint market_pushed_prices_check CHECK ((bid IS NULL) = (ask IS NULL)),
  constraint market_pushed_prices_pair_check CHECK (length(pair) = 6)
) with (fillfactor=50);

create table market_revision (
  singleton boolean not null default true,
  revision bigint not null,
  constraint market_revision_pkey PRIMARY KEY (singleton),
  constraint market_revision_revision_check CHECK (revision > 0),
  constraint market_revision_singleton_check CHECK (singleton)
);

create table market_sequence_resets (
  source text not null,
  number integer not null,
  next_sent integer not null,
  next_received integer not null,
  reason text not null,
  reset_at timestamp with time zone not null,
  reset_by uuid not null,
  constraint market_sequence_resets_pkey PRIMARY KEY (source, number),
  constraint market_sequence_resets_next_received_check CHECK (next_received > 0),
  constraint market_sequence_resets_next_sent_check CHECK (next_sent > 0),
  constraint market_sequence_resets_number_check CHECK (number > 0),
  constraint market_sequence_resets_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 200),
  constraint market_sequence_resets_source_check CHECK (length(source) >= 1 AND length(source) <= 200)
);
CREATE TRIGGER market_sequence_resets_are_audited AFTER INSERT OR DELETE OR UPDATE ON market_sequence_resets FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('source,number');

create table market_source_switches (
  source text not null,
  number integer not null,
  enabled boolean not null,
  reason text not null,
  changed_at timestamp with time zone not null,
  changed_by uuid not null,
  constraint market_source_switches_pkey PRIMARY KEY (source, number),
  constraint market_source_switches_number_check CHECK (number > 0),
  constraint market_source_switches_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 200),
  constraint market_source_switches_source_check CHECK (length(source) >= 1 AND length(source) <= 200)
);
CREATE TRIGGER market_source_switches_are_audited AFTER INSERT OR DELETE OR UPDATE ON market_source_switches FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('source,number');

create table match_changes (
  id bigint not null generated always as identity,
  kind text not null,
  customer_id uuid,
  currency text,
  key text not null,
  due_at timestamp with time zone not null default now(),
  constraint match_changes_pkey PRIMARY KEY (id),
  constraint match_changes_kind_check CHECK (kind = ANY (ARRAY['trade'::text, 'reference'::text, 'account'::text, 'remitter'::text, 'customer'::text, 'deposit'::text, 'rules'::text]))
);

create table match_walks (
  kind text not null,
  key text not null,
  currency text not null,
  after_minor numeric(38,0) not null default '-1'::integer,
  after_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  again boolean not null default false,
  constraint match_walks_pkey PRIMARY KEY (kind, key, currency),
  constraint match_walks_kind_check CHECK (kind = ANY (ARRAY['group'::text, 'owner'::text, 'account'::text, 'remitter'::text, 'held'::text, 'all'::text]))
);

create table matching_settings (
  version integer not null,
  document json not null,
  changed_by uuid not null,
  created_at timestamp with time zone not null,
  constraint matching_settings_pkey PRIMARY KEY (version),
  constraint matching_settings_version_check CHECK (version > 1)
);
CREATE TRIGGER matching_settings_are_audited AFTER INSERT OR DELETE OR UPDATE ON matching_settings FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('version');
CREATE TRIGGER rules_change_for_deposits AFTER INSERT ON matching_settings FOR EACH ROW EXECUTE FUNCTION note_match_change();

create table oauth_clients (
  id uuid not null,
  kind text not null,
  customer_id uuid,
  name text not null,
  scopes text[] not null,
  audiences text[] not null default '{}'::text[],
  ip_allow_list text[] not null default '{}'::text[],
  status text not null default 'active'::text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  responsible uuid,
  roles text[] not null default '{}'::text[],
  expires_at timestamp with time zone,
  dpop_bound boolean not null default false,
  suspended_by_house boolean not null default false,
  constraint oauth_clients_pkey PRIMARY KEY (id),
  constraint oauth_clients_audiences_check CHECK (cardinality(audiences) <= 10),
  constraint oauth_clients_check CHECK ((kind = 'customer'::text) = (customer_id IS NOT NULL)),
  constraint oauth_clients_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint oauth_clients_ip_allow_list_check CHECK (cardinality(ip_allow_list) <= 50),
  constraint oauth_clients_kind_check CHECK (kind = ANY (ARRAY['customer'::text, 'operator'::text])),
  constraint oauth_clients_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint oauth_clients_of_operators_have_somebody CHECK (kind = 'operator'::text OR responsible IS NULL),
  constraint oauth_clients_responsible_fkey FOREIGN KEY (responsible) REFERENCES persons(id),
  constraint oauth_clients_roles_check CHECK (cardinality(roles) <= 20 AND (kind = 'operator'::text OR roles = '{}'::text[])),
  constraint oauth_clients_scopes_check CHECK (cardinality(scopes) >= 0 AND cardinality(scopes) <= 100),
  constraint oauth_clients_scopes_of_kind CHECK (
CASE kind
    WHEN 'operator'::text THEN array_to_string(scopes, ' '::text) ~ '^(operator:([a-z-]+(:read)?|\*)( |$))*$'::text
    ELSE array_to_string(scopes, ' '::text) ~ '^([a-z]+:[a-z]+( |$))*$'::text AND array_to_string(scopes, ' '::text) !~ '\moperator:'::text
END),
  constraint oauth_clients_status_check CHECK (status = ANY (ARRAY['active'::text, 'suspended'::text, 'revoked'::text]))
);
CREATE INDEX oauth_clients_customer ON oauth_clients USING btree (customer_id, created_at);
CREATE TRIGGER oauth_clients_are_audited AFTER INSERT OR DELETE OR UPDATE ON oauth_clients FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table operator_conditions (
  kind text not null,
  key text not null,
  state text not null,
  changed_at timestamp with time zone not null,
  constraint operator_conditions_pkey PRIMARY KEY (kind, key)
);

create table operator_events (
  id uuid not null,
  place bigint,
  type text not null,
  at timestamp with time zone not null,
  resource text,
  data json not null,
  constraint operator_events_pkey PRIMARY KEY (id)
);
CREATE INDEX operator_events_new ON operator_events USING btree (id) WHERE place IS NULL;
CREATE UNIQUE INDEX operator_events_place ON operator_events USING btree (place) WHERE place IS NOT NULL;

create table pair_positions (
  first_currency text not null,
  second_currency text not null,
  bought_minor numeric(38,0) not null,
  paid_minor numeric(38,0) not null,
  sold_minor numeric(38,0) not null,
  received_minor numeric(38,0) not null,
  trades bigint not null,
  constraint pair_positions_in_order CHECK (first_currency < second_currency)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
CREATE INDEX pair_positions_key ON pair_positions USING btree (first_currency, second_currency);

create table passkeys (
  id uuid not null,
  person_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_check CHECK (length(credential_id) >= 1 AND length(credential_id) <= 1023),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint passkeys_sign_count_check CHECK (sign_count >= 0)
);
CREATE INDEX passkeys_of_person ON passkeys USING btree (person_id);
CREATE TRIGGER passkeys_are_audited AFTER INSERT OR DELETE OR UPDATE OF name ON passkeys FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id', 'public_key');

create table payment_items (
  customer_id uuid not null,
  transaction_id uuid,
  purpose text not null,
  attempt integer not null,
  payment_id uuid not null,
  amount_minor numeric(38,0) not null,
  live boolean not null default true,
  withdrawal_id uuid,
  return_id uuid,
  constraint payment_items_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint payment_items_attempt_check CHECK (attempt > 0),
  constraint payment_items_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint payment_items_purpose_check CHECK (purpose = ANY (ARRAY['payout'::text, 'refund'::text, 'withdrawal'::text, 'deposit_return'::text])),
  constraint payment_items_return_id_fkey FOREIGN KEY (return_id) REFERENCES deposit_returns(id),
  constraint payment_items_subject CHECK ((purpose = 'withdrawal'::text) = (withdrawal_id IS NOT NULL) AND (purpose = 'deposit_return'::text) = (return_id IS NOT NULL) AND (purpose = ANY (ARRAY['payout'::text, 'refund'::text])) = (transaction_id IS NOT NULL))
);
CREATE UNIQUE INDEX payment_items_once ON payment_items USING btree (customer_id, transaction_id, purpose, attempt) WHERE live;
CREATE INDEX payment_items_payment ON payment_items USING btree (payment_id);
CREATE INDEX payment_items_return ON payment_items USING btree (return_id) WHERE return_id IS NOT NULL;
CREATE UNIQUE INDEX payment_items_return_once ON payment_items USING btree (return_id) WHERE live AND return_id IS NOT NULL;
CREATE UNIQUE INDEX payment_items_subjects ON payment_items USING btree (customer_id, transaction_id, withdrawal_id, purpose, attempt, payment_id) NULLS NOT DISTINCT;
CREATE INDEX payment_items_withdrawal ON payment_items USING btree (withdrawal_id) WHERE withdrawal_id IS NOT NULL;
CREATE UNIQUE INDEX payment_items_withdrawal_once ON payment_items USING btree (withdrawal_id) WHERE live AND withdrawal_id IS NOT NULL;

create table payment_statuses (
  id uuid not null,
  file_id uuid not null,
  position integer not null,
  line integer not null,
  level text not null,
  status text not null,
  reason_code text,
  reason_text text,
  original_id text,
  end_to_end_id text,
  instruction_id text,
  uetr text,
  amount_minor numeric(38,0),
  currency text,
  state text not null,
  mismatch_reason text,
  constraint payment_statuses_pkey PRIMARY KEY (id),
  constraint payment_statuses_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id),
  constraint payment_statuses_file_id_position_key UNIQUE (file_id, "position"),
  constraint payment_statuses_level_check CHECK (level = ANY (ARRAY['file'::text, 'block'::text, 'payment'::text])),
  constraint payment_statuses_position_check CHECK ("position" >= 0),
  constraint payment_statuses_state_check CHECK (state = ANY (ARRAY['due'::text, 'noted'::text, 'applied'::text, 'known'::text, 'mismatch'::text, 'unknown'::text])),
  constraint payment_statuses_status_check CHECK (length(status) >= 1 AND length(status) <= 35)
);
CREATE INDEX payment_statuses_due ON payment_statuses USING btree (id) WHERE state = 'due'::text;

create table payments (
  id uuid not null,
  run_id uuid not null,
  customer_id uuid not null,
  end_to_end_id text not null,
  uetr uuid not null,
  currency text not null,
  amount_minor numeric(38,0) not null,
  scheme text not null,
  destination_masked text not null,
  adjustments json not null,
  bank_status text,
  bank_status_reason text,
  bank_status_at timestamp with time zone,
  live boolean not null default true,
  payee_name text,
  payee_account text,
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint payments_bank_status_check CHECK (length(bank_status) >= 1 AND length(bank_status) <= 35),
  constraint payments_end_to_end_id_check CHECK (length(end_to_end_id) >= 1 AND length(end_to_end_id) <= 35),
  constraint payments_run_id_fkey FOREIGN KEY (run_id) REFERENCES settlement_runs(id),
  constraint payments_scheme_check CHECK (scheme = ANY (ARRAY['sepa'::text, 'instant'::text, 'urgent'::text, 'plain'::text]))
);
CREATE INDEX payments_end_to_end_id ON payments USING btree (end_to_end_id);
CREATE UNIQUE INDEX payments_end_to_end_id_once ON payments USING btree (end_to_end_id) WHERE live;
CREATE INDEX payments_of_run ON payments USING btree (run_id, id);
CREATE INDEX payments_uetr ON payments USING btree (uetr);
CREATE UNIQUE INDEX payments_uetr_once ON payments USING btree (uetr) WHERE live;
CREATE TRIGGER payments_are_audited AFTER INSERT OR DELETE OR UPDATE ON payments FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  created_at timestamp with time zone not null,
  constraint person_identities_pkey PRIMARY KEY (issuer, subject),
  constraint person_identities_once UNIQUE (person_id, issuer),
  constraint person_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id)
);
CREATE TRIGGER person_identities_are_audited AFTER INSERT OR UPDATE ON person_identities FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('person_id,issuer,subject');

create table person_invitations (
  id uuid not null,
  person_id uuid not null,
  secret_hash bytea not null,
  state text not null,
  invited_by uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint person_invitations_pkey PRIMARY KEY (id),
  constraint person_invitations_ended_check CHECK ((state = 'open'::text) = (ended_at IS NULL)),
  constraint person_invitations_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint person_invitations_secret_hash_check CHECK (length(secret_hash) = 32),
  constraint person_invitations_secret_hash_key UNIQUE (secret_hash),
  constraint person_invitations_state_check CHECK (state = ANY (ARRAY['open'::text, 'used'::text, 'withdrawn'::text]))
);
CREATE UNIQUE INDEX person_invitations_open ON person_invitations USING btree (person_id) WHERE state = 'open'::text;
CREATE TRIGGER person_invitations_are_audited AFTER INSERT OR UPDATE ON person_invitations FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id', 'secret_hash');

create table persons (
  id uuid not null,
  email text not null,
  name text not null,
  status text not null,
  roles text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint persons_pkey PRIMARY KEY (id),
  constraint persons_email_check CHECK (length(email) <= 254 AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$'::text AND email = lower(email)),
  constraint persons_id_is_a_persons CHECK (substr(id::text, 15, 1) = '8'::text),
  constraint persons_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint persons_roles_check CHECK (cardinality(roles) <= 20),
  constraint persons_status_check CHECK (status = ANY (ARRAY['invited'::text, 'active'::text, 'suspended'::text, 'ended'::text]))
);
CREATE UNIQUE INDEX persons_email ON persons USING btree (email) WHERE status <> 'ended'::text;
CREATE TRIGGER persons_are_audited AFTER INSERT OR DELETE OR UPDATE ON persons FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table position_days (
  customer_id uuid not null,
  currency text not null,
  day date not null,
  bought_minor numeric(38,0) not null,
  bought_usd_minor numeric(38,0) not null,
  sold_minor numeric(38,0) not null,
  sold_usd_minor numeric(38,0) not null,
  constraint position_days_pkey PRIMARY KEY (customer_id, currency, day)
);

create table pricing_settings (
  kind text not null,
  version integer not null,
  document json not null,
  changed_by uuid,
  created_at timestamp with time zone not null,
  constraint pricing_settings_pkey PRIMARY KEY (kind, version),
  constraint pricing_settings_kind_check CHECK (kind = ANY (ARRAY['pricing_policy'::text, 'amount_limits'::text, 'exposure_limits'::text])),
  constraint pricing_settings_version_check CHECK (version > 1)
);
CREATE TRIGGER exposure_limits_come_into_force AFTER INSERT ON pricing_settings FOR EACH ROW WHEN (new.kind = 'exposure_limits'::text) EXECUTE FUNCTION exposure_limits_are_set();
CREATE TRIGGER pricing_settings_are_audited AFTER INSERT OR DELETE OR UPDATE ON pricing_settings FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('kind,version');

create table pushed_swap_points (
  source text not null,
  pair text not null,
  leg text not null,
  bid numeric not null,
  ask numeric not null,
  trade_date date not null,
  made_at timestamp with time zone not null,
  pushed_by uuid not null,
  constraint pushed_swap_points_pkey PRIMARY KEY (source, pair, leg),
  constraint pushed_swap_points_check CHECK (bid <= ask),
  constraint pushed_swap_points_leg_check CHECK (leg = ANY (ARRAY['on'::text, 'tn'::text])),
  constraint pushed_swap_points_pair_check CHECK (pair ~ '^[A-Z]{6}$'::text),
  constraint pushed_swap_points_source_check CHECK (source ~ '^[a-z0-9][a-z0-9._-]{0,49}$'::text AND source <> 'operator'::text)
);
CREATE INDEX pushed_swap_points_of_day ON pushed_swap_points USING btree (trade_date);

create table quote_prices (
  id uuid not null,
  spread_rule_id uuid not null,
  spread_rule_version integer not null,
  rate json not null,
  pricing text not null,
  pricing_end text,
  markup_unit numeric,
  evidence json not null,
  constraint quote_prices_pkey PRIMARY KEY (id),
  constraint quote_prices_check CHECK ((pricing_end IS NULL) = (markup_unit IS NULL))
);
CREATE TRIGGER quote_prices_stay BEFORE DELETE OR TRUNCATE ON quote_prices FOR EACH STATEMENT EXECUTE FUNCTION refuse_forgetting();

create table quote_spreads (
  id uuid not null,
  spread_rule_id uuid not null,
  spread_rule_version integer not null,
  disclosure text not null,
  spread_bps text not null,
  components json not null,
  markup_currency text not null,
  markup_unit numeric not null,
  pricing_policy_version integer not null,
  amount_rounding text not null,
  rate_decimals integer not null,
  estimated_currencies json,
  settlement_increment text,
  constraint quote_spreads_pkey PRIMARY KEY (id)
);
CREATE TRIGGER quote_spreads_stay BEFORE DELETE OR TRUNCATE ON quote_spreads FOR EACH STATEMENT EXECUTE FUNCTION refuse_forgetting();

create table quotes (
  customer_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  status text not null,
  version integer not null,
  pair text not null,
  sell_currency text not null,
  buy_currency text not null,
  fixed_side text not null,
  sell_minor numeric(38,0) not null,
  buy_minor numeric(38,0) not null,
  market_minor numeric(38,0) not null,
  markup_minor numeric(38,0) not null,
  usd_minor numeric(38,0) not null,
  tenor text not null,
  trade_date date not null,
  value_date date not null,
  funding_cutoff_at timestamp with time zone not null,
  metadata json not null,
  client_reference text,
  validity_seconds integer not null,
  validity_truncated boolean not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  status_reason text,
  transaction_id uuid,
  scenario smallint,
  pre_funded boolean not null default false,
  price_id uuid not null,
  spread_id uuid,
  rate numeric,
  inverse numeric,
  cost_vs_mid_bps numeric,
  reference_percent numeric,
  constraint quotes_pkey PRIMARY KEY (customer_id, id),
  constraint quote_has_its_rate CHECK ((spread_id IS NULL) = (rate IS NULL) AND (rate IS NULL) = (inverse IS NULL)) NOT VALID,
  constraint quotes_buy_currency_check CHECK (length(buy_currency) = 3),
  constraint quotes_buy_minor_check CHECK (buy_minor > 0::numeric),
  constraint quotes_check CHECK (value_date >= trade_date),
  constraint quotes_check1 CHECK (expires_at > created_at),
  constraint quotes_check2 CHECK (sell_currency <> buy_currency),
  constraint quotes_check3 CHECK (markup_minor =
CASE fixed_side
    WHEN 'sell'::text THEN market_minor - buy_minor
    ELSE sell_minor - market_minor
END),
  constraint quotes_check4 CHECK ((status = 'open'::text) = (closed_at IS NULL)),
  constraint quotes_check5 CHECK ((status = 'executed'::text) = (transaction_id IS NOT NULL)),
  constraint quotes_fixed_side_check CHECK (fixed_side = ANY (ARRAY['sell'::text, 'buy'::text])),
  constraint quotes_market_minor_check CHECK (market_minor > 0::numeric),
  constraint quotes_markup_minor_check CHECK (markup_minor >= 0::numeric),
  constraint quotes_pair_check CHECK (length(pair) = 6),
  constraint quotes_sell_currency_check CHECK (length(sell_currency) = 3),
  constraint quotes_sell_minor_check CHECK (sell_minor > 0::numeric),
  constraint quotes_status_check CHECK (status = ANY (ARRAY['open'::text, 'executed'::text, 'cancelled'::text, 'expired'::text, 'withdrawn'::text])),
  constraint quotes_tenor_check CHECK (tenor = ANY (ARRAY['today'::text, 'tom'::text, 'spot'::text, 'broken'::text])),
  constraint quotes_usd_minor_check CHECK (usd_minor >= 0::numeric),
  constraint quotes_validity_seconds_check CHECK (validity_seconds > 0),
  constraint quotes_version_check CHECK (version > 0)
);
CREATE INDEX quotes_by_end ON quotes USING btree (expires_at);
CREATE INDEX quotes_of_drills ON quotes USING btree (expires_at) WHERE scenario = 903;
CREATE INDEX quotes_that_run_long ON quotes USING btree (customer_id, expires_at) WHERE (expires_at - created_at) > '00:00:30'::interval;
CREATE TRIGGER changed_quotes_are_counted AFTER UPDATE ON quotes REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_changed_quotes();
CREATE TRIGGER deleted_quotes_are_counted AFTER DELETE ON quotes REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION keep_removed_quotes();
CREATE TRIGGER quotes_are_counted AFTER INSERT ON quotes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_quotes();

create table quotes_forgotten (
  one boolean not null default true,
  through timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  until timestamp with time zone,
  customer_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  quote_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  price_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  constraint quotes_forgotten_pkey PRIMARY KEY (one),
  constraint quotes_forgotten_one_check CHECK (one)
);

create table recalls_in_doubt (
  detail_id uuid not null,
  deposit_id uuid not null,
  constraint recalls_in_doubt_pkey PRIMARY KEY (detail_id, deposit_id),
  constraint recalls_in_doubt_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint recalls_in_doubt_detail_id_fkey FOREIGN KEY (detail_id) REFERENCES entry_details(id)
);
CREATE INDEX recalls_in_doubt_deposit ON recalls_in_doubt USING btree (deposit_id);

create table reconciliation_exceptions (
  id uuid not null,
  type text not null,
  reason text not null,
  deposit_id uuid,
  customer_id uuid,
  transaction_id uuid,
  status text not null,
  assignee text,
  opened_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  resolution text,
  version integer not null,
  entry_id uuid,
  withdrawal_id uuid,
  status_id uuid,
  return_id uuid,
  log_fault text,
  schedule_id uuid,
  report_id uuid,
  slot date,
  over_at timestamp with time zone,
  constraint reconciliation_exceptions_pkey PRIMARY KEY (id),
  constraint exception_is_about_something CHECK (deposit_id IS NOT NULL OR transaction_id IS NOT NULL OR entry_id IS NOT NULL OR withdrawal_id IS NOT NULL OR status_id IS NOT NULL OR return_id IS NOT NULL OR log_fault IS NOT NULL OR schedule_id IS NOT NULL),
  constraint reconciliation_exceptions_assignee_check CHECK (length(assignee) >= 1 AND length(assignee) <= 100),
  constraint reconciliation_exceptions_check1 CHECK ((status = 'open'::text) = (resolved_at IS NULL) AND (resolved_at IS NULL) = (resolution IS NULL)),
  constraint reconciliation_exceptions_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint reconciliation_exceptions_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES entry_details(id),
  constraint reconciliation_exceptions_return_id_fkey FOREIGN KEY (return_id) REFERENCES deposit_returns(id),
  constraint reconciliation_exceptions_status_check CHECK (status = ANY (ARRAY['open'::text, 'resolved'::text])),
  constraint reconciliation_exceptions_status_id_fkey FOREIGN KEY (status_id) REFERENCES payment_statuses(id),
  constraint reconciliation_exceptions_type_check CHECK (type = ANY (ARRAY['unmatched'::text, 'ambiguous'::text, 'short'::text, 'excess'::text, 'wrong_currency'::text, 'third_party'::text, 'late'::text, 'duplicate'::text, 'returned'::text, 'payout_mismatch'::text, 'not_applied'::text, 'implausible_date'::text, 'log_fault'::text, 'report_failed'::text])),
  constraint reconciliation_exceptions_version_check CHECK (version > 0)
);
CREATE UNIQUE INDEX reconciliation_exceptions_deposit ON reconciliation_exceptions USING btree (deposit_id) WHERE status = 'open'::text;
CREATE INDEX reconciliation_exceptions_done_with ON reconciliation_exceptions USING btree (type, reason) WHERE (type = ANY (ARRAY['payout_mismatch'::text, 'short'::text])) AND status = 'resolved'::text AND (resolution = ANY (ARRAY['acknowledged'::text, 'settled_outside'::text])) AND over_at IS NULL;
CREATE UNIQUE INDEX reconciliation_exceptions_entry ON reconciliation_exceptions USING btree (entry_id) WHERE status = 'open'::text;
CREATE UNIQUE INDEX reconciliation_exceptions_log_fault ON reconciliation_exceptions USING btree (log_fault) WHERE log_fault IS NOT NULL;
CREATE INDEX reconciliation_exceptions_open ON reconciliation_exceptions USING btree (id) WHERE status = 'open'::text;
CREATE INDEX reconciliation_exceptions_open_type ON reconciliation_exceptions USING btree (type, opened_at) WHERE status = 'open'::text;
CREATE UNIQUE INDEX reconciliation_exceptions_report ON reconciliation_exceptions USING btree (schedule_id, slot, reason) WHERE schedule_id IS NOT NULL;
CREATE UNIQUE INDEX reconciliation_exceptions_short ON reconciliation_exceptions USING btree (transaction_id) WHERE type = 'short'::text AND status = 'open'::text;
CREATE UNIQUE INDEX reconciliation_exceptions_status ON reconciliation_exceptions USING btree (status_id) WHERE status = 'open'::text;
CREATE INDEX reconciliation_exceptions_transaction ON reconciliation_exceptions USING btree (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX reconciliation_exceptions_withdrawal ON reconciliation_exceptions USING btree (withdrawal_id) WHERE withdrawal_id IS NOT NULL;
CREATE TRIGGER exceptions_notify_operators AFTER INSERT ON reconciliation_exceptions FOR EACH ROW WHEN (new.status = 'open'::text) EXECUTE FUNCTION notify_of_exception();
CREATE TRIGGER reconciliation_exceptions_are_audited AFTER INSERT OR DELETE OR UPDATE ON reconciliation_exceptions FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table recovery_codes (
  person_id uuid not null,
  code_hash bytea not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (code_hash),
  constraint recovery_codes_code_hash_check CHECK (length(code_hash) = 32),
  constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id)
);
CREATE INDEX recovery_codes_of_person ON recovery_codes USING btree (person_id);
CREATE TRIGGER recovery_codes_are_audited AFTER INSERT OR DELETE OR UPDATE ON recovery_codes FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('person_id', 'code_hash');

create table report_jobs (
  id uuid not null,
  report text not null,
  format text not null,
  parameters json not null,
  requested_by uuid not null,
  status text not null,
  attempts integer not null default 0,
  lease uuid,
  lease_until timestamp with time zone,
  rows_written bigint not null default 0,
  bytes_written bigint not null default 0,
  pieces integer not null default 0,
  sha256 text,
  balanced boolean,
  failure text,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  schedule_id uuid,
  slot date,
  due_at timestamp with time zone,
  constraint report_jobs_pkey PRIMARY KEY (id),
  constraint report_job_has_a_slot CHECK (schedule_id IS NULL OR slot IS NOT NULL),
  constraint report_job_is_due CHECK ((slot IS NULL) = (due_at IS NULL)),
  constraint report_jobs_attempts_check CHECK (attempts >= 0),
  constraint report_jobs_check CHECK ((status = 'completed'::text) = (sha256 IS NOT NULL)),
  constraint report_jobs_check1 CHECK ((status = 'failed'::text) = (failure IS NOT NULL)),
  constraint report_jobs_check2 CHECK ((status = 'running'::text) = (lease IS NOT NULL)),
  constraint report_jobs_format_check CHECK (format = ANY (ARRAY['json'::text, 'csv'::text])),
  constraint report_jobs_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES report_schedules(id) ON DELETE SET NULL,
  constraint report_jobs_status_check CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text]))
);
CREATE UNIQUE INDEX report_jobs_slots ON report_jobs USING btree (schedule_id, slot) WHERE schedule_id IS NOT NULL;
CREATE INDEX report_jobs_waiting ON report_jobs USING btree (created_at) WHERE status = ANY (ARRAY['queued'::text, 'running'::text]);
CREATE TRIGGER failed_reports_notify_operators AFTER UPDATE OF status ON report_jobs FOR EACH ROW WHEN (new.status = 'failed'::text AND old.status <> 'failed'::text) EXECUTE FUNCTION notify_of_report();
CREATE TRIGGER report_jobs_are_audited AFTER INSERT OR DELETE OR UPDATE ON report_jobs FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table report_pieces (
  report_id uuid not null,
  piece integer not null,
  content text not null,
  constraint report_pieces_pkey PRIMARY KEY (report_id, piece),
  constraint report_pieces_piece_check CHECK (piece > 0),
  constraint report_pieces_report_id_fkey FOREIGN KEY (report_id) REFERENCES report_jobs(id) ON DELETE CASCADE
);

create table report_schedules (
  id uuid not null,
  version integer not null,
  name text not null,
  report text not null,
  format text not null,
  every text not null,
  day_on integer,
  at_time text not null,
  zone text not null,
  holidays text not null,
  calendar text,
  customer_id uuid,
  currency text,
  keep_days integer not null,
  paused boolean not null,
  next_date date not null,
  left_out integer not null default 0,
  created_by uuid not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  next_from timestamp with time zone,
  next_from_date date,
  constraint report_schedules_pkey PRIMARY KEY (id),
  constraint report_schedule_goes_on_from CHECK ((next_from IS NULL) = (next_from_date IS NULL)),
  constraint report_schedule_has_a_calendar CHECK ((holidays = 'run'::text) = (calendar IS NULL)),
  constraint report_schedule_has_a_day CHECK (
CASE every
    WHEN 'day'::text THEN day_on IS NULL
    WHEN 'week'::text THEN day_on >= 1 AND day_on <= 7
    ELSE day_on >= 1 AND day_on <= 31
END),
  constraint report_schedules_at_time_check CHECK (at_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text),
  constraint report_schedules_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint report_schedules_every_check CHECK (every = ANY (ARRAY['day'::text, 'week'::text, 'month'::text])),
  constraint report_schedules_format_check CHECK (format = ANY (ARRAY['json'::text, 'csv'::text])),
  constraint report_schedules_holidays_check CHECK (holidays = ANY (ARRAY['run'::text, 'following'::text, 'skip'::text])),
  constraint report_schedules_keep_days_check CHECK (keep_days >= 1 AND keep_days <= 400),
  constraint report_schedules_left_out_check CHECK (left_out >= 0),
  constraint report_schedules_name_check CHECK (length(name) >= 1 AND length(name) <= 80),
  constraint report_schedules_version_check CHECK (version > 0)
);
CREATE TRIGGER report_schedules_are_audited AFTER INSERT OR DELETE OR UPDATE ON report_schedules FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table reversed_top_ups (
  customer_id uuid not null,
  id uuid not null,
  currency text not null,
  amount_minor numeric(38,0) not null,
  bank_reference text not null,
  booked_by uuid,
  booked_at timestamp with time zone not null,
  journal_entry_id uuid not null,
  reversal_id uuid not null,
  reversed_by uuid not null,
  at timestamp with time zone not null,
  reason text not null,
  owed_minor numeric(38,0) not null,
  constraint reversed_top_ups_pkey PRIMARY KEY (customer_id, id),
  constraint reversed_top_ups_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint reversed_top_ups_bank_reference_check CHECK (length(bank_reference) >= 1 AND length(bank_reference) <= 140),
  constraint reversed_top_ups_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint reversed_top_ups_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint reversed_top_ups_owed_minor_check CHECK (owed_minor >= 0::numeric AND owed_minor <= amount_minor),
  constraint reversed_top_ups_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint reversed_top_ups_reversal UNIQUE (customer_id, reversal_id)
);
CREATE TRIGGER reversed_top_ups_are_audited AFTER INSERT OR DELETE OR UPDATE ON reversed_top_ups FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id,id');
CREATE TRIGGER reversed_top_ups_move_bank_items AFTER INSERT ON reversed_top_ups FOR EACH ROW EXECUTE FUNCTION bank_item_of_reversed_top_up();

create table revoked_tokens (
  client_id uuid not null,
  jti uuid,
  revoked_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint revoked_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id)
);
CREATE UNIQUE INDEX revoked_tokens_all ON revoked_tokens USING btree (client_id) WHERE jti IS NULL;
CREATE INDEX revoked_tokens_expiry ON revoked_tokens USING btree (expires_at);
CREATE UNIQUE INDEX revoked_tokens_single ON revoked_tokens USING btree (client_id, jti) WHERE jti IS NOT NULL;
CREATE TRIGGER revoked_tokens_are_audited AFTER INSERT OR DELETE OR UPDATE ON revoked_tokens FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('client_id');

create table roles (
  name text not null,
  description text not null,
  scopes text[] not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint roles_pkey PRIMARY KEY (name),
  constraint roles_description_check CHECK (length(description) >= 1 AND length(description) <= 200),
  constraint roles_name_check CHECK (name ~ '^[a-z][a-z0-9-]{0,39}$'::text),
  constraint roles_scopes_are_operators CHECK (array_to_string(scopes, ' '::text) ~ '^(operator:([a-z-]+(:read)?|\*)( |$))+$'::text),
  constraint roles_scopes_check CHECK (cardinality(scopes) >= 1 AND cardinality(scopes) <= 100),
  constraint roles_version_check CHECK (version > 0)
);
CREATE TRIGGER roles_are_audited AFTER INSERT OR DELETE OR UPDATE ON roles FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('name');

create table sandbox_bank_accounts (
  id uuid not null,
  currency text not null,
  account text not null,
  is_iban boolean not null,
  holder text not null,
  bic text,
  statements integer not null default 0,
  closing_minor numeric(38,0) not null default 0,
  constraint sandbox_bank_accounts_pkey PRIMARY KEY (id),
  constraint sandbox_bank_accounts_account_check CHECK (length(account) >= 1 AND length(account) <= 64),
  constraint sandbox_bank_accounts_account_currency_key UNIQUE (account, currency),
  constraint sandbox_bank_accounts_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint sandbox_bank_accounts_statements_check CHECK (statements >= 0)
);

create table sandbox_bank_entries (
  id bigint not null generated always as identity,
  account_id uuid not null,
  source text not null,
  direction text not null,
  kind text not null,
  amount_minor numeric(38,0) not null,
  end_to_end_id text,
  uetr uuid,
  payment_information_id text,
  remittance_text text,
  counterparty_name text,
  counterparty_account text,
  original_id bigint,
  return_reason text,
  booking_date date not null,
  value_date date not null,
  booked_at timestamp with time zone not null,
  notification_id uuid not null,
  statement_id uuid,
  constraint sandbox_bank_entries_pkey PRIMARY KEY (id),
  constraint sandbox_bank_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES sandbox_bank_accounts(id),
  constraint sandbox_bank_entries_amount_minor_check CHECK (amount_minor > 0::numeric),
  constraint sandbox_bank_entries_direction_check CHECK (direction = ANY (ARRAY['credit'::text, 'debit'::text])),
  constraint sandbox_bank_entries_kind_check CHECK (kind = ANY (ARRAY['payment'::text, 'return'::text, 'charge'::text, 'interest'::text])),
  constraint sandbox_bank_entries_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES sandbox_bank_files(id) DEFERRABLE INITIALLY DEFERRED,
  constraint sandbox_bank_entries_original_id_fkey FOREIGN KEY (original_id) REFERENCES sandbox_bank_entries(id),
  constraint sandbox_bank_entries_source_key UNIQUE (source),
  constraint sandbox_bank_entries_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES sandbox_bank_statements(id) DEFERRABLE INITIALLY DEFERRED
) with (fillfactor=85);
CREATE INDEX sandbox_bank_entries_day ON sandbox_bank_entries USING btree (booking_date) WHERE statement_id IS NULL;
CREATE INDEX sandbox_bank_entries_open ON sandbox_bank_entries USING btree (account_id, booking_date, id) WHERE statement_id IS NULL;

create table sandbox_bank_files (
  id uuid not null,
  sequence bigint not null generated always as identity,
  kind text not null,
  name text not null,
  entries integer not null,
  content bytea not null,
  sha256 text not null,
  created_at timestamp with time zone not null,
  written_at timestamp with time zone not null default clock_timestamp(),
  told_at timestamp with time zone,
  constraint sandbox_bank_files_pkey PRIMARY KEY (id),
  constraint sandbox_bank_files_check CHECK (sha256 = encode(sha256(content), 'hex'::text)),
  constraint sandbox_bank_files_entries_check CHECK (entries > 0),
  constraint sandbox_bank_files_kind_check CHECK (kind = ANY (ARRAY['camt.054'::text, 'camt.053'::text, 'pain.002'::text])),
  constraint sandbox_bank_files_sequence_key UNIQUE (sequence)
);
CREATE INDEX sandbox_bank_files_untold ON sandbox_bank_files USING btree (sequence) WHERE told_at IS NULL;

create table sandbox_bank_jobs (
  customer_id uuid not null,
  transaction_id uuid not null,
  kind text not null,
  step integer not null,
  due_at timestamp with time zone not null,
  constraint sandbox_bank_jobs_pkey PRIMARY KEY (customer_id, transaction_id, kind, step),
  constraint sandbox_bank_jobs_kind_check CHECK (kind = ANY (ARRAY['deposit'::text, 'release'::text, 'payout'::text, 'retry'::text, 'return'::text]))
);
CREATE INDEX sandbox_bank_jobs_due ON sandbox_bank_jobs USING btree (kind, due_at);

create table sandbox_bank_runs (
  run_id uuid not null,
  due_at timestamp with time zone not null,
  constraint sandbox_bank_runs_pkey PRIMARY KEY (run_id),
  constraint sandbox_bank_runs_run_id_fkey FOREIGN KEY (run_id) REFERENCES settlement_runs(id)
);

create table sandbox_bank_statements (
  id uuid not null,
  account_id uuid not null,
  number integer not null,
  day date not null,
  opening_minor numeric(38,0) not null,
  closing_minor numeric(38,0) not null,
  file_id uuid not null,
  constraint sandbox_bank_statements_pkey PRIMARY KEY (id),
  constraint sandbox_bank_statements_account_id_fkey FOREIGN KEY (account_id) REFERENCES sandbox_bank_accounts(id),
  constraint sandbox_bank_statements_account_id_number_key UNIQUE (account_id, number),
  constraint sandbox_bank_statements_file_id_fkey FOREIGN KEY (file_id) REFERENCES sandbox_bank_files(id) DEFERRABLE INITIALLY DEFERRED,
  constraint sandbox_bank_statements_number_check CHECK (number > 0)
);

create table sandbox_clients (
  client_id text not null,
  kind text not null,
  created_at timestamp with time zone not null,
  constraint sandbox_clients_pkey PRIMARY KEY (client_id),
  constraint sandbox_clients_kind_check CHECK (kind = ANY (ARRAY['customer'::text, 'operator'::text]))
);

create table sandbox_key_encryption_key (
  singleton boolean not null default true,
  key bytea not null,
  constraint sandbox_key_encryption_key_pkey PRIMARY KEY (singleton),
  constraint sandbox_key_encryption_key_key_check CHECK (octet_length(key) = 32),
  constraint sandbox_key_encryption_key_singleton_check CHECK (singleton)
);

create table sandbox_settings (
  singleton boolean not null default true,
  clock_offset_ms bigint not null default 0,
  auto_deposit boolean not null default true,
  settlement text not null default 'fast'::text,
  customer_id uuid,
  seeded boolean not null default false,
  constraint sandbox_settings_pkey PRIMARY KEY (singleton),
  constraint sandbox_settings_settlement_check CHECK (settlement = ANY (ARRAY['fast'::text, 'calendar'::text, 'runs'::text])),
  constraint sandbox_settings_singleton_check CHECK (singleton)
);
CREATE TRIGGER sandbox_settings_are_audited AFTER INSERT OR DELETE OR UPDATE ON sandbox_settings FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('singleton');

create table schema_definitions (
  kind text not null,
  name text not null,
  checksum text not null,
  constraint schema_definitions_pkey PRIMARY KEY (kind, name)
);

create table schema_editions (
  id bigint not null generated always as identity,
  edition text not null,
  since timestamp with time zone not null default now(),
  constraint schema_editions_pkey PRIMARY KEY (id)
);

create table schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  runs_with text,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table service_secrets (
  name text not null,
  value bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint service_secrets_pkey PRIMARY KEY (name)
);

create table sessions (
  id uuid not null,
  person_id uuid not null,
  secret_hash bytea not null,
  method text not null,
  started_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  authenticated_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  address text not null,
  user_agent text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_method_check CHECK (method = ANY (ARRAY['provider'::text, 'passkey'::text, 'recovery_code'::text, 'invitation'::text, 'sandbox'::text])),
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint sessions_secret_hash_check CHECK (length(secret_hash) = 32),
  constraint sessions_secret_hash_key UNIQUE (secret_hash),
  constraint sessions_user_agent_check CHECK (length(user_agent) <= 500)
);
CREATE INDEX sessions_of_person ON sessions USING btree (person_id) WHERE ended_at IS NULL;
CREATE INDEX sessions_past ON sessions USING btree (ends_at);
CREATE TRIGGER sessions_are_audited AFTER INSERT OR UPDATE OF authenticated_at, ended_at ON sessions FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id', 'secret_hash');

create table settlement_instructions (
  customer_id uuid not null,
  id uuid not null,
  currency text not null,
  account_holder text not null,
  bank_name text,
  bank_country text,
  bic text,
  iban text,
  account_number text,
  routing_number text,
  status text not null,
  created_at timestamp with time zone not null,
  masked text generated always as (mask_account(COALESCE(iban, account_number))) stored,
  lei text,
  usable_from timestamp with time zone,
  constraint settlement_instructions_pkey PRIMARY KEY (customer_id, id),
  constraint settlement_instructions_check CHECK (iban IS NOT NULL OR account_number IS NOT NULL),
  constraint settlement_instructions_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint settlement_instructions_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint settlement_instructions_lei_check CHECK (lei ~ '^[A-Z0-9]{18}[0-9]{2}$'::text),
  constraint settlement_instructions_status_check CHECK (status = ANY (ARRAY['active'::text, 'retired'::text]))
);
CREATE UNIQUE INDEX settlement_instructions_active ON settlement_instructions USING btree (customer_id, currency) WHERE status = 'active'::text;
CREATE INDEX settlement_instructions_waiting ON settlement_instructions USING btree (usable_from) WHERE usable_from IS NOT NULL;
CREATE TRIGGER payees_are_new_to_deposits AFTER INSERT ON settlement_instructions FOR EACH ROW EXECUTE FUNCTION note_match_change();
CREATE TRIGGER settlement_instructions_are_audited AFTER INSERT OR DELETE OR UPDATE ON settlement_instructions FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id,id');

create table settlement_ladder (
  value_date date not null,
  currency text not null,
  trades_in bigint not null,
  expected_minor numeric(38,0) not null,
  received_minor numeric(38,0) not null,
  outstanding_minor numeric(38,0) not null,
  trades_out bigint not null,
  to_pay_minor numeric(38,0) not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);

create table settlement_run_downloads (
  run_id uuid not null,
  format text not null,
  by uuid not null,
  count integer not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint settlement_run_downloads_pkey PRIMARY KEY (run_id, format, by),
  constraint settlement_run_downloads_count_check CHECK (count > 0),
  constraint settlement_run_downloads_format_check CHECK (format = ANY (ARRAY['pain.001'::text, 'csv'::text])),
  constraint settlement_run_downloads_run_id_fkey FOREIGN KEY (run_id) REFERENCES settlement_runs(id)
);

create table settlement_run_files (
  run_id uuid not null,
  format text not null,
  content bytea not null,
  sha256 text not null,
  constraint settlement_run_files_pkey PRIMARY KEY (run_id, format),
  constraint settlement_run_files_check CHECK (sha256 = encode(sha256(content), 'hex'::text)),
  constraint settlement_run_files_format_check CHECK (format = ANY (ARRAY['pain.001'::text, 'csv'::text])),
  constraint settlement_run_files_run_id_fkey FOREIGN KEY (run_id) REFERENCES settlement_runs(id)
);

create table settlement_runs (
  id uuid not null,
  currency text not null,
  value_date date not null,
  execution_date date not null,
  charge_bearer text not null,
  status text not null,
  message_id text not null,
  payment_count integer not null,
  total_minor numeric(38,0) not null,
  version integer not null default 1,
  created_by uuid not null,
  created_at timestamp with time zone not null,
  ended_by uuid,
  ended_at timestamp with time zone,
  are_downloads_recorded boolean not null default false,
  constraint settlement_runs_pkey PRIMARY KEY (id),
  constraint settlement_runs_charge_bearer_check CHECK (charge_bearer = ANY (ARRAY['shared'::text, 'debtor'::text, 'creditor'::text])),
  constraint settlement_runs_check CHECK ((status = 'created'::text) = (ended_at IS NULL)),
  constraint settlement_runs_check1 CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
  constraint settlement_runs_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint settlement_runs_message_id_check CHECK (length(message_id) >= 1 AND length(message_id) <= 35),
  constraint settlement_runs_message_id_key UNIQUE (message_id),
  constraint settlement_runs_payment_count_check CHECK (payment_count > 0),
  constraint settlement_runs_status_check CHECK (status = ANY (ARRAY['created'::text, 'sent'::text, 'cancelled'::text])),
  constraint settlement_runs_total_minor_check CHECK (total_minor > 0::numeric),
  constraint settlement_runs_version_check CHECK (version > 0)
);
CREATE INDEX settlement_runs_by_currency ON settlement_runs USING btree (currency, id);
CREATE TRIGGER settlement_runs_are_audited AFTER INSERT OR DELETE OR UPDATE ON settlement_runs FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');
CREATE TRIGGER settlement_runs_end_payments AFTER UPDATE ON settlement_runs FOR EACH ROW WHEN (old.status <> 'cancelled'::text AND new.status = 'cancelled'::text) EXECUTE FUNCTION cancelled_run_ends_payments();

create table sign_in_attempts (
  state_hash bytea not null,
  browser_hash bytea not null,
  expected json not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (state_hash),
  constraint sign_in_attempts_hashes_check CHECK (length(state_hash) = 32 AND length(browser_hash) = 32)
);
CREATE INDEX sign_in_attempts_past ON sign_in_attempts USING btree (expires_at);

create table signing_keys (
  kid text not null,
  alg text not null,
  state text not null,
  public_jwk jsonb not null,
  encrypted_private_key bytea,
  encrypted_under text not null,
  published_at timestamp with time zone not null,
  activated_at timestamp with time zone,
  retired_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revocation_reason text,
  rotation_reason text,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_activated CHECK (
CASE state
    WHEN 'next'::text THEN activated_at IS NULL
    WHEN 'revoked'::text THEN true
    ELSE activated_at IS NOT NULL
END),
  constraint signing_keys_alg_check CHECK (alg = 'ES256'::text),
  constraint signing_keys_check CHECK (activated_at >= published_at),
  constraint signing_keys_check1 CHECK (retired_at >= activated_at),
  constraint signing_keys_encrypted_under_check CHECK (encrypted_under ~ '^[0-9a-f]{16}$'::text),
  constraint signing_keys_ended CHECK ((state = ANY (ARRAY['retired'::text, 'revoked'::text])) = (retired_at IS NOT NULL)),
  constraint signing_keys_private_half CHECK ((state = ANY (ARRAY['retired'::text, 'revoked'::text])) = (encrypted_private_key IS NULL)),
  constraint signing_keys_revoked CHECK ((state = 'revoked'::text) = (revoked_at IS NOT NULL AND revocation_reason IS NOT NULL)),
  constraint signing_keys_state_check CHECK (state = ANY (ARRAY['next'::text, 'active'::text, 'retired'::text, 'revoked'::text]))
);
CREATE UNIQUE INDEX signing_keys_single ON signing_keys USING btree (state) WHERE state = ANY (ARRAY['next'::text, 'active'::text]);
CREATE TRIGGER signing_keys_are_audited AFTER INSERT OR DELETE OR UPDATE ON signing_keys FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('kid', 'encrypted_private_key');

create table spread_rule_draft (
  singleton boolean not null default true,
  version integer not null,
  based_on integer,
  rules json,
  changed_at timestamp with time zone,
  restores integer,
  constraint spread_rule_draft_pkey PRIMARY KEY (singleton),
  constraint spread_rule_draft_check CHECK ((rules IS NULL) = (based_on IS NULL)),
  constraint spread_rule_draft_singleton_check CHECK (singleton),
  constraint spread_rule_draft_version_check CHECK (version > 0)
);
CREATE TRIGGER spread_rule_draft_are_audited AFTER INSERT OR DELETE OR UPDATE ON spread_rule_draft FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('singleton');

create table spread_rule_set (
  singleton boolean not null default true,
  version integer not null,
  constraint spread_rule_set_pkey PRIMARY KEY (singleton),
  constraint spread_rule_set_singleton_check CHECK (singleton),
  constraint spread_rule_set_version_check CHECK (version > 0)
);
CREATE TRIGGER spread_rule_set_are_audited AFTER INSERT OR DELETE OR UPDATE ON spread_rule_set FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('singleton');
CREATE TRIGGER spread_versions_are_noted AFTER UPDATE OF version ON spread_rule_set FOR EACH ROW WHEN (old.version <> new.version) EXECUTE FUNCTION note_spread_version();

create table spread_rule_versions (
  version integer not null,
  at timestamp with time zone not null,
  rules integer not null,
  added integer not null,
  changed integer not null,
  removed integer not null,
  changed_by uuid,
  reason text,
  approval_id uuid,
  approved_by uuid,
  restores integer,
  constraint spread_rule_versions_pkey PRIMARY KEY (version),
  constraint spread_rule_versions_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id),
  constraint spread_rule_versions_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint spread_version_is_approved_by_somebody CHECK ((approval_id IS NULL) = (approved_by IS NULL))
);

create table spread_rules (
  id uuid not null,
  version integer not null,
  customer_id uuid,
  group_name text,
  pair text,
  spread_bps numeric(9,2) not null,
  valid_from timestamp with time zone,
  valid_to timestamp with time zone,
  active boolean not null,
  created_at timestamp with time zone not null,
  tenor text,
  validity_up_to_seconds integer,
  amount_from_usd_minor numeric(38,0) not null default 0,
  min_bps numeric(9,2),
  max_bps numeric(9,2),
  from_set integer not null default 0,
  until_set integer,
  constraint spread_rules_pkey PRIMARY KEY (id, version),
  constraint spread_rule_bounds CHECK (min_bps IS NULL OR max_bps IS NULL OR min_bps <= max_bps),
  constraint spread_rules_amount_from_usd_minor_check CHECK (amount_from_usd_minor >= 0::numeric),
  constraint spread_rules_check CHECK (customer_id IS NULL OR group_name IS NULL),
  constraint spread_rules_check1 CHECK (valid_from IS NULL OR valid_to IS NULL OR valid_from < valid_to),
  constraint spread_rules_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint spread_rules_max_bps_check CHECK (max_bps >= 0::numeric AND max_bps < 5000::numeric),
  constraint spread_rules_min_bps_check CHECK (min_bps >= 0::numeric AND min_bps < 5000::numeric),
  constraint spread_rules_pair_check CHECK (pair ~ '^[A-Z]{6}$'::text),
  constraint spread_rules_spread_bps_check CHECK (spread_bps >= 0::numeric AND spread_bps < 5000::numeric),
  constraint spread_rules_tenor_check CHECK (tenor = ANY (ARRAY['today'::text, 'tom'::text, 'spot'::text])),
  constraint spread_rules_validity_up_to_seconds_check CHECK (validity_up_to_seconds >= 1 AND validity_up_to_seconds <= 86400),
  constraint spread_rules_version_check CHECK (version > 0)
);
CREATE UNIQUE INDEX spread_rules_active ON spread_rules USING btree (id) WHERE active;
CREATE INDEX spread_rules_from_set ON spread_rules USING btree (from_set);
CREATE UNIQUE INDEX spread_rules_target ON spread_rules USING btree (COALESCE(customer_id, '00000000-0000-0000-0000-000000000000'::uuid), COALESCE(group_name, ''::text), COALESCE(pair, ''::text), COALESCE(tenor, ''::text), COALESCE(validity_up_to_seconds, 0), amount_from_usd_minor) WHERE active AND valid_from IS NULL AND valid_to IS NULL;
CREATE INDEX spread_rules_until_set ON spread_rules USING btree (until_set) WHERE until_set > 0;
CREATE TRIGGER spread_rules_are_audited AFTER INSERT OR DELETE OR UPDATE ON spread_rules FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id,version');
CREATE TRIGGER spread_rules_are_marked BEFORE INSERT OR UPDATE OF active ON spread_rules FOR EACH ROW EXECUTE FUNCTION mark_spread_rule();

create table statement_file_parts (
  file_id uuid not null,
  part integer not null,
  bytes bytea not null,
  constraint statement_file_parts_pkey PRIMARY KEY (file_id, part),
  constraint statement_file_parts_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id),
  constraint statement_file_parts_part_check CHECK (part >= 0)
);

create table statement_files (
  id uuid not null,
  name text not null,
  sha256 text not null,
  size_bytes bigint not null,
  source text not null,
  received_by uuid,
  received_at timestamp with time zone not null,
  attempts integer not null default 1,
  last_attempt_at timestamp with time zone not null,
  status text not null,
  format text,
  mapping text,
  refusal_code text,
  refusal_line integer,
  refusal_detail text,
  statements integer not null default 0,
  bookings integer not null default 0,
  new_bookings integer not null default 0,
  payment_statuses integer not null default 0,
  accepted_despite text,
  accepted_despite_line integer,
  accepted_despite_detail text,
  accepted_reason text,
  accepted_by uuid,
  approved_by uuid,
  accepted_at timestamp with time zone,
  withdrawn_at timestamp with time zone,
  withdrawn_reason text,
  withdrawn_by uuid,
  withdrawal_approved_by uuid,
  constraint statement_files_pkey PRIMARY KEY (id),
  constraint statement_files_accepted_reason_check CHECK (length(accepted_reason) >= 1 AND length(accepted_reason) <= 500),
  constraint statement_files_attempts_check CHECK (attempts > 0),
  constraint statement_files_check CHECK ((status = 'refused'::text) = (refusal_code IS NOT NULL)),
  constraint statement_files_check1 CHECK ((refusal_code IS NULL) = (refusal_detail IS NULL)),
  constraint statement_files_check2 CHECK (status = 'refused'::text OR format IS NOT NULL),
  constraint statement_files_check3 CHECK (new_bookings >= 0 AND new_bookings <= bookings),
  constraint statement_files_check4 CHECK (accepted_at IS NULL OR status = 'accepted'::text),
  constraint statement_files_check5 CHECK (num_nulls(accepted_reason, accepted_by, approved_by, accepted_at) = ANY (ARRAY[0, 4])),
  constraint statement_files_check6 CHECK (accepted_by <> approved_by),
  constraint statement_files_format_check CHECK (format = ANY (ARRAY['camt'::text, 'mt940'::text, 'csv'::text, 'json'::text, 'pain.002'::text])),
  constraint statement_files_name_check CHECK (length(name) >= 1 AND length(name) <= 255),
  constraint statement_files_payment_statuses_check CHECK (payment_statuses >= 0),
  constraint statement_files_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$'::text),
  constraint statement_files_sha256_key UNIQUE (sha256),
  constraint statement_files_size_bytes_check CHECK (size_bytes >= 0),
  constraint statement_files_source_check CHECK (source = ANY (ARRAY['api'::text, 'command'::text, 'folder'::text, 'sandbox'::text])),
  constraint statement_files_status_check CHECK (status = ANY (ARRAY['accepted'::text, 'refused'::text, 'held'::text])),
  constraint statement_files_withdrawn CHECK (num_nulls(withdrawn_at, withdrawn_reason, withdrawn_by) = ANY (ARRAY[0, 3])),
  constraint statement_files_withdrawn_by_two CHECK (withdrawn_by <> withdrawal_approved_by),
  constraint statement_files_withdrawn_reason_check CHECK (length(withdrawn_reason) >= 1 AND length(withdrawn_reason) <= 500)
);
CREATE INDEX statement_files_received ON statement_files USING btree (received_at, id);
CREATE TRIGGER statement_files_are_audited AFTER INSERT OR DELETE OR UPDATE ON statement_files FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table statement_mappings (
  name text not null,
  mapping json not null,
  version integer not null,
  updated_by uuid,
  updated_at timestamp with time zone not null,
  constraint statement_mappings_pkey PRIMARY KEY (name),
  constraint statement_mappings_name_check CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,39}$'::text),
  constraint statement_mappings_version_check CHECK (version > 0)
);
CREATE TRIGGER statement_mappings_are_audited AFTER INSERT OR DELETE OR UPDATE ON statement_mappings FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('name');

create table swap_point_policies (
  version integer not null,
  document jsonb not null,
  changed_by uuid not null,
  changed_at timestamp with time zone not null,
  constraint swap_point_policies_pkey PRIMARY KEY (version),
  constraint swap_point_policies_version_check CHECK (version > 1)
);
CREATE TRIGGER swap_point_policies_are_audited AFTER INSERT OR DELETE OR UPDATE ON swap_point_policies FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('version');

create table swap_point_versions (
  pair text not null,
  version integer not null,
  trade_date date not null,
  points jsonb not null,
  source text not null,
  reason text not null,
  changed_by uuid not null,
  changed_at timestamp with time zone not null,
  constraint swap_point_versions_pkey PRIMARY KEY (pair, version),
  constraint swap_point_versions_pair_check CHECK (pair ~ '^[A-Z]{6}$'::text),
  constraint swap_point_versions_version_check CHECK (version > 1)
);
CREATE INDEX swap_point_versions_of_day ON swap_point_versions USING btree (trade_date);
CREATE TRIGGER swap_point_versions_are_audited AFTER INSERT OR DELETE OR UPDATE ON swap_point_versions FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('pair,version');

create table swap_points_state (
  singleton boolean not null default true,
  version bigint not null,
  constraint swap_points_state_pkey PRIMARY KEY (singleton),
  constraint swap_points_state_singleton_check CHECK (singleton)
);

create table traded_prices (
  price_id uuid not null,
  constraint traded_prices_pkey PRIMARY KEY (price_id)
);

create table transaction_holds (
  customer_id uuid not null,
  transaction_id uuid not null,
  id uuid not null,
  kind text not null,
  reason text not null,
  placed_by uuid not null,
  placed_at timestamp with time zone not null,
  released_by uuid,
  released_at timestamp with time zone,
  release_reason text,
  constraint transaction_holds_pkey PRIMARY KEY (customer_id, transaction_id, id),
  constraint transaction_holds_check CHECK ((released_at IS NULL) = (released_by IS NULL)),
  constraint transaction_holds_check1 CHECK (released_at IS NOT NULL OR release_reason IS NULL),
  constraint transaction_holds_kind_check CHECK (kind = ANY (ARRAY['screening'::text, 'review'::text, 'documents'::text])),
  constraint transaction_holds_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint transaction_holds_release_reason_check CHECK (length(release_reason) >= 1 AND length(release_reason) <= 500)
);
CREATE TRIGGER transaction_holds_are_audited AFTER INSERT OR DELETE OR UPDATE ON transaction_holds FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id,transaction_id,id');

create table transactions (
  customer_id uuid not null,
  id uuid not null,
  quote_id uuid not null,
  reference text not null,
  status text not null,
  status_reason text,
  version integer not null,
  change_sequence bigint not null,
  created_sequence bigint not null,
  pair text not null,
  sell_currency text not null,
  buy_currency text not null,
  fixed_side text not null,
  sell_minor numeric(38,0) not null,
  buy_minor numeric(38,0) not null,
  market_minor numeric(38,0) not null,
  markup_minor numeric(38,0) not null,
  usd_minor numeric(38,0) not null,
  rate json,
  pricing json,
  trade_date date not null,
  value_date date not null,
  original_value_date date not null,
  funding_cutoff_at timestamp with time zone not null,
  received_minor numeric(38,0) not null default 0,
  excess_minor numeric(38,0) not null default 0,
  shortfall_minor numeric(38,0) not null default 0,
  deposits json not null default '[]'::json,
  instructions json,
  destination_id uuid not null,
  destination_masked text not null,
  payout_status text not null default 'pending'::text,
  payout_attempts integer not null default 0,
  payout_reference text,
  paid_at timestamp with time zone,
  settled_at timestamp with time zone,
  refund json,
  holds json not null default '[]'::json,
  failure json,
  timeline json,
  client_reference text,
  metadata json not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  scenario smallint,
  client_id uuid,
  pre_funded boolean not null default false,
  proceeds text not null default 'payout'::text,
  first_funding_cutoff_at timestamp with time zone,
  first_destination_id uuid,
  first_destination_masked text,
  price_id uuid,
  instructions_id uuid,
  key_id uuid,
  fingerprint_id uuid,
  acted_by json,
  constraint transactions_pkey PRIMARY KEY (customer_id, id),
  constraint transaction_funded_is_covered CHECK ((status <> ALL (ARRAY['funded'::text, 'settling'::text, 'settled'::text])) OR (received_minor + shortfall_minor) >= sell_minor),
  constraint transaction_funding_adds_up CHECK (received_minor <= sell_minor),
  constraint transaction_keeps_key_with_fingerprint CHECK ((key_id IS NULL) = (fingerprint_id IS NULL)),
  constraint transaction_names_its_instructions CHECK (instructions_id IS NOT NULL OR instructions IS NOT NULL) NOT VALID,
  constraint transaction_names_its_price CHECK (price_id IS NOT NULL OR rate IS NOT NULL AND pricing IS NOT NULL) NOT VALID,
  constraint transactions_buy_minor_check CHECK (buy_minor > 0::numeric),
  constraint transactions_customer_id_quote_id_key UNIQUE (customer_id, quote_id),
  constraint transactions_excess_minor_check CHECK (excess_minor >= 0::numeric),
  constraint transactions_payout_status_check CHECK (payout_status = ANY (ARRAY['pending'::text, 'sent'::text, 'paid'::text, 'rejected'::text, 'returned'::text, 'cancelled'::text])),
  constraint transactions_proceeds_check CHECK (proceeds = ANY (ARRAY['payout'::text, 'balance'::text])),
  constraint transactions_received_minor_check CHECK (received_minor >= 0::numeric),
  constraint transactions_reference_key UNIQUE (reference),
  constraint transactions_sell_minor_check CHECK (sell_minor > 0::numeric),
  constraint transactions_shortfall_minor_check CHECK (shortfall_minor >= 0::numeric),
  constraint transactions_status_check CHECK (status = ANY (ARRAY['awaiting_funds'::text, 'partially_funded'::text, 'funded'::text, 'overdue'::text, 'settling'::text, 'settled'::text, 'settlement_failed'::text, 'cancelled'::text])),
  constraint transactions_version_check CHECK (version > 0)
) with (fillfactor=80);
CREATE INDEX transactions_by_status ON transactions USING btree (status, id);
CREATE INDEX transactions_changed ON transactions USING btree (customer_id, updated_at);
CREATE INDEX transactions_client_reference ON transactions USING btree (customer_id, client_reference, id) WHERE client_reference IS NOT NULL;
CREATE INDEX transactions_funding_due ON transactions USING btree (funding_cutoff_at) WHERE status = ANY (ARRAY['awaiting_funds'::text, 'partially_funded'::text]);
CREATE INDEX transactions_overdue_due ON transactions USING btree (funding_cutoff_at, id) WHERE status = 'overdue'::text;
CREATE INDEX transactions_payout_due ON transactions USING btree (buy_currency, customer_id, id) WHERE status = 'settling'::text AND payout_status = 'sent'::text;
CREATE INDEX transactions_refund_due ON transactions USING btree ((refund ->> 'currency'::text), customer_id, id) WHERE (refund ->> 'status'::text) = 'pending'::text;
CREATE INDEX transactions_settlement_due ON transactions USING btree (value_date) WHERE status = 'funded'::text;
CREATE INDEX transactions_status ON transactions USING btree (customer_id, status, id);
CREATE INDEX transactions_value_date ON transactions USING btree (customer_id, value_date, id);
CREATE TRIGGER changed_trades_move_on_the_ladder AFTER UPDATE ON transactions REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_changed_trades();
CREATE TRIGGER deleted_trades_are_off_the_ladder AFTER DELETE ON transactions REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION keep_removed_trades();
CREATE TRIGGER trades_are_on_the_ladder AFTER INSERT ON transactions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_added_trades();
CREATE TRIGGER transactions_are_audited AFTER UPDATE ON transactions FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('customer_id,id');
CREATE TRIGGER transactions_are_new_to_deposits AFTER INSERT ON transactions REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_new_trades();
CREATE TRIGGER transactions_change_for_deposits AFTER UPDATE ON transactions FOR EACH ROW WHEN (old.received_minor <> new.received_minor OR old.shortfall_minor <> new.shortfall_minor OR (old.status = ANY (ARRAY['awaiting_funds'::text, 'partially_funded'::text, 'overdue'::text])) <> (new.status = ANY (ARRAY['awaiting_funds'::text, 'partially_funded'::text, 'overdue'::text]))) EXECUTE FUNCTION note_changed_trade();
CREATE TRIGGER transactions_keep_first_terms BEFORE UPDATE OF funding_cutoff_at, destination_id, destination_masked ON transactions FOR EACH ROW WHEN (old.funding_cutoff_at <> new.funding_cutoff_at OR old.destination_id IS DISTINCT FROM new.destination_id OR old.destination_masked IS DISTINCT FROM new.destination_masked) EXECUTE FUNCTION keep_first_terms();
CREATE TRIGGER transactions_wake_bank_reports AFTER UPDATE ON transactions FOR EACH ROW WHEN (old.payout_status <> new.payout_status OR old.payout_attempts <> new.payout_attempts OR old.refund::text IS DISTINCT FROM new.refund::text) EXECUTE FUNCTION wake_bank_reports();

create table used_assertions (
  client_id uuid not null,
  jti_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint used_assertions_pkey PRIMARY KEY (client_id, jti_hash),
  constraint used_assertions_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id),
  constraint used_assertions_jti_hash_check CHECK (octet_length(jti_hash) = 32)
);
CREATE INDEX used_assertions_expiry ON used_assertions USING btree (expires_at);

create table virtual_accounts (
  id uuid not null,
  customer_id uuid not null,
  currency text not null,
  number text not null,
  status text not null,
  created_at timestamp with time zone not null,
  created_by uuid not null,
  closed_at timestamp with time zone,
  usable_from timestamp with time zone,
  constraint virtual_accounts_pkey PRIMARY KEY (id),
  constraint virtual_accounts_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint virtual_accounts_number_check CHECK (number ~ '^[A-Z0-9]{4,64}$'::text),
  constraint virtual_accounts_status_check CHECK (status = ANY (ARRAY['active'::text, 'closed'::text]))
);
CREATE INDEX virtual_accounts_active ON virtual_accounts USING btree (customer_id, currency, id) WHERE status = 'active'::text;
CREATE INDEX virtual_accounts_customer ON virtual_accounts USING btree (customer_id, id);
CREATE UNIQUE INDEX virtual_accounts_number ON virtual_accounts USING btree (number) WHERE status = 'active'::text;
CREATE TRIGGER accounts_are_new_to_deposits AFTER INSERT ON virtual_accounts FOR EACH ROW EXECUTE FUNCTION note_match_change();
CREATE TRIGGER virtual_accounts_are_audited AFTER INSERT OR DELETE OR UPDATE ON virtual_accounts FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id');

create table webhook_deliveries (
  endpoint_id uuid not null,
  event_id uuid not null,
  sequence bigint not null,
  type text not null,
  resource text,
  status text not null,
  attempts integer not null,
  next_attempt_at timestamp with time zone,
  log json not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (endpoint_id, event_id),
  constraint webhook_deliveries_attempts_check CHECK (attempts >= 0),
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint webhook_deliveries_sequence_check CHECK (sequence >= 0),
  constraint webhook_deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])),
  constraint webhook_delivery_waits CHECK (status = 'pending'::text OR next_attempt_at IS NULL)
) with (fillfactor=90);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries USING btree (endpoint_id, next_attempt_at) WHERE status = 'pending'::text;
CREATE TRIGGER webhook_deliveries_are_audited AFTER INSERT OR UPDATE ON webhook_deliveries FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('endpoint_id,event_id', 'log');

create table webhook_endpoints (
  id uuid not null,
  customer_id uuid,
  url text not null,
  description text,
  types text[] not null default '{}'::text[],
  ordering text not null default 'none'::text,
  status text not null default 'enabled'::text,
  disabled_reason text,
  disabled_at timestamp with time zone,
  sealed bytea not null,
  sealed_under text not null,
  public_key text,
  previous_until timestamp with time zone,
  version integer not null default 1,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  sequence bigint not null,
  due_at timestamp with time zone,
  lease uuid,
  has_news boolean not null default false,
  is_slow boolean not null default false,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_disabled_has_reason CHECK ((status = 'disabled'::text) = (disabled_reason IS NOT NULL AND disabled_at IS NOT NULL)),
  constraint webhook_disabled_is_idle CHECK (status = 'enabled'::text OR due_at IS NULL AND lease IS NULL),
  constraint webhook_endpoints_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  constraint webhook_endpoints_description_check CHECK (length(description) >= 1 AND length(description) <= 200),
  constraint webhook_endpoints_disabled_reason_check CHECK (disabled_reason = ANY (ARRAY['by_owner'::text, 'gone'::text, 'attempts_exhausted'::text])),
  constraint webhook_endpoints_ordering_check CHECK (ordering = ANY (ARRAY['none'::text, 'resource'::text])),
  constraint webhook_endpoints_sequence_check CHECK (sequence >= 0),
  constraint webhook_endpoints_status_check CHECK (status = ANY (ARRAY['enabled'::text, 'disabled'::text])),
  constraint webhook_endpoints_url_check CHECK (length(url) >= 1 AND length(url) <= 2048),
  constraint webhook_endpoints_version_check CHECK (version > 0)
) with (fillfactor=70);
CREATE INDEX webhook_endpoints_due ON webhook_endpoints USING btree (is_slow, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_endpoints_owner ON webhook_endpoints USING btree (customer_id, id);
CREATE TRIGGER webhook_endpoints_are_audited AFTER INSERT OR DELETE OR UPDATE ON webhook_endpoints FOR EACH ROW WHEN (current_setting('firmquote.act'::text, true) <> ''::text) EXECUTE FUNCTION note_audited_change('id', 'sealed');

create view current_quotes (
  customer_id uuid,
  id uuid,
  client_id uuid,
  status text,
  version integer,
  pair text,
  sell_currency text,
  buy_currency text,
  fixed_side text,
  sell_minor numeric(38,0),
  buy_minor numeric(38,0),
  market_minor numeric(38,0),
  markup_minor numeric(38,0),
  usd_minor numeric(38,0),
  tenor text,
  trade_date date,
  value_date date,
  funding_cutoff_at timestamp with time zone,
  metadata json,
  client_reference text,
  validity_seconds integer,
  validity_truncated boolean,
  created_at timestamp with time zone,
  expires_at timestamp with time zone,
  closed_at timestamp with time zone,
  status_reason text,
  transaction_id uuid,
  scenario smallint,
  pre_funded boolean,
  price_id uuid,
  spread_id uuid,
  rate numeric,
  inverse numeric,
  cost_vs_mid_bps numeric,
  reference_percent numeric
);

create view feed_events (
  customer_id uuid,
  kept_at bigint,
  sequence bigint,
  id uuid,
  type text,
  at timestamp with time zone,
  quote_id uuid,
  transaction_id uuid,
  deposit_id uuid,
  version integer,
  status text,
  previous_status text,
  client_reference text,
  detail json
);

create view journal_postings (
  customer_id uuid,
  entry_id uuid,
  kind text,
  at timestamp with time zone,
  transaction_id uuid,
  deposit_id uuid,
  line bigint,
  account text,
  currency text,
  amount numeric
);

create view position_legs (
  customer_id uuid,
  entry_id uuid,
  at timestamp with time zone,
  currency text,
  is_bought boolean,
  amount numeric,
  usd_minor numeric
);

create view priced_quotes (
  customer_id uuid,
  id uuid,
  client_id uuid,
  status text,
  version integer,
  pair text,
  sell_currency text,
  buy_currency text,
  fixed_side text,
  sell_minor numeric(38,0),
  buy_minor numeric(38,0),
  market_minor numeric(38,0),
  markup_minor numeric(38,0),
  usd_minor numeric(38,0),
  tenor text,
  trade_date date,
  value_date date,
  funding_cutoff_at timestamp with time zone,
  metadata json,
  client_reference text,
  validity_seconds integer,
  validity_truncated boolean,
  created_at timestamp with time zone,
  expires_at timestamp with time zone,
  closed_at timestamp with time zone,
  status_reason text,
  transaction_id uuid,
  scenario smallint,
  pre_funded boolean,
  price_id uuid,
  spread_rule_id uuid,
  spread_rule_version integer,
  rate json,
  pricing json,
  evidence json
);

create view priced_transactions (
  customer_id uuid,
  id uuid,
  quote_id uuid,
  reference text,
  status text,
  status_reason text,
  version integer,
  change_sequence bigint,
  created_sequence bigint,
  pair text,
  sell_currency text,
  buy_currency text,
  fixed_side text,
  sell_minor numeric(38,0),
  buy_minor numeric(38,0),
  market_minor numeric(38,0),
  markup_minor numeric(38,0),
  usd_minor numeric(38,0),
  trade_date date,
  value_date date,
  original_value_date date,
  funding_cutoff_at timestamp with time zone,
  received_minor numeric(38,0),
  excess_minor numeric(38,0),
  shortfall_minor numeric(38,0),
  deposits json,
  destination_id uuid,
  destination_masked text,
  payout_status text,
  payout_attempts integer,
  payout_reference text,
  paid_at timestamp with time zone,
  settled_at timestamp with time zone,
  refund json,
  holds json,
  failure json,
  timeline json,
  client_reference text,
  metadata json,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  scenario smallint,
  client_id uuid,
  pre_funded boolean,
  proceeds text,
  first_funding_cutoff_at timestamp with time zone,
  first_destination_id uuid,
  first_destination_masked text,
  rate json,
  pricing json,
  evidence json,
  instructions json,
  acted_by json
);

create function add_to_balances(customer_ids uuid[], accounts text[], currencies text[], amounts numeric[]) returns integer language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off;

create function add_to_positions(customer_ids uuid[], currencies text[], bought numeric[], bought_usd numeric[], sold numeric[], sold_usd numeric[]) returns integer language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off;

create function append_events(batch json) returns TABLE(ord integer, sequence bigint) language plpgsql volatile;

create function archive_audit(through bigint, kept_days integer) returns bigint language plpgsql volatile security definer set search_path=public, pg_temp;

create function audit_export_covers(before_size bigint, size bigint) returns boolean language sql stable;

create function audit_hashes_are_kept(from_seal bigint, through bigint, before_size bigint, size bigint) returns boolean language sql stable;

create function audited_values(row_values jsonb, hidden text[]) returns jsonb language sql stable;

create function balance_brought_by(of_deposits uuid[], of_customer uuid, of_currency text) returns numeric language sql stable;

create function balance_rests_on_missing_money(of_customer uuid, of_currency text) returns boolean language sql stable;

create function balance_rests_on_returned_money(of_customer uuid, of_currency text) returns boolean language sql stable;

create function bank_item_of_details() returns trigger language plpgsql volatile;

create function bank_item_of_journal() returns trigger language plpgsql volatile;

create function bank_item_of_notice() returns trigger language plpgsql volatile;

create function bank_item_of_reversed_top_up() returns trigger language plpgsql volatile;

create function bank_item_of_top_up() returns trigger language plpgsql volatile;

create function beat(p_instance uuid) returns bigint language plpgsql volatile set work_mem=64kB set temp_tablespaces="";

create function book_trades(items execution_item[], at timestamp with time zone, day date) returns SETOF execution_result language plpgsql volatile;

create function booked_positions() returns TABLE(customer_id uuid, currency text, bought_minor numeric, bought_usd_minor numeric, sold_minor numeric, sold_usd_minor numeric) language sql stable;

create function cancelled_run_ends_payments() returns trigger language plpgsql volatile;

create function claim_quote_keys(items quote_item[], heads spread_head[], at timestamp with time zone, keys_expire_at timestamp with time zone) returns TABLE(n integer, fingerprint text, quote_id uuid) language plpgsql volatile;

create function claim_webhooks(at timestamp with time zone, lease_id uuid, until timestamp with time zone, quick integer, slow integer) returns SETOF uuid language plpgsql volatile set enable_seqscan=off;

create function close_quotes(customer_ids uuid[], ids uuid[], id_prefixes text[], kind text, reason text, at timestamp with time zone, skip boolean) returns SETOF quotes language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off set lock_timeout=250ms;

create function commit_executions(at timestamp with time zone, day date, keys_expire_at timestamp with time zone, repeats boolean, customer_ids uuid[], client_ids uuid[], quote_ids uuid[], transaction_ids uuid[], keys text[], fingerprints text[], received_ats timestamp with time zone[], if_matches integer[], expect_sells numeric[], expect_buys numeric[], client_references text[], metadatas text[], quote_events text[], transaction_events text[], entry_ids uuid[], places integer[]) returns SETOF execution_result language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off set lock_timeout=250ms;

create function daily_used(limit_day date, used_minor numeric, day date) returns numeric language sql immutable;

create function deal_out_exposure(codes text[], minors numeric[], is_refusable boolean) returns void language plpgsql volatile;

create function decide_and_book(items execution_item[], at timestamp with time zone, day date, keys_expire_at timestamp with time zone, repeats boolean, keyed boolean) returns SETOF execution_result language plpgsql volatile;

create function decide_executions(items execution_item[]) returns SETOF execution_decision language plpgsql volatile;

create function deposit_return_is_held(of_return uuid) returns text language sql stable;

create function deposits_under(reference text) returns SETOF deposits language sql stable;

create function disable_sandbox_bank() returns void language plpgsql volatile security definer set search_path=public, pg_temp;

create function due_quotes(since timestamp with time zone, until timestamp with time zone, most integer) returns TABLE(customer_id uuid, id uuid, expires_at timestamp with time zone) language plpgsql stable set plan_cache_mode=force_generic_plan set enable_seqscan=off;

create function enable_sandbox_bank() returns void language plpgsql volatile security definer set search_path=public, pg_temp;

create function ends_of_open_quotes() returns TABLE(since timestamp with time zone, before timestamp with time zone) language sql stable;

create function entry_balances(accounts text[], currencies text[], amounts numeric[]) returns boolean language plpgsql immutable;

create function entry_of_top_up(t balance_top_ups) returns uuid language sql stable;

create function event_days() returns TABLE(name regclass, ends timestamp with time zone, is_first boolean, events bigint) language sql stable;

create function event_id(prefix text, sequence bigint) returns uuid language sql immutable strict;

create function exceeded_limit(usd_minor numeric, daily_minor numeric, open_minor numeric, daily_limit numeric, open_limit numeric) returns text language sql immutable;

create function exceeds_limits(decisions execution_decision[], day date) returns boolean language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off;

create function expire_quotes(customer_ids uuid[], ids uuid[], at timestamp with time zone, id_time text) returns integer language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_hashjoin=off set enable_mergejoin=off;

create function expires_by(expires_at timestamp with time zone) returns timestamp with time zone language sql immutable strict;

create function exposure_down(minor numeric, numerator numeric, denominator numeric) returns numeric language sql immutable;

create function exposure_limits_are_set() returns trigger language plpgsql volatile set lock_timeout=2s;

create function exposure_share(room numeric, slots integer) returns numeric language sql immutable;

create function exposure_up(minor numeric, numerator numeric, denominator numeric) returns numeric language sql immutable;

create function fold_house_rows() returns void language plpgsql volatile;

create function forget_prices(most integer, OUT looked integer, OUT gone integer) returns record language plpgsql volatile security definer set search_path=public, pg_temp set plan_cache_mode=force_generic_plan set enable_seqscan=off;

create function forget_quotes(at timestamp with time zone, kept_days integer, most integer, OUT looked integer, OUT gone integer) returns record language plpgsql volatile security definer set search_path=public, pg_temp set plan_cache_mode=force_generic_plan set enable_seqscan=off set lock_timeout=100ms;

create function forget_quotes_of(customer uuid, after uuid, before uuid, most integer, OUT seen integer, OUT forgotten integer, OUT through uuid) returns record language plpgsql volatile;

create function hold_house_limits() returns trigger language plpgsql volatile;

create function is_missing_deposit(of_deposit uuid) returns boolean language sql stable;

create function is_posted_to(through date) returns boolean language sql volatile strict;

create function is_production() returns boolean language sql stable;

create function keep_added_quotes() returns trigger language plpgsql volatile;

create function keep_added_trades() returns trigger language plpgsql volatile;

create function keep_changed_quotes() returns trigger language plpgsql volatile;

create function keep_changed_trades() returns trigger language plpgsql volatile;

create function keep_event_days(at timestamp with time zone, oldest timestamp with time zone, most integer) returns bigint language plpgsql volatile security definer set search_path=public, pg_temp set lock_timeout=100ms;

create function keep_execution_keys(items execution_item[], decisions execution_decision[], at timestamp with time zone, keys_expire_at timestamp with time zone) returns void language plpgsql volatile;

create function keep_first_terms() returns trigger language plpgsql volatile;

create function keep_positions() returns trigger language plpgsql volatile;

create function keep_quoted_prices(prices json, spreads json, heads spread_head[]) returns void language plpgsql volatile;

create function keep_removed_quotes() returns trigger language plpgsql volatile;

create function keep_removed_trades() returns trigger language plpgsql volatile;

create function kept_evidence(market json, s quote_spreads) returns json language sql stable;

create function known_executions(items execution_item[], at timestamp with time zone, kept interval) returns SETOF execution_result language plpgsql volatile;

create function ladder_rungs(t transactions) returns TABLE(currency text, trades_in bigint, expected numeric, received numeric, outstanding numeric, trades_out bigint, to_pay numeric) language sql immutable;

create function ledger_day_key(day date) returns integer language sql immutable strict;

create function legs_of_quote(sell_currency text, buy_currency text, fixed_side text, sell_minor numeric, buy_minor numeric, market_minor numeric) returns TABLE(currency text, long_minor numeric, short_minor numeric, quotes bigint) language sql immutable;

create function mark_spread_rule() returns trigger language plpgsql volatile;

create function mask_account(account text) returns text language sql immutable strict;

create function missing_deposits() returns TABLE(deposit_id uuid) language sql stable;

create function move_bank_item(of_currency text, subject uuid, of_kind text, of_customer uuid, minor numeric, at timestamp with time zone) returns void language plpgsql volatile;

create function note_audited_change() returns trigger language plpgsql volatile;

create function note_changed_trade() returns trigger language plpgsql volatile set enable_seqscan=off;

create function note_match_change() returns trigger language plpgsql volatile;

create function note_new_trades() returns trigger language plpgsql volatile set enable_seqscan=off;

create function note_spread_version() returns trigger language plpgsql volatile;

create function notify_of_approval() returns trigger language plpgsql volatile;

create function notify_of_exception() returns trigger language plpgsql volatile;

create function notify_of_payment() returns trigger language plpgsql volatile;

create function notify_of_report() returns trigger language plpgsql volatile;

create function notify_operators(type text, at timestamp with time zone, resource text, data json) returns void language plpgsql volatile;

create function open_quotes_after(after timestamp with time zone) returns TABLE(customer_id uuid, id uuid, pair text) language sql stable;

create function open_quotes_of(customer uuid, after timestamp with time zone, before timestamp with time zone) returns SETOF uuid language sql stable;

create function positions_before(before timestamp with time zone, owner uuid) returns TABLE(customer_id uuid, currency text, bought_minor numeric, bought_usd_minor numeric, sold_minor numeric, sold_usd_minor numeric) language sql stable;

create function post_entries(batch json) returns void language plpgsql volatile;

create function post_to_open_days() returns trigger language plpgsql volatile;

create function postpone_repeats(items execution_item[], decisions execution_decision[]) returns SETOF execution_decision language sql volatile;

create function price_of_quote(price_id uuid, spread_id uuid, rate numeric, inverse numeric, cost_vs_mid_bps numeric, reference_percent numeric, markup_minor numeric) returns TABLE(spread_rule_id uuid, spread_rule_version integer, rate json, pricing json, evidence json) language sql stable;

create function publish_exposure_values(codes text[], numerators numeric[], denominators numeric[], digits integer[]) returns void language plpgsql volatile set lock_timeout=500ms;

create function quote_legs(q quotes) returns TABLE(currency text, long_minor numeric, short_minor numeric, quotes bigint) language sql immutable;

create function quote_pricing(pricing text, markup_minor numeric, markup_unit numeric, pricing_end text) returns json language sql immutable;

create function recall_booked_as(of_deposit uuid) returns text language sql stable;

create function record_act(act json, always boolean) returns boolean language plpgsql volatile;

create function record_webhooks(endpoint uuid, lease_id uuid, at timestamp with time zone, seen bigint, results json, slow boolean, done boolean, more boolean, disable text) returns boolean language plpgsql volatile;

create function reference_digits(place bigint) returns bigint language sql immutable strict;

create function reference_of(digits bigint) returns text language sql immutable strict;

create function refuse_change() returns trigger language plpgsql volatile;

create function refuse_forgetting() returns trigger language plpgsql volatile;

create function refuse_overdraft() returns trigger language plpgsql volatile;

create function refused_quotes(items quote_item[], heads spread_head[], known uuid[], at timestamp with time zone, max_open integer[]) returns TABLE(n bigint, id uuid, customer_id uuid, key text, outcome text, open bigint) language plpgsql volatile;

create function reserve_balances(decisions execution_decision[]) returns SETOF execution_decision language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off;

create function reserve_limits(decisions execution_decision[], day date) returns SETOF execution_decision language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off;

create function rests_on_missing_money(of_customer uuid, of_trade uuid) returns boolean language sql stable;

create function rests_on_returned_money(of_customer uuid, of_trade uuid) returns boolean language sql stable;

create function sandbox_bank_sees_changes() returns trigger language plpgsql volatile;

create function sandbox_bank_sees_runs() returns trigger language plpgsql volatile;

create function sandbox_bank_sees_trades() returns trigger language plpgsql volatile;

create function set_exposure_limits(document json) returns void language plpgsql volatile;

create function shown_pricing(s quote_spreads, reference json, markup_minor numeric, cost_vs_mid_bps numeric, reference_percent numeric) returns json language sql stable;

create function shown_rate(m market_prices, disclosure text, rate numeric, inverse numeric) returns json language sql stable;

create function suspend_after_quotes() returns trigger language plpgsql volatile;

create function take_from_slot(of_slot integer, codes text[], minors numeric[]) returns void language plpgsql volatile;

create function taken_back_by(e entry_details) returns uuid language sql immutable;

create function text_id(content text) returns uuid language sql immutable strict;

create function unbacked_balances() returns TABLE(of_customer uuid, of_currency text, held text) language plpgsql stable;

create function uuid_floor(at timestamp with time zone) returns uuid language sql stable strict;

create function wake_bank_reports() returns trigger language plpgsql volatile;

create function wake_bank_reports_of_deposit() returns trigger language plpgsql volatile;

create function wake_bank_reports_of_notice() returns trigger language plpgsql volatile;

create function wake_bank_reports_of_return() returns trigger language plpgsql volatile;

create function with_virtual_account(details json, number text) returns json language sql immutable;

create function write_quotes(at timestamp with time zone, keys_expire_at timestamp with time zone, prices json, spreads json, heads spread_head[], items quote_item[], client_references text[], metadatas text, keyed boolean, max_open integer[]) returns TABLE(ord integer, outcome text, open bigint, fingerprint text, quote_id uuid) language plpgsql volatile set plan_cache_mode=force_generic_plan set enable_seqscan=off set lock_timeout=250ms;
