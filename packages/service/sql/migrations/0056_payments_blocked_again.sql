-- When it was seen that a payment could be made which a person was done with before, while it was blocked: should it be blocked again, that
-- is reported again.
alter table reconciliation_exceptions add column over_at timestamptz;
-- What the service has closed itself was over then.
create index reconciliation_exceptions_done_with on reconciliation_exceptions (reason)
  where type = 'payout_mismatch' and status = 'resolved' and resolution <> 'unblocked' and over_at is null;
