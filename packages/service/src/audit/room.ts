import type { Pool } from '../database/pool.ts';
import { journalLines } from '../ledger/journal-lines.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { AuditNotes } from './notes.ts';
import { sealSweep } from './seal.ts';
import { auditLines, type LogName, type SealedLog } from './sealed-log.ts';
import { LogVerifier } from './verify.ts';

/** What the use cases of this room work with. */
export interface AuditRoom {
  readonly pool: Pool;
  readonly notes: AuditNotes;
  readonly logs: Readonly<Record<LogName, SealedLog>>;
}

interface AuditOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly logger: Logger;
}

const VERIFY_EVERY_MS = 60_000;
/** Of 2,000 rows at most each: some tenths of a second of one core. */
const SEALS_PER_RUN = 20; // limit: Seals that the background verification looks at in a minute

/** The trail, what seals it and the journal, and what looks whether they still are as they were sealed. */
export function createAudit({ pool, clock, realClock, logger }: AuditOptions) {
  const logs = {
    audit: auditLines(() => realClock.now()),
    journal: journalLines(() => clock.now()),
  } satisfies AuditRoom['logs'];
  const notes = new AuditNotes(pool, realClock);
  const faults = new Map<LogName, number>([
    ['audit', 0],
    ['journal', 0],
  ]);
  const verifiers = Object.values(logs).map((log) => new LogVerifier(log));
  const verifySweep: Sweep = {
    name: 'verify_logs',
    does: 'Computes the seals of the audit trail and the journal again, some at a time, and tells of the first row that does not fit.',
    everyMs: VERIFY_EVERY_MS,
    async run() {
      for (const verifier of verifiers) {
        const { fault } = await verifier.step(pool, SEALS_PER_RUN);
        if (fault === undefined) continue;
        faults.set(fault.log, (faults.get(fault.log) ?? 0) + 1);
        logger.error(fault, 'a row is not as it was sealed');
      }
      // It looks, and moves nothing.
      return 0;
    },
  };
  return {
    pool,
    notes,
    logs,
    faults: faults as ReadonlyMap<LogName, number>,
    sweeps: [notes.sweep, sealSweep({ pool, clock, realClock }, Object.values(logs)), verifySweep],
  };
}
