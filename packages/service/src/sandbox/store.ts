import type { SettlementMode } from '@firmquote/api/operations/sandbox';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { QuoteId } from '../quotes/store.ts';

export interface SandboxSettings {
  /** Business time less real time. */
  readonly clockOffsetMs: number;
  readonly autoDeposit: boolean;
  readonly settlement: SettlementMode;
}

/** For those who follow it: the settings are few, so they are their own version. */
export const SETTINGS_VERSION_QUERY = `select concat_ws(' ', clock_offset_ms, auto_deposit::text, settlement) from sandbox_settings`;

/** @param locked whether nobody else may change them until the transaction ends */
export async function readSettings(connection: Queryable, locked = false): Promise<SandboxSettings> {
  const { rows } = await connection.query<
    Pick<Row<'sandbox_settings'>, 'clock_offset_ms' | 'auto_deposit' | 'settlement'>
  >({
    name: locked ? 'sandbox_settings_locked' : 'sandbox_settings',
    text: `select clock_offset_ms, auto_deposit, settlement from sandbox_settings${locked ? ' for update' : ''}`,
  });
  const [row] = rows;
  if (row === undefined) throw new Error('the sandbox has no settings');
  return {
    clockOffsetMs: Number.parseInt(row.clock_offset_ms, 10),
    autoDeposit: row.auto_deposit,
    settlement: row.settlement,
  };
}

export async function writeBankSettings(
  connection: Queryable,
  { autoDeposit, settlement }: Pick<SandboxSettings, 'autoDeposit' | 'settlement'>,
): Promise<void> {
  await connection.query('update sandbox_settings set auto_deposit = $1, settlement = $2', [
    autoDeposit,
    settlement,
  ]);
}

export async function writeClockOffset(connection: Queryable, offsetMs: number): Promise<void> {
  await connection.query('update sandbox_settings set clock_offset_ms = $1', [offsetMs]);
}

/** Keeps what the bank is about to do as far away as it was when the clock is set back. */
export async function shiftJobs(connection: Queryable, byMs: number): Promise<void> {
  for (const table of ['sandbox_bank_jobs', 'sandbox_bank_runs']) {
    await connection.query(`update ${table} set due_at = due_at + $1 * interval '1 millisecond'`, [byMs]);
  }
}

/** Settlement becomes fast: trades that were waiting for their value date are released after the usual delay. */
export async function releaseFunded(connection: Queryable, dueAt: number): Promise<void> {
  await connection.query(
    `insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
     select customer_id, id, 'release', payout_attempts, $1 from transactions
     where status = 'funded' and json_array_length(holds) = 0
     on conflict do nothing`,
    [isoInstant(dueAt)],
  );
}

/** Payments no longer wait for files: payouts that are in none are the bank's to make. */
export async function payWithoutFiles(connection: Queryable, dueAt: number): Promise<void> {
  await connection.query(
    `insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
     select t.customer_id, t.id, 'payout', t.payout_attempts, $1 from transactions t
     where t.status = 'settling'
     on conflict do nothing`,
    [isoInstant(dueAt)],
  );
}

export type JobKind = 'deposit' | 'release' | 'payout' | 'retry' | 'return';

export interface BankJob {
  readonly customerId: string;
  readonly transactionId: string;
  readonly kind: JobKind;
  readonly step: number;
}

type JobRow = Omit<Row<'sandbox_bank_jobs'>, 'due_at'>;

/** Locks jobs that are due, passing over those that another instance works on. */
export async function claimJobs(
  connection: Connection,
  kind: JobKind,
  now: number,
  rowsMax: number,
): Promise<BankJob[]> {
  const { rows } = await connection.query<JobRow>({
    // Planned anew each time: a plan kept from when the table was empty would read it all.
    text: `select customer_id, transaction_id, kind, step from sandbox_bank_jobs
           where kind = $1 and due_at <= $2 order by due_at limit $3 for update skip locked`,
    values: [kind, isoInstant(now), rowsMax],
  });
  return rows.map((row) => ({
    customerId: row.customer_id,
    transactionId: row.transaction_id,
    kind: row.kind,
    step: row.step,
  }));
}

