-- Entries of statements are kept as each file told them. Of those that are one payment the first carries its money, and
-- the others name it, with the reason.

alter table statement_entries
  -- Account and day of its booking and what it is looked up by, without blanks and marks. Null until an import has seen
  -- an entry of an older version.
  add column account text,
  add column booking_date date,
  add column known_reference text,
  add column known_end_to_end text,
  -- The entry that carries the money of the payment, and why they are the same.
  add column same_as uuid references statement_entries (id),
  add column same_reason text check (same_reason in (
    'uetr', 'bank_reference', 'end_to_end_id', 'entry_reference', 'content', 'same_statement', 'day_and_amount',
    'sum_of_details', 'part_of_sum', 'operator'
  )),
  -- What it says otherwise than that entry.
  add column differs text[],
  -- The entry that it may be; a person says whether.
  add column maybe_same_as uuid references statement_entries (id),
  -- Fields that entries which came later have completed, with those entries.
  add column completed json,
  -- The entry by which a statement with balances lists it, when another message told of it first.
  add column listed_by uuid references statement_entries (id),
  -- Since when the statements that cover its day do not list it.
  add column missing_since timestamptz,
  -- What is to be done to what was booked on it: `complete` (more is known of it), `split` (its payments are known).
  add column revise text check (revise in ('complete', 'split')),
  add check ((same_as is null) = (same_reason is null)),
  add check (same_as is null or (same_as <> id and deposit_state = 'none' and payment_state = 'none'));

-- How many payments it has. Null in rows of an older version.
alter table statement_bookings add column payments int check (payments > 0);

alter table bank_statements
  -- A page: whether its opening and closing balance are between pages (ITBD, 60M, 62M), and whether it is the last.
  add column opening_interim boolean not null default false,
  add column closing_interim boolean not null default false,
  add column last_page boolean,
  -- False while other pages of the statement are missing: the day is not closed by it.
  add column is_whole boolean not null default true;

update statement_bookings b set payments = n.payments
  from (select booking_id, count(*) as payments from statement_entries group by booking_id) n where n.booking_id = b.id;

-- Gives entries their keys. Those of an older version that runs beside this one get theirs from the next import.
create function key_statement_entries() returns void language sql as $$
  update statement_entries e set account = b.account, booking_date = b.booking_date,
    known_reference = nullif(upper(regexp_replace(e.detail_reference, '[^[:alnum:]]', '', 'g')), ''),
    known_end_to_end = nullif(upper(regexp_replace(e.end_to_end_id, '[^[:alnum:]]', '', 'g')), '')
  from statement_bookings b where b.id = e.booking_id and e.account is null
$$;
select key_statement_entries();

-- The ways in which an entry is known again.
create index statement_entries_no_keys on statement_entries (id) where account is null;
create index statement_entries_known_reference on statement_entries (account, known_reference, booking_date)
  where known_reference is not null and same_as is null;
create index statement_entries_known_end_to_end on statement_entries (account, known_end_to_end, amount_minor)
  where known_end_to_end is not null and same_as is null;
create index statement_entries_day on statement_entries (account, booking_date, amount_minor) where same_as is null;
create index statement_bookings_reference_day on statement_bookings (account, known_reference, booking_date)
  where known_reference is not null;
create index statement_bookings_batches on statement_bookings (account, booking_date, amount_minor) where payments > 1;
drop index statement_bookings_reference, statement_bookings_uetr, statement_bookings_day, statement_bookings_day_nameless;
create index statement_entries_same_as on statement_entries (same_as) where same_as is not null;
create index statement_entries_maybe on statement_entries (account) where maybe_same_as is not null and payment_state = 'mismatch';
create index statement_entries_revise on statement_entries (id) where revise is not null;
create index statement_entries_missing on statement_entries (id) where missing_since is not null;
create index bank_statements_pages on bank_statements (account, currency) where not is_whole;
-- What no statement has listed yet, by day.
create index statement_bookings_unlisted on statement_bookings (account, currency, booking_date) where not in_statement and status = 'booked';
drop index statement_bookings_not_in_statement;
-- Statements with a closing balance, by the days that they cover.
create index bank_statements_covering on bank_statements (account, currency, period_to)
  where kind = 'statement' and opening_minor is not null and closing_minor is not null;

-- What could not be brought in line with what is known later is tried again as everything else.
alter table apply_failures
  drop constraint apply_failures_kind_check,
  add constraint apply_failures_kind_check check (kind in ('credit', 'payment', 'deposit_return', 'status', 'revise'));
