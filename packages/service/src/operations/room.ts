import type { ClockWatch } from '../database/clock-watch.ts';
import { missingFrom, type Schema } from '../database/migrate.ts';
import type { Pool } from '../database/pool.ts';
import type { Check } from './health.ts';
import { WriteProbe } from './write-probe.ts';

/** What the questions about the service's health work with. */
export interface HealthRoom {
  readonly clockWatch: ClockWatch;
  /** Whether the database takes writes. */
  readonly writes: () => Promise<Check>;
  /** Names of this version's migrations that the database lacks. */
  readonly missingMigrations: () => Promise<readonly string[]>;
  /** Whether requests are taken, and why not before the start is over and from the moment at which the stop begins. */
  readonly accepting: () => Check;
}

interface HealthOptions {
  readonly pool: Pool;
  readonly config: { readonly unsafeDatabase: 'refuse' | 'warn' };
  readonly clockWatch: ClockWatch;
  /** This version's. */
  readonly schema: Schema;
}

/** What readiness rests on. Nothing is sent here before the start is over, and after the stop began. */
export function createHealth({ pool, config, clockWatch, schema }: HealthOptions) {
  const probe = new WriteProbe(pool, config);
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  const health: HealthRoom = {
    clockWatch,
    writes: () => probe.check(),
    missingMigrations: () => missingFrom(pool, schema),
    accepting: () => ({ ok: phase === 'serving', detail: phase === 'serving' ? 'yes' : phase }),
  };
  return {
    health,
    isNotStopping: () => phase !== 'stopping',
    start(): void {
      phase = 'serving';
    },
    stop(): void {
      phase = 'stopping';
    },
  };
}
