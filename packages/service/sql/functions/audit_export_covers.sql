-- Whether an export was handed out a week ago that covers the rows after the first place up to the other, under a head that was signed.
create or replace function audit_export_covers(before_size bigint, size bigint) returns boolean language sql stable as $$
  select exists (
    select from log_exports e
    join log_heads h on h.log = e.log and h.size = e.size and h.root = e.root
    join log_seals s on s.log = e.log and s.size = e.size and s.root = e.root
    where e.log = 'audit' and e.from_size <= audit_export_covers.before_size and e.size >= audit_export_covers.size
      and e.exported_at < clock_timestamp() - interval '7 days'
  )
$$;
