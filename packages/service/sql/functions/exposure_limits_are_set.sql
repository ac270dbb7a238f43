create or replace function exposure_limits_are_set() returns trigger language plpgsql set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(7103, 0);
  perform set_exposure_limits(new.document);
  return null;
end $$;

create or replace trigger exposure_limits_come_into_force after insert on pricing_settings
  for each row when (new.kind = 'exposure_limits') execute function exposure_limits_are_set();
