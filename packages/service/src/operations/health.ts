import { setTimeout as delay } from 'node:timers/promises';
import { findPair } from '@firmquote/fx';
import { type ClockWatch, MAX_CLOCK_SKEW_MS } from '../database/clock-watch.ts';
import type { Market } from '../market/market.ts';

/** A database that takes longer for nothing is not one to send traffic to. */
const DATABASE_LIMIT_MS = 2_000;

export interface Check {
  readonly ok: boolean;
  readonly detail: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<
    Record<'database' | 'writes' | 'clock' | 'prices' | 'calendars' | 'accepting', Check>
  >;
}

export interface HealthServices {
  readonly clockWatch: ClockWatch;
  /** Whether the database takes writes. */
  readonly writes: () => Promise<Check>;
  readonly market: Market;
  /** Whether the settlement calendars reach far enough to quote. */
  readonly calendars: () => Check;
  /** False from the moment the service begins to stop. */
  readonly accepting: () => boolean;
}

/** May traffic be sent here: database, writes, clock, prices, calendars, and not about to stop. */
export async function checkReadiness(services: HealthServices): Promise<Readiness> {
  const { database, clock } = await checkDatabase(services.clockWatch);
  const writes = database.ok ? await checkWrites(services.writes) : UNKNOWN;
  const accepting = services.accepting();
  const checks = {
    database,
    writes,
    clock,
    prices: checkPrices(services.market),
    calendars: services.calendars(),
    accepting: { ok: accepting, detail: accepting ? 'yes' : 'stopping' },
  };
  return { ready: Object.values(checks).every((check) => check.ok), checks };
}

const UNKNOWN: Check = { ok: false, detail: 'not known without the database' };

async function checkDatabase(clockWatch: ClockWatch): Promise<{ database: Check; clock: Check }> {
  const before = performance.now();
  try {
    const skew = await answerInTime(clockWatch.measure());
    return {
      database: { ok: true, detail: `answered in ${Math.round(performance.now() - before)} ms` },
      clock: { ok: skew <= MAX_CLOCK_SKEW_MS, detail: `${skew} ms from the database's` },
    };
  } catch {
    const check = { ok: false, detail: 'the database does not answer' };
    return { database: check, clock: UNKNOWN };
  }
}

async function checkWrites(writes: HealthServices['writes']): Promise<Check> {
  try {
    return await answerInTime(writes());
  } catch {
    return { ok: false, detail: 'a small write takes too long' };
  }
}

/** Whoever asks waits seconds, not as long as a request may wait for the database. */
async function answerInTime<T>(answer: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = delay(DATABASE_LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`no answer within ${DATABASE_LIMIT_MS} ms`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    limit.abort();
    late.catch(() => undefined);
    answer.catch(() => undefined);
  }
}

/** While the market is closed old prices are no fault. */
function checkPrices(market: Market): Check {
  if (market.stateNow().state === 'closed') return { ok: true, detail: 'the market is closed' };
  let fresh = 0;
  const pairs = market.book.pairs();
  for (const code of pairs) {
    const pair = findPair(code);
    if (pair !== undefined && market.book.read(pair).status === 'fresh') fresh++;
  }
  return { ok: fresh > 0, detail: `${fresh} of ${pairs.length} pairs have a current price` };
}
