import { hash } from 'node:crypto';

/** A tree of hashes as RFC 9162 §2.1 makes it of leaves in order, without keeping them: the roots of its whole subtrees are enough. */

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
const HASH_BYTES = 32;

/** @param line without the end of the line */
export function leafHash(line: string): Buffer {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(line)]), 'buffer');
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}

export class HashTree {
  #size: number;
  /** Roots of whole subtrees, the largest first: one for each bit of the size. */
  readonly #peaks: Buffer[];

  /** @param peaks of a tree of that size, one behind the other */
  constructor(size = 0, peaks: Buffer = Buffer.alloc(0)) {
    this.#size = size;
    this.#peaks = Array.from({ length: peaks.length / HASH_BYTES }, (_, i) =>
      Buffer.from(peaks.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)),
    );
  }

  get size(): number {
    return this.#size;
  }

  get peaks(): Buffer {
    return Buffer.concat(this.#peaks);
  }

  add(leaf: Buffer): void {
    let node = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      node = nodeHash(this.#peaks.pop() as Buffer, node);
    }
    this.#peaks.push(node);
    this.#size++;
  }

  get root(): Buffer {
    const [last, ...rest] = this.#peaks.toReversed();
    if (last === undefined) return hash('sha256', '', 'buffer');
    return rest.reduce((right, left) => nodeHash(left, right), last);
  }
}
