import type { Pool } from '../database/pool.ts';
import { journalLines } from '../ledger/journal-lines.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { archiveSweep } from './archive.ts';
import { type Heads, headSweep, type Signer } from './heads.ts';
import { AuditNotes } from './notes.ts';
import { type Sealing, sealSweep } from './seal.ts';
import { auditLines, type LogName, type SealedLog } from './sealed-log.ts';
import { type LogFault, LogVerifier } from './verify.ts';

/** What the use cases of this room work with. */
export interface AuditRoom {
  readonly logger: Logger;
  readonly pool: Pool;
  readonly notes: AuditNotes;
  readonly logs: Readonly<Record<LogName, SealedLog>>;
  readonly sealing: Sealing;
  readonly heads: Heads;
}

interface AuditOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly logger: Logger;
  readonly signer: Signer;
  /** For how many days rows of the trail are kept; undefined: for ever. */
  readonly keptDays: number | undefined;
}

const VERIFY_EVERY_MS = 60_000;
const SEALS_PER_STEP = 100;
/** Some tenths of a second of one core, and more than the seals of a minute. */
const STEPS_PER_RUN = 10;
const ROWS_PER_RUN = 20_000; // limit: Rows that the background verification looks at in a minute, about

/** The trail, what seals it and the journal, and what checks that they still match their seals. */
export function createAudit({ pool, clock, realClock, logger, signer, keptDays }: AuditOptions) {
  const logs = {
    audit: auditLines(() => realClock.now()),
    journal: journalLines(() => clock.now()),
  } satisfies AuditRoom['logs'];
  const notes = new AuditNotes(pool, realClock);
  const faults = new Map<LogName, number>([
    ['audit', 0],
    ['journal', 0],
  ]);
  const found = new Map<LogName, LogFault>();
  const verifiers = Object.values(logs).map((log) => new LogVerifier(log));
  const verifySweep: Sweep = {
    name: 'verify_logs',
    does: 'Recomputes the seals of the audit trail and the journal in portions, and reports the first row that does not match.',
    everyMs: VERIFY_EVERY_MS,
    isHousekeeping: true,
    async run() {
      for (const verifier of verifiers) {
        const { fault, done } = await verifySome(pool, verifier);
        if (fault === undefined) {
          if (done) found.delete(verifier.log);
          continue;
        }
        found.set(fault.log, fault);
        faults.set(fault.log, (faults.get(fault.log) ?? 0) + 1);
        logger.error(fault, 'a row does not match its seal');
      }
      // It looks, and moves nothing.
      return 0;
    },
  };
  const sealing = { pool, clock, realClock };
  const heads = { pool, realClock, signer };
  const all = Object.values(logs);
  const archived = archiveSweep({ pool, realClock, logger, keptDays }, logs.audit);
  return {
    pool,
    logger,
    notes,
    logs,
    sealing,
    heads,
    faults: faults as ReadonlyMap<LogName, number>,
    /** What the last look at each log has found. */
    found: () => [...found.values()],
    sweeps: [notes.sweep, sealSweep(sealing, all), headSweep(heads, all), verifySweep, archived],
  };
}

/** As much as is looked at in a minute, or to the end of the log. */
async function verifySome(
  pool: Pool,
  verifier: LogVerifier,
): Promise<{ readonly done: boolean; readonly fault?: LogFault }> {
  let rows = 0;
  for (let step = 0; step < STEPS_PER_RUN && rows < ROWS_PER_RUN; step++) {
    const { rows: looked, ...end } = await verifier.step(pool, SEALS_PER_STEP);
    if (end.done) return end;
    rows += looked;
  }
  return { done: false };
}
