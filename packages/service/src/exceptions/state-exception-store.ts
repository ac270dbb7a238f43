import { RESOLUTIONS } from '@firmquote/api/operations/exceptions';
import type { Connection } from '../database/pool.ts';
import type { Present, Row } from '../database/rows.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';

/** SQL: that a person was done with an exception, and nobody has seen since that it was over. */
const IS_DONE_WITH = `e.status = 'resolved' and e.resolution in ('${RESOLUTIONS.join("', '")}') and e.over_at is null`;

/** Holds a name in the database until the transaction ends. False when another instance has it. */
export async function lockSweep(connection: Connection, name: string): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock(hashtext($1)) as locked',
    [name],
  );
  return rows[0]?.locked === true;
}

/** Open exceptions about payments that cannot be made for these reasons, by id, held until the transaction ends. */
export async function lockBlockedPayments(
  connection: Connection,
  reasons: readonly string[],
): Promise<ExceptionRow[]> {
  const { rows } = await connection.query<ExceptionRow>(
    `select * from reconciliation_exceptions
     where status = 'open' and type = 'payout_mismatch' and reason = any ($1::text[]) order by id for update`,
    [reasons],
  );
  return rows;
}

/** Exceptions about such payments that a person was done with, as far as nobody has seen since that the payment can be made. */
export async function doneWithPayments(
  connection: Connection,
  reasons: readonly string[],
): Promise<ExceptionRow[]> {
  const { rows } = await connection.query<ExceptionRow>({
    name: 'done_with_payments',
    text: `select * from reconciliation_exceptions e
     where e.type = 'payout_mismatch' and ${IS_DONE_WITH} and e.reason = any ($1::text[])`,
    values: [reasons],
  });
  return rows;
}

/** Those of the faults of sealed logs that have an exception already, open or not. */
export async function reportedLogFaults(
  connection: Connection,
  logFaults: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query<Present<Pick<Row<'reconciliation_exceptions'>, 'log_fault'>>>(
    'select log_fault from reconciliation_exceptions where log_fault = any ($1::text[])',
    [logFaults],
  );
  return rows.map((row) => row.log_fault);
}

/** Exceptions about trades that a person was done with while they were short, and which are not any more. */
export async function overShortPayments(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'reconciliation_exceptions'>, 'id'>>({
    name: 'short_payments_over',
    text: `select e.id from reconciliation_exceptions e
     join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
     where e.type = 'short' and ${IS_DONE_WITH} and (t.status <> 'overdue' or t.received_minor = 0)`,
  });
  return rows.map(({ id }) => id);
}

/** Overdue trades with a part of their money, without those of which somebody knows, or was done with as it is. */
export async function unreportedShortTrades(
  connection: Connection,
  rowsMax: number,
): Promise<Pick<Row<'transactions'>, 'customer_id' | 'id'>[]> {
  const { rows } = await connection.query<Pick<Row<'transactions'>, 'customer_id' | 'id'>>({
    name: 'short_payments',
    text: `select t.customer_id, t.id from transactions t
     where t.status = 'overdue' and t.received_minor > 0
       and not exists (
         select from reconciliation_exceptions e where e.transaction_id = t.id and e.type = 'short'
           and (e.status = 'open' or ${IS_DONE_WITH}))
     order by t.id limit $1`,
    values: [rowsMax],
  });
  return rows;
}

/** Open exceptions of trades that are no longer short, with the status of each trade, held until the transaction ends. */
export async function lockNoLongerShort(
  connection: Connection,
  rowsMax: number,
): Promise<(ExceptionRow & { readonly trade_status: string })[]> {
  const { rows } = await connection.query<ExceptionRow & { readonly trade_status: string }>(
    `select e.*, t.status as trade_status from reconciliation_exceptions e
     join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
     where e.type = 'short' and e.status = 'open' and (t.status <> 'overdue' or t.received_minor = 0)
     order by e.id limit $1 for update of e`,
    [rowsMax],
  );
  return rows;
}
