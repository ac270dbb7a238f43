-- From when on the next run of a schedule reports: what its last run reported until. Calendars and zones change between two runs, and what
-- they say of the slot before is not what was made. It is said of a day, because the version before moves on without saying it.
alter table report_schedules add column next_from timestamptz, add column next_from_date date,
  add constraint report_schedule_goes_on_from check ((next_from is null) = (next_from_date is null));
