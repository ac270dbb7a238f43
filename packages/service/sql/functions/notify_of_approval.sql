create or replace function notify_of_approval() returns trigger language plpgsql as $$
begin
  perform notify_operators(
    case new.status when 'pending' then 'approval.requested' else 'approval.decided' end,
    coalesce(new.decided_at, new.proposed_at), new.id::text,
    json_build_object('approvalId', new.id, 'kind', new.kind, 'subject', new.subject, 'status', new.status));
  return null;
end $$;

create or replace trigger approvals_notify_operators after insert or update of status on approvals for each row
  execute function notify_of_approval();
