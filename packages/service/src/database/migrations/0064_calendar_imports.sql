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

-- Of years that were imported; null for those that one operator has set by hand.
alter table calendar_years
  add column approved_by uuid,
  add column import_id uuid;
