import type { FoundRow } from '@firmquote/client/logs';
import type { Queryable } from '../database/pool.ts';
import { lateKeys, type SealRow, sealsOver } from './seal-store.ts';
import type { LogLine, SealedLog } from './sealed-log.ts';
import { leafHash } from './tree.ts';

/** Of the hash of a row: enough to say which one does not fit; the root shows that one does not. */
export const FINGERPRINT_BYTES = 4;
/** Sealed ones and others between them, of which there are none unless somebody wrote past the service. */
const LINES_MAX = 10_000; // limit: Rows of a log that are read at once
/** So few at a time that requests wait for them for a moment only, and that they are gone before memory is looked through. */
export const PIECE = 200; // limit: Rows of a log that one statement brings
/** Much less than {@link LINES_MAX}, so that what is between the sealed ones shows. */
const SEALED_AT_ONCE = 2_000; // limit: Sealed rows of a log that are held in memory at once; of one seal, all

type Keyed = Pick<LogLine, 'key'>;

/** What is verified of a row. */
export type Leaf = FoundRow & { readonly leaf: Buffer };

/**
 * What the database has now under each of some seals, that follow each other: rows in the place of a seal that are not sealed as late
 * ones, or the late ones that it names. What is not sealed yet is among them.
 * @param rowOf what is held of a row until all are there
 */
export async function rowsUnder<Row extends Keyed>(
  database: Queryable,
  log: SealedLog,
  seals: readonly SealRow[],
  rowOf: (line: LogLine) => Row,
): Promise<Row[][]> {
  const inPlace = seals.filter(({ late }) => late === null);
  const late = await lateKeys(
    database,
    log.name,
    inPlace.map(({ after_key }) => after_key),
  );
  const found = new Map<string, Row[]>();
  for (const part of neighbours(inPlace)) {
    const [first, last] = [part[0] as SealRow, part.at(-1) as SealRow];
    const rows = await readLines(database, log, first.after_key, last.through_key, LINES_MAX, rowOf);
    let at = 0;
    for (const { number, through_key } of part) {
      const mine: Row[] = [];
      for (let row = rows[at]; row !== undefined && !log.isAfter(row.key, through_key); row = rows[++at]) {
        if (!late.has(row.key)) mine.push(row);
      }
      found.set(number, mine);
    }
  }
  for (const { number, late: keys } of seals) {
    if (keys !== null) found.set(number, (await log.byKeys(database, keys)).map(rowOf));
  }
  return seals.map(({ number }) => found.get(number) ?? []);
}

/**
 * Rows after a key and up to another one, in order, a piece at a time. Those of one key, of which there is one unless somebody wrote past
 * the service, come together.
 */
export async function readLines<Row extends Keyed>(
  database: Queryable,
  log: SealedLog,
  after: string,
  through: string,
  most: number,
  rowOf: (line: LogLine) => Row,
): Promise<Row[]> {
  const lines: Row[] = [];
  for (let size = PIECE; ; ) {
    const piece = await log.lines(database, lines.at(-1)?.key ?? after, through, size);
    const isEnd = piece.length < size;
    const last = piece.at(-1)?.key;
    const whole = isEnd ? piece : piece.filter(({ key }) => key !== last);
    lines.push(...whole.map(rowOf));
    if (isEnd || lines.length >= most) return lines.slice(0, most);
    size = whole.length === 0 ? 2 * size : PIECE;
  }
}

/** The first ones of some seals, with few rows together; one at least. */
export function fewOf(seals: readonly SealRow[]): SealRow[] {
  let rows = 0;
  return seals.filter((seal, i) => {
    rows += seal.rows;
    return i === 0 || rows <= SEALED_AT_ONCE;
  });
}

/** Seals whose rows are read at once: each goes on where the one before it ends. */
function neighbours(seals: readonly SealRow[]): SealRow[][] {
  const parts: SealRow[][] = [];
  let rows = 0;
  for (const seal of seals) {
    const part = parts.at(-1);
    rows += seal.rows;
    if (part !== undefined && rows <= SEALED_AT_ONCE && part.at(-1)?.through_key === seal.after_key)
      part.push(seal);
    else {
      parts.push([seal]);
      rows = seal.rows;
    }
  }
  return parts;
}

/** Of what is under a seal that nobody has looked at a second time: rows with other fingerprints are passed over, which may be late. */
export function sealedOf(found: readonly Leaf[], fingerprints: ReadonlySet<string>): readonly Leaf[] {
  if (found.length <= fingerprints.size) return found;
  return found.filter(({ fingerprint }) => fingerprints.has(fingerprint));
}

/** A row that was read is rubbish at once; what is held until all of a seal are there is this. */
export const leafOf = ({ key, line }: LogLine): Leaf => ({ ...foundRow(leafHash(line)), key });

export const wholeRow = (line: LogLine): LogLine => line;

export function foundRow(leaf: Buffer): Leaf {
  return { key: '', leaf, fingerprint: leaf.toString('hex', 0, FINGERPRINT_BYTES) };
}

/** Fingerprints, one by one, in hex. */
export function chunks(fingerprints: Buffer): string[] {
  return Array.from({ length: fingerprints.length / FINGERPRINT_BYTES }, (_, i) =>
    fingerprints.toString('hex', i * FINGERPRINT_BYTES, (i + 1) * FINGERPRINT_BYTES),
  );
}

/**
 * The hashes of the rows at some places, made of the rows.
 * @returns undefined where a row is not the sealed one
 */
export async function leavesAt(
  database: Queryable,
  log: SealedLog,
  from: number,
  to: number,
): Promise<Buffer[] | undefined> {
  if (from >= to) return [];
  const seals = await sealsOver(database, log.name, from, to);
  const rows = await rowsUnder(database, log, seals, leafOf);
  const leaves: Buffer[] = [];
  for (const [i, seal] of seals.entries()) {
    const sealed = chunks(seal.fingerprints);
    const found = sealedOf(rows[i] ?? [], new Set(sealed));
    if (found.length !== seal.rows || found.some(({ fingerprint }, at) => fingerprint !== sealed[at]))
      return undefined;
    leaves.push(...found.map(({ leaf }) => leaf));
  }
  const [first] = seals;
  const start = first === undefined ? 0 : Number.parseInt(first.size, 10) - first.rows;
  return leaves.slice(from - start, to - start);
}
