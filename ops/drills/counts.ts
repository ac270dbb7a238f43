import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Pool } from '../../packages/service/src/database/pool.ts';
import { typeId } from '../../packages/service/src/platform/ids.ts';
import type { Traffic } from '../../packages/service/test/support/traffic.ts';

/** A trade as somebody has tried to make it. */
export interface Tried {
  readonly quoteBody: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  readonly execution: { readonly status: number; readonly body: any } | undefined;
}

/** What became of the trades of a drill, counted in the database. */
export interface Counts {
  /** Trades that a client was told of. */
  readonly acknowledged: number;
  /** Of those, how many are there. */
  readonly found: number;
  readonly lost: number;
  /** Requests of which there is more than one trade, whether they were acknowledged or not. */
  readonly doubled: number;
  /** Trades that no client was told of, which it finds by repeating its request. */
  readonly unreported: number;
}

export async function countTrades(
  pool: Pool,
  ...all: readonly { readonly attempts: readonly Tried[] }[]
): Promise<Counts> {
  const { rows } = await pool.query<{ id: string; client_reference: string | null }>(
    'select id, client_reference from transactions',
  );
  const ids = new Set(rows.map(({ id }) => typeId('txn', id)));
  const ofRequest = Map.groupBy(rows, (row) => row.client_reference);
  const attempts = all.flatMap((traffic) => traffic.attempts);
  const acknowledged = attempts.filter(({ execution }) => execution?.status === 201);
  const found = acknowledged.filter(({ execution }) => ids.has(execution?.body.transactionId)).length;
  const made = (reference: unknown) => ofRequest.get(reference as string)?.length ?? 0;
  return {
    acknowledged: acknowledged.length,
    found,
    lost: acknowledged.length - found,
    doubled: attempts.filter(({ quoteBody }) => made(quoteBody.clientReference) > 1).length,
    unreported: attempts.filter(
      ({ quoteBody, execution }) => execution?.status !== 201 && made(quoteBody.clientReference) === 1,
    ).length,
  };
}

/** Tells the counts, with more of the same kind, and holds that nothing was lost or doubled. */
export function tellCounts(
  t: TestContext,
  counts: Counts,
  more: Readonly<Record<string, number | string>> = {},
) {
  const reported = Object.entries({ ...counts, ...more }).map(([name, value]) => `${name} ${value}`);
  t.diagnostic(reported.join(', '));
  assert.deepEqual([counts.lost, counts.doubled], [0, 0], 'nothing is lost, nothing doubled');
  assert.ok(counts.acknowledged > 0, 'something was traded');
}

/** Longest time in which no trade was acknowledged, in seconds with one decimal, from this instant on. */
export function longestGap(traffic: Traffic, fromMs: number): number {
  const times = [fromMs, ...traffic.acknowledgedAt.filter((at) => at > fromMs)];
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  return Math.round(Math.max(...gaps) / 100) / 10;
}
