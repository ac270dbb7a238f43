import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { FINGERPRINT_BYTES } from './seal.ts';
import { HashTree, leafHash } from './tree.ts';
import { type Found, firstOddity } from './verify.ts';

/** What a file of a log shows. */
export interface FileProof {
  readonly ok: boolean;
  readonly log?: string;
  readonly rows: number;
  readonly root?: string;
  /** Whether the key that the head names has signed it; undefined where no keys were given. */
  readonly signed?: boolean;
  /** The first thing that does not fit, and the row. */
  readonly fault?: string;
  readonly row?: string | undefined;
}

/** The media type of a signed head. */
export const HEAD_TYPE = 'log-head.v1+jws';

/**
 * Verifies an exported log with nothing but the file: every row is hashed again, every seal and the head follow from the rows, and the
 * head is signed by one of the keys.
 */
export async function verifyFile(
  lines: AsyncIterable<string>,
  keys: JSONWebKeySet | undefined,
): Promise<FileProof> {
  const tree = new HashTree();
  let batch: Found[] = [];
  for await (const line of lines) {
    if (line.startsWith('{"seal":')) {
      const seal = JSON.parse(line) as { seal: string; size: string; root: string; fingerprints: string };
      const odd = firstOddity(seal.fingerprints.match(/.{8}/g) ?? [], batch);
      if (odd !== undefined) return { ok: false, rows: tree.size, fault: odd.fault, row: odd.key };
      if (seal.size !== String(tree.size) || seal.root !== tree.root.toString('hex'))
        return { ok: false, rows: tree.size, fault: 'seal_wrong', row: batch[0]?.key };
      batch = [];
    } else if (line.startsWith('{"head":')) {
      return headProof(line, tree, batch, keys);
    } else if (line !== '') {
      const leaf = leafHash(line);
      tree.add(leaf);
      batch.push({ key: nameOf(line), leaf, fingerprint: leaf.toString('hex', 0, FINGERPRINT_BYTES) });
    }
  }
  return { ok: false, rows: tree.size, fault: 'head_missing' };
}

async function headProof(
  line: string,
  tree: HashTree,
  unsealed: readonly Found[],
  keys: JSONWebKeySet | undefined,
): Promise<FileProof> {
  const { head, jws } = JSON.parse(line) as {
    head: { log: string; size: number; root: string };
    jws: string;
  };
  const root = tree.root.toString('hex');
  const told = { log: head.log, rows: tree.size, root };
  const [more] = unsealed;
  if (more !== undefined) return { ok: false, ...told, fault: 'inserted', row: more.key };
  if (head.size !== tree.size || head.root !== root) return { ok: false, ...told, fault: 'head_wrong' };
  if (keys === undefined) return { ok: true, ...told };
  const signed = await isSigned(jws, JSON.stringify(head), keys);
  return signed ? { ok: true, ...told, signed } : { ok: false, ...told, signed, fault: 'signature_wrong' };
}

async function isSigned(jws: string, head: string, keys: JSONWebKeySet): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(keys), {
      algorithms: ['EdDSA'],
    });
    return protectedHeader.typ === HEAD_TYPE && new TextDecoder().decode(payload) === head;
  } catch {
    return false;
  }
}

function nameOf(line: string): string {
  try {
    const { number, entryId } = JSON.parse(line) as { number?: string; entryId?: string };
    return entryId ?? number ?? line.slice(0, 80);
  } catch {
    return line.slice(0, 80);
  }
}
