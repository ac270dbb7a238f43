import type { Pool, Queryable } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { type ExportRow, exportOver, NOTHING_ARCHIVED, readArchived, removeRows } from './archive-store.ts';
import { KeptTree, leavesKept } from './blocks.ts';
import { type Heads, headOf } from './heads.ts';
import { readTip, sealOfSize, sealsAfter } from './seal-store.ts';
import type { LogName, SealedLog } from './sealed-log.ts';
import { fewOf, leavesAt } from './sealed-rows.ts';
import { BLOCK } from './tree.ts';

const ARCHIVE_EVERY_MS = 3_600_000;
const SEALS_AT_ONCE = 500; // limit: Seals whose rows leave the trail in one transaction
const PORTIONS_PER_RUN = 20;
const DAY_MS = 86_400_000;
/** The clock of the database, which decides, is another one. */
const CLOCKS_MS = 3_600_000;

interface Archiving {
  readonly pool: Pool;
  readonly realClock: Clock;
  readonly logger: Logger;
  /** Undefined: the trail is kept for ever. */
  readonly keptDays: number | undefined;
}

/**
 * Takes the oldest rows out of the trail that an export has, some at a time. Their hashes stay, so everything about the log can be
 * proved as before. Whoever is first does it; `archive_audit` holds what may go.
 * @returns how many rows
 */
export async function archiveSome({ pool, realClock, logger, keptDays }: Archiving, log: SealedLog) {
  if (keptDays === undefined) return 0;
  const archived = await readArchived(pool, log.name);
  const covering = await exportOver(pool, log.name, archived.size, true);
  if (covering === undefined) return 0;
  const { looked, blocks } = await readTip(pool, log.name);
  // What is under a block that is not whole yet has its hashes from its rows.
  const sizeMax = Math.min(Number.parseInt(covering.size, 10), Number.parseInt(blocks, 10) * BLOCK);
  const oldest = realClock.now() - keptDays * DAY_MS - CLOCKS_MS;
  const due = (await sealsAfter(pool, log.name, archived.seals, SEALS_AT_ONCE, oldest)).filter(
    ({ number, size }) => BigInt(number) <= BigInt(looked) && Number.parseInt(size, 10) <= sizeMax,
  );
  const last = fewOf(due).at(-1);
  const from = Number.parseInt(archived.size, 10);
  const to = Number.parseInt(last?.size ?? archived.size, 10);
  // Each removal is a row of the trail itself.
  if (last === undefined || to - from < BLOCK) return 0;
  const [kept, found] = [await leavesKept(pool, log.name, from, to), await leavesAt(pool, log, from, to)];
  if (found === undefined || kept === undefined || found.some((leaf, i) => !leaf.equals(kept[i] as Buffer))) {
    const now = await readArchived(pool, log.name);
    // Rows that are not the sealed ones stay, and the verification reports them.
    if (now.seals === archived.seals) logger.error({ log: log.name, from, to }, 'rows cannot be archived');
    return 0;
  }
  return removeRows(pool, last.number, keptDays);
}

export function archiveSweep(archiving: Archiving, log: SealedLog): Sweep {
  return {
    name: 'archive_audit',
    does: 'Removes audit rows that are older than `FIRMQUOTE_AUDIT_RETENTION_DAYS` and are in an export.',
    everyMs: ARCHIVE_EVERY_MS,
    isHousekeeping: true,
    async run() {
      let moved = 0;
      for (let portion = 0; portion < PORTIONS_PER_RUN; portion++) {
        const rows = await archiveSome(archiving, log);
        if (rows === 0) break;
        moved += rows;
      }
      return moved;
    },
  };
}

/**
 * The exports that have the rows that were removed, one behind the other.
 * @returns undefined where none has all of them
 */
export async function exportsOfArchived(
  database: Queryable,
  log: LogName,
  archivedSize: string,
): Promise<ExportRow[] | undefined> {
  const found: ExportRow[] = [];
  let at = 0n;
  while (at < BigInt(archivedSize)) {
    const next = await exportOver(database, log, String(at), false);
    if (next === undefined) return undefined;
    found.push(next);
    at = BigInt(next.size);
  }
  return found;
}

/**
 * What a file states of rows that are in the log no more: up to which one, and which exports have them, each with a head whose signature
 * is good, and where the file begins behind its end, the proof that the log has only grown since (RFC 9162 §2.1.4).
 * @param startSize after how many rows the file begins
 */
export async function archivedOf(heads: Heads, log: SealedLog, startSize: number) {
  const { pool } = heads;
  const { size } = await readArchived(pool, log.name);
  if (size === NOTHING_ARCHIVED.size) return undefined;
  const tree = new KeptTree(pool, log, startSize);
  const exports = [];
  for (const each of (await exportsOfArchived(pool, log.name, size)) ?? []) {
    const rows = Number.parseInt(each.size, 10);
    const { number: seals = '0' } = (await sealOfSize(pool, log.name, rows)) ?? {};
    const { jws } = await headOf(heads, pool, log, { size: each.size, seals, root: each.root });
    exports.push({
      fromSize: Number.parseInt(each.from_size, 10),
      size: rows,
      root: each.root.toString('hex'),
      sha256: each.sha256.toString('hex'),
      exportedAt: isoInstant(each.exported_at),
      jws,
      ...(rows <= startSize && { hashes: (await tree.consistency(rows, startSize)).map(inHex) }),
    });
  }
  return { size: Number.parseInt(size, 10), exports };
}

const inHex = (hash: Buffer) => hash.toString('hex');
