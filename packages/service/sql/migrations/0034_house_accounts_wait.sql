-- A changed account of the house waits beside the one that customers are told to pay to.
alter table collection_accounts
  add column next_details json,
  add column next_holder_address json,
  add column next_holder_lei text,
  -- From then on the next one is the account.
  add column usable_from timestamptz,
  add constraint collection_accounts_next_check check ((next_details is null) = (usable_from is null));
create index collection_accounts_waiting on collection_accounts (usable_from) where usable_from is not null;

-- Until then trades do not name it. What arrives on it is the customer's from the first.
alter table virtual_accounts add column usable_from timestamptz;
