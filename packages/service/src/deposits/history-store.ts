import { insertRows } from '../database/insert-rows.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

export type DepositHistoryEntry = Omit<CamelRow<'deposit_history'>, 'detail'> & {
  readonly detail: Readonly<Record<string, unknown>>;
};

export async function insertDepositHistory(
  connection: Connection,
  entries: readonly DepositHistoryEntry[],
): Promise<void> {
  const rows = entries.map(({ depositId, at, ...entry }) => ({
    ...entry,
    deposit_id: depositId,
    at: isoInstant(at),
  }));
  await insertRows(connection, 'deposit_history', rows);
}

/** Nobody works on a deposit more often than that; older steps of one that was are left out. */
const HISTORY_ROWS_MAX = 500; // limit: Steps shown of a history

type HistoryRow = Omit<Row<'deposit_history'>, 'deposit_id'>;

/** Newest first. */
export async function depositHistory(connection: Queryable, depositId: string): Promise<HistoryRow[]> {
  const { rows } = await connection.query<HistoryRow>(
    `select version, at, actor, action, reason, detail from deposit_history
     where deposit_id = $1 order by version desc limit $2`,
    [depositId, HISTORY_ROWS_MAX],
  );
  return rows;
}

/** Newest first. */
export async function exceptionHistory(connection: Queryable, exceptionId: string): Promise<HistoryRow[]> {
  const { rows } = await connection.query<HistoryRow>(
    `select version, at, actor, action, note as reason, detail from exception_history
     where exception_id = $1 order by version desc limit $2`,
    [exceptionId, HISTORY_ROWS_MAX],
  );
  return rows;
}
export type { HistoryRow };
