import { EXCEPTION_TYPES, type ExceptionType, WAITING_DEPOSITS } from '@firmquote/api/operations/deposits';
import { pendingByKind } from '../approvals/approvals.ts';
import type { Queryable } from '../database/pool.ts';
import { COUNTED_MAX, countWork } from '../payments/search-transactions.ts';
import { isoInstant } from '../platform/clock.ts';

const HOUR_MS = 3_600_000;
/** Hours at which an age begins. */
const AGES = [0, 24, 72, 168] as const;

export interface WorkCount<Kind extends string> {
  readonly kind: Kind;
  readonly ageFromHours: number;
  /** Null: however old. */
  readonly ageToHours: number | null;
  /** Up to {@link COUNTED_MAX}. */
  readonly count: number;
  readonly isMore: boolean;
}

/** How many deposits wait, by status and by when they were received. */
export function countDeposits(
  connection: Queryable,
  now: number,
): Promise<WorkCount<(typeof WAITING_DEPOSITS)[number]>[]> {
  return countBy(connection, WAITING_DEPOSITS, now, 'deposits x where x.status = k.kind', 'x.received_at');
}

/** How many exceptions are open, by type and by when they were opened. */
export function countExceptions(connection: Queryable, now: number): Promise<WorkCount<ExceptionType>[]> {
  const open = "reconciliation_exceptions x where x.status = 'open' and x.type = k.kind";
  return countBy(connection, EXCEPTION_TYPES, now, open, 'x.opened_at');
}

/** Beyond this a level is high, however much higher it is. */
const LEVEL_MAX = 10_000; // limit: Of each kind of work, counted for metrics

/** How much waits for people now, by kind, for the metrics: ranges of indexes, each read up to {@link LEVEL_MAX}. */
export async function waitingNow(
  connection: Queryable,
): Promise<Record<'deposits' | 'exceptions' | 'transactions' | 'approvals', Map<string, number>>> {
  const level = async (kinds: readonly string[], source: string) => {
    const { rows } = await connection.query<{ kind: string; count: number }>(
      `select k.kind, (select count(*) from (select from ${source} limit $2) c)::int as count
       from unnest($1::text[]) as k (kind)`,
      [kinds, LEVEL_MAX],
    );
    return new Map(rows.map(({ kind, count }) => [kind, count]));
  };
  return {
    deposits: await level(['unmatched', 'partially_matched'], 'deposits x where x.status = k.kind'),
    exceptions: await level(
      EXCEPTION_TYPES,
      "reconciliation_exceptions x where x.status = 'open' and x.type = k.kind",
    ),
    transactions: new Map((await countWork(connection, LEVEL_MAX)).map(({ work, count }) => [work, count])),
    approvals: await pendingByKind(connection, LEVEL_MAX),
  };
}

/** Each kind and age is a range of an index, read up to the limit. What the clock has yet to reach counts as new. */
async function countBy<Kind extends string>(
  connection: Queryable,
  kinds: readonly Kind[],
  now: number,
  source: string,
  instant: string,
): Promise<WorkCount<Kind>[]> {
  const before = (hours: number) => isoInstant(now - hours * HOUR_MS);
  const until = AGES.map((hours) => (hours === 0 ? null : before(hours)));
  const after = AGES.map((_, index) => {
    const next = AGES[index + 1];
    return next === undefined ? null : before(next);
  });
  const { rows } = await connection.query<{ kind: Kind; age: number; count: number }>(
    `select k.kind, a.age::int, (select count(*) from (
         select from ${source} and ${instant} <= coalesce(a.until, 'infinity') and ${instant} > coalesce(a.after, '-infinity')
         limit $4) c)::int as count
     from unnest($1::text[]) with ordinality as k (kind, place)
     cross join unnest($2::timestamptz[], $3::timestamptz[]) with ordinality as a (until, after, age)
     order by k.place, a.age`,
    [kinds, until, after, COUNTED_MAX + 1],
  );
  return rows.map(({ kind, age, count }) => ({
    kind,
    ageFromHours: AGES[age - 1] ?? 0,
    ageToHours: AGES[age] ?? null,
    count: Math.min(count, COUNTED_MAX),
    isMore: count > COUNTED_MAX,
  }));
}
