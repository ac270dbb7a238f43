-- Which scopes there are is known to the code. The schema holds that the two worlds never mix; a list here left out every
-- scope that came after it.
alter table oauth_clients drop constraint oauth_clients_check1;
alter table oauth_clients add constraint oauth_clients_scopes_of_kind check (
  case kind
    when 'operator' then array_to_string(scopes, ' ') ~ '^operator:[a-z*]+( operator:[a-z*]+)*$'
    else array_to_string(scopes, ' ') ~ '^[a-z]+:[a-z]+( [a-z]+:[a-z]+)*$' and array_to_string(scopes, ' ') !~ '\moperator:'
  end
);
