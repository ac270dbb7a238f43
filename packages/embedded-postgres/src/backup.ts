import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  type Dirent,
  existsSync,
  readdirSync,
  type Stats,
} from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import type { Account } from './account.ts';
import { packagedBinaries } from './binaries.ts';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, withCluster } from './embedded-postgres.ts';
import { giveTree, otherOwner } from './ownership.ts';

/** Lists what a backup holds; it is written last, so that a folder without it is none. */
const MANIFEST = 'backup.json';
const FORMAT = 1;
const COPIES_AT_ONCE = 8;
const CLUSTER = 'postgres';
const LABEL = 'backup_label';
const WAL = 'pg_wal';
const TABLESPACES = 'pg_tblspc';
/** Of the service, beside the database: where FIX sessions stand. */
const BESIDE: readonly string[] = ['fix'];

/** What a server makes anew (https://www.postgresql.org/docs/current/continuous-archiving.html, "Making a base backup"). */
const EMPTIED: ReadonlySet<string> = new Set([
  WAL,
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const LEFT_OUT =
  /(^|\/)(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|pg_internal\.init|pgsql_tmp[^/]*)$/;
/** Copied after all others, as it says from where a recovery begins. */
const CONTROL_FILE = 'global/pg_control';

interface KeptFile {
  /** With slashes, below the backup. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

interface Manifest {
  readonly format: typeof FORMAT;
  readonly madeAt: string;
  /** Major version of the server. */
  readonly postgres: string;
  /** Empty folders, too, which the server expects. */
  readonly folders: readonly string[];
  readonly files: readonly KeptFile[];
}

/** What was backed up. */
interface BackupMade {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

/** A wrong folder, or a backup that is not whole. The message is one line. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

interface BackupInput {
  /** How the running server is reached, as its superuser. */
  readonly server: EmbeddedPostgres['poolOptions'];
  /** The service's data folder. */
  readonly dataDir: string;
  /** Made; it must not be there yet. */
  readonly folder: string;
  readonly now: number;
  /** Ends it, with its reason; what was copied until then is removed. */
  readonly signal?: AbortSignal;
}

/**
 * Copies the cluster while it works. Everything that was committed before the end is in the copy, and nothing half: a start on
 * it replays the log that was written meanwhile.
 * @throws BackupError when the folder is there already
 */
export async function makeBackup({ server, dataDir, folder, now, signal }: BackupInput): Promise<BackupMade> {
  if (existsSync(folder)) throw new BackupError(`${folder} already exists. Name a new folder.`);
  requireOutside(folder, dataDir);
  const partial = `${folder}.partial-${randomUUID()}`;
  const client = new pg.Client(server);
  await client.connect();
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const cluster = await copyCluster(client, join(partial, CLUSTER), signal);
    const beside = await copyBeside(dataDir, partial, signal);
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    const manifest: Manifest = {
      format: FORMAT,
      madeAt: new Date(now).toISOString(),
      postgres: rows[0]?.server_version_num.slice(0, -4) ?? '',
      folders: [...cluster.folders.map((path) => posix.join(CLUSTER, path)), ...beside.folders],
      files: [
        ...cluster.files.map((file) => ({ ...file, path: posix.join(CLUSTER, file.path) })),
        ...beside.files,
      ],
    };
    await writeSynced(join(partial, MANIFEST), `${JSON.stringify(manifest, undefined, 1)}\n`);
    signal?.throwIfAborted();
    await rename(partial, folder);
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    return { folder, files: manifest.files.length, bytes };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    // With the connection ends a backup that was begun, and the slot that holds the log.
    await client.end().catch(() => undefined);
  }
}

/** A copy in what is copied would hold itself, and a part of what the next server starts on. */
function requireOutside(folder: string, dataDir: string): void {
  const within = [CLUSTER, ...BESIDE].map((name) => join(dataDir, name));
  if (within.some((each) => !relative(each, folder).startsWith('..')))
    throw new BackupError(`${folder} is within the database itself. Name a folder elsewhere.`);
}

interface Copied {
  readonly folders: readonly string[];
  readonly files: readonly KeptFile[];
}

async function copyCluster(client: pg.Client, target: string, signal?: AbortSignal): Promise<Copied> {
  const text = async (sql: string, values: unknown[] = []): Promise<string> => {
    const { rows } = await client.query<{ text: string }>(sql, values);
    return rows[0]?.text ?? '';
  };
  const source = await text(`select current_setting('data_directory') as text`);
  // No log that the copy needs is recycled before it is copied.
  await text(`select lsn::text as text from pg_create_physical_replication_slot($1, true, true)`, [
    `firmquote_backup_${process.pid}`,
  ]);
  const first = await text(`select pg_walfile_name(pg_backup_start('firmquote', fast => true)) as text`);
  const copied = await copyTree(source, target, signal);
  const { rows } = await client.query<{ label: string; last: string }>(
    `select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(wait_for_archive => false)`,
  );
  const { label, last } = rows[0] as { label: string; last: string };
  await writeSynced(join(target, LABEL), label);
  const segments = (await readdir(join(source, WAL))).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
  );
  const log = await copyFiles(
    source,
    target,
    segments.map((name) => posix.join(WAL, name)),
    signal,
  );
  const labelFile = { path: LABEL, bytes: Buffer.byteLength(label), sha256: sha256Of(label) };
  return { folders: copied.folders, files: [labelFile, ...copied.files, ...log] };
}

