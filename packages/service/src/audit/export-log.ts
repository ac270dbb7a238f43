import { createHash } from 'node:crypto';
import type { Pool } from '../database/pool.ts';
import { archivedOf } from './archive.ts';
import { type MadeExport, readArchived } from './archive-store.ts';
import { KeptTree } from './blocks.ts';
import { type Heads, headOf } from './heads.ts';
import { readTip, type SealRow, sealBefore, sealOfSize, sealsAfter } from './seal-store.ts';
import type { SealedLog } from './sealed-log.ts';
import { chunks, fewOf, leafOf, rowsUnder, sealedOf, wholeRow } from './sealed-rows.ts';
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
 * verifies the file verifies them. What is sealed does not change, so nothing is held between two reads but a place. Rows that were
 * archived are not in it: it begins behind them, and says which exports have them.
 * @param onEnd called with what was made, when it has been read and each row was the sealed one
 */
export async function* exportLog(
  heads: Heads,
  log: SealedLog,
  range: LogRange = {},
  onEnd?: (made: MadeExport) => void,
): AsyncGenerator<string> {
  const { pool } = heads;
  const { after, last } = await endsOfRange(pool, log, range);
  const file = createHash('sha256');
  const piece = (text: string) => {
    file.update(text);
    return text;
  };
  if (after.size > 0) yield piece(await startLine(heads, log, after.size));
  let end = after;
  let isWhole = true;
  for await (const seals of sealsBetween(pool, log, after.seals, last)) {
    const rows = await rowsUnder(pool, log, seals, wholeRow);
    for (const [i, seal] of seals.entries()) {
      const { text, isSealed } = sealText(seal, rows[i] ?? []);
      isWhole &&= isSealed;
      yield piece(text);
    }
    end = endOf(seals.at(-1)) ?? end;
    if (!isWhole && BigInt((await readArchived(pool, log.name)).seals) > BigInt(after.seals))
      throw new Error(`rows of ${log.name} were archived meanwhile`);
  }
  const { root, jws } = await headOf(heads, pool, log, { ...end, size: String(end.size) });
  const head = { log: log.name, size: end.size, root: root.toString('hex') };
  yield piece(`${JSON.stringify({ head, jws })}\n`);
  if (isWhole && end.size > after.size)
    onEnd?.({ log: log.name, fromSize: after.size, size: end.size, root, sha256: file.digest() });
}

async function startLine(heads: Heads, log: SealedLog, size: number): Promise<string> {
  const peaks = await new KeptTree(heads.pool, log, size).peaks(size);
  const archived = await archivedOf(heads, log, size);
  const start = { log: log.name, size, peaks: peaks.map((hash) => hash.toString('hex')), archived };
  return `${JSON.stringify({ start })}\n`;
}

function sealText(seal: SealRow, rows: Awaited<ReturnType<SealedLog['lines']>>) {
  const { number, size, root, fingerprints } = seal;
  const sealed = chunks(fingerprints);
  // What is not sealed yet, because it came a moment ago, is for a later export.
  const leaves = sealedOf(rows.map(leafOf), new Set(sealed));
  const shown = new Set(leaves.map(({ key }) => key));
  const lines = rows.filter(({ key }) => shown.has(key)).map(({ line }) => `${line}\n`);
  const reported = {
    seal: number,
    size,
    root: root.toString('hex'),
    fingerprints: fingerprints.toString('hex'),
  };
  const isSealed =
    leaves.length === sealed.length && leaves.every(({ fingerprint }, i) => fingerprint === sealed[i]);
  return { text: `${lines.join('')}${JSON.stringify(reported)}\n`, isSealed };
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

async function endsOfRange(
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
  const archived = await readArchived(pool, log.name);
  if (BigInt(archived.seals) > BigInt(after.seals))
    after = endOf((await sealsAfter(pool, log.name, String(BigInt(archived.seals) - 1n), 1))[0]) ?? after;
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
