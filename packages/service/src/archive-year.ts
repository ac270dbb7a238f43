import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import { openBefore, ROWS, rowLines } from './archive-rows.ts';
import type { Signer } from './audit/heads.ts';
import { logText } from './audit/log-commands.ts';
import { readBankReconciliation } from './bank-statements/bank-reconciliation.ts';
import { BEGIN_SNAPSHOT, type Connection, type Pool, UNLIMITED } from './database/pool.ts';
import { closedThrough, exportYear, type YearSums } from './ledger/export-year.ts';
import { type Clock, isoInstant } from './platform/clock.ts';
import { Problem } from './problems/problem.ts';

/** A closed year as files that need no service: docs/operations/archive.md. */

export const ARCHIVE_FORMAT = 1;
export const MANIFEST = 'manifest.json';

interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly lines: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Amounts by account and currency, debits positive: `{ "bank": { "EUR": "12.00" } }`. */
type Balances = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface ArchiveManifest {
  readonly format: typeof ARCHIVE_FORMAT;
  readonly year: number;
  readonly madeAt: string;
  readonly entries: number;
  /** Debits of the year's entries, by currency. */
  readonly debits: Readonly<Record<string, string>>;
  readonly opening: Balances;
  readonly closing: Balances;
  readonly files: readonly ArchivedFile[];
}

interface ArchiveCommand {
  readonly year: number;
  /** A folder that there is not yet. */
  readonly folder: string;
  readonly isSandbox: boolean;
}

/**
 * Writes a year into a new folder. It is there when it is whole: until then it is `<folder>.part`, which the next run begins anew.
 * @throws Problem invalid_state_transition where the year is not closed, is not done with, or bank and ledger differ
 */
export async function archiveYear(
  { pool, clock, signer }: { readonly pool: Pool; readonly clock: Clock; readonly signer: Signer },
  { year, folder, isSandbox }: ArchiveCommand,
): Promise<ArchiveManifest> {
  if (existsSync(folder)) throw refused(`${folder} already exists. Name a new folder.`);
  const span = { start: Date.UTC(year, 0, 1), end: Date.UTC(year + 1, 0, 1) };
  const part = join(dirname(folder), `${basename(folder)}.part`);
  await rm(part, { recursive: true, force: true });
  const connection = await pool.connect();
  let failure: Error | boolean = true;
  try {
    await connection.query(BEGIN_SNAPSHOT);
    await connection.query({ text: 'set local statement_timeout = 0', ...UNLIMITED });
    await requireComplete(connection, year, span.end);
    await mkdir(part, { recursive: true, mode: 0o700 });
    const files: ArchivedFile[] = [];
    const sums = new Sums();
    files.push(await written(part, 'journal.hledger', exportYear(connection, year, span, clock.now(), sums)));
    for (const name of Object.keys(ROWS) as (keyof typeof ROWS)[])
      files.push(await written(part, `${name}.ndjson`, rowLines(connection, name, span)));
    await connection.query('commit');
    failure = false;
    const records: (() => Promise<void>)[] = [];
    for (const log of ['journal', 'audit'] as const) {
      // Sealed in real time; a sandbox's business time is another.
      const range = isSandbox ? {} : { from: span.start, to: span.end + SEALED_WITHIN_MS };
      const { pieces, record } = logText(pool, log, clock, signer, range);
      files.push(await written(part, `sealed-${log}.ndjson`, pieces));
      records.push(record);
    }
    const manifest = {
      format: ARCHIVE_FORMAT,
      year,
      madeAt: isoInstant(clock.now()),
      ...sums.shown(),
      files,
    } as const;
    await written(part, MANIFEST, [`${JSON.stringify(manifest, undefined, 2)}\n`]);
    await rename(part, folder);
    // What an export has may leave the trail one day: the part of an archive that never came to be has nothing.
    for (const record of records) await record();
    return manifest;
  } finally {
    connection.release(failure);
  }
}

/** What was booked last on a year is sealed by then, also what was late. */
const SEALED_WITHIN_MS = 86_400_000;

function refused(detail: string): Problem {
  return new Problem('invalid_state_transition', detail, { members: { from: 'open', to: 'archived' } });
}

async function requireComplete(connection: Connection, year: number, end: number): Promise<void> {
  const closed = await closedThrough(connection);
  if (closed === undefined || closed < `${year}-12-31`)
    throw refused(`Not all days of ${year} are closed; the last closed day: ${closed ?? 'none'}.`);
  const open = Object.entries(await openBefore(connection, end));
  if (open.length > 0) {
    const reported = open.map(([kind, count]) => `${count} ${kind}`).join(', ');
    throw refused(`Still open from ${year} or before: ${reported}.`);
  }
  const differing = (await readBankReconciliation(connection, undefined)).filter(
    ({ unexplainedMinor }) => unexplainedMinor !== 0n,
  );
  if (differing.length > 0) {
    throw refused(`Bank and ledger differ in ${differing.map(({ currency }) => currency).join(', ')}.`);
  }
}

/** Counts and sums of what is written. */
class Sums implements YearSums {
  entries = 0;
  readonly #debits = new Map<string, bigint>();
  readonly #balances = { opening: new Map<string, bigint>(), closing: new Map<string, bigint>() };

  book({ postings }: Parameters<YearSums['book']>[0]): void {
    this.entries += 1;
    for (const { currency, amount } of postings) if (amount > 0n) add(this.#debits, currency, amount);
  }

  keep(when: 'opening' | 'closing', balances: Parameters<YearSums['keep']>[1]): void {
    for (const { account, currency, balance } of balances)
      add(this.#balances[when], `${account} ${currency}`, balance);
  }

  shown(): Pick<ArchiveManifest, 'entries' | 'debits' | 'opening' | 'closing'> {
    return {
      entries: this.entries,
      debits: Object.fromEntries(
        [...this.#debits].sort().map(([code, minor]) => [code, amountText(minor, code)]),
      ),
      opening: shownBalances(this.#balances.opening),
      closing: shownBalances(this.#balances.closing),
    };
  }
}

const add = (sums: Map<string, bigint>, key: string, minor: bigint) =>
  sums.set(key, (sums.get(key) ?? 0n) + minor);
const amountText = (minor: bigint, code: string) => formatAmount(minor, knownCurrency(code));

function shownBalances(sums: ReadonlyMap<string, bigint>): Balances {
  const shown: Record<string, Record<string, string>> = {};
  for (const [key, minor] of [...sums].sort()) {
    const [account = '', currency = ''] = key.split(' ');
    shown[account] ??= {};
    (shown[account] as Record<string, string>)[currency] = amountText(minor, currency);
  }
  return shown;
}

/** Written for its owner only, and on disk before the next one begins. */
async function written(
  folder: string,
  name: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<ArchivedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  const file = await open(join(folder, name), 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      const data = Buffer.from(piece);
      hash.update(data);
      bytes += data.length;
      for (const byte of data) if (byte === 0x0a) lines += 1;
      await file.writeFile(data);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { name, bytes, lines, sha256: hash.digest('hex') };
}
