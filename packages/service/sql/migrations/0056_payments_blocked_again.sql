-- When it was seen that what a person was done with was over: a payment could be made that had been blocked, or a trade was not short any more.
-- Should it come again, it is reported again.
alter table reconciliation_exceptions add column over_at timestamptz;
create index reconciliation_exceptions_done_with on reconciliation_exceptions (type, reason)
  where type in ('payout_mismatch', 'short') and status = 'resolved' and resolution in ('acknowledged', 'settled_outside') and over_at is null;
