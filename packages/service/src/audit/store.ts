import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** A row of the trail; `changes` is JSON text, as it was written. */
export type AuditRow = Row<'audit_log'>;

const COLUMNS = `a.number, a.at, a.kind, a.operation, a.resource, a.subjects, a.outcome, a.actor, a.actor_id, a.person_id,
  a.customer_id, a.token_id, a.address, a.request_id, a.approval_id, a.count, a.changes`;

interface AuditFilter {
  readonly kind?: string | undefined;
  readonly operation?: string | undefined;
  /** UUID of a client or a person. */
  readonly actorId?: string | undefined;
  /** Id in the address or in a key of what was changed. */
  readonly subject?: string | undefined;
  readonly requestId?: string | undefined;
  /** From inclusive, to exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Newest first, after the row `before`. */
export async function listAudit(
  database: Queryable,
  filter: AuditFilter,
  before: bigint | undefined,
  rowsMax: number,
): Promise<AuditRow[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['true'];
  if (filter.kind !== undefined) conditions.push(`a.kind = ${bind(filter.kind)}`);
  if (filter.operation !== undefined) conditions.push(`a.operation = ${bind(filter.operation)}`);
  if (filter.actorId !== undefined) {
    const id = bind(filter.actorId);
    conditions.push(`(a.actor_id = ${id}::uuid or a.person_id = ${id}::uuid)`);
  }
  if (filter.subject !== undefined) conditions.push(`a.subjects @> array[${bind(filter.subject)}::text]`);
  if (filter.requestId !== undefined) conditions.push(`a.request_id = ${bind(filter.requestId)}`);
  if (filter.from !== undefined) conditions.push(`a.at >= ${bind(isoInstant(filter.from))}`);
  if (filter.to !== undefined) conditions.push(`a.at < ${bind(isoInstant(filter.to))}`);
  if (before !== undefined) conditions.push(`a.number < ${bind(before)}::bigint`);
  const { rows } = await database.query<AuditRow>(
    `select ${COLUMNS} from audit_log a where ${conditions.join(' and ')} order by a.number desc limit ${bind(rowsMax)}`,
    values,
  );
  return rows;
}

/** In order, after a number and up to another one. */
export async function auditByNumber(
  database: Queryable,
  after: string,
  through: string,
  rowsMax: number,
): Promise<AuditRow[]> {
  const { rows } = await database.query<AuditRow>(
    `select ${COLUMNS} from audit_log a where a.number > $1 and a.number <= $2 order by a.number limit $3`,
    [after, through, rowsMax],
  );
  return rows;
}

/** Those with one of the numbers, in their order. */
export async function readAudit(database: Queryable, numbers: readonly string[]): Promise<AuditRow[]> {
  const { rows } = await database.query<AuditRow>(
    `select ${COLUMNS} from audit_log a where a.number = any ($1::bigint[]) order by a.number`,
    [numbers],
  );
  return rows;
}

export async function countAudit(database: Queryable, after: string, through: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::int as count from audit_log where number > $1 and number <= $2',
    [after, through],
  );
  return rows[0]?.count ?? 0;
}

/** A refusal or a reading is written after it was, and has a higher number than a row of a later instant. */
const OUT_OF_ORDER = 500;

/** The highest number of the last rows of an instant or before. */
export async function lastAuditNumber(database: Queryable, until: number): Promise<string> {
  const { rows } = await database.query<{ number: string | null }>(
    `select max(a.number) as number
     from (select number from audit_log where at <= $1 order by at desc, number desc limit $2) a`,
    [isoInstant(until), OUT_OF_ORDER],
  );
  return rows[0]?.number ?? '0';
}
