create or replace function notify_of_exception() returns trigger language plpgsql as $$
begin
  perform notify_operators('exception.opened', new.opened_at, new.id::text, json_build_object(
    'exceptionId', new.id, 'exceptionType', new.type, 'reason', new.reason, 'customerId', new.customer_id));
  return null;
end $$;

create or replace trigger exceptions_notify_operators after insert on reconciliation_exceptions for each row
  when (new.status = 'open') execute function notify_of_exception();
