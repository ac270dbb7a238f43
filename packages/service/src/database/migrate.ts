import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sqlState } from './failures.ts';
import { type Connection, type Pool, UNLIMITED } from './pool.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export interface Migrated {
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** Names of those that a newer version has applied, and that this version can run with. */
  readonly newer: readonly string[];
}

/** The version before this one: its instances go on while this one migrates, and may start again afterwards. */
export interface PreviousVersion {
  readonly commit: string;
  /** The last of its migrations. */
  readonly migration: string;
}

const FOLDER = new URL('./migrations/', import.meta.url);
/** Any number that nothing else locks: keeps two instances from migrating at once. */
const LOCK = 4_201_984;
/**
 * While a migration waits for a lock, everything that comes after it waits for the migration. Shorter than
 * PostgreSQL's `deadlock_timeout` of a second, so that a deadlock ends the migration's attempt and no request.
 */
const LOCK_WAIT_MS = 400;
/** Between two attempts, so that what waited gets its turn. */
const PAUSES_MS = [100, 200, 400, 800] as const;
/** Longer than any statement of the service may hold a lock, many times over. */
const ATTEMPTS_MAX = 300;

export function previousVersion(): PreviousVersion {
  return JSON.parse(readFileSync(new URL('./previous-version.json', import.meta.url), 'utf8'));
}

/** The numbered SQL files, in order. A file is never edited after it was released; changes come as a new one. */
export async function readMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings the schema up to date while instances of the previous version serve: the files of one number in one
 * transaction, which gives way when a lock is not to be had at once, and is tried again.
 * @throws when the database holds a migration that this version cannot run with, or has in another form
 */
export async function migrate(pool: Pool, migrations?: readonly Migration[]): Promise<Migrated> {
  const wanted = migrations ?? (await readMigrations());
  const connection = await pool.connect();
  try {
    await connection.query('set statement_timeout = 0; set lock_timeout = 0');
    await connection.query({ text: `select pg_advisory_lock(${LOCK})`, ...UNLIMITED });
    const { missing, newer } = await compare(connection, wanted);
    const applied: string[] = [];
    for (const step of stepsOf(missing)) {
      await withPatience(connection, step);
      applied.push(...step.map(({ name }) => name));
    }
    return { applied, newer };
  } finally {
    // Its settings and its lock go with it.
    connection.release(true);
  }
}

/** Those of this version that the database lacks: none, unless it was replaced after the start. A newer version's contain ours. */
export async function missingMigrations(pool: Pool, wanted: readonly Migration[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('select name from schema_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  const own = new Set(wanted.map(({ name }) => name));
  if (rows.some(({ name }) => !own.has(name))) return [];
  return [...own].filter((name) => !applied.has(name));
}

async function compare(
  connection: Connection,
  wanted: readonly Migration[],
): Promise<{ missing: Migration[]; newer: string[] }> {
  await connection.query(
    `create table if not exists schema_migrations
       (name text primary key, checksum text not null, applied_at timestamptz not null default now());
     alter table schema_migrations add column if not exists runs_with text`,
  );
  const { rows } = await connection.query<{ name: string; checksum: string; runs_with: string | null }>(
    'select name, checksum, runs_with from schema_migrations order by name',
  );
  const own = wanted.at(-1)?.name ?? '';
  const known = new Set(wanted.map(({ name }) => name));
  const newer = rows.filter(({ name }) => !known.has(name));
  for (const { name, runs_with } of newer) {
    if (runs_with === null || own < runs_with)
      throw new Error(`The database was migrated by a newer version: it holds ${name}.`);
  }
  const checksums = new Map(rows.map((row) => [row.name, row.checksum]));
  for (const { name, checksum } of wanted) {
    if (checksums.has(name) && checksums.get(name) !== checksum)
      throw new Error(`Migration ${name} differs from the one that was applied.`);
  }
  // What a newer version has built upon is not filled in behind its back.
  const missing = newer.length > 0 ? [] : wanted.filter(({ name }) => !checksums.has(name));
  return { missing, newer: newer.map(({ name }) => name) };
}

/** Files of one number belong together. */
function stepsOf(migrations: readonly Migration[]): Migration[][] {
  return [...Map.groupBy(migrations, ({ name }) => name.slice(0, 4)).values()];
}

async function withPatience(connection: Connection, step: readonly Migration[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await apply(connection, step);
      return;
    } catch (error) {
      await connection.query('rollback');
      const gaveWay = ['55P03', '40P01'].includes(sqlState(error) ?? '');
      if (!gaveWay || attempt >= ATTEMPTS_MAX) throw error;
      await delay(PAUSES_MS[Math.min(attempt, PAUSES_MS.length) - 1]);
    }
  }
}

async function apply(connection: Connection, step: readonly Migration[]): Promise<void> {
  await connection.query(`begin; set local lock_timeout = ${LOCK_WAIT_MS}`);
  for (const { name, checksum, sql } of step) {
    await connection.query({ text: sql, ...UNLIMITED });
    await connection.query('insert into schema_migrations (name, checksum, runs_with) values ($1, $2, $3)', [
      name,
      checksum,
      previousVersion().migration,
    ]);
  }
  await connection.query({ text: 'commit', ...UNLIMITED });
}
