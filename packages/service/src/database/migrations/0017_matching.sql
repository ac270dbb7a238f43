-- What one operator proposed and another one decides. `request` belongs to the room that proposed it.
create table approvals (
  id uuid primary key,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  -- Id of what it is about, as the API writes it.
  subject text not null check (length(subject) between 1 and 64),
  request json not null,
  reason text not null check (length(reason) between 1 and 500),
  status text not null check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  proposed_by uuid not null,
  proposed_at timestamptz not null,
  decided_by uuid,
  decided_at timestamptz,
  note text check (length(note) between 1 and 500),
  check ((status = 'pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  -- Four eyes are two persons.
  check (status not in ('approved', 'rejected') or decided_by <> proposed_by),
  check (status <> 'withdrawn' or decided_by = proposed_by)
);
-- One proposal at a time for each thing.
create unique index approvals_pending on approvals (subject) where status = 'pending';
