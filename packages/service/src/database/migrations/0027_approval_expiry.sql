-- Proposals that nobody has decided on end by themselves.
alter table approvals
  drop constraint approvals_status_check,
  drop constraint approvals_check,
  add constraint approvals_status_check check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
  -- Of one that has expired it is known when, and nobody has decided.
  add constraint approval_is_decided_by_somebody check (
    (status = 'pending') = (decided_at is null) and (status in ('pending', 'expired')) = (decided_by is null));
create index approvals_waiting on approvals (proposed_at) where status = 'pending';
