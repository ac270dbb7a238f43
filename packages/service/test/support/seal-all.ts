import { sealLog } from '../../src/audit/seal.ts';
import { auditLines, type LogName } from '../../src/audit/sealed-log.ts';
import type { Pool } from '../../src/database/pool.ts';
import { journalLines } from '../../src/ledger/journal-lines.ts';

/** Seals what was written just now too: nothing before it is under way. */
export async function sealAll(pool: Pool, name: LogName): Promise<void> {
  const clock = { now: () => Date.now() + 60_000 };
  const log = { audit: auditLines(clock.now), journal: journalLines(clock.now) }[name];
  const table = { audit: 'audit_log', journal: 'journal_entries' }[name];
  for (;;) {
    // The service itself may be at it.
    await sealLog({ pool: pool, clock, realClock: clock }, log);
    const { rows } = await pool.query(
      `select from log_tips where log = $1 and size = (select count(*) from ${table})`,
      [name],
    );
    if (rows.length === 1) return;
  }
}
