-- A report that could not be made is told, whoever wanted it.
create or replace function tell_of_report() returns trigger language plpgsql as $$
begin
  perform tell_operators('report.failed', new.completed_at, new.id::text, json_build_object(
    'reportId', new.id, 'subject', new.report, 'reason', new.failure, 'scheduleId', new.schedule_id));
  return null;
end $$;

create or replace trigger failed_reports_are_told after update of status on report_jobs for each row
  when (new.status = 'failed' and old.status <> 'failed') execute function tell_of_report();
