import type { Queryable } from '../../src/database/pool.ts';

/** Makes a quote one of before market and spread were kept apart: with all that it says of its price in a row of quote_prices. */
export async function keepAsBefore(owner: Queryable, quoteId: string): Promise<void> {
  await owner.query(
    `with kept as (
       insert into quote_prices (id, spread_rule_id, spread_rule_version, rate, pricing, evidence)
       select id, spread_rule_id, spread_rule_version, rate, pricing, evidence from priced_quotes where id = $1
       on conflict (id) do nothing
     ), traded as (
       update transactions set price_id = quote_id where quote_id = $1
     )
     update quotes set price_id = id, spread_id = null, rate = null, inverse = null, cost_vs_mid_bps = null, reference_percent = null
     where id = $1`,
    [quoteId],
  );
}
