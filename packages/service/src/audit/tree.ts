import { hash } from 'node:crypto';
import * as logs from '@firmquote/client/logs';

/** Trees of hashes as whoever verifies them makes them, with the hash of this machine. */

const HASH_BYTES = 32;
/** Leaves whose hashes are kept together: so many levels up stands what they come to. */
export const BLOCK_LEVEL = 8;
export const BLOCK = 2 ** BLOCK_LEVEL;

export function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** @param line without the end of the line */
export function leafHash(line: string): Buffer {
  return asBuffer(logs.leafHash(sha256, line));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return asBuffer(logs.nodeHash(sha256, left, right));
}

/** A tree that goes on from its peaks, one behind the other. */
export function treeOf(size = 0, peaks: Buffer = Buffer.alloc(0)): logs.HashTree {
  return new logs.HashTree(sha256, size, hashesOf(peaks));
}

export function peaksOf(tree: logs.HashTree): Buffer {
  return Buffer.concat(tree.peaks);
}

export function rootOf(tree: logs.HashTree): Buffer {
  return asBuffer(tree.root);
}

/** Hashes that stand one behind the other. */
export function hashesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
