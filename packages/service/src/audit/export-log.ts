import type { Pool } from '../database/pool.ts';
import { KeptTree } from './blocks.ts';
import { type Heads, headOf } from './heads.ts';
import { readTip, type SealRow, sealBefore, sealOfSize, sealsAfter } from './seal-store.ts';
import type { SealedLog } from './sealed-log.ts';
import { chunks, fewOf, leavesOf, rowsUnder } from './sealed-rows.ts';
import { rootOf, treeOf } from './tree.ts';

const SEALS_AT_ONCE = 50;

/** Which part of a log: whole seals, so that it may be some rows more. */
export interface LogRange {
  /** Rows that come after so many, and up to so many. */
  readonly fromSize?: number | undefined;
  readonly toSize?: number | undefined;
  /** Sealed at an instant of real time or later, and before one. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * A sealed log as lines of JSON: rows as they are hashed, each batch followed by its seal, and at the end what all of it comes to,
 * signed. What does not begin with the first row has the subtrees before it on top. Rows are what is in the database now, so that who
 * verifies the file verifies them. What is sealed does not change, so nothing is held between two reads but a place.
 */
export async function* exportLog(heads: Heads, log: SealedLog, range: LogRange = {}): AsyncGenerator<string> {
  const { pool } = heads;
  const { after, last } = await endsOf(pool, log, range);
  if (after.size > 0) {
    const peaks = await new KeptTree(pool, log, after.size).peaks(after.size);
    const start = { log: log.name, size: after.size, peaks: peaks.map((hash) => hash.toString('hex')) };
    yield `${JSON.stringify({ start })}\n`;
  }
  let end = after;
  for await (const seals of sealsBetween(pool, log, after.seals, last)) {
    const rows = await rowsUnder(pool, log, seals);
    for (const [i, seal] of seals.entries()) yield textOf(seal, rows[i] ?? []);
    end = endOf(seals.at(-1)) ?? end;
  }
  const { root, jws } = await headOf(heads, pool, log, { ...end, size: String(end.size) });
  const head = { log: log.name, size: end.size, root: root.toString('hex') };
  yield `${JSON.stringify({ head, jws })}\n`;
}

function textOf(seal: SealRow, rows: Awaited<ReturnType<SealedLog['lines']>>): string {
  const { number, size, root, fingerprints } = seal;
  // What is not sealed yet, because it came a moment ago, is for a later export.
  const shown = new Set(leavesOf(rows, new Set(chunks(fingerprints))).map(({ key }) => key));
  const lines = rows.filter(({ key }) => shown.has(key)).map(({ line }) => `${line}\n`);
  const told = { seal: number, size, root: root.toString('hex'), fingerprints: fingerprints.toString('hex') };
  return `${lines.join('')}${JSON.stringify(told)}\n`;
}

/** A place between two seals. */
interface End {
  readonly seals: string;
  readonly size: number;
  readonly root: Buffer;
}

const BEGINNING: End = { seals: '0', size: 0, root: rootOf(treeOf()) };

function endOf(seal: SealRow | undefined): End | undefined {
  return seal && { seals: seal.number, size: Number.parseInt(seal.size, 10), root: seal.root };
}

async function endsOf(
  pool: Pool,
  log: SealedLog,
  { fromSize, toSize, from, to }: LogRange,
): Promise<{ after: End; last: string }> {
  const tip = await readTip(pool, log.name);
  const before = async (instant: number) => endOf(await sealBefore(pool, log.name, instant)) ?? BEGINNING;
  const last = [
    BigInt(tip.seals),
    ...(to === undefined ? [] : [BigInt((await before(to)).seals)]),
    ...(toSize === undefined || toSize >= Number.parseInt(tip.size, 10)
      ? []
      : [toSize <= 0 ? 0n : BigInt((await sealOfSize(pool, log.name, toSize))?.number ?? '0')]),
  ].reduce((least, each) => (each < least ? each : least));
  let after = from === undefined ? BEGINNING : await before(from);
  if (fromSize !== undefined && fromSize > after.size) {
    const first = await sealOfSize(pool, log.name, fromSize + 1);
    const number = first === undefined ? BigInt(tip.seals) : BigInt(first.number) - 1n;
    after = endOf((await sealsAfter(pool, log.name, String(number - 1n), 1))[0]) ?? BEGINNING;
  }
  return { after, last: String(last) };
}

/** In parts that memory holds. */
async function* sealsBetween(
  pool: Pool,
  log: SealedLog,
  after: string,
  last: string,
): AsyncGenerator<SealRow[]> {
  let at = after;
  for (;;) {
    const seals = await sealsAfter(pool, log.name, at, SEALS_AT_ONCE);
    const part = fewOf(seals.filter(({ number }) => BigInt(number) <= BigInt(last)));
    const end = part.at(-1);
    if (end === undefined) return;
    yield part;
    at = end.number;
  }
}
