-- Deposits that top up a customer's balance. The part of a deposit that a balance took is an allocation without a trade.
alter table deposit_allocations drop constraint deposit_allocations_pkey;
alter table deposit_allocations alter column transaction_id drop not null;
-- Of a deposit each trade has one part at most, and so has the balance.
create unique index deposit_allocations_once on deposit_allocations (customer_id, transaction_id, deposit_id) nulls not distinct;
alter table deposit_allocations add constraint deposit_allocation_of_balance_is_plain
  check (transaction_id is not null or (excess_minor = 0 and shortfall_minor = 0));

-- What operators book by hand only: what a deposit brought is with the deposit.
alter table balance_top_ups drop column deposit_id;

-- People's proposals on a subject, decided ones too.
create index approvals_subject on approvals (subject, id);
