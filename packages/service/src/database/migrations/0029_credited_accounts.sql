-- Which account of the house a payment was made to, where the bank says so beside the account of the statement: a virtual
-- account that it keeps for one customer.
alter table statement_entries add column credited_account text;
