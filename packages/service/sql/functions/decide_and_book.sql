-- Executes those of the items that may be, and says of each other one why not. Called by commit_executions for a batch that it could not
-- book as it is.
create or replace function decide_and_book(
  items execution_item[], at timestamptz, day date, keys_expire_at timestamptz, repeats boolean, keyed boolean)
returns setof execution_result language plpgsql as $$
declare
  accepted execution_item[];
  known int[] := '{}';
  decisions execution_decision[];
  done int;
  made execution_result;
begin
  select array_agg(d) into decisions from decide_executions(items) d;
  if keyed then
    -- The customers are locked: whoever used a key before has committed.
    for made in select * from known_executions(items, at, keys_expire_at - at) loop
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
  if keyed then perform keep_execution_keys(items, decisions, at, keys_expire_at); end if;
end $$;
