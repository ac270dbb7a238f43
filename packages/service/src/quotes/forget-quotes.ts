import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { forgetSomePrices, forgetSomeQuotes, PORTION, type Portion } from './end-store.ts';

const FORGET_EVERY_MS = 60_000;
/** So that a backlog of years does not keep the database busy: 100,000 of each in a minute. */
const PORTIONS_PER_RUN = 50;

interface Forgetting {
  readonly pool: Pool;
  /** Business time; in production the database goes by its own clock. */
  readonly clock: Clock;
  readonly keptDays: number;
}

/** Each portion is a commit of its own. @returns how many rows went */
export async function forgetQuotes({ pool, clock, keptDays }: Forgetting): Promise<number> {
  const quotes = await inPortions(() => forgetSomeQuotes(pool, { now: clock.now(), keptDays }));
  return quotes + (await inPortions(() => forgetSomePrices(pool)));
}

async function inPortions(some: () => Promise<Portion>): Promise<number> {
  let all = 0;
  for (let portion = 0; portion < PORTIONS_PER_RUN; portion++) {
    const { looked, gone } = await some();
    all += gone;
    if (looked < PORTION) break;
  }
  return all;
}

export function forgetQuotesSweep(forgetting: Forgetting): Sweep {
  return {
    name: 'forget_quotes',
    does: 'Deletes quotes without a trade older than `FIRMQUOTE_QUOTE_RETENTION_DAYS`, and prices that only they used.',
    everyMs: FORGET_EVERY_MS,
    isHousekeeping: true,
    run: () => forgetQuotes(forgetting),
  };
}