export async function deleteJobs(connection: Connection, jobs: readonly BankJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await connection.query({
    name: 'sandbox_delete_jobs',
    text: `delete from sandbox_bank_jobs j
           using unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) as d (customer_id, transaction_id, kind, step)
           where j.customer_id = d.customer_id and j.transaction_id = d.transaction_id
             and j.kind = d.kind and j.step = d.step`,
    values: [
      jobs.map((job) => job.customerId),
      jobs.map((job) => job.transactionId),
      jobs.map((job) => job.kind),
      jobs.map((job) => job.step),
    ],
  });
}

/** Puts the job that is due first off, so that one that cannot be done does not stand in the way of the others. */
export async function postponeFirst(
  connection: Queryable,
  kind: JobKind,
  now: number,
  byMs: number,
): Promise<void> {
  await connection.query(
    `update sandbox_bank_jobs j set due_at = $3
     from (
       select customer_id, transaction_id, kind, step from sandbox_bank_jobs
       where kind = $1 and due_at <= $2 order by due_at limit 1 for update skip locked
     ) f
     where j.customer_id = f.customer_id and j.transaction_id = f.transaction_id and j.kind = f.kind and j.step = f.step`,
    [kind, isoInstant(now), isoInstant(now + byMs)],
  );
}

/** Whether there is something to do for trades, and whether for payment files. */
export async function dueWork(
  connection: Queryable,
  now: number,
): Promise<{ readonly jobs: boolean; readonly runs: boolean }> {
  const { rows } = await connection.query<{ jobs: boolean; runs: boolean }>({
    // Planned anew each time: a plan kept from when the table was empty would read it all.
    text: `select exists (select from sandbox_bank_jobs where due_at <= $1) as jobs,
             exists (select from sandbox_bank_runs where due_at <= $1) as runs`,
    values: [isoInstant(now)],
  });
  return rows[0] ?? { jobs: false, runs: false };
}

/** When the bank next does something for a trade or a payment file. */
export async function nextJobAt(connection: Queryable): Promise<number | undefined> {
  const { rows } = await connection.query<{ at: number | null }>(
    'select least((select min(due_at) from sandbox_bank_jobs), (select min(due_at) from sandbox_bank_runs)) as at',
  );
  return rows[0]?.at ?? undefined;
}

const OPEN_DRILLS = `from ends_of_open_quotes() e cross join lateral (
    select * from current_quotes x where x.scenario = 903 and x.expires_at >= e.since and x.expires_at < e.before
    order by x.expires_at offset 0) q
  where status = 'open'`;

/** Open quotes of drill 903 that were made until an instant, the oldest first, but of some customers (UUIDs). */
export async function quotesToWithdraw(
  database: Queryable,
  madeUntil: number,
  besides: readonly string[],
  rowsMax: number,
): Promise<QuoteId[]> {
  const { rows } = await database.query<Pick<Row<'quotes'>, 'customer_id' | 'id'>>({
    // Planned anew each time: a plan kept from when the table was empty would read it all.
    text: `select customer_id, id ${OPEN_DRILLS} and created_at <= $1 and customer_id <> all ($2::uuid[])
           order by created_at limit $3`,
    values: [isoInstant(madeUntil), besides, rowsMax],
  });
  return rows.map((row) => ({ customerId: row.customer_id, id: row.id }));
}

/** When the oldest of them was made. */
export async function whenFirstToWithdraw(database: Queryable): Promise<number | undefined> {
  const { rows } = await database.query<{ at: number | null }>(`select min(created_at) as at ${OPEN_DRILLS}`);
  return rows[0]?.at ?? undefined;
}

export function earliest(...instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** From now on the bank sees every trade, and moves money for it. For the start in sandbox mode. */
export async function enableSandboxBank(connection: Queryable): Promise<void> {
  await connection.query('select enable_sandbox_bank()');
}
