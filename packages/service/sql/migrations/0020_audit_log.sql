-- Who did what, when, and how it was before and after: a row in the commit of the change. `number` is about the order of writing;
-- `changes` is text that is hashed as it stands.
create sequence audit_numbers as bigint;
create table audit_log (
  number bigint primary key default nextval('audit_numbers'),
  at timestamptz not null,
  kind text not null check (kind in ('change', 'read', 'sign_in', 'refusal')),
  operation text not null,
  resource text not null,
  subjects text[] not null,
  outcome text not null,
  actor text not null check (actor in ('client', 'person', 'command', 'service', 'unknown')),
  actor_id uuid,
  person_id uuid,
  customer_id uuid,
  token_id text,
  address text,
  request_id text,
  approval_id uuid,
  -- How many of one kind the row stands for: reads and refusals of one minute are one row.
  count integer not null default 1 check (count > 0),
  changes json not null,
  check ((actor in ('client', 'person')) = (actor_id is not null))
);
create index audit_log_at on audit_log (at, number);
create index audit_log_operation on audit_log (operation, number);
create index audit_log_actor on audit_log (actor_id, number) where actor_id is not null;
create index audit_log_person on audit_log (person_id, number) where person_id is not null;
create index audit_log_request on audit_log (request_id, number) where request_id is not null;
create index audit_log_subjects on audit_log using gin (subjects);
