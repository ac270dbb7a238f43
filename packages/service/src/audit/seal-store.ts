import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { LogName } from './sealed-log.ts';

export type SealRow = Row<'log_seals'>;
/** Where the sealing of a log stands; written back when it has gone on. */
export type Tip = { -readonly [Name in keyof Row<'log_tips'>]: Row<'log_tips'>[Name] } & { log: LogName };
export type HeadRow = Row<'log_heads'>;

const TIP_COLUMNS = 'log, seals, looked, size, through_key, peaks, blocks';
const SEAL_COLUMNS = 'log, number, sealed_at, rows, after_key, through_key, late, fingerprints, size, root';

/** Locked for who seals; undefined while another instance does. */
export async function lockTip(connection: Connection, log: LogName): Promise<Tip | undefined> {
  const { rows } = await connection.query<Tip>(
    `select ${TIP_COLUMNS} from log_tips where log = $1 for update skip locked`,
    [log],
  );
  return rows[0];
}

export async function readTip(database: Queryable, log: LogName): Promise<Tip> {
  const { rows } = await database.query<Tip>(`select ${TIP_COLUMNS} from log_tips where log = $1`, [log]);
  if (rows[0] === undefined) throw new Error(`log_tips has no row of ${log}`);
  return rows[0];
}

export async function writeTip(connection: Connection, tip: Tip): Promise<void> {
  await connection.query(
    `update log_tips set seals = $2, looked = $3, size = $4, through_key = $5, peaks = $6, blocks = $7
     where log = $1`,
    [tip.log, tip.seals, tip.looked, tip.size, tip.through_key, tip.peaks, tip.blocks],
  );
}

