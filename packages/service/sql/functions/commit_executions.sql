-- Executes a batch of quotes in one commit: idempotency, compare-and-swap, limits, transaction, ledger, events.
-- One array for each column of execution_item; items are in the order of customer and quote, in which rows are locked.
-- `at` is business time of the commit, `day` the day that daily limits are counted on; `repeats` when two items name one
-- quote. `keys` is null when no item has an Idempotency-Key. The key of an execution is kept with its transaction; keys of
-- requests that came for a quote that is gone have rows of their own; others decided nothing, and are free again. Answers one row for each item; those that were executed are named by `id`, the others by `ord`. An execution of before that is known
-- by its key is 'created' and `replayed`, and `quote_transaction_id` names its transaction.
create or replace function commit_executions(
  at timestamptz, day date, keys_expire_at timestamptz, repeats boolean, customer_ids uuid[],
  client_ids uuid[], quote_ids uuid[], transaction_ids uuid[], keys text[], fingerprints text[], received_ats timestamptz[], if_matches int[],
  expect_sells numeric[], expect_buys numeric[], client_references text[], metadatas text[], quote_events text[],
  transaction_events text[], entry_ids uuid[], places int[])
returns setof execution_result
-- The statements are planned once for each connection, with the indexes that they are made for: planning them anew
-- would cost more than running them, and early statistics of a new database would tempt the planner to read it all.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set lock_timeout = '250ms' as $$
declare
  items execution_item[];
  accepted execution_item[];
  known int[] := '{}';
  decisions execution_decision[];
  done int;
  made execution_result;
  lasting constant text[] := '{quote_expired,quote_cancelled,quote_withdrawn,quote_already_executed}';
begin
  select array_agg((i.n - 1, i.customer_id, i.client_id, i.quote_id, i.transaction_id, i.key, i.fingerprint, i.received_at,
                    i.if_match, i.expect_sell, i.expect_buy, i.client_reference, i.metadata, i.quote_event,
                    i.transaction_event, i.entry_id, i.place)::execution_item) into items
  from unnest(customer_ids, client_ids, quote_ids, transaction_ids, keys, fingerprints, received_ats, if_matches,
              expect_sells, expect_buys, client_references, metadatas, quote_events, transaction_events, entry_ids, places)
    with ordinality
    as i (customer_id, client_id, quote_id, transaction_id, key, fingerprint, received_at, if_match, expect_sell, expect_buy,
          client_reference, metadata, quote_event, transaction_event, entry_id, place, n);

  if not repeats then
    begin
      return query select * from book_trades(items, at, day);
      get diagnostics done = row_count;
      if done = cardinality(items) then return; end if;
      raise exception 'not all of them' using errcode = 'FQ001';
    exception when unique_violation or check_violation or sqlstate 'FQ001' then
      -- What was written is undone. A key was used before, a balance does not cover, or an item has to be refused.
    end;
  end if;

  select array_agg(d) into decisions from decide_executions(items) d;
  if keys is not null then
    -- The customers are locked: whoever used a key before has committed.
    for made in
      select i.ord, coalesce(k.outcome, 'created'), true,
             coalesce(k.fingerprint, case when t.fingerprint_id = text_id(i.fingerprint) then i.fingerprint else '' end),
             k.received_at, q.status, q.version, q.expires_at, q.closed_at, coalesce(k.transaction_id, q.transaction_id)
      from unnest(items) i
      cross join lateral (select * from current_quotes x where x.customer_id = i.customer_id and x.id = i.quote_id limit 1) q
      left join lateral (
        select x.fingerprint_id from transactions x
        where x.customer_id = i.customer_id and x.id = q.transaction_id and x.key_id = text_id(i.idempotency_key)
          and x.created_at > at - (keys_expire_at - at) limit 1
      ) t on true
      left join lateral (
        select x.* from idempotency_keys x
        where x.customer_id = i.customer_id and x.operation = 'execute:' || i.quote_id and x.key = i.idempotency_key
          and x.expires_at > at limit 1
      ) k on true
      where i.idempotency_key is not null and (t.fingerprint_id is not null or k.key is not null)
    loop
      known := known || made.ord;
      return next made;
    end loop;
    if cardinality(known) > 0 then
      select array_agg(i) into items from unnest(items) i where i.ord <> all (known);
      select array_agg(d) into decisions from unnest(decisions) d where d.ord <> all (known);
      if items is null then return; end if;
    end if;
  end if;

  if repeats then select array_agg(d) into decisions from postpone_repeats(items, decisions) d; end if;
  if exceeds_limits(decisions, day) then
    select array_agg(r) into decisions from reserve_limits(decisions, day) r;
  end if;
  if exists (select from unnest(decisions) d where d.outcome = 'ok' and d.pre_funded) then
    select array_agg(r) into decisions from reserve_balances(decisions) r;
  end if;

  select array_agg((i.ord, i.customer_id, i.client_id, i.quote_id, i.transaction_id, i.idempotency_key, i.fingerprint,
                    i.received_at, i.if_match, i.expect_sell, i.expect_buy, i.client_reference, i.metadata, i.quote_event,
                    i.transaction_event, i.entry_id, i.place_among_accepted)::execution_item) into accepted
  from (
    select i.*, row_number() over (partition by i.customer_id order by i.ord) as place_among_accepted
    from unnest(items) i join unnest(decisions) d on d.ord = i.ord where d.outcome = 'ok'
  ) i;
  if accepted is not null then
    return query select * from book_trades(accepted, at, day);
    get diagnostics done = row_count;
    -- Nothing half: a quote that was taken without its transaction ends the whole commit.
    if done <> cardinality(accepted) then
      raise exception 'executed % of % accepted quotes', done, cardinality(accepted);
    end if;
  end if;

  for made in
    select d.ord, d.outcome, false, null, i.received_at, d.quote_status, d.quote_version, d.quote_expires_at,
           d.quote_closed_at, d.quote_transaction_id, d.limit_type, d.limit_minor, d.used_minor
    from unnest(decisions) d join unnest(items) i on i.ord = d.ord where d.outcome <> 'ok'
  loop
    return next made;
  end loop;
  if keys is not null then
    -- A key past its retention is as if it had never been used.
    insert into idempotency_keys as k (customer_id, operation, key, fingerprint, outcome, quote_id, received_at, created_at, expires_at)
    select i.customer_id, 'execute:' || i.quote_id, i.idempotency_key, i.fingerprint, d.outcome, i.quote_id, i.received_at, at,
           keys_expire_at
    from unnest(items) i join unnest(decisions) d on d.ord = i.ord
    where i.idempotency_key is not null and d.outcome = any (lasting)
    on conflict (customer_id, operation, key) do update set
      fingerprint = excluded.fingerprint, outcome = excluded.outcome, quote_id = excluded.quote_id, transaction_id = null,
      received_at = excluded.received_at, created_at = excluded.created_at, expires_at = excluded.expires_at
      where k.expires_at <= excluded.created_at;
  end if;
end $$;
