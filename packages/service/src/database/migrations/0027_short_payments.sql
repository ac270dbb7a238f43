-- A trade has at most one open exception that it is short of money.
create unique index reconciliation_exceptions_short on reconciliation_exceptions (transaction_id) where type = 'short' and status = 'open';
