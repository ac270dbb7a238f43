-- A foreign key would look at the price again, and lock it, for each of the quotes that share it. Instead write_quotes
-- refuses a batch of which a price is missing, and prices stay as long as a quote names them: the one way out is forget_prices.
create or replace function refuse_forgetting() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('firmquote.forgets', true) = 'on' then return null; end if;
  raise exception 'prices of quotes are not deleted';
end $$;

create or replace trigger quote_prices_stay before delete or truncate on quote_prices execute function refuse_forgetting();
create or replace trigger market_prices_stay before delete or truncate on market_prices execute function refuse_forgetting();
create or replace trigger quote_spreads_stay before delete or truncate on quote_spreads execute function refuse_forgetting();
