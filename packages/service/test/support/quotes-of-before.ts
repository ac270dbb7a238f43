import { inTransaction, type Pool, type Queryable } from '../../src/database/pool.ts';

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

/** Makes an executed quote one of before its trade told what became of it: its own row says so, and each of the two events has a row. */
export async function recordTwiceAsBefore(owner: Pool, quoteId: string): Promise<void> {
  await inTransaction(owner, async (connection) => {
    // It counts open quotes, and this one is counted no more.
    await connection.query('alter table quotes disable trigger changed_quotes_are_counted');
    await connection.query(
      `update quotes q set status = c.status, version = c.version, closed_at = c.closed_at, transaction_id = c.transaction_id
       from current_quotes c where q.id = $1 and c.id = q.id`,
      [quoteId],
    );
    await connection.query('alter table quotes enable trigger changed_quotes_are_counted');
    await connection.query(
      `with told as (
         delete from events where quote_id = $1 and quote_version is not null returning id, sequence
       )
       insert into events (customer_id, sequence, id, type, at, quote_id, transaction_id, version, status, previous_status, client_reference)
       select e.customer_id, e.sequence, e.id, e.type, e.at, e.quote_id, e.transaction_id, e.version, e.status, e.previous_status,
         e.client_reference
       from feed_events e join told t on t.sequence = e.kept_at where e.quote_id = $1`,
      [quoteId],
    );
  });
}
