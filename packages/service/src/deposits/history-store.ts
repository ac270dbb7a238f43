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

/** Trades and customers that have had a part of a deposit, as the API writes them, whether or not they have it still. */
export async function partsInHistory(
  connection: Queryable,
  depositId: string,
): Promise<{ transactionIds: string[]; customerIds: string[] }> {
  const { rows } = await connection.query<{ transaction: string | null; customer: string | null }>(
    `select distinct m.value ->> 'transactionId' as transaction, m.value ->> 'balanceOf' as customer
     from deposit_history h cross join lateral json_array_elements(h.detail -> 'matches') m where h.deposit_id = $1
     union select null, h.detail -> 'balance' ->> 'customerId' from deposit_history h where h.deposit_id = $1`,
    [depositId],
  );
  return {
    transactionIds: rows.flatMap(({ transaction }) => transaction ?? []),
    customerIds: rows.flatMap(({ customer }) => customer ?? []),
  };
}

/** Who bears the loss of a deposit that there never was, as the API writes it. */
export async function lossInHistory(
  connection: Queryable,
  depositId: string,
): Promise<{ readonly as: string; readonly customerId: string | null } | undefined> {
  const { rows } = await connection.query<{ as: string; customerId: string | null }>(
    `select detail ->> 'as' as "as", detail ->> 'customerId' as "customerId" from deposit_history
     where deposit_id = $1 and action = 'loss_borne' order by version desc limit 1`,
    [depositId],
  );
  return rows[0];
}

/** What the remitter's bank has taken back of a deposit, by an entry or by somebody's word. */
export async function takenBackInHistory(connection: Queryable, depositId: string): Promise<bigint> {
  const { rows } = await connection.query<{ minor: string }>(
    `select coalesce(sum((detail ->> 'returnedMinor')::numeric), 0)::text as minor from deposit_history
     where deposit_id = $1
       and (action = 'return_undone' or (action = 'returned' and detail ->> 'returnedBy' = 'remitter_bank'))`,
    [depositId],
  );
  return BigInt(rows[0]?.minor ?? 0);
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
