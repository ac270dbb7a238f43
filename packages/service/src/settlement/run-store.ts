import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import type { ChargeBearer } from './payment-file.ts';
import type { PlannedPayment } from './plan-payments.ts';

export const RUN_STATUSES = ['created', 'sent', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const FILE_FORMATS = ['pain.001', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** A row of `settlement_runs` as the driver gives it, with the checksums of its files. */
export interface RunRow {
  id: string;
  currency: string;
  value_date: string;
  execution_date: string;
  charge_bearer: ChargeBearer;
  status: RunStatus;
  message_id: string;
  payment_count: number;
  total_minor: string;
  version: number;
  created_by: string;
  created_at: number;
  ended_by: string | null;
  ended_at: number | null;
  files: readonly { readonly format: FileFormat; readonly sha256: string; readonly bytes: number }[];
}

const RUNS = `select r.*, (
    select json_agg(json_build_object('format', f.format, 'sha256', f.sha256, 'bytes', length(f.content)) order by f.format desc)
    from settlement_run_files f where f.run_id = r.id)::text as files
  from settlement_runs r`;

function ofRow(row: Omit<RunRow, 'files'> & { files: string | null }): RunRow {
  return { ...row, files: JSON.parse(row.files ?? '[]') as RunRow['files'] };
}

/** Runs of a currency are made one after the other, so that two never take the same payout. */
export async function lockRuns(connection: Queryable, currency: string): Promise<void> {
  await connection.query(`select pg_advisory_xact_lock(hashtext('settlement_runs'), hashtext($1))`, [
    currency,
  ]);
}

export async function insertRun(
  connection: Queryable,
  run: Omit<RunRow, 'files' | 'ended_by' | 'ended_at' | 'version' | 'status'>,
  files: Readonly<Record<FileFormat, string>>,
): Promise<void> {
  await connection.query(
    `insert into settlement_runs (id, currency, value_date, execution_date, charge_bearer, status, message_id,
       payment_count, total_minor, created_by, created_at)
     values ($1, $2, $3, $4, $5, 'created', $6, $7, $8, $9, $10)`,
    [
      run.id,
      run.currency,
      run.value_date,
      run.execution_date,
      run.charge_bearer,
      run.message_id,
      run.payment_count,
      run.total_minor,
      run.created_by,
      isoInstant(run.created_at),
    ],
  );
  for (const format of FILE_FORMATS) {
    await connection.query(
      `insert into settlement_run_files (run_id, format, content, sha256)
       values ($1, $2, $3, encode(sha256($3), 'hex'))`,
      [run.id, format, Buffer.from(files[format], 'utf8')],
    );
  }
}

export async function insertPayments(
  connection: Queryable,
  runId: string,
  currency: string,
  planned: readonly (PlannedPayment & { readonly masked: string })[],
  now: number,
): Promise<void> {
  const payments = planned.map((each) => ({ ...each, id: newUuid(now) }));
  await connection.query(
    `insert into payments (id, run_id, customer_id, end_to_end_id, uetr, currency, amount_minor, scheme,
       destination_masked, adjustments)
     select p.id, $1, p.customer_id, p.end_to_end_id, p.uetr, $2, p.amount_minor, p.scheme, p.destination_masked,
       p.adjustments
     from json_populate_recordset(null::payments, $3) p`,
    [
      runId,
      currency,
      JSON.stringify(
        payments.map((each) => ({
          id: each.id,
          customer_id: each.customerId,
          end_to_end_id: each.payment.endToEndId,
          uetr: each.payment.uetr,
          amount_minor: each.amountMinor.toString(),
          scheme: each.payment.scheme,
          destination_masked: each.masked,
          adjustments: each.adjustments,
        })),
      ),
    ],
  );
  await connection.query(
    `insert into payment_items (customer_id, transaction_id, withdrawal_id, purpose, attempt, payment_id, amount_minor)
     select i.customer_id, i.transaction_id, i.withdrawal_id, i.purpose, i.attempt, i.payment_id, i.amount_minor
     from json_populate_recordset(null::payment_items, $1) i`,
    [
      JSON.stringify(
        payments.flatMap((payment) =>
          payment.items.map((each) => ({
            customer_id: each.customer_id,
            transaction_id: each.transaction_id,
            withdrawal_id: each.withdrawal_id,
            purpose: each.purpose,
            attempt: each.attempt,
            payment_id: payment.id,
            amount_minor: each.amount_minor,
          })),
        ),
      ),
    ],
  );
}

export async function findRun(connection: Queryable, id: string, lock = false): Promise<RunRow | undefined> {
  const { rows } = await connection.query<Omit<RunRow, 'files'> & { files: string | null }>(
    `${RUNS} where r.id = $1 ${lock ? 'for update of r' : ''}`,
    [id],
  );
  return rows[0] && ofRow(rows[0]);
}

export async function listRuns(
  connection: Queryable,
  filter: { readonly currency: string | undefined; readonly status: readonly RunStatus[] | undefined },
  before: string | undefined,
  rowsMax: number,
): Promise<RunRow[]> {
  const { rows } = await connection.query<Omit<RunRow, 'files'> & { files: string | null }>(
    `${RUNS} where ($1::text is null or r.currency = $1) and ($2::text[] is null or r.status = any ($2))
       and ($3::uuid is null or r.id < $3)
     order by r.id desc limit $4`,
    [filter.currency ?? null, filter.status ?? null, before ?? null, rowsMax],
  );
  return rows.map(ofRow);
}

export async function endRun(
  connection: Queryable,
  id: string,
  status: 'sent' | 'cancelled',
  by: string,
  at: number,
): Promise<void> {
  await connection.query(
    `update settlement_runs set status = $2, version = version + 1, ended_by = $3, ended_at = $4 where id = $1`,
    [id, status, by, isoInstant(at)],
  );
  if (status !== 'cancelled') return;
  await connection.query(
    `update payment_items i set live = false from payments p where p.run_id = $1 and i.payment_id = p.id`,
    [id],
  );
}

export async function findFile(
  connection: Queryable,
  runId: string,
  format: FileFormat,
): Promise<{ readonly content: Buffer; readonly sha256: string } | undefined> {
  const { rows } = await connection.query<{ content: Buffer; sha256: string }>(
    'select content, sha256 from settlement_run_files where run_id = $1 and format = $2',
    [runId, format],
  );
  return rows[0];
}

/** How far an item of a payment has come, told from its trade or its withdrawal. An older attempt has failed, or it would be the last. */
export const ITEM_STATE = `case
    when not i.live then 'cancelled'
    when i.purpose = 'withdrawal' then case w.status
      when 'pending' then 'sent' when 'paid' then 'paid' when 'cancelled' then 'ended'
      else w.failure end
    when i.purpose = 'payout' and t.payout_attempts = i.attempt then t.payout_status
    when i.purpose = 'refund' and coalesce((t.refund ->> 'attempt')::int, 1) = i.attempt then
      case t.refund ->> 'status' when 'pending' then 'sent' when 'paid' then 'paid' else 'rejected' end
    when i.purpose = 'refund' then 'ended'
    else 'rejected'
  end`;

/** What items are for, as {@link ITEM_STATE} reads it. */
const SUBJECTS = `left join transactions t on t.customer_id = i.customer_id and t.id = i.transaction_id
  left join balance_withdrawals w on w.customer_id = i.customer_id and w.id = i.withdrawal_id`;

export type ItemState = 'sent' | 'paid' | 'rejected' | 'returned' | 'cancelled' | 'ended';

export interface PaymentRow {
  id: string;
  customer_id: string;
  end_to_end_id: string;
  uetr: string;
  currency: string;
  amount_minor: string;
  scheme: 'sepa' | 'plain';
  destination_masked: string;
  adjustments: string;
  /** What status reports have said last. */
  bank_status: string | null;
  bank_status_reason: string | null;
  bank_status_at: number | null;
  /** JSON: [{transaction_id, withdrawal_id, purpose, attempt, amount_minor, state}] */
  items: string;
}

export async function listPayments(
  connection: Queryable,
  runId: string,
  after: string | undefined,
  rowsMax: number,
): Promise<PaymentRow[]> {
  const { rows } = await connection.query<PaymentRow>(
    `select p.*, (
       select json_agg(json_build_object('transaction_id', i.transaction_id, 'withdrawal_id', i.withdrawal_id, 'purpose', i.purpose, 'attempt', i.attempt,
         'amount_minor', i.amount_minor::text, 'state', ${ITEM_STATE}) order by i.transaction_id)
       from payment_items i ${SUBJECTS}
       where i.payment_id = p.id)::text as items
     from payments p where p.run_id = $1 and ($2::uuid is null or p.id > $2) order by p.id limit $3`,
    [runId, after ?? null, rowsMax],
  );
  return rows;
}

/** How many items of a run are in each state. */
export async function countStates(
  connection: Queryable,
  runId: string,
): Promise<Readonly<Partial<Record<ItemState, number>>>> {
  const { rows } = await connection.query<{ state: ItemState; items: number }>(
    `select ${ITEM_STATE} as state, count(*)::int as items
     from payments p join payment_items i on i.payment_id = p.id
     ${SUBJECTS}
     where p.run_id = $1 group by 1`,
    [runId],
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.items]));
}

/** The house's account in a currency, which payments go from, and where its holder is; both as JSON. */
export interface DebtorAccount {
  readonly details: string;
  readonly holder_address: string | null;
}

export async function debtorAccount(
  connection: Queryable,
  currency: string,
): Promise<DebtorAccount | undefined> {
  const { rows } = await connection.query<DebtorAccount>(
    'select details, holder_address from collection_accounts where currency = $1',
    [currency],
  );
  return rows[0];
}
