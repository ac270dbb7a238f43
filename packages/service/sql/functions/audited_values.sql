-- Values as the audit trail tells them: of a secret that there is one, of a long value its digest.
create or replace function audited_values(row_values jsonb, hidden text[]) returns jsonb language sql stable as $$
  select jsonb_object_agg(v.key, case
    when v.key = any (hidden) and v.value <> 'null' then to_jsonb('(hidden)'::text)
    when length(v.value::text) > 8000 then to_jsonb(format('(%s characters, SHA-256 %s)', length(v.value::text),
      encode(sha256(convert_to(v.value::text, 'UTF8')), 'hex')))
    else v.value end order by v.key)
  from jsonb_each(row_values) v
$$;
