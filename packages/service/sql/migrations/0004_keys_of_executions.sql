-- The key that a trade was executed with, and what was asked with it, as ids of their texts: a key of an execution is asked
-- for together with its quote, which names the trade, so it needs no row and no index of its own.
alter table transactions
  add column key_id uuid,
  add column fingerprint_id uuid,
  add constraint transaction_keeps_key_with_fingerprint check ((key_id is null) = (fingerprint_id is null));

-- What execute_quotes answered, which commit_executions has taken the place of.
drop function if exists execute_quotes;
drop type execution_answer;
