import type { Queryable } from '../database/pool.ts';

/** What waits, by the kinds `k` that are counted. */
const DEPOSITS = 'deposits x where x.status = k.kind';
const OPEN_EXCEPTIONS = "reconciliation_exceptions x where x.status = 'open' and x.type = k.kind";

/** Ranges of ages, each by the instants at which the youngest and the oldest of it begin; null: however young or old. */
export interface AgeRanges {
  readonly until: readonly (string | null)[];
  readonly after: readonly (string | null)[];
}

export interface CountOfAge<Kind extends string> {
  readonly kind: Kind;
  /** Place of the range, from 1. */
  readonly age: number;
  readonly count: number;
}

/** Deposits of each status, by when they were received, each counted up to `countMax`. */
export function countDepositsByAge<Kind extends string>(
  connection: Queryable,
  statuses: readonly Kind[],
  ages: AgeRanges,
  countMax: number,
): Promise<CountOfAge<Kind>[]> {
  return countByAge(connection, DEPOSITS, 'x.received_at', statuses, ages, countMax);
}

/** Open exceptions of each type, by when they were opened, each counted up to `countMax`. */
export function countExceptionsByAge<Kind extends string>(
  connection: Queryable,
  types: readonly Kind[],
  ages: AgeRanges,
  countMax: number,
): Promise<CountOfAge<Kind>[]> {
  return countByAge(connection, OPEN_EXCEPTIONS, 'x.opened_at', types, ages, countMax);
}

/** Each kind and age is a range of an index, read up to the limit. */
async function countByAge<Kind extends string>(
  connection: Queryable,
  source: string,
  instant: string,
  kinds: readonly Kind[],
  { until, after }: AgeRanges,
  countMax: number,
): Promise<CountOfAge<Kind>[]> {
  const { rows } = await connection.query<CountOfAge<Kind>>(
    `select k.kind, a.age::int, (select count(*) from (
         select from ${source} and ${instant} <= coalesce(a.until, 'infinity') and ${instant} > coalesce(a.after, '-infinity')
         limit $4) c)::int as count
     from unnest($1::text[]) with ordinality as k (kind, place)
     cross join unnest($2::timestamptz[], $3::timestamptz[]) with ordinality as a (until, after, age)
     order by k.place, a.age`,
    [kinds, until, after, countMax],
  );
  return rows;
}

/** How many deposits have each status, each counted up to `countMax`. */
export function levelOfDeposits(
  connection: Queryable,
  statuses: readonly string[],
  countMax: number,
): Promise<Map<string, number>> {
  return levelOf(connection, DEPOSITS, statuses, countMax);
}

/** How many exceptions of each type are open, each counted up to `countMax`. */
export function levelOfExceptions(
  connection: Queryable,
  types: readonly string[],
  countMax: number,
): Promise<Map<string, number>> {
  return levelOf(connection, OPEN_EXCEPTIONS, types, countMax);
}

async function levelOf(
  connection: Queryable,
  source: string,
  kinds: readonly string[],
  countMax: number,
): Promise<Map<string, number>> {
  const { rows } = await connection.query<{ kind: string; count: number }>(
    `select k.kind, (select count(*) from (select from ${source} limit $2) c)::int as count
       from unnest($1::text[]) as k (kind)`,
    [kinds, countMax],
  );
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}
