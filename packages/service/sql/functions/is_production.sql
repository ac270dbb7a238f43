-- For functions with the right of the tables' owner, which are stricter there. A database stays what its first start has said.
create or replace function is_production() returns boolean language sql stable as $$
  select exists (select from database_mode where mode = 'production')
$$;
