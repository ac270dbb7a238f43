-- The limits in force are those of the newest document. Whoever moves a position shares lock 7103 until the commit, so that
-- nothing is under way when limits change.
create or replace function set_exposure_limits(document json) returns void language plpgsql as $$
begin
  delete from exposure_limits;
  delete from exposure_hedges;
  insert into exposure_limits (key, limit_usd_minor)
    select 'total', (document ->> 'total')::numeric * 100 where document ->> 'total' is not null
    union all
    select 'each', (document ->> 'perCurrency')::numeric * 100 where document ->> 'perCurrency' is not null
    union all
    select c ->> 'currency', (c ->> 'limit')::numeric * 100 from json_array_elements(document -> 'currencies') c;
  insert into exposure_hedges (currency, amount)
    select h ->> 'currency', (h ->> 'amount')::numeric from json_array_elements(document -> 'hedges') h;
  update exposure_slots set keys = '{}', up_minor = '{}', down_minor = '{}';
end $$;
