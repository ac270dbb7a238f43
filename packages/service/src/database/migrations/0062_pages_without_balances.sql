-- A bank may cut a statement into pages without telling the balances between them. What a page says of the whole is kept
-- until all of them are here; then each gets the balances that its entries make.
alter table bank_statements
  add column is_last_page boolean,
  add column whole_opening_minor numeric(38, 0),
  add column whole_opening_date date,
  add column whole_closing_minor numeric(38, 0),
  add column whole_closing_date date;
create index bank_statements_loose_pages on bank_statements (account, currency, number) where is_last_page is not null;
