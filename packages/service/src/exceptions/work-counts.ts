import { EXCEPTION_TYPES, type ExceptionType, WAITING_DEPOSITS } from '@firmquote/api/operations/deposits';
import { pendingByKind } from '../approvals/approvals.ts';
import type { Queryable } from '../database/pool.ts';
import { countWork } from '../payments/room.ts';
import { COUNTED_MAX } from '../payments/search-transactions.ts';
import { isoInstant } from '../platform/clock.ts';
import {
  type AgeRanges,
  type CountOfAge,
  countDepositsByAge,
  countExceptionsByAge,
  levelOfDeposits,
  levelOfExceptions,
} from './work-count-store.ts';

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
export async function countDeposits(
  connection: Queryable,
  now: number,
): Promise<WorkCount<(typeof WAITING_DEPOSITS)[number]>[]> {
  const counts = await countDepositsByAge(connection, WAITING_DEPOSITS, agesAt(now), COUNTED_MAX + 1);
  return counts.map(workCountOf);
}

/** How many exceptions are open, by type and by when they were opened. */
export async function countExceptions(
  connection: Queryable,
  now: number,
): Promise<WorkCount<ExceptionType>[]> {
  const counts = await countExceptionsByAge(connection, EXCEPTION_TYPES, agesAt(now), COUNTED_MAX + 1);
  return counts.map(workCountOf);
}

/** What the clock has yet to reach counts as new. */
function agesAt(now: number): AgeRanges {
  const before = (hours: number) => isoInstant(now - hours * HOUR_MS);
  const until = AGES.map((hours) => (hours === 0 ? null : before(hours)));
  const after = AGES.map((_, index) => {
    const next = AGES[index + 1];
    return next === undefined ? null : before(next);
  });
  return { until, after };
}

function workCountOf<Kind extends string>({ kind, age, count }: CountOfAge<Kind>): WorkCount<Kind> {
  return {
    kind,
    ageFromHours: AGES[age - 1] ?? 0,
    ageToHours: AGES[age] ?? null,
    count: Math.min(count, COUNTED_MAX),
    isMore: count > COUNTED_MAX,
  };
}

/** Beyond this a level is high, however much higher it is. */
const LEVEL_MAX = 10_000; // limit: Of each kind of work, counted for metrics

/** How much waits for people now, by kind, for the metrics: ranges of indexes, each read up to {@link LEVEL_MAX}. */
export async function waitingNow(
  connection: Queryable,
): Promise<Record<'deposits' | 'exceptions' | 'transactions' | 'approvals', Map<string, number>>> {
  return {
    deposits: await levelOfDeposits(connection, ['unmatched', 'partially_matched'], LEVEL_MAX),
    exceptions: await levelOfExceptions(connection, EXCEPTION_TYPES, LEVEL_MAX),
    transactions: new Map((await countWork(connection, LEVEL_MAX)).map(({ work, count }) => [work, count])),
    approvals: await pendingByKind(connection, LEVEL_MAX),
  };
}
