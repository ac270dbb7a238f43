import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type LogVerdict, verifyLog as verifyFile } from '@firmquote/client/logs';
import type { Pool } from '../database/pool.ts';
import { journalLines } from '../ledger/journal-lines.ts';
import type { Clock } from '../platform/clock.ts';
import { type MadeExport, readArchived, recordExport } from './archive-store.ts';
import { exportLog, type LogRange } from './export-log.ts';
import type { Signer } from './heads.ts';
import { auditLines, type LogName } from './sealed-log.ts';
import { sha256 } from './tree.ts';
import { verifyLog } from './verify.ts';

/** A log as a file, signed at its end. @param clock real time */
export function logText(pool: Pool, name: LogName, realClock: Clock, signer: Signer, range: LogRange = {}) {
  let made: MadeExport | undefined;
  const pieces = exportLog({ pool, realClock, signer }, logsOf(realClock)[name], range, (whole) => {
    made = whole;
  });
  /** Once all of it is where it belongs. */
  const record = async () => {
    if (made !== undefined) await recordExport(pool, made, realClock.now());
  };
  return { pieces, record };
}

/** Verifies an exported file, and nothing but it. @param keys of the service */
export function proveFile(file: string, keys: readonly object[] | undefined): Promise<LogVerdict> {
  return verifyFile(createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }), {
    sha256,
    keys: keys && { keys },
  });
}

/** Verifies both logs in the database, and says how many rows that were: a check of nothing must not look like a good one. */
export async function proveLogs(pool: Pool, clock: Clock) {
  const logs = logsOf(clock);
  const audit = await verifyLog(pool, logs.audit);
  const journal = audit.fault === undefined ? await verifyLog(pool, logs.journal) : undefined;
  const fault = audit.fault ?? journal?.fault;
  const rows = { audit: audit.rows, ...(journal && { journal: journal.rows }) };
  const archived = Number.parseInt((await readArchived(pool, logs.audit.name)).size, 10);
  return { ok: fault === undefined, rows, ...(archived > 0 && { archived }), ...fault };
}

function logsOf(clock: Clock) {
  return { audit: auditLines(() => clock.now()), journal: journalLines(() => clock.now()) };
}
