import type { StatusState } from '@firmquote/api/operations/bank-statements';
import type { PaymentStatus } from '@firmquote/bank-formats';
import { insertRows } from '../database/insert-rows.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { isToBeTried } from './apply-failure-store.ts';
import type { DueSpan } from './process-due.ts';

interface NewStatus {
  readonly id: string;
  readonly fileId: string;
  readonly position: number;
  readonly payment: PaymentStatus;
  readonly state: StatusState;
}

export async function insertStatuses(connection: Connection, statuses: readonly NewStatus[]): Promise<void> {
  const rows = statuses.map(({ id, fileId, position, payment, state }) => ({
    id,
    file_id: fileId,
    position,
    line: payment.line,
    level: payment.level,
    status: payment.status,
    reason_code: payment.reasonCode,
    reason_text: payment.reasonText,
    original_id: payment.originalId,
    end_to_end_id: payment.endToEndId,
    instruction_id: payment.instructionId,
    uetr: payment.uetr,
    amount_minor: payment.amountMinor?.toString() ?? null,
    currency: payment.currency,
    state,
  }));
  await insertRows(connection, 'payment_statuses', rows);
}

/** A row as the driver gives it. */
export type StatusRow = Omit<Row<'payment_statuses'>, 'file_id'> & {
  readonly received_at: number;
  /** JSON text: `[{customer_id, transaction_id, purpose}]`. */
  readonly payment_of: string | null;
};

const STATUSES = `select s.*, f.received_at, (
    select json_agg(json_build_object('customer_id', n.customer_id, 'transaction_id', n.transaction_id, 'purpose', n.purpose)
      order by n.customer_id, n.transaction_id)
    from bank_notices n where n.source_id = s.id)::text as payment_of
  from payment_statuses s join statement_files f on f.id = s.file_id`;

/** Rows that another instance holds are skipped. */
export async function lockDueStatuses(
  connection: Connection,
  { rowsMax, after, upTo, now }: DueSpan,
): Promise<StatusRow[]> {
  const { rows } = await connection.query<StatusRow>(
    `${STATUSES} where s.state = 'due' and s.id > $2 and ($3::uuid is null or s.id <= $3) and ${isToBeTried('s.id', '$4')}
     order by s.id limit $1 for update of s skip locked`,
    [rowsMax, after, upTo, isoInstant(now)],
  );
  return rows;
}

export async function nextDueStatus(
  connection: Queryable,
  after: string,
  now: number,
): Promise<string | undefined> {
  const { rows } = await connection.query<Pick<Row<'payment_statuses'>, 'id'>>({
    name: 'next_due_status',
    text: `select s.id from payment_statuses s where s.state = 'due' and s.id > $1 and ${isToBeTried('s.id', '$2')}
     order by s.id limit 1`,
    values: [after, isoInstant(now)],
  });
  return rows[0]?.id;
}

export async function writeStatusOutcomes(
  connection: Connection,
  outcomes: readonly { readonly id: string; readonly state: StatusState; readonly reason: string | null }[],
): Promise<void> {
  await connection.query(
    `update payment_statuses s set state = o.state, mismatch_reason = o.reason
     from json_to_recordset($1) as o (id uuid, state text, reason text) where s.id = o.id`,
    [JSON.stringify(outcomes)],
  );
}

/** An operator has given up a status that could not be applied: it changes nothing any more. */
export async function giveUpStatus(connection: Connection, statusId: string): Promise<void> {
  await connection.query(
    `update payment_statuses s set state = 'mismatch', mismatch_reason = 'given_up'
     where s.id = $1 and s.state = 'due'`,
    [statusId],
  );
}

export async function listStatuses(
  connection: Queryable,
  fileId: string,
  states: readonly StatusState[] | undefined,
  after: number,
  rowsMax: number,
): Promise<StatusRow[]> {
  const { rows } = await connection.query<StatusRow>(
    `${STATUSES} where s.file_id = $1 and s.position > $2 and ($3::text[] is null or s.state = any ($3))
     order by s.position limit $4`,
    [fileId, after, states, rowsMax],
  );
  return rows;
}