export async function insertSeal(connection: Connection, seal: SealRow): Promise<void> {
  await connection.query(
    `insert into log_seals (${SEAL_COLUMNS})
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
    `select ${SEAL_COLUMNS} from log_seals
     where log = $1 and number > $2 and ($4::timestamptz is null or sealed_at <= $4) order by number limit $3`,
    [log, after, rowsMax, madeUntil === undefined ? null : isoInstant(madeUntil)],
  );
  return rows;
}

/** Those that rows from one place up to another one are under. */
export async function sealsOver(
  database: Queryable,
  log: LogName,
  from: number,
  to: number,
): Promise<SealRow[]> {
  const { rows } = await database.query<SealRow>(
    `select ${SEAL_COLUMNS} from log_seals where log = $1 and size > $2
       and size <= (select size from log_seals where log = $1 and size >= $3 order by size limit 1) order by size`,
    [log, from, to],
  );
  return rows;
}

/** The first one with this number or a higher one that is not of late rows. */
export async function sealInPlace(
  database: Queryable,
  log: LogName,
  number: string,
): Promise<SealRow | undefined> {
  const { rows } = await database.query<SealRow>(
    `select ${SEAL_COLUMNS} from log_seals where log = $1 and number >= $2 and late is null order by number limit 1`,
    [log, number],
  );
  return rows[0];
}

/** The one that a late row is under, whose place is under one that goes on from a key. */
export async function lateSealOf(
  database: Queryable,
  log: LogName,
  afterKey: string,
  key: string,
): Promise<SealRow | undefined> {
  const { rows } = await database.query<SealRow>(
    `select ${SEAL_COLUMNS} from log_seals where log = $1 and late is not null and after_key = $2 and $3 = any (late)`,
    [log, afterKey, key],
  );
  return rows[0];
}

/** The first one with so many rows under it and those before it. */
export async function sealOfSize(
  database: Queryable,
  log: LogName,
  size: number,
): Promise<SealRow | undefined> {
  const { rows } = await database.query<SealRow>(
    `select ${SEAL_COLUMNS} from log_seals where log = $1 and size >= $2 order by size limit 1`,
    [log, size],
  );
  return rows[0];
}

/** The last seal made before an instant. */
export async function sealBefore(
  database: Queryable,
  log: LogName,
  instant: number,
): Promise<SealRow | undefined> {
  const { rows } = await database.query<SealRow>(
    `select ${SEAL_COLUMNS} from log_seals where log = $1 and sealed_at < $2 order by sealed_at desc, number desc limit 1`,
    [log, isoInstant(instant)],
  );
  return rows[0];
}

/** The last seal in its place that goes no further than a key; "0" before the first one. @returns its number */
export async function lastSealThrough(database: Queryable, log: LogName, key: string): Promise<string> {
  const { rows } = await database.query<{ before: string | null }>(
    'select max(number) as before from log_seals where log = $1 and late is null and through_key <= $2',
    [log, key],
  );
  return rows[0]?.before ?? '0';
}

/** Keys of rows that were sealed after those around them, under seals that go on from these keys. */
export async function lateKeys(
  database: Queryable,
  log: LogName,
  afterKeys: readonly string[],
): Promise<Set<string>> {
  if (afterKeys.length === 0) return new Set();
  const { rows } = await database.query<{ key: string }>(
    'select unnest(late) as key from log_seals where log = $1 and late is not null and after_key = any ($2)',
    [log, afterKeys],
  );
  return new Set(rows.map(({ key }) => key));
}

const HEAD_COLUMNS = 'log, size, seals, root, peaks, signed_at, jws';

/** In the order of sizes, after a size. */
export async function headsAfter(
  database: Queryable,
  log: LogName,
  size: string,
  rowsMax: number,
): Promise<HeadRow[]> {
  const { rows } = await database.query<HeadRow>(
    `select distinct on (size) ${HEAD_COLUMNS} from log_heads where log = $1 and size > $2
     order by size, signed_at desc limit $3`,
    [log, size, rowsMax],
  );
  return rows;
}

/** The largest first, below a size where one is given. */
export async function latestHeads(
  database: Queryable,
  log: LogName,
  below: bigint | undefined,
  rowsMax: number,
): Promise<HeadRow[]> {
  const { rows } = await database.query<HeadRow>(
    `select distinct on (size) ${HEAD_COLUMNS} from log_heads where log = $1 and size < coalesce($2, 9223372036854775807)
     order by size desc, signed_at desc limit $3`,
    [log, below ?? null, rowsMax],
  );
  return rows;
}

export async function findHead(
  database: Queryable,
  log: LogName,
  size: string,
): Promise<HeadRow | undefined> {
  const { rows } = await database.query<HeadRow>(
    `select ${HEAD_COLUMNS} from log_heads where log = $1 and size = $2 order by signed_at desc limit 1`,
    [log, size],
  );
  return rows[0];
}

/** One that is there already stays. */
export async function insertHead(database: Queryable, head: HeadRow): Promise<void> {
  await database.query(
    `insert into log_heads (${HEAD_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [head.log, head.size, head.seals, head.root, head.peaks, isoInstant(head.signed_at), head.jws],
  );
}

/** The hash of a whole subtree, of 256 rows or more. */
export interface LogNode {
  readonly level: number;
  readonly place: number;
  readonly hash: Uint8Array;
  /** Of the rows under it, where these are 256. */
  readonly leaves?: Buffer;
}

export async function insertNodes(
  database: Queryable,
  log: LogName,
  nodes: readonly LogNode[],
): Promise<void> {
  await database.query(
    `insert into log_nodes (log, level, place, hash, leaves)
     select $1, n.* from unnest($2::smallint[], $3::bigint[], $4::bytea[], $5::bytea[]) n on conflict do nothing`,
    [
      log,
      nodes.map(({ level }) => level),
      nodes.map(({ place }) => place),
      nodes.map(({ hash }) => hash),
      nodes.map(({ leaves }) => leaves ?? null),
    ],
  );
}

export async function readNodes(
  database: Queryable,
  log: LogName,
  nodes: readonly Pick<LogNode, 'level' | 'place'>[],
): Promise<Pick<Row<'log_nodes'>, 'level' | 'place' | 'hash'>[]> {
  const { rows } = await database.query<Pick<Row<'log_nodes'>, 'level' | 'place' | 'hash'>>(
    `select n.level, n.place, n.hash from unnest($2::smallint[], $3::bigint[]) w (level, place)
     join log_nodes n on n.log = $1 and n.level = w.level and n.place = w.place order by n.level desc`,
    [log, nodes.map(({ level }) => level), nodes.map(({ place }) => place)],
  );
  return rows;
}

/** The hashes of the rows of a whole block. */
export async function readLeaves(
  database: Queryable,
  log: LogName,
  block: number,
): Promise<Buffer | undefined> {
  const { rows } = await database.query<Pick<Row<'log_nodes'>, 'leaves'>>(
    'select leaves from log_nodes where log = $1 and level = 8 and place = $2',
    [log, block],
  );
  return rows[0]?.leaves ?? undefined;
}
