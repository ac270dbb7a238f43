import type { Pool, Queryable } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';

const FORGET_EVERY_MS = 60_000;
const PORTION = 2_000; // limit: Quotes, or prices, that one commit looks at to delete what is past its retention
/** So that a backlog of years does not keep the database busy: 100,000 of each in a minute. */
const PORTIONS_PER_RUN = 50;

interface Forgetting {
  readonly pool: Pool;
  /** Business time; in production the database goes by its own clock. */
  readonly clock: Clock;
  readonly keptDays: number;
}

interface Portion {
  readonly looked: number;
  readonly gone: number;
}

/** Deletes quotes that ended without a trade and are older than what is kept, of up to `most` that are looked at. */
export async function forgetSomeQuotes(
  database: Queryable,
  { now, keptDays }: { readonly now: number; readonly keptDays: number },
  most = PORTION,
): Promise<Portion> {
  const { rows } = await database.query<Portion>('select looked, gone from forget_quotes($1, $2, $3)', [
    isoInstant(now),
    keptDays,
    most,
  ]);
  return rows[0] ?? { looked: 0, gone: 0 };
}

/** Deletes prices that only such quotes named, of up to `most` that are looked at. */
export async function forgetSomePrices(database: Queryable, most = PORTION): Promise<Portion> {
  const { rows } = await database.query<Portion>('select looked, gone from forget_prices($1)', [most]);
  return rows[0] ?? { looked: 0, gone: 0 };
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
