import type { SetSwapPointPolicy } from '@firmquote/api/operations/swap-points';
import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** Points of one leg as texts, in pips. */
export interface LegText {
  readonly bid: string;
  readonly ask: string;
}

export type GivenLeg = 'on' | 'tn';

/** What an operator has set for a pair. Instants are epoch milliseconds. */
export interface PointsVersion extends Omit<CamelRow<'swap_point_versions'>, 'points'> {
  readonly points: { readonly on: LegText | null; readonly tn: LegText | null };
}

/** The newest points of a source for a leg of a pair. */
export interface PushedLeg extends LegText {
  readonly source: string;
  readonly pair: string;
  readonly leg: GivenLeg;
  readonly tradeDate: string;
  readonly madeAt: number;
}

/** Everything in force, as of one moment. */
export interface StoredSwapPoints {
  readonly version: bigint;
  readonly set: readonly PointsVersion[];
  readonly pushed: readonly PushedLeg[];
  readonly policy: { readonly version: number; readonly document: SetSwapPointPolicy } | undefined;
}

const VERSION_COLUMNS = `pair, version, trade_date::text as "tradeDate", points, source, reason,
  changed_by as "changedBy", round(extract(epoch from changed_at) * 1000)::float8 as "changedAt"`;

/** For those who follow it: it changes with every change of points and of the policy. */
export const SWAP_POINTS_VERSION_QUERY = 'select version from swap_points_state';

/**
 * What is in force, or undefined while it still is the known version. One statement sees one state.
 * @param from trade date before which points are over
 */
export async function readSwapPoints(
  connection: Queryable,
  from: string,
  known?: bigint,
): Promise<StoredSwapPoints | undefined> {
  const { rows } = await connection.query<{
    version: string;
    set: readonly PointsVersion[];
    pushed: readonly PushedLeg[];
    policy: StoredSwapPoints['policy'] | null;
  }>({
    name: 'read_swap_points',
    text: `select s.version,
             (select coalesce(jsonb_agg(to_jsonb(v)), '[]') from (
                select distinct on (pair) ${VERSION_COLUMNS} from swap_point_versions
                where trade_date >= $1 order by pair, swap_point_versions.version desc) v) as set,
             (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from (
                select source, pair, leg, bid::text, ask::text, trade_date::text as "tradeDate",
                  round(extract(epoch from made_at) * 1000)::float8 as "madeAt"
                from pushed_swap_points where trade_date >= $1) p) as pushed,
             (select to_jsonb(d) from (
                select version, document from swap_point_policies order by version desc limit 1) d) as policy
           from swap_points_state s where s.version is distinct from $2::bigint`,
    values: [from, known === undefined ? null : String(known)],
  });
  const row = rows[0];
  return row && { ...row, version: BigInt(row.version), policy: row.policy ?? undefined };
}

/** Changes of points and of the policy go one after the other. */
export async function bumpSwapPoints(connection: Connection): Promise<void> {
  await connection.query('update swap_points_state set version = version + 1');
}

export async function newestVersion(connection: Queryable, pair: string): Promise<PointsVersion | undefined> {
  return (await pointsVersions(connection, pair, 1))[0];
}

/** Newest first, after the version `before`. */
export async function pointsVersions(
  connection: Queryable,
  pair: string,
  rowsMax: number,
  before?: bigint,
): Promise<PointsVersion[]> {
  const { rows } = await connection.query<PointsVersion>(
    `select ${VERSION_COLUMNS} from swap_point_versions
     where pair = $1 and ($2::int is null or swap_point_versions.version < $2)
     order by swap_point_versions.version desc limit $3`,
    [pair, before ?? null, rowsMax],
  );
  return rows;
}

export async function insertVersion(connection: Connection, version: PointsVersion): Promise<void> {
  await connection.query(
    `insert into swap_point_versions (pair, version, trade_date, points, source, reason, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      version.pair,
      version.version,
      version.tradeDate,
      JSON.stringify(version.points),
      version.source,
      version.reason,
      version.changedBy,
      isoInstant(version.changedAt),
    ],
  );
}

/**
 * Keeps points that are not older than those of the same source, pair and leg. Answers which were kept, by index.
 * @param latest what bears a later time than this is of a clock that was set back since, and gives way
 */
export async function keepPushed(
  connection: Connection,
  pushed: readonly PushedLeg[],
  pushedBy: string,
  latest: number,
): Promise<Set<number>> {
  const { rows } = await connection.query<{ place: number }>(
    `with given as (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::numeric[], $6::date[], $7::timestamptz[])
         with ordinality as g (source, pair, leg, bid, ask, trade_date, made_at, place)
     ), newest as (
       -- One row can be written once by a statement: of several for a leg the newest, and of those the last.
       select distinct on (source, pair, leg) * from given order by source, pair, leg, made_at desc, place desc
     ), kept as (
       insert into pushed_swap_points as held (source, pair, leg, bid, ask, trade_date, made_at, pushed_by)
       select source, pair, leg, bid, ask, trade_date, made_at, $8 from newest order by source, pair, leg
       on conflict (source, pair, leg) do update
         set bid = excluded.bid, ask = excluded.ask, trade_date = excluded.trade_date, made_at = excluded.made_at,
             pushed_by = excluded.pushed_by
         where held.made_at <= excluded.made_at or held.made_at > $9
       returning source, pair, leg
     )
     select n.place::int as place from newest n join kept using (source, pair, leg)`,
    [
      pushed.map(({ source }) => source),
      pushed.map(({ pair }) => pair),
      pushed.map(({ leg }) => leg),
      pushed.map(({ bid }) => bid),
      pushed.map(({ ask }) => ask),
      pushed.map(({ tradeDate }) => tradeDate),
      pushed.map(({ madeAt }) => isoInstant(madeAt)),
      pushedBy,
      isoInstant(latest),
    ],
  );
  return new Set(rows.map(({ place }) => place - 1));
}

/** Held until the transaction ends: versions are made one after the other. */
export async function lockSwapPoints(connection: Connection): Promise<void> {
  await connection.query('select version from swap_points_state for update');
}
