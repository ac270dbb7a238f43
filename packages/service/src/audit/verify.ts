import type { Queryable } from '../database/pool.ts';
import { chunks, FINGERPRINT_BYTES } from './seal.ts';
import { type HeadRow, headsAfter, lateKeys, readTip, type SealRow, sealsAfter } from './seal-store.ts';
import type { LogLine, LogName, SealedLog } from './sealed-log.ts';
import { HashTree, leafHash } from './tree.ts';

/** What does not fit, the first of it. */
interface LogFault {
  readonly log: LogName;
  readonly fault: 'altered' | 'missing' | 'inserted' | 'seal_wrong' | 'seal_missing' | 'head_wrong';
  /** Key of the row; of one that is missing, of the row before it. */
  readonly key: string | undefined;
  /** The seal that does not hold. */
  readonly seal: string;
}

/** Rows of two seals and a late one. */
const LINES_MAX = 10_000; // limit: Rows read at once by the verification of a log

/**
 * Walks through a log seal by seal, and computes everything again: which row does not have the hash that was sealed, whether each root
 * follows from the one before, and whether what was signed is what is there.
 */
export class LogVerifier {
  readonly #log: SealedLog;
  #tree = new HashTree();
  #seal = '0';
  #through: string;
  #heads: HeadRow[] | undefined;
  /** What was there when the walk before ended: a log only grows. */
  #last: { readonly seal: string; readonly size: number; readonly root: Buffer } | undefined;

  constructor(log: SealedLog) {
    this.#log = log;
    this.#through = log.start;
  }

  /**
   * Verifies some seals more.
   * @returns `done` at the end of the log; the next call then begins anew
   */
  async step(
    database: Queryable,
    sealsMax: number,
  ): Promise<{ rows: number; done: boolean; fault?: LogFault }> {
    const { name } = this.#log;
    // Before the seals: what is added meanwhile is more than the tip tells, and never less.
    const tip = await readTip(database, name);
    this.#heads ??= await headsAfter(database, name, '0');
    const seals = await sealsAfter(database, name, this.#seal, sealsMax);
    const late = await lateKeys(database, name);
    let rows = 0;
    for (const seal of seals) {
      const isLookedAt = BigInt(seal.number) <= BigInt(tip.looked);
      const fault = await this.#verify(database, seal, late, isLookedAt);
      if (fault !== undefined) return this.#ended(rows, { log: name, seal: seal.number, ...fault });
      rows += seal.rows;
    }
    if (seals.length === sealsMax) return { rows, done: false };
    const isCut = [tip.seals, this.#last?.seal ?? '0'].some((known) => BigInt(known) > BigInt(this.#seal));
    if (isCut || this.#heads.length > 0) {
      return this.#ended(rows, { log: name, fault: 'seal_missing', key: this.#through, seal: this.#seal });
    }
    this.#last = { seal: this.#seal, size: this.#tree.size, root: this.#tree.root };
    return this.#ended(rows, undefined);
  }

  #ended(rows: number, fault: LogFault | undefined) {
    this.#tree = new HashTree();
    this.#seal = '0';
    this.#through = this.#log.start;
    this.#heads = undefined;
    return { rows, done: true, ...(fault !== undefined && { fault }) };
  }

  async #verify(
    database: Queryable,
    seal: SealRow,
    late: ReadonlySet<string>,
    isLookedAt: boolean,
  ): Promise<Pick<LogFault, 'fault' | 'key'> | undefined> {
    if (BigInt(seal.number) !== BigInt(this.#seal) + 1n) return { fault: 'seal_missing', key: this.#through };
    if (seal.late === null && seal.after_key !== this.#through)
      return { fault: 'seal_wrong', key: undefined };
    const log = this.#log;
    const there =
      seal.late !== null
        ? await log.byKeys(database, seal.late)
        : (await log.lines(database, seal.after_key, seal.through_key, LINES_MAX)).filter(
            ({ key }) => !late.has(key),
          );
    const sealed = chunks(seal.fingerprints);
    const found = leavesOf(there, isLookedAt ? undefined : new Set(sealed));
    const odd = firstOddity(sealed, found);
    if (odd !== undefined) return odd;
    for (const { leaf } of found) this.#tree.add(leaf);
    const { size, root } = this.#tree;
    if (String(size) !== seal.size || !root.equals(seal.root)) return { fault: 'seal_wrong', key: undefined };
    this.#seal = seal.number;
    if (seal.late === null) this.#through = seal.through_key;
    if (this.#last?.seal === seal.number && !root.equals(this.#last.root))
      return { fault: 'seal_wrong', key: undefined };
    const [head] = this.#heads ?? [];
    if (head !== undefined && BigInt(head.size) <= BigInt(size)) {
      if (head.size !== seal.size || !root.equals(head.root)) return { fault: 'head_wrong', key: undefined };
      this.#heads?.shift();
    }
    return undefined;
  }
}

export interface Found {
  readonly key: string;
  readonly leaf: Buffer;
  readonly fingerprint: string;
}

/** @param only where given, rows with other fingerprints are passed over: they may be late, and nobody has looked yet */
function leavesOf(lines: readonly LogLine[], only: ReadonlySet<string> | undefined): Found[] {
  const found = lines.map(({ key, line }) => {
    const leaf = leafHash(line);
    return { key, leaf, fingerprint: leaf.subarray(0, FINGERPRINT_BYTES).toString('hex') };
  });
  if (only === undefined || found.length <= only.size) return found;
  return found.filter(({ fingerprint }) => only.has(fingerprint));
}

/** The first row that is not the sealed one. */
export function firstOddity(
  sealed: readonly string[],
  found: readonly Found[],
): Pick<LogFault, 'fault' | 'key'> | undefined {
  const at = sealed.findIndex((fingerprint, i) => fingerprint !== found[i]?.fingerprint);
  if (at < 0) {
    const more = found[sealed.length];
    return more && { fault: 'inserted', key: more.key };
  }
  if (found.length > sealed.length && found[at + 1]?.fingerprint === sealed[at])
    return { fault: 'inserted', key: found[at]?.key };
  if (found.length < sealed.length && (found[at] === undefined || found[at].fingerprint === sealed[at + 1]))
    return { fault: 'missing', key: found[at - 1]?.key };
  return { fault: 'altered', key: found[at]?.key };
}

/** A log from its beginning to its end. */
export async function verifyLog(database: Queryable, log: SealedLog): Promise<LogFault | undefined> {
  const verifier = new LogVerifier(log);
  for (;;) {
    const { done, fault } = await verifier.step(database, 100);
    if (done) return fault;
  }
}
