-- Of a report that could not be made, whoever wanted it.
create or replace function notify_of_report() returns trigger language plpgsql as $$
begin
  perform notify_operators('report.failed', new.completed_at, new.id::text, json_build_object(
    'reportId', new.id, 'subject', new.report, 'reason', new.failure, 'scheduleId', new.schedule_id));
  return null;
end $$;

create or replace trigger failed_reports_notify_operators after update of status on report_jobs for each row
  when (new.status = 'failed' and old.status <> 'failed') execute function notify_of_report();
