-- A debit may take back one of several deposits: these, until a person has decided which.
create table recalls_in_doubt (
  detail_id uuid not null references entry_details (id),
  deposit_id uuid not null references deposits (id),
  constraint recalls_in_doubt_pkey primary key (detail_id, deposit_id)
);
create index recalls_in_doubt_deposit on recalls_in_doubt (deposit_id);
