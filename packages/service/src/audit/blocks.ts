import { HashTree } from '@firmquote/client/logs';
import type { Queryable } from '../database/pool.ts';
import { insertNodes, type LogNode, readLeaves, readNodes, type Tip } from './seal-store.ts';
import type { SealedLog } from './sealed-log.ts';
import { leavesAt } from './sealed-rows.ts';
import { BLOCK, BLOCK_LEVEL, hashesOf, nodeHash, rootOf, sha256, treeOf } from './tree.ts';

/** In one transaction of the sealing: ten seals of the largest size. */
const BLOCKS_AT_ONCE = 80;

/**
 * Keeps the hashes of blocks that are whole now, and of the subtrees that they complete.
 * @param leaves what was just sealed, which the tip has counted already
 */
export async function keepBlocks(
  database: Queryable,
  log: SealedLog,
  tip: Tip,
  leaves: readonly Buffer[],
): Promise<void> {
  const size = Number.parseInt(tip.size, 10);
  const kept = Number.parseInt(tip.blocks, 10);
  const whole = Math.min(Math.floor(size / BLOCK), kept + BLOCKS_AT_ONCE);
  if (whole <= kept) return;
  const at = size - leaves.length;
  // What an instance of an earlier version has sealed, and the beginning of the first block, is read again.
  const before = await leavesAt(database, log, Math.min(kept * BLOCK, at), at);
  // The verification reports a row that is not the sealed one; hashes of it are of no use.
  if (before === undefined) return;
  const all = [...before, ...leaves];
  const offset = size - all.length;
  const nodes: LogNode[] = [];
  const tree = new HashTree(sha256, kept, await peaksOfBlocks(database, log, kept));
  for (let place = kept; place < whole; place++) {
    const own = all.slice(place * BLOCK - offset, (place + 1) * BLOCK - offset);
    const hash = blockHash(own);
    nodes.push({ level: BLOCK_LEVEL, place, hash, leaves: Buffer.concat(own) });
    tree.add(hash, (up, parent, parentHash) =>
      nodes.push({ level: BLOCK_LEVEL + up, place: parent, hash: Buffer.from(parentHash) }),
    );
  }
  await insertNodes(database, log.name, nodes);
  tip.blocks = String(whole);
}

/**
 * The hashes of the rows at some places, as they were kept when these were sealed.
 * @returns undefined where not all of them are kept
 */
export async function leavesKept(
  database: Queryable,
  log: SealedLog['name'],
  from: number,
  to: number,
): Promise<Buffer[] | undefined> {
  const first = Math.floor(from / BLOCK);
  const leaves: Buffer[] = [];
  for (let block = first; block * BLOCK < to; block++) {
    const kept = await readLeaves(database, log, block);
    if (kept === undefined) return undefined;
    leaves.push(...hashesOf(kept));
  }
  return leaves.slice(from - first * BLOCK, to - first * BLOCK);
}

function blockHash(leaves: readonly Buffer[]): Buffer {
  const tree = treeOf();
  for (const leaf of leaves) tree.add(leaf);
  return rootOf(tree);
}

/** The whole subtrees that some blocks are, the largest first. */
async function peaksOfBlocks(database: Queryable, log: SealedLog, blocks: number): Promise<Buffer[]> {
  const wanted = subtreesOf(0, blocks).map(({ level, place }) => ({ level: level + BLOCK_LEVEL, place }));
  const nodes = await readNodes(database, log.name, wanted);
  if (nodes.length !== wanted.length) throw new Error(`log_nodes of ${log.name} has gaps`);
  return nodes.map(({ hash }) => hash);
}

interface Subtree {
  readonly level: number;
  readonly place: number;
}

/** What RFC 9162 hashes a range to, that begins where its largest subtree may begin: whole subtrees, the first one first. */
function subtreesOf(from: number, to: number): Subtree[] {
  const parts: Subtree[] = [];
  let at = from;
  while (at < to) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level++;
    parts.push({ level, place: at / 2 ** level });
    at += 2 ** level;
  }
  return parts;
}

