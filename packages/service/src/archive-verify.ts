import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ARCHIVE_FORMAT, type ArchiveManifest, MANIFEST } from './archive-year.ts';
import { proveFile } from './audit/log-commands.ts';

/** What an archive is found to be, without service and database. */
interface ArchiveVerdict {
  readonly ok: boolean;
  readonly year?: number;
  readonly files?: number;
  /** What hledger says; `not installed` is no fault, and no proof either. */
  readonly hledger?: 'ok' | 'not installed';
  /** The first thing that does not fit, and where. */
  readonly fault?: string;
  readonly file?: string;
}

/** What any archive has: without them there is nothing to prove it by. */
const PROVED = ['journal.hledger', 'sealed-journal.ndjson', 'sealed-audit.ndjson'];
const CHECKS = ['balancednoautoconversion', 'accounts', 'commodities', 'ordereddates'];

/** @param keys of the service, without which nothing proves who has made the archive */
export async function verifyArchive(
  folder: string,
  keys: readonly object[] | undefined,
): Promise<ArchiveVerdict> {
  const manifest = manifestOf(folder);
  if (manifest === undefined) return { ok: false, fault: 'manifest_missing', file: MANIFEST };
  if (manifest.format !== ARCHIVE_FORMAT) return { ok: false, fault: 'format_unknown', file: MANIFEST };
  if (!listsFiles(manifest)) return { ok: false, fault: 'manifest_missing', file: MANIFEST };
  const listed = new Set(manifest.files.map(({ name }) => name));
  const unlisted = PROVED.find((name) => !listed.has(name));
  if (unlisted !== undefined) return { ok: false, fault: 'missing', file: unlisted };
  for (const { name, bytes, sha256 } of manifest.files) {
    const found = await digestOf(join(folder, name));
    if (found === undefined) return { ok: false, fault: 'missing', file: name };
    if (found.bytes !== bytes || found.sha256 !== sha256) return { ok: false, fault: 'altered', file: name };
  }
  for (const log of ['journal', 'audit']) {
    const verdict = await proveFile(join(folder, `sealed-${log}.ndjson`), keys);
    if (!verdict.ok) return { ok: false, fault: verdict.fault ?? 'wrong', file: `sealed-${log}.ndjson` };
  }
  const books = await checkedByHledger(join(folder, 'journal.hledger'));
  if (books === 'wrong') return { ok: false, fault: 'books_wrong', file: 'journal.hledger' };
  return { ok: true, year: manifest.year, files: manifest.files.length, hledger: books };
}

function manifestOf(folder: string): Partial<ArchiveManifest> | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether a list of files is there to be gone through: a manifest may be damaged, like any file. */
function listsFiles(manifest: Partial<ArchiveManifest>): manifest is ArchiveManifest {
  const { files } = manifest;
  return Array.isArray(files) && files.every((file) => typeof file?.name === 'string');
}

async function digestOf(path: string): Promise<{ bytes: number; sha256: string } | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch {
    return undefined;
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function checkedByHledger(file: string): Promise<'ok' | 'not installed' | 'wrong'> {
  try {
    await promisify(execFile)('hledger', ['-f', file, 'check', ...CHECKS]);
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not installed' : 'wrong';
  }
}
