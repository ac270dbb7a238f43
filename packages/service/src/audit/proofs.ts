import type { Queryable } from '../database/pool.ts';
import { queryProblem } from '../http/parameters.ts';
import { KeptTree } from './blocks.ts';
import { headView } from './heads.ts';
import {
  findHead,
  type HeadRow,
  lateSealOf,
  latestHeads,
  readTip,
  type SealRow,
  sealInPlace,
} from './seal-store.ts';
import type { SealedLog } from './sealed-log.ts';
import { chunks, leafOf, rowsUnder, sealedOf, wholeRow } from './sealed-rows.ts';

/** That the log of one head begins with all of an earlier one, and nothing else (RFC 9162 §2.1.4). */
export async function proveGrowth(
  database: Queryable,
  log: SealedLog,
  earlierSize: number,
  size: number | undefined,
) {
  const earlier = await headAt(database, log, earlierSize, 'earlier');
  const head = await headAt(database, log, size, 'size');
  if (BigInt(earlier.size) > BigInt(head.size))
    throw queryProblem('earlier', 'out_of_range', 'must not be larger than size');
  const tree = new KeptTree(database, log, Number.parseInt(head.size, 10));
  const hashes = await tree.consistency(earlierSize, Number.parseInt(head.size, 10));
  return { head: headView(head), hashes: hashes.map(inHex), earlier: headView(earlier) };
}

/** That a row is in the log of a head (RFC 9162 §2.1.3). @param key as the database has it */
export async function proveRow(
  database: Queryable,
  log: SealedLog,
  key: string | undefined,
  size: number | undefined,
) {
  const head = await headAt(database, log, size, 'size');
  const found = key === undefined ? undefined : await placeOf(database, log, key);
  if (found === undefined)
    throw queryProblem('row', 'out_of_range', 'must be the key of a sealed row that is not archived');
  const { index, line, leaf } = found;
  const rows = Number.parseInt(head.size, 10);
  if (index >= rows)
    throw queryProblem('row', 'out_of_range', `is not covered by the head of ${rows} rows: sign a new head`);
  const tree = new KeptTree(database, log, rows);
  const hashes = await tree.inclusion(index, rows);
  if (!(await tree.leaf(index)).equals(leaf)) throw new Error(`a row of ${log.name} does not match its seal`);
  return { head: headView(head), hashes: hashes.map(inHex), index, line };
}

/** Of a size; of none, the last one. */
async function headAt(
  database: Queryable,
  log: SealedLog,
  size: number | undefined,
  parameter: string,
): Promise<HeadRow> {
  const head =
    size === undefined
      ? (await latestHeads(database, log.name, undefined, 1))[0]
      : await findHead(database, log.name, String(size));
  if (head === undefined) throw queryProblem(parameter, 'out_of_range', 'must be the size of a signed head');
  return head;
}

/** Where a row is in the tree: found by halving, for seals are in the order of keys. */
async function placeOf(database: Queryable, log: SealedLog, key: string) {
  let [low, high] = [1n, BigInt((await readTip(database, log.name)).seals)];
  let seal: SealRow | undefined;
  while (low <= high) {
    const middle = (low + high) / 2n;
    const there = await sealInPlace(database, log.name, String(middle));
    if (there === undefined || !log.isAfter(key, there.through_key)) {
      seal = there ?? seal;
      high = middle - 1n;
    } else low = BigInt(there.number) + 1n;
  }
  if (seal === undefined) return undefined;
  const late = await lateSealOf(database, log.name, seal.after_key, key);
  const under = late ?? seal;
  const [rows = []] = await rowsUnder(database, log, [under], wholeRow);
  const sealed = new Set(chunks(under.fingerprints));
  const leaves = sealedOf(rows.map(leafOf), sealed);
  const at = leaves.findIndex((each) => each.key === key);
  const line = rows.find((each) => each.key === key)?.line;
  if (at < 0 || line === undefined) return undefined;
  return { index: Number.parseInt(under.size, 10) - under.rows + at, line, leaf: leaves[at]?.leaf as Buffer };
}

const inHex = (hash: Buffer) => hash.toString('hex');
