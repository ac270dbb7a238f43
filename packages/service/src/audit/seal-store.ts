import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { LogName } from './sealed-log.ts';

export type SealRow = Row<'log_seals'>;
/** Where the sealing of a log stands; written back when it has gone on. */
export type Tip = { -readonly [Name in keyof Row<'log_tips'>]: Row<'log_tips'>[Name] } & { log: LogName };
export type HeadRow = Row<'log_heads'>;

/** Locked for who seals; undefined while another instance does. */
export async function lockTip(connection: Connection, log: LogName): Promise<Tip | undefined> {
  const { rows } = await connection.query<Tip>(
    'select log, seals, looked, size, through_key, peaks from log_tips where log = $1 for update skip locked',
    [log],
  );
  return rows[0];
}

export async function readTip(database: Queryable, log: LogName): Promise<Tip> {
  const { rows } = await database.query<Tip>(
    'select log, seals, looked, size, through_key, peaks from log_tips where log = $1',
    [log],
  );
  if (rows[0] === undefined) throw new Error(`log_tips has no row of ${log}`);
  return rows[0];
}

export async function writeTip(connection: Connection, tip: Tip): Promise<void> {
  await connection.query(
    'update log_tips set seals = $2, looked = $3, size = $4, through_key = $5, peaks = $6 where log = $1',
    [tip.log, tip.seals, tip.looked, tip.size, tip.through_key, tip.peaks],
  );
}

export async function insertSeal(connection: Connection, seal: SealRow): Promise<void> {
  await connection.query(
    `insert into log_seals (log, number, sealed_at, rows, after_key, through_key, late, fingerprints, size, root)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[seal.log, seal.number, isoInstant(seal.sealed_at), seal.rows, seal.after_key, seal.through_key],
      ...[seal.late, seal.fingerprints, seal.size, seal.root],
    ],
  );
}

/** In order, after a number; only those made until an instant, where one is given. */
export async function sealsAfter(
  database: Queryable,
  log: LogName,
  after: string,
  rowsMax: number,
  madeUntil?: number,
): Promise<SealRow[]> {
  const { rows } = await database.query<SealRow>(
    `select log, number, sealed_at, rows, after_key, through_key, late, fingerprints, size, root from log_seals
     where log = $1 and number > $2 and ($4::timestamptz is null or sealed_at <= $4) order by number limit $3`,
    [log, after, rowsMax, madeUntil === undefined ? null : isoInstant(madeUntil)],
  );
  return rows;
}

/** Keys of rows that were sealed after those around them. */
export async function lateKeys(database: Queryable, log: LogName): Promise<Set<string>> {
  const { rows } = await database.query<{ key: string }>(
    'select unnest(late) as key from log_seals where log = $1 and late is not null',
    [log],
  );
  return new Set(rows.map(({ key }) => key));
}

const HEAD_COLUMNS = 'log, size, seals, root, peaks, signed_at, jws';

/** In the order of sizes, after a size. */
export async function headsAfter(database: Queryable, log: LogName, size: string): Promise<HeadRow[]> {
  const { rows } = await database.query<HeadRow>(
    `select ${HEAD_COLUMNS} from log_heads where log = $1 and size > $2 order by size`,
    [log, size],
  );
  return rows;
}
