import type { Connection, Queryable } from '../../database/pool.ts';
import type { Row } from '../../database/rows.ts';
import { isoInstant } from '../../platform/clock.ts';

/** Locks a payment file that is due, passing over those that another instance works on. */
export async function claimRun(connection: Connection, now: number): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'sandbox_bank_runs'>, 'run_id'>>(
    `select run_id from sandbox_bank_runs where due_at <= $1 order by due_at, run_id limit 1 for update skip locked`,
    [isoInstant(now)],
  );
  return rows[0]?.run_id;
}

export async function deleteRun(connection: Connection, runId: string): Promise<void> {
  await connection.query('delete from sandbox_bank_runs where run_id = $1', [runId]);
}

/** Puts the file that is due first off. */
export async function postponeRun(connection: Queryable, now: number, byMs: number): Promise<void> {
  await connection.query(
    `update sandbox_bank_runs set due_at = $2 where run_id in (
       select run_id from sandbox_bank_runs where due_at <= $1 order by due_at, run_id limit 1 for update skip locked)`,
    [isoInstant(now), isoInstant(now + byMs)],
  );
}

export async function runFile(connection: Queryable, runId: string): Promise<Buffer | undefined> {
  const { rows } = await connection.query<Pick<Row<'settlement_run_files'>, 'content'>>(
    `select content from settlement_run_files where run_id = $1 and format = 'pain.001'`,
    [runId],
  );
  return rows[0]?.content;
}

type RunPayment = Pick<Row<'payments'>, 'id' | 'end_to_end_id'> & {
  /** One of its payouts was made without a file before. */
  readonly is_paid: boolean;
  /** One of its payouts is to be refused (scenario 908). */
  readonly is_refused: boolean;
};

export async function runPayments(connection: Queryable, runId: string): Promise<RunPayment[]> {
  const { rows } = await connection.query<RunPayment>(
    `select p.id, p.end_to_end_id, bool_or(e.id is not null) as is_paid,
       bool_or(coalesce(t.scenario = 908 and i.attempt = 1 and i.purpose = 'payout', false)) as is_refused
     from payments p
     left join payment_items i on i.payment_id = p.id
     left join transactions t on t.customer_id = i.customer_id and t.id = i.transaction_id
     left join sandbox_bank_entries e
       on i.purpose = 'payout' and e.source = 'payout:' || i.transaction_id || ':' || i.attempt
     where p.run_id = $1 group by p.id, p.end_to_end_id`,
    [runId],
  );
  return rows;
}
