-- A foreign key would look at the price again, and lock it, for each of the quotes that share it. Instead insert_quotes
-- refuses a batch of which a price is missing, and prices stay.
create or replace function refuse_forgetting() returns trigger language plpgsql as $$
begin
  raise exception 'prices of quotes are not deleted';
end $$;

create or replace trigger quote_prices_stay before delete or truncate on quote_prices execute function refuse_forgetting();
