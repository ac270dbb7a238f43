import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { keepBlocks } from './blocks.ts';
import {
  insertSeal,
  lastSealThrough,
  lateKeys,
  lockTip,
  sealsAfter,
  type Tip,
  writeTip,
} from './seal-store.ts';
import type { SealedLog } from './sealed-log.ts';
import { chunks, FINGERPRINT_BYTES, PIECE, readLines, wholeRow } from './sealed-rows.ts';
import { leafHash, peaksOf, rootOf, treeOf } from './tree.ts';

const BATCH = 2_000; // limit: Rows under one seal
/** What comes later than this behind its time is not sealed, and found by the verification. */
export const LATE_MS = 600_000; // limit: How late a row may come for the sealing of its time
/** Seals looked at a second time in one transaction. */
const SECOND_LOOKS_MAX = 50;
const SEAL_EVERY_MS = 2_000;

export interface Sealing {
  readonly pool: Pool;
  /** Of the business: journal entries are of its instants. */
  readonly clock: Clock;
  readonly realClock: Clock;
}

/**
 * Seals what is new in a log, in batches. A batch is all rows that are there with keys up to a moment ago; of what comes later with
 * such a key, a second look ten minutes afterwards finds all, and seals it as late. Nothing else waits for this; one instance does
 * it at a time.
 * @returns how many rows were sealed
 */
export async function sealLog(sealing: Sealing, log: SealedLog): Promise<number> {
  let sealed = 0;
  for (;;) {
    const rows = await inTransaction(sealing.pool, (connection) => sealOnce(connection, sealing, log));
    sealed += rows;
    if (rows < BATCH) return sealed;
  }
}

async function sealOnce(
  connection: Connection,
  { clock, realClock }: Sealing,
  log: SealedLog,
): Promise<number> {
  const tip = await lockTip(connection, log.name);
  if (tip === undefined) return 0;
  const now = realClock.now();
  const { looked } = tip;
  const late = await sealLateRows(connection, log, tip, now, clock.now());
  const through = await log.boundary(connection);
  const after = tip.through_key ?? log.start;
  const { leaves, last } = await nextLeaves(connection, log, after, through);
  if (leaves.length > 0) {
    const end = leaves.length === BATCH ? last : through;
    await seal(connection, log, tip, leaves, now, { after, through: end });
    tip.through_key = end;
  }
  if (late > 0 || leaves.length > 0 || tip.looked !== looked) await writeTip(connection, tip);
  return leaves.length;
}

/** Hashes of the rows of one seal, and the key of the last one. A row that is written meanwhile into what was read is a late one. */
async function nextLeaves(
  connection: Connection,
  log: SealedLog,
  after: string,
  through: string,
): Promise<{ leaves: Buffer[]; last: string }> {
  const leaves: Buffer[] = [];
  let last = after;
  while (leaves.length < BATCH && log.isAfter(through, last)) {
    const lines = await log.lines(connection, last, through, PIECE);
    for (const { line } of lines) leaves.push(leafHash(line));
    last = lines.at(-1)?.key ?? last;
    if (lines.length < PIECE) break;
  }
  return { leaves, last };
}

async function seal(
  connection: Connection,
  log: SealedLog,
  tip: Tip,
  leaves: readonly Buffer[],
  now: number,
  { after, through, late = null }: { after: string; through: string; late?: string[] | null },
): Promise<void> {
  const tree = treeOf(Number.parseInt(tip.size, 10), tip.peaks);
  for (const leaf of leaves) tree.add(leaf);
  tip.seals = String(BigInt(tip.seals) + 1n);
  tip.size = String(tree.size);
  tip.peaks = peaksOf(tree);
  await insertSeal(connection, {
    log: tip.log,
    number: tip.seals,
    sealed_at: now,
    rows: leaves.length,
    after_key: after,
    through_key: through,
    late,
    fingerprints: fingerprintsOf(leaves),
    size: tip.size,
    root: rootOf(tree),
  });
  await keepBlocks(connection, log, tip, leaves);
}

function fingerprintsOf(leaves: readonly Buffer[]): Buffer {
  return Buffer.concat(leaves.map((leaf) => leaf.subarray(0, FINGERPRINT_BYTES)));
}

/** Looks a second time at seals that are old enough. @returns how many rows had come late */
async function sealLateRows(
  connection: Connection,
  log: SealedLog,
  tip: Tip,
  now: number,
  businessNow: number,
): Promise<number> {
  await moveSecondLookBack(connection, log, tip, businessNow);
  const seals = await sealsAfter(connection, log.name, tip.looked, SECOND_LOOKS_MAX, now - LATE_MS);
  if (seals.length === 0) return 0;
  const lateBefore = await lateKeys(
    connection,
    log.name,
    seals.map((each) => each.after_key),
  );
  let found = 0;
  for (const { number, late, after_key, through_key, rows, fingerprints } of seals) {
    tip.looked = number;
    if (late !== null) continue;
    const isLate = (key: string) =>
      lateBefore.has(key) && log.isAfter(key, after_key) && !log.isAfter(key, through_key);
    const lateHere = [...lateBefore].filter(isLate).length;
    const extra = (await log.count(connection, after_key, through_key)) - rows - lateHere;
    if (extra <= 0) continue;
    const lines = await readLines(connection, log, after_key, through_key, 2 * BATCH + lateHere, wholeRow);
    const sealed = new Set(chunks(fingerprints));
    const news = lines.filter(
      ({ key, line }) =>
        !lateBefore.has(key) && !sealed.has(leafHash(line).subarray(0, FINGERPRINT_BYTES).toString('hex')),
    );
    // Rows that were altered have another hash too: then nobody knows which are new, and the verification reports all.
    if (news.length !== extra || extra > BATCH) continue;
    const keys = news.map(({ key }) => key);
    const leaves = news.map(({ line }) => leafHash(line));
    await seal(connection, log, tip, leaves, now, { after: after_key, through: through_key, late: keys });
    for (const key of keys) lateBefore.add(key);
    found += news.length;
  }
  return found;
}

/** In the sandbox time may go back: what is booked then belongs to times that were looked at already. */
async function moveSecondLookBack(
  connection: Connection,
  log: SealedLog,
  tip: Tip,
  businessNow: number,
): Promise<void> {
  const since = log.keyAt?.(businessNow);
  if (since === undefined || tip.through_key === null || !log.isAfter(tip.through_key, since)) return;
  const before = await lastSealThrough(connection, log.name, since);
  if (BigInt(before) < BigInt(tip.looked)) tip.looked = before;
}

export function sealSweep(sealing: Sealing, logs: readonly SealedLog[]): Sweep {
  return {
    name: 'seal_logs',
    does: 'Seals new rows of the audit trail and the journal into their hash trees.',
    everyMs: SEAL_EVERY_MS,
    async run() {
      for (const log of logs) await sealLog(sealing, log);
      // Nothing that is due comes of it.
      return 0;
    },
  };
}
