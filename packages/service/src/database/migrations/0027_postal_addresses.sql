-- Postal addresses for payment files: the customer's as creditor, the account holder's as debtor. Not part of the account's
-- details, which trades show to customers.
alter table customers add column postal_address json;
alter table collection_accounts add column holder_address json;
