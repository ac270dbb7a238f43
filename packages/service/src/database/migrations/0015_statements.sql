-- Statements that banks send: the files as they came, what they hold, and what each of their entries has become.

create table statement_files (
  id uuid primary key,
  -- As it was called; only for people. No folder is ever made from it.
  name text not null check (length(name) between 1 and 255),
  -- The same bytes are the same file, whoever brings them and however often.
  sha256 text not null unique check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  source text not null check (source in ('api', 'command', 'folder')),
  -- The operator's OAuth client; null when nobody asked.
  received_by uuid,
  received_at timestamptz not null,
  -- How often it was brought, and when last. A refused file may be brought again, say with a mapping.
  attempts int not null default 1 check (attempts > 0),
  last_attempt_at timestamptz not null,
  status text not null check (status in ('accepted', 'refused')),
  format text check (format in ('camt', 'mt940', 'csv', 'json')),
  mapping text,
  refusal_code text,
  refusal_line int,
  refusal_detail text,
  statements int not null default 0,
  bookings int not null default 0,
  new_bookings int not null default 0,
  check ((status = 'refused') = (refusal_code is not null)),
  check ((refusal_code is null) = (refusal_detail is null)),
  check (status = 'refused' or format is not null),
  check (new_bookings between 0 and bookings)
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
  unique (file_id, position),
  check ((opening_minor is null) = (opening_date is null)),
  check ((closing_minor is null) = (closing_date is null))
);
-- What came before a statement on its account.
create index bank_statements_before on bank_statements (account, currency, period_to) where kind = 'statement';
create index bank_statements_unknown on bank_statements (account) where not is_own;

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
  last_told_by uuid not null
) with (fillfactor = 85);
-- The ways in which a booking is known again.
create index statement_bookings_reference on statement_bookings (account, known_reference) where known_reference is not null;
create index statement_bookings_uetr on statement_bookings (account, known_uetr) where known_uetr is not null;
create index statement_bookings_day on statement_bookings (account, booking_date, amount_minor);
create index statement_bookings_day_nameless on statement_bookings (account, booking_date, amount_minor) where known_reference is null;

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
  unique (booking_id, number),
  check ((deposit_state = 'booked') = (deposit_id is not null))
);
create index statement_entries_due on statement_entries (id) where deposit_state = 'due';

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

create table statement_mappings (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,39}$'),
  mapping json not null,
  version int not null check (version > 0),
  updated_by uuid,
  updated_at timestamptz not null
);
