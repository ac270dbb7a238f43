-- What a payment is called belongs to the attempts that it pays: when its run is cancelled and it is made again, it is the same
-- payment to the bank, which so recognises it should both files reach it.
alter table payments add column live boolean not null default true;
update payments p set live = false from settlement_runs r where r.id = p.run_id and r.status = 'cancelled';
alter table payments drop constraint payments_end_to_end_id_key, drop constraint payments_uetr_key;
create unique index payments_end_to_end_id_once on payments (end_to_end_id) where live;
create unique index payments_uetr_once on payments (uetr) where live;
create index payments_end_to_end_id on payments (end_to_end_id);
create index payments_uetr on payments (uetr);

-- By whichever version the run is cancelled.
create function cancelled_run_ends_payments() returns trigger language plpgsql as $$
begin
  update payments set live = false where run_id = new.id;
  return null;
end $$;
create trigger settlement_runs_end_payments after update on settlement_runs for each row
  when (old.status <> 'cancelled' and new.status = 'cancelled') execute function cancelled_run_ends_payments();

-- Who has had the file of a run. A run that was made before this was written down may be at a bank.
alter table settlement_runs add column are_downloads_recorded boolean not null default false;
create table settlement_run_downloads (
  run_id uuid not null references settlement_runs (id),
  format text not null check (format in ('pain.001', 'csv')),
  by uuid not null,
  count int not null check (count > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (run_id, format, by)
);
