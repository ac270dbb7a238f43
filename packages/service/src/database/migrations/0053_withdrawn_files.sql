-- Files that were taken back, and statements that count no more because of it or because another one corrects them: their
-- dates and balances are gone from the columns that decide, and stand in `withdrawn`.
alter table statement_files
  add column withdrawn_at timestamptz,
  add column withdrawn_reason text check (length(withdrawn_reason) between 1 and 500),
  add column withdrawn_by uuid,
  add column withdrawal_approved_by uuid,
  add constraint statement_files_withdrawn check (num_nulls(withdrawn_at, withdrawn_reason, withdrawn_by) in (0, 3)),
  add constraint statement_files_withdrawn_by_two check (withdrawn_by <> withdrawal_approved_by);
alter table bank_statements
  add column withdrawn json,
  add column corrected_by uuid,
  add constraint bank_statements_withdrawn check (withdrawn is null or (opening_minor is null and closing_minor is null));
