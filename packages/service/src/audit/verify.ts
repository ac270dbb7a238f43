import { firstOddity } from '@firmquote/client/logs';
import type { Queryable } from '../database/pool.ts';
import { exportsOfArchived } from './archive.ts';
import { type Archived, readArchived } from './archive-store.ts';
import { leavesKept } from './blocks.ts';
import { type HeadRow, headsAfter, readTip, type SealRow, sealsAfter } from './seal-store.ts';
import type { LogName, SealedLog } from './sealed-log.ts';
import { chunks, fewOf, foundRow, type Leaf, leafOf, rowsUnder, sealedOf } from './sealed-rows.ts';
import { rootOf, treeOf } from './tree.ts';

/** What does not fit, the first of it. */
export interface LogFault {
  readonly log: LogName;
  readonly fault:
    | 'altered'
    | 'missing'
    | 'inserted'
    | 'seal_wrong'
    | 'seal_missing'
    | 'head_wrong'
    | 'archive_wrong';
  /** Key of the row; of one that is missing, of the row before it. */
  readonly key: string | undefined;
  /** The seal that does not hold. */
  readonly seal: string;
}

type Oddity = Pick<LogFault, 'fault' | 'key'>;

/**
 * Walks through a log seal by seal, and computes everything again: which row does not have the hash that was sealed, whether each root
 * follows from the one before, and whether what was signed is what is there.
 */
export class LogVerifier {
  readonly #log: SealedLog;
  #tree = treeOf();
  #seal = '0';
  #through: string;
  /** Those that come next. */
  #heads: HeadRow[] = [];
  /** What was there when the walk before ended: a log only grows. */
  #last: { readonly seal: string; readonly size: number; readonly root: Buffer } | undefined;

  constructor(log: SealedLog) {
    this.#log = log;
    this.#through = log.start;
  }

  get log(): LogName {
    return this.#log.name;
  }

  /**
   * Verifies some seals more, of as many rows as memory holds.
   * @returns `done` at the end of the log; the next call then begins anew
   */
  async step(
    database: Queryable,
    sealsMax: number,
  ): Promise<{ rows: number; done: boolean; fault?: LogFault }> {
    const { name } = this.#log;
    // Before the seals: what is added meanwhile is more than the tip says, and never less.
    const tip = await readTip(database, name);
    // No two of them are of one seal.
    this.#heads = await headsAfter(database, name, String(this.#tree.size), sealsMax + 1);
    const next = await sealsAfter(database, name, this.#seal, sealsMax);
    const seals = fewOf(next);
    const before = await readArchived(database, name);
    if (this.#seal === '0' && (await exportsOfArchived(database, name, before.size)) === undefined)
      return this.#ended(0, { log: name, fault: 'archive_wrong', key: undefined, seal: before.seals });
    const found = await rowsUnder(database, this.#log, seals, leafOf);
    // Rows may be archived just now: what is there is verified as it stands, what is gone by its hashes.
    const archived = await readArchived(database, name);
    let rows = 0;
    for (const [i, seal] of seals.entries()) {
      const there = found[i] ?? [];
      const isLookedAt = BigInt(seal.number) <= BigInt(tip.looked);
      const isGone = isUnder(seal, before) || (there.length === 0 && isUnder(seal, archived));
      const fault = isGone
        ? await this.#verifyArchived(database, seal, there)
        : this.#verify(seal, there, isLookedAt);
      if (fault !== undefined) return this.#ended(rows, { log: name, seal: seal.number, ...fault });
      rows += seal.rows;
    }
    if (seals.length < next.length || next.length === sealsMax) return { rows, done: false };
    const isCut = [tip.seals, this.#last?.seal ?? '0'].some((known) => BigInt(known) > BigInt(this.#seal));
    if (isCut || this.#heads.length > 0) {
      return this.#ended(rows, { log: name, fault: 'seal_missing', key: this.#through, seal: this.#seal });
    }
    this.#last = { seal: this.#seal, size: this.#tree.size, root: rootOf(this.#tree) };
    return this.#ended(rows, undefined);
  }

  #ended(rows: number, fault: LogFault | undefined) {
    this.#tree = treeOf();
    this.#seal = '0';
    this.#through = this.#log.start;
    this.#heads = [];
    return { rows, done: true, ...(fault !== undefined && { fault }) };
  }

  /** Of rows that were archived: the hashes that are kept of them. */
  async #verifyArchived(
    database: Queryable,
    seal: SealRow,
    there: readonly Leaf[],
  ): Promise<Oddity | undefined> {
    const [odd] = there;
    if (odd !== undefined) return { fault: 'inserted', key: odd.key };
    const size = Number.parseInt(seal.size, 10);
    const kept = await leavesKept(database, this.#log.name, size - seal.rows, size);
    if (kept === undefined) return { fault: 'archive_wrong', key: undefined };
    return this.#follow(seal, kept.map(foundRow), 'archive_wrong');
  }

  #verify(seal: SealRow, there: readonly Leaf[], isLookedAt: boolean): Oddity | undefined {
    const found = isLookedAt ? there : sealedOf(there, new Set(chunks(seal.fingerprints)));
    return this.#follow(seal, found, undefined);
  }

  #follow(seal: SealRow, found: readonly Leaf[], instead: LogFault['fault'] | undefined): Oddity | undefined {
    if (BigInt(seal.number) !== BigInt(this.#seal) + 1n) return { fault: 'seal_missing', key: this.#through };
    if (seal.late === null && seal.after_key !== this.#through)
      return { fault: 'seal_wrong', key: undefined };
    const odd = firstOddity(chunks(seal.fingerprints), found);
    if (odd !== undefined) return instead === undefined ? odd : { fault: instead, key: undefined };
    for (const { leaf } of found) this.#tree.add(leaf);
    const { size } = this.#tree;
    const root = rootOf(this.#tree);
    if (String(size) !== seal.size || !root.equals(seal.root)) return { fault: 'seal_wrong', key: undefined };
    this.#seal = seal.number;
    if (seal.late === null) this.#through = seal.through_key;
    if (this.#last?.seal === seal.number && !root.equals(this.#last.root))
      return { fault: 'seal_wrong', key: undefined };
    const [head] = this.#heads;
    if (head !== undefined && BigInt(head.size) <= BigInt(size)) {
      if (head.size !== seal.size || !root.equals(head.root)) return { fault: 'head_wrong', key: undefined };
      this.#heads.shift();
    }
    return undefined;
  }
}

const isUnder = (seal: SealRow, { seals }: Archived) => BigInt(seal.number) <= BigInt(seals);

/** A log from its beginning to its end, or to what does not fit: of how many rows that is. */
export async function verifyLog(
  database: Queryable,
  log: SealedLog,
): Promise<{ rows: number; fault?: LogFault }> {
  const verifier = new LogVerifier(log);
  let verified = 0;
  for (;;) {
    const { done, rows, fault } = await verifier.step(database, 100);
    verified += rows;
    if (done) return { rows: verified, ...(fault !== undefined && { fault }) };
  }
}