async function copyBeside(dataDir: string, target: string, signal?: AbortSignal): Promise<Copied> {
  const parts = await Promise.all(
    BESIDE.filter((name) => existsSync(join(dataDir, name))).map(async (name) => {
      const { folders, files } = await copyTree(join(dataDir, name), join(target, name), signal);
      return {
        folders: [name, ...folders.map((path) => posix.join(name, path))],
        files: files.map((file) => ({ ...file, path: posix.join(name, file.path) })),
      };
    }),
  );
  return { folders: parts.flatMap(({ folders }) => folders), files: parts.flatMap(({ files }) => files) };
}

async function copyTree(source: string, target: string, signal?: AbortSignal): Promise<Copied> {
  const folders: string[] = [];
  const paths: string[] = [];
  await mkdir(target, { mode: 0o700 });
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(source, folder), { withFileTypes: true });
    for (const entry of entries) {
      const path = posix.join(folder, entry.name);
      if (LEFT_OUT.test(path)) continue;
      const found = await followed(entry, source, path);
      if (found.isFile()) paths.push(path);
      if (!found.isDirectory()) continue;
      folders.push(path);
      await mkdir(join(target, path), { mode: 0o700 });
      if (!EMPTIED.has(path)) await walk(path);
    }
  };
  await walk('');
  const last = paths.filter((path) => path === CONTROL_FILE);
  const rest = paths.filter((path) => path !== CONTROL_FILE);
  const files = await copyFiles(source, target, rest, signal);
  files.push(...(await copyFiles(source, target, last, signal)));
  return { folders, files };
}

/**
 * Somebody may have moved a part of the cluster to another disk: what a link leads to is copied in its place.
 * @throws BackupError where nothing is there, and at a tablespace: a server takes only links for one
 */
async function followed(entry: Dirent, source: string, path: string): Promise<Dirent | Stats> {
  if (!entry.isSymbolicLink()) return entry;
  if (posix.dirname(path) === TABLESPACES)
    throw new BackupError(
      `${path} is a tablespace, which a backup does not contain. Move its tables back, and drop it.`,
    );
  try {
    return await stat(join(source, path));
  } catch {
    throw new BackupError(`${join(source, path)} is a link to what is not there, or cannot be read.`);
  }
}

