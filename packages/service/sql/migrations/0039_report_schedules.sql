-- Reports that are made again and again, by the calendar.
create table report_schedules (
  id uuid primary key,
  version integer not null check (version > 0),
  name text not null check (length(name) between 1 and 80),
  report text not null,
  format text not null check (format in ('json', 'csv')),
  every text not null check (every in ('day', 'week', 'month')),
  -- ISO weekday, or day of the month, of which the last one stands for those that it does not have.
  day_on integer,
  at_time text not null check (at_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  zone text not null,
  -- What becomes of a run on a day on which the currency does not settle.
  holidays text not null check (holidays in ('run', 'following', 'skip')),
  calendar text,
  customer_id uuid references customers (id),
  currency text,
  keep_days integer not null check (keep_days between 1 and 400),
  paused boolean not null,
  -- The day of the next slot: those before it were queued, or left out.
  next_date date not null,
  -- Slots that nothing was made for after a time without the service.
  left_out integer not null default 0 check (left_out >= 0),
  created_by uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint report_schedule_has_a_day check (case every when 'day' then day_on is null when 'week' then day_on between 1 and 7
    else day_on between 1 and 31 end),
  constraint report_schedule_has_a_calendar check ((holidays = 'run') = (calendar is null))
);

alter table report_jobs
  add column schedule_id uuid references report_schedules (id) on delete set null,
  -- The day of the schedule that it is for. One slot has one run, whichever instance queues it.
  add column slot date,
  add column due_at timestamptz,
  add constraint report_job_has_a_slot check (schedule_id is null or slot is not null),
  add constraint report_job_is_due check ((slot is null) = (due_at is null));
create unique index report_jobs_slots on report_jobs (schedule_id, slot) where schedule_id is not null;
