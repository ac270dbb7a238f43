import type { Pool } from '../database/pool.ts';
import { journalLines } from '../ledger/journal-lines.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { archiveSweep } from './archive.ts';
import { type Heads, headSweep, type Signer } from './heads.ts';
import { AuditNotes } from './notes.ts';
import { type Sealing, sealSweep } from './seal.ts';
import { auditLines, type LogName, type SealedLog } from './sealed-log.ts';
import { verifyInBackground } from './verify-sweep.ts';

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

/** The trail, what seals it and the journal, and what checks that they still match their seals. */
export function createAudit({ pool, clock, realClock, logger, signer, keptDays }: AuditOptions) {
  const logs = {
    audit: auditLines(() => realClock.now()),
    journal: journalLines(() => clock.now()),
  } satisfies AuditRoom['logs'];
  const notes = new AuditNotes(pool, realClock);
  const sealing = { pool, clock, realClock };
  const heads = { pool, realClock, signer };
  const all = Object.values(logs);
  const verification = verifyInBackground({ pool, realClock, logger }, all);
  const archived = archiveSweep({ pool, realClock, logger, keptDays }, logs.audit);
  return {
    pool,
    logger,
    notes,
    logs,
    sealing,
    heads,
    faults: verification.faults,
    found: verification.found,
    sweeps: [notes.sweep, sealSweep(sealing, all), headSweep(heads, all), verification.sweep, archived],
  };
}
