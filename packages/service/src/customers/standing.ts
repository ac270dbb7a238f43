import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

/** What other rooms ask of customers while they hold rows of their own. */

/** Whether there is such a customer, who stays as it is until the transaction ends. */
export async function holdCustomer(connection: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await connection.query('select from customers where id = $1 for no key update', [id]);
  return rowCount === 1;
}

/** Whether a customer is active or suspended; it stays so until the transaction ends. To be asked before balances are held. */
export async function lockStatus(connection: Queryable, id: string): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'customers'>, 'status'>>(
    'select status from customers where id = $1 for share',
    [id],
  );
  return rows[0]?.status;
}

/** Until the transaction ends nobody executes or ends a quote of the customer; what was executed before is seen by the next statement. */
export async function holdTrading(connection: Queryable, id: string): Promise<void> {
  await connection.query('select from customer_usage where customer_id = $1 for update', [id]);
}

/** Active customers in the order of their ids. */
export async function activeCustomersBetween(
  connection: Queryable,
  after: string | null,
  upTo: string | null,
  limit: number,
): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'customers'>, 'id'>>(
    `select id from customers where status = 'active' and ($1::uuid is null or id > $1) and ($2::uuid is null or id <= $2)
     order by id limit $3`,
    [after, upTo, limit],
  );
  return rows.map(({ id }) => id);
}

/** Those of the customers who want what they buy in their balance. */
export async function wantProceedsInBalance(
  connection: Queryable,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await connection.query<Pick<Row<'customers'>, 'id'>>(
    `select id from customers where id = any ($1::uuid[]) and settings ->> 'proceedsToBalance' = 'true'`,
    [ids],
  );
  return new Set(rows.map((row) => row.id));
}
