-- What a customer owes apart from open trades at the end of days on which that changed. Of a day that is closed: how far these are written is said beside
-- how far days are closed, so that a version that knows nothing of it leaves no hole.
create table debt_days (
  customer_id uuid not null,
  currency text not null,
  day date not null,
  debt_minor numeric(38, 0) not null,
  primary key (customer_id, currency, day)
);
alter table ledger_closing add column debts_closed_through date;
