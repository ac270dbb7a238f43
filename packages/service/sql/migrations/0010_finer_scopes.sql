-- What one scope permitted is several scopes now; whoever had the one has all of them, and can do what it could before.
-- Names have hyphens and, where they only read, a third part.
alter table oauth_clients
  drop constraint oauth_clients_scopes_check,
  drop constraint oauth_clients_scopes_of_kind,
  add constraint oauth_clients_scopes_check check (cardinality(scopes) between 0 and 100),
  add constraint oauth_clients_scopes_of_kind check (
    case kind
      when 'operator' then array_to_string(scopes, ' ') ~ '^(operator:([a-z-]+(:read)?|\*)( |$))*$'
      else array_to_string(scopes, ' ') ~ '^([a-z]+:[a-z]+( |$))*$' and array_to_string(scopes, ' ') !~ '\moperator:'
    end
  );

with split (scope, gets) as (
  values
    ('trades:execute', array['withdrawals:write']),
    ('operator:customers',
      array['operator:credentials', 'operator:settlement-instructions', 'operator:house-accounts']),
    ('operator:market', array['operator:prices']),
    ('operator:deposits', array['operator:funding', 'operator:entries']),
    ('operator:transactions', array['operator:payouts', 'operator:holds'])
), gained as (
  select c.id, array_agg(added.scope order by added.scope) as scopes
  from oauth_clients c
  join split on split.scope = any(c.scopes)
  cross join unnest(split.gets) as added (scope)
  where added.scope <> all(c.scopes)
  group by c.id
)
update oauth_clients c set scopes = c.scopes || gained.scopes from gained where gained.id = c.id;
