-- Settlement: holds.

-- Holds with their inner reasons. The customer's side of those that stand is in transactions.holds, which is shown as
-- it is; what is here is for operators only.
create table transaction_holds (
  customer_id uuid not null,
  transaction_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('screening', 'review', 'documents')),
  reason text not null check (length(reason) between 1 and 500),
  placed_by uuid not null,
  placed_at timestamptz not null,
  released_by uuid,
  released_at timestamptz,
  release_reason text check (length(release_reason) between 1 and 500),
  primary key (customer_id, transaction_id, id),
  check ((released_at is null) = (released_by is null)),
  check (released_at is not null or release_reason is null)
);
