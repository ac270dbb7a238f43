-- What waits is counted by type and age.
create index reconciliation_exceptions_open_type on reconciliation_exceptions (type, opened_at) where status = 'open';
