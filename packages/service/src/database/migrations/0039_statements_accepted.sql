-- Statements of which nothing can be booked, each with its reason: the others of their file are taken in all the same.
alter table bank_statements
  add column set_aside text check (set_aside in ('currency_unknown')),
  add column entries_left int check (entries_left >= 0),
  add check ((set_aside is null) = (entries_left is null)),
  add check (set_aside is null or not is_own);

-- Files whose own figures do not agree, and which two people have accepted all the same.
alter table statement_files
  add column accepted_despite text,
  add column accepted_despite_line int,
  add column accepted_despite_detail text,
  add column accepted_reason text check (length(accepted_reason) between 1 and 500),
  add column accepted_by uuid,
  add column approved_by uuid,
  add column accepted_at timestamptz,
  add check (accepted_at is null or status = 'accepted'),
  add check (num_nulls(accepted_reason, accepted_by, approved_by, accepted_at) in (0, 4)),
  add check (accepted_by <> approved_by);