/** The tree of a log as it is kept: hashes of any part of it, without its rows but for those of the last block. */
export class KeptTree {
  readonly #database: Queryable;
  readonly #log: SealedLog;
  readonly #size: number;
  readonly #blocks = new Map<number, readonly Buffer[]>();

  /** @param size up to which the log is sealed */
  constructor(database: Queryable, log: SealedLog, size: number) {
    this.#database = database;
    this.#log = log;
    this.#size = size;
  }

  /** The roots of the whole subtrees of the first rows, the largest first. */
  async peaks(size: number): Promise<Buffer[]> {
    const parts = subtreesOf(0, size);
    const large = parts.filter(({ level }) => level >= BLOCK_LEVEL);
    const known = new Map(
      (await readNodes(this.#database, this.#log.name, large)).map(({ level, place, hash }) => [
        `${level}/${place}`,
        hash,
      ]),
    );
    const peaks: Buffer[] = [];
    for (const part of parts) {
      peaks.push(known.get(`${part.level}/${part.place}`) ?? (await this.#subtree(part)));
    }
    return peaks;
  }

  /** RFC 9162 §2.1.3.1: the hashes beside the way from a leaf to the root of the first rows. */
  async inclusion(index: number, size: number): Promise<Buffer[]> {
    const path: Buffer[] = [];
    let [from, to] = [0, size];
    while (to - from > 1) {
      const middle = from + halfOf(to - from);
      if (index < middle) {
        path.unshift(await this.#hash(middle, to));
        to = middle;
      } else {
        path.unshift(await this.#hash(from, middle));
        from = middle;
      }
    }
    return path;
  }

  /** RFC 9162 §2.1.4.1. */
  async consistency(first: number, size: number): Promise<Buffer[]> {
    if (first === 0 || first === size) return [];
    const path: Buffer[] = [];
    let [from, to, isWhole] = [0, size, true];
    while (first < to) {
      const middle = from + halfOf(to - from);
      if (first <= middle) {
        path.unshift(await this.#hash(middle, to));
        to = middle;
      } else {
        path.unshift(await this.#hash(from, middle));
        from = middle;
        isWhole = false;
      }
    }
    return isWhole ? path : [await this.#hash(from, to), ...path];
  }

  /** The hash of a leaf. */
  async leaf(index: number): Promise<Buffer> {
    return this.#subtree({ level: 0, place: index });
  }

  async #hash(from: number, to: number): Promise<Buffer> {
    const [last, ...before] = await Promise.all(
      subtreesOf(from, to)
        .toReversed()
        .map((part) => this.#subtree(part)),
    );
    return before.reduce((right, left) => nodeHash(left, right), last as Buffer);
  }

  async #subtree({ level, place }: Subtree): Promise<Buffer> {
    if (level < BLOCK_LEVEL) {
      const width = 2 ** level;
      const at = (place * width) % BLOCK;
      const leaves = await this.#leaves(Math.floor((place * width) / BLOCK));
      return blockHash(leaves.slice(at, at + width));
    }
    const [node] = await readNodes(this.#database, this.#log.name, [{ level, place }]);
    if (node !== undefined) return node.hash;
    if (level === BLOCK_LEVEL) return blockHash(await this.#leaves(place));
    const left = await this.#subtree({ level: level - 1, place: place * 2 });
    return nodeHash(left, await this.#subtree({ level: level - 1, place: place * 2 + 1 }));
  }

  async #leaves(block: number): Promise<readonly Buffer[]> {
    const held = this.#blocks.get(block);
    if (held !== undefined) return held;
    const kept = await readLeaves(this.#database, this.#log.name, block);
    const to = Math.min(this.#size, (block + 1) * BLOCK);
    const leaves =
      kept === undefined ? await leavesAt(this.#database, this.#log, block * BLOCK, to) : hashesOf(kept);
    if (leaves === undefined) throw new Error(`a row of ${this.#log.name} does not match its seal`);
    this.#blocks.set(block, leaves);
    return leaves;
  }
}

/** The largest power of two below. */
function halfOf(size: number): number {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
}
