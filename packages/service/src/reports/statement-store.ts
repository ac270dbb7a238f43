import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

interface References {
  readonly reference: string;
  readonly clientReference: string | null;
}

/** References of a customer's trades and withdrawals, and of top-ups booked by hand, by their ids, or those of the deposits that have their places. */
export async function referencesOf(
  database: Queryable,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, References>> {
  const { rows } = await database.query<Pick<Row<'transactions'>, 'id' | 'reference' | 'client_reference'>>(
    `select t.id, t.reference, t.client_reference from transactions t
     where t.customer_id = $1 and t.id = any ($2::uuid[])
     union all
     select w.id, w.reference, w.client_reference from balance_withdrawals w
     where w.customer_id = $1 and w.id = any ($2::uuid[])
     union all
     select u.id, u.bank_reference, null from balance_top_ups u
     where u.customer_id = $1 and u.id = any ($2::uuid[])
     union all
     select u.deposit_id, u.bank_reference, null from balance_top_ups u
     where u.customer_id = $1 and u.deposit_id = any ($2::uuid[])
     union all
     select e.id, u.bank_reference, null from reversed_top_ups u cross join lateral (values (u.id), (u.reversal_id)) e (id)
     where u.customer_id = $1 and e.id = any ($2::uuid[])`,
    [customerId, ids],
  );
  return new Map(
    rows.map((row) => [row.id, { reference: row.reference, clientReference: row.client_reference }]),
  );
}
