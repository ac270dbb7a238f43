import type { Connection, Queryable } from '../database/pool.ts';
import type { ExceptionRow } from './exception-store.ts';
import { RESOLUTIONS } from './resolutions.ts';

/** Instances work on this one after the other. @returns false when another one is at it */
export async function lockShortPayments(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtext('short_payments')) as locked",
  );
  return rows[0]?.locked === true;
}

/** Overdue trades with a part of their money that nobody is at work on, and nobody was done with. */
export async function newlyShort(
  connection: Queryable,
  rowsMax: number,
): Promise<{ readonly customerId: string; readonly id: string }[]> {
  const { rows } = await connection.query<{ customerId: string; id: string }>(
    `select t.customer_id as "customerId", t.id from transactions t
     where t.status = 'overdue' and t.received_minor > 0
       and not exists (
         select from reconciliation_exceptions e where e.transaction_id = t.id and e.type = 'short'
           and (e.status = 'open' or e.resolution = any ($1::text[])))
     order by t.id limit $2`,
    [RESOLUTIONS, rowsMax],
  );
  return rows;
}

/** Open exceptions of trades that are no longer short, with what became of each trade. */
export async function noLongerShort(
  connection: Connection,
  rowsMax: number,
): Promise<(ExceptionRow & { readonly trade_status: string })[]> {
  const { rows } = await connection.query<ExceptionRow & { trade_status: string }>(
    `select e.*, t.status as trade_status from reconciliation_exceptions e
     join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
     where e.type = 'short' and e.status = 'open' and (t.status <> 'overdue' or t.received_minor = 0)
     order by e.id limit $1 for update of e`,
    [rowsMax],
  );
  return rows;
}

/** The newest deposit that a trade has a part of. */
export async function newestDepositOf(
  connection: Queryable,
  customerId: string,
  transactionId: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ id: string }>(
    `select deposit_id as id from deposit_allocations where customer_id = $1 and transaction_id = $2
     order by at desc, deposit_id desc limit 1`,
    [customerId, transactionId],
  );
  return rows[0]?.id;
}

/** A part of a deposit completes its trade: what is missing is forgiven. */
export async function addShortfall(
  connection: Connection,
  depositId: string,
  transactionId: string,
  minor: bigint,
): Promise<void> {
  const { rowCount } = await connection.query(
    `update deposit_allocations set shortfall_minor = shortfall_minor + $3
     where deposit_id = $1 and transaction_id = $2`,
    [depositId, transactionId, minor.toString()],
  );
  if (rowCount !== 1) throw new Error(`deposit ${depositId} has no part with ${transactionId}`);
}