/** Several at once, since each waits for the disk. When one fails, nothing is written any more by the time that it is told. */
async function copyFiles(
  source: string,
  target: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  const waiting = paths.values();
  const failed = new AbortController();
  const over = AbortSignal.any(signal === undefined ? [failed.signal] : [failed.signal, signal]);
  const copy = async () => {
    try {
      for (const path of waiting) {
        over.throwIfAborted();
        const kept = await copyFile(join(source, path), join(target, path), path, over);
        if (kept !== undefined) files.push(kept);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, copy));
  // Its own reason: what is told of a copy that it ends is that it was ended.
  over.throwIfAborted();
  return files;
}

/** @returns undefined when the file has gone meanwhile, which the log tells of */
async function copyFile(
  from: string,
  to: string,
  path: string,
  signal: AbortSignal,
): Promise<KeptFile | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  try {
    const written = createWriteStream(to, { mode: 0o600, flush: true });
    await pipeline(createReadStream(from), measure, written, { signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(from)) return undefined;
    throw error;
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

/**
 * Reads the whole backup.
 * @throws BackupError with the first file that is missing or changed
 */
export async function verifyBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  for (const { path, bytes, sha256 } of manifest.files) {
    const hash = createHash('sha256');
    let read = 0;
    try {
      for await (const chunk of createReadStream(join(folder, path))) {
        hash.update(chunk as Buffer);
        read += (chunk as Buffer).length;
      }
    } catch {
      throw new BackupError(`${path} is missing in ${folder}, or cannot be read.`);
    }
    if (read !== bytes || hash.digest('hex') !== sha256) {
      throw new BackupError(`${path} in ${folder} is not what was backed up.`);
    }
  }
  return manifest;
}

async function readManifest(folder: string): Promise<Manifest> {
  const damaged = () => new BackupError(`${folder} is no backup: it has no ${MANIFEST}, or a damaged one.`);
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'));
  } catch {
    throw damaged();
  }
  if (manifest?.format === undefined) throw damaged();
  // Before anything else: what another form has in it, that version knows.
  if (manifest.format !== FORMAT) throw new BackupError(`${folder} was made by another version.`);
  if (!isWhole(manifest)) throw damaged();
  const paths = [...manifest.folders, ...manifest.files.map(({ path }) => path)];
  // A backup from elsewhere must not write elsewhere.
  if (paths.some((path) => posix.normalize(path) !== path || /^(\.\.)?\//.test(path))) {
    throw new BackupError(`${folder} is no backup: its ${MANIFEST} names files outside of it.`);
  }
  return manifest;
}

function isWhole(manifest: Partial<Manifest>): manifest is Manifest {
  const { folders, files } = manifest;
  return (
    Array.isArray(folders) &&
    folders.every((path) => typeof path === 'string') &&
    Array.isArray(files) &&
    files.every((file) => typeof file?.path === 'string')
  );
}

/**
 * Puts a backup into a data folder that has no database. The next start replays its log. Where it ends too early, it can be repeated.
 * @throws BackupError when the folder has a database, or the backup is not whole or of another PostgreSQL
 */
export async function restoreBackup(
  folder: string,
  options: Pick<EmbeddedPostgresOptions, 'dataDir' | 'isChosen' | 'binaries'>,
): Promise<Manifest> {
  const { postgres } = await readManifest(folder);
  const { major } = options.binaries ?? packagedBinaries();
  if (postgres !== String(major))
    throw new BackupError(
      `${folder} was made by PostgreSQL ${postgres}, and this is PostgreSQL ${major}, which cannot serve it. Restore it with the version that made it.`,
    );
  const manifest = await verifyBackup(folder);
  await withCluster(options, async (data, account) => {
    if (existsSync(data) && readdirSync(data).length > 0) {
      throw new BackupError(
        `${data} holds a database already. Move it away, or name another folder by FIRMQUOTE_DATA_DIR.`,
      );
    }
    // A start removes what is named so and was never finished.
    const fresh = `${data}.new-${randomUUID()}`;
    await putBack(folder, manifest, CLUSTER, fresh);
    for (const name of BESIDE) await putBack(folder, manifest, name, join(options.dataDir, name));
    giveBack(fresh, options.dataDir, account);
    await rm(data, { recursive: true, force: true });
    // The last step: a folder with a database takes no second restore, so that what is missing by then stays missing.
    await rename(fresh, data);
  });
  return manifest;
}

/** Root puts back what others go on with: the user of the database, and the one who has the data folder. */
function giveBack(cluster: string, dataDir: string, account: Account): void {
  if (account.switched && existsSync(cluster)) giveTree(cluster, account);
  const owner = otherOwner(dataDir);
  if (owner === undefined) return;
  for (const folder of BESIDE.map((name) => join(dataDir, name)))
    if (existsSync(folder)) giveTree(folder, owner);
}

async function putBack(folder: string, manifest: Manifest, part: string, target: string): Promise<void> {
  const inPart = (path: string) => path.startsWith(`${part}/`);
  const to = (path: string) => join(target, path.slice(part.length + 1));
  if (!manifest.files.some(({ path }) => inPart(path))) return;
  await mkdir(target, { recursive: true, mode: 0o700 });
  await chmod(target, 0o700);
  for (const path of manifest.folders.filter(inPart)) await mkdir(to(path), { recursive: true, mode: 0o700 });
  const paths = manifest.files.map(({ path }) => path).filter(inPart);
  await copyFiles(
    join(folder, part),
    target,
    paths.map((path) => path.slice(part.length + 1)),
  );
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function writeSynced(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  const file = await open(path);
  await file.sync();
  await file.close();
}
