-- Executions are refused; what takes a trade back or closes it out is not, but what it moves counts.
create or replace function hold_house_limits() returns trigger language plpgsql as $$
declare
  codes text[];
  minors numeric[];
begin
  if not exists (select from written w where 'position' = any (w.accounts)) then return null; end if;
  perform pg_advisory_xact_lock_shared(7103, 0);
  -- Until the first instance that knows of this has told what positions are worth, nothing can be held.
  if not exists (select from exposure_limits) or not exists (select from exposure_values) then return null; end if;
  select array_agg(m.currency order by m.currency), array_agg(m.minor order by m.currency) into codes, minors
  from (
    select p.currency, -sum(p.amount) as minor
    from written w, unnest(w.accounts, w.currencies, w.amounts) as p (account, currency, amount)
    where p.account = 'position' group by p.currency having sum(p.amount) <> 0
  ) m;
  if codes is null then return null; end if;
  begin
    perform take_from_slot(pg_backend_pid() % 8, codes, minors);
    return null;
  exception when sqlstate 'FQX00' then
    -- The slot is given back, so that two who need all of them do not wait for each other.
  end;
  perform 1 from exposure_slots s order by s.slot for update;
  perform deal_out_exposure(codes, minors, exists (select from written w where w.kind = 'trade_executed'));
  return null;
end $$;

-- After journal_keeps_positions, by their names: what is moved is in house_positions.
create or replace trigger journal_within_house_limits after insert on journal_entries referencing new table as written
  for each statement execute function hold_house_limits();
