import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { HaltRecord, HaltTarget } from './halts.ts';

type HaltRow = Omit<Row<'market_halts'>, 'closed_told_to' | 'closed_told' | 'opened_told_to' | 'opened_told'>;

const COLUMNS =
  'id, scope, pair, customer_id, reason, withdraws_quotes, halted_at, halted_by, resumed_at, resumed_by, resume_reason';

function haltFromRow(row: HaltRow): HaltRecord {
  return {
    id: row.id,
    scope: row.scope,
    pair: row.pair,
    customerId: row.customer_id,
    reason: row.reason,
    withdrawsQuotes: row.withdraws_quotes,
    haltedAt: row.halted_at,
    haltedBy: row.halted_by,
    resumedAt: row.resumed_at,
    resumedBy: row.resumed_by,
    resumeReason: row.resume_reason,
  };
}

/** Every halt in force; there is one for a target at most. */
export async function currentHalts(database: Queryable): Promise<HaltRecord[]> {
  const { rows } = await database.query<HaltRow>(
    `select ${COLUMNS} from market_halts where resumed_at is null order by halted_at, id`,
  );
  return rows.map(haltFromRow);
}

/** Newest first. */
export async function listHalts(
  database: Queryable,
  filters: { readonly status: 'active' | 'resumed' | undefined },
  before: string | undefined,
  limit: number,
): Promise<HaltRecord[]> {
  const { rows } = await database.query<HaltRow>(
    `select ${COLUMNS} from market_halts
     where ($1::boolean is null or (resumed_at is null) = $1) and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [filters.status === undefined ? null : filters.status === 'active', before ?? null, limit],
  );
  return rows.map(haltFromRow);
}

export async function findCurrentHalt(
  connection: Connection,
  { scope, pair, customerId }: HaltTarget,
): Promise<HaltRecord | undefined> {
  const { rows } = await connection.query<HaltRow>(
    `select ${COLUMNS} from market_halts
     where scope = $1 and coalesce(pair, customer_id::text, '') = $2 and resumed_at is null for update`,
    [scope, pair ?? customerId ?? ''],
  );
  return rows[0] && haltFromRow(rows[0]);
}

export async function insertHalt(connection: Connection, halt: HaltRecord): Promise<void> {
  await connection.query(
    `insert into market_halts (id, scope, pair, customer_id, reason, withdraws_quotes, halted_at, halted_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      halt.id,
      halt.scope,
      halt.pair,
      halt.customerId,
      halt.reason,
      halt.withdrawsQuotes,
      isoInstant(halt.haltedAt),
      halt.haltedBy,
    ],
  );
}

/** From now on the halt takes back quotes as well. */
export async function writeWithdrawing(connection: Connection, id: string): Promise<void> {
  await connection.query('update market_halts set withdraws_quotes = true where id = $1', [id]);
}

export async function writeResumption(connection: Connection, halt: HaltRecord): Promise<void> {
  await connection.query(
    'update market_halts set resumed_at = $2, resumed_by = $3, resume_reason = $4 where id = $1',
    [halt.id, halt.resumedAt === null ? null : isoInstant(halt.resumedAt), halt.resumedBy, halt.resumeReason],
  );
}
