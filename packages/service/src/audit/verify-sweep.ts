import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { LogName, SealedLog } from './sealed-log.ts';
import { type LogFault, LogVerifier } from './verify.ts';

/** A walk through a log that is soon at its end begins again after this time. */
const WALK_EVERY_MS = 60_000;
/** So few rows at a time that what was read is gone before the next ones come, and that nobody waits for them. */
const STEP_EVERY_MS = 6_000; // limit: Time between two portions of the background verification, of up to 2,000 rows of each log
const SEALS_PER_STEP = 100;

export interface Verification {
  readonly sweep: Sweep;
  /** How often something did not fit. */
  readonly faults: ReadonlyMap<LogName, number>;
  /** What the last walk through each log has found. */
  readonly found: () => LogFault[];
}

interface Walk {
  readonly verifier: LogVerifier;
  /** Real time. */
  beganAt: number;
  isOver: boolean;
}

/** Whichever way somebody has put the clock meanwhile. */
const isSoonAfter = (now: number, before: number, ms: number) => Math.abs(now - before) < ms;

/** Walks through the logs again and again, a portion at a time. */
export function verifyInBackground(
  { pool, realClock, logger }: { readonly pool: Pool; readonly realClock: Clock; readonly logger: Logger },
  logs: readonly SealedLog[],
): Verification {
  const walks = logs.map((log): Walk => ({ verifier: new LogVerifier(log), beganAt: 0, isOver: true }));
  const faults = new Map<LogName, number>(logs.map(({ name }) => [name, 0]));
  const found = new Map<LogName, LogFault>();
  let steppedAt = Number.NEGATIVE_INFINITY;

  async function stepOn(walk: Walk, now: number): Promise<void> {
    if (walk.isOver) walk.beganAt = now;
    const { fault, done } = await walk.verifier.step(pool, SEALS_PER_STEP);
    walk.isOver = done;
    if (!done) return;
    if (fault === undefined) {
      found.delete(walk.verifier.log);
      return;
    }
    found.set(fault.log, fault);
    faults.set(fault.log, (faults.get(fault.log) ?? 0) + 1);
    logger.error(fault, 'a row does not match its seal');
  }

  const sweep: Sweep = {
    name: 'verify_logs',
    does: 'Recomputes the seals of the audit trail and the journal in portions, and reports the first row that does not match.',
    everyMs: STEP_EVERY_MS,
    isHousekeeping: true,
    async run() {
      const now = realClock.now();
      // Also where all sweeps are run because the clock of business moves, many times a second: logs are verified in real time.
      if (isSoonAfter(now, steppedAt, STEP_EVERY_MS / 2)) return 0;
      steppedAt = now;
      for (const walk of walks) {
        if (!walk.isOver || !isSoonAfter(now, walk.beganAt, WALK_EVERY_MS)) await stepOn(walk, now);
      }
      // It looks, and moves nothing.
      return 0;
    },
  };
  return { sweep, faults, found: () => [...found.values()] };
}
