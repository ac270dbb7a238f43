import { setTimeout as delay } from 'node:timers/promises';
import { findPair } from '@firmquote/fx';
import { type ClockWatch, MAX_CLOCK_SKEW_MS } from '../database/clock-watch.ts';
import type { Market } from '../market/market.ts';
import type { HealthRoom } from './room.ts';

/** A database that takes longer for nothing is not one to send traffic to. */
const DATABASE_LIMIT_MS = 2_000; // limit: Wait of `/readyz` for the database
/** A start that is not ready by then is none. */
const READY_LIMIT_MS = 30_000;
const READY_PAUSE_MS = 100;

/** Asked all the time of the processes of a service: with its answer one has noted in the database that it is there. */
export const READINESS = 'ready';

export interface Check {
  readonly ok: boolean;
  readonly detail: string;
}

type Checks<Name extends string> = Readonly<Record<Name, Check>>;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Checks<'database' | 'writes' | 'migrations' | 'clock' | 'accepting'>;
}

export interface PricingReadiness {
  readonly ready: boolean;
  readonly checks: Checks<'prices' | 'calendars'>;
}

/**
 * Waits until traffic may be sent here.
 * @throws Error with what is wrong when that takes too long
 */
export async function untilReady(room: HealthRoom): Promise<void> {
  const deadline = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const { ready, checks } = await checkReadiness(room);
    if (ready) return;
    if (performance.now() > deadline) {
      const wrong = Object.entries(checks).filter(([, { ok }]) => !ok);
      throw new Error(
        `The service does not become ready: ${wrong.map(([name, { detail }]) => `${name}: ${detail}`).join('; ')}.`,
      );
    }
    await delay(READY_PAUSE_MS);
  }
}

export interface PricingHealthRoom {
  readonly market: Market;
  /** Whether the settlement calendars reach far enough to quote. */
  readonly calendars: () => Check;
}

/**
 * May traffic be sent here. Prices do not belong to it: without them transactions, tokens and documentation are served as
 * ever, and prices that are pushed come through the same balancer.
 */
export async function checkReadiness(room: HealthRoom): Promise<Readiness> {
  const until = performance.now() + DATABASE_LIMIT_MS;
  const { database, clock } = await checkDatabase(room.clockWatch, until);
  const [writes, migrations] = database.ok
    ? await Promise.all([checkWrites(room.writes, until), checkMigrations(room.missingMigrations, until)])
    : [UNKNOWN, UNKNOWN];
  const checks = { database, writes, migrations, clock, accepting: room.accepting() };
  return { ready: areAllOk(checks), checks };
}

/** Can anything be quoted: prices are current, or the market is closed, and value dates are known. */
export function checkPricing({ market, calendars }: PricingHealthRoom): PricingReadiness {
  const checks = { prices: checkPrices(market), calendars: calendars() };
  return { ready: areAllOk(checks), checks };
}

function areAllOk(checks: Checks<string>): boolean {
  return Object.values(checks).every(({ ok }) => ok);
}

const UNKNOWN: Check = { ok: false, detail: 'not known without the database' };

async function checkDatabase(
  clockWatch: ClockWatch,
  until: number,
): Promise<{ database: Check; clock: Check }> {
  const before = performance.now();
  try {
    const skew = await answerInTime(clockWatch.measure(), until);
    return {
      database: { ok: true, detail: `answered in ${Math.round(performance.now() - before)} ms` },
      clock: { ok: skew <= MAX_CLOCK_SKEW_MS, detail: `${skew} ms from the database's` },
    };
  } catch {
    const check = { ok: false, detail: 'the database does not answer' };
    return { database: check, clock: UNKNOWN };
  }
}

async function checkWrites(writes: HealthRoom['writes'], until: number): Promise<Check> {
  try {
    return await answerInTime(writes(), until);
  } catch {
    return { ok: false, detail: 'a small write takes too long' };
  }
}

async function checkMigrations(missing: HealthRoom['missingMigrations'], until: number): Promise<Check> {
  try {
    const names = await answerInTime(missing(), until);
    if (names.length === 0) return { ok: true, detail: 'all are applied' };
    return { ok: false, detail: `the database lacks ${names.join(', ')}: it was replaced by an older one` };
  } catch {
    return { ok: false, detail: 'they cannot be read' };
  }
}

/**
 * Whoever asks waits seconds, not as long as a request may wait for the database, and not for each check anew.
 * @param until by `performance.now()`
 */
async function answerInTime<T>(answer: Promise<T>, until: number): Promise<T> {
  const limit = new AbortController();
  const leftMs = Math.max(0, until - performance.now());
  const late = delay(leftMs, undefined, { signal: limit.signal }).then(() => {
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
  const { fresh, stale, missing } = countPrices(market);
  return { ok: fresh > 0, detail: `${fresh} of ${fresh + stale + missing} pairs have a current price` };
}

/**
 * How many pairs that sources have quoted have a current price, an old one, and none. Nobody waits for the price of one that is
 * suspended.
 */
export function countPrices({ book }: Market): Record<'fresh' | 'stale' | 'missing', number> {
  const counts = { fresh: 0, stale: 0, missing: 0 };
  for (const code of book.quotedPairs()) {
    const pair = findPair(code);
    if (pair === undefined) continue;
    const { status } = book.read(pair);
    if (status === 'fresh' || book.settingsOf(pair).enabled) counts[status] += 1;
  }
  return counts;
}
