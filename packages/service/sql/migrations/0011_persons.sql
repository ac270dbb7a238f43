-- Who acts is a person. A program has a person who answers for it: for four eyes the two are one pair. Instances of the previous
-- version know neither; what they write has no person, which the rules below let pass.
create table persons (
  id uuid primary key,
  -- As the person is written to, in lower case.
  email text not null,
  name text not null,
  -- Who was invited and has not signed in yet may already answer for clients.
  status text not null,
  roles text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint persons_id_is_a_persons check (substr(id::text, 15, 1) = '8'),
  constraint persons_email_check check (length(email) <= 254 and email ~ '^[^@[:space:]]+@[^@[:space:]]+$' and email = lower(email)),
  constraint persons_name_check check (length(name) between 1 and 200),
  constraint persons_status_check check (status in ('invited', 'active', 'suspended', 'ended')),
  constraint persons_roles_check check (cardinality(roles) <= 20)
);
-- Whoever has ended may come back as somebody new.
create unique index persons_email on persons (email) where status <> 'ended';

alter table oauth_clients
  add column responsible uuid references persons,
  add constraint oauth_clients_of_operators_have_somebody check (kind = 'operator' or responsible is null);

alter table approvals
  add column proposed_by_person uuid references persons,
  add column decided_by_person uuid references persons,
  drop constraint approvals_check2,
  add constraint approvals_withdrawn_by_who_proposed
    check (status <> 'withdrawn' or decided_by = proposed_by or coalesce(decided_by_person = proposed_by_person, false)),
  add constraint approvals_by_two_persons check (status <> 'approved' or decided_by_person <> proposed_by_person);
