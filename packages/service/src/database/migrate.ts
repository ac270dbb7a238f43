import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  changedDefinitions,
  type Definition,
  define,
  digestOf,
  dropOthers,
  readDefinitions,
} from './definitions.ts';
import { sqlState } from './failures.ts';
import { type Connection, type Pool, UNLIMITED } from './pool.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** What a database must have for this version: tables by migrations, and what is defined upon them. */
export interface Schema {
  readonly migrations: readonly Migration[];
  readonly definitions: readonly Definition[];
  /** Tells sets of definitions apart: those of two versions too, so that a version may take back what one before it changed. */
  readonly edition: string;
}

interface Migrated {
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** Names of the functions, views and triggers that were made now, or made anew. */
  readonly defined: readonly string[];
  /** Names of those that a newer version has applied, and that this version can run with. */
  readonly newer: readonly string[];
}

/** The version before this one: its instances go on while this one migrates, and may start again afterwards. */
interface PreviousVersion {
  readonly commit: string;
  /** The last of its migrations. */
  readonly migration: string;
}

/** Of the release. */
const VERSION = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  .version as string;
const FOLDER = new URL('../../sql/migrations/', import.meta.url);
/** The first migration of databases from before `0001_baseline.sql`. */
const EARLIER = '0001_customers.sql';
/** Any number that nothing else locks: keeps two instances from migrating at once. */
const LOCK = 4_201_984;
/**
 * While a migration waits for a lock, everything that comes after it waits for the migration. Shorter than
 * PostgreSQL's `deadlock_timeout` of a second, so that a deadlock ends the migration's attempt and no request.
 */
const LOCK_WAIT_MS = 400; // limit: Wait of a migration for a lock
/** Between two attempts, so that what waited gets its turn. */
const PAUSES_MS = [100, 200, 400, 800] as const;
/** Longer than any statement of the service may hold a lock, many times over. */
const ATTEMPTS_MAX = 300; // limit: Times that a migration is tried

export function previousVersion(): PreviousVersion {
  return JSON.parse(readFileSync(new URL('./previous-version.json', import.meta.url), 'utf8'));
}

/** Stands for the functions, views and triggers where migrations are named. */
const DEFINITIONS = 'sql/functions';

let own: Schema | undefined;

/** Of this version; read once, since its files are part of it. */
export async function readSchema(): Promise<Schema> {
  own ??= schemaOf(await readMigrations(), await readDefinitions());
  return own;
}

export function schemaOf(migrations: readonly Migration[], definitions: readonly Definition[] = []): Schema {
  const checksums = definitions.map(({ checksum }) => checksum);
  return { migrations, definitions, edition: digestOf([VERSION, ...checksums].join()) };
}

/** The numbered SQL files, in order. A file is never edited after it was released; changes come as a new one. */
export async function readMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { name, sql, checksum: digestOf(sql) };
    }),
  );
}

/**
 * Brings the schema up to date while instances of the previous version serve: the files of one number in one
 * transaction, the definitions in the last one. Each gives way when a lock is not to be had at once, and is tried again.
 * @throws when the database holds a migration that this version cannot run with, or has in another form
 */
export async function migrate(pool: Pool, wanted?: Schema): Promise<Migrated> {
  const schema = wanted ?? (await readSchema());
  const connection = await pool.connect();
  try {
    await connection.query('set statement_timeout = 0; set lock_timeout = 0');
    await connection.query({ text: `select pg_advisory_lock(${LOCK})`, ...UNLIMITED });
    await refuseEarlier(connection);
    const { missing, newer } = await compare(connection, schema.migrations);
    if (newer.length > 0) return { applied: [], defined: [], newer };
    const edition = await editionIn(connection, schema);
    if (edition === 'newer' && missing.length === 0)
      return { applied: [], defined: [], newer: [DEFINITIONS] };
    const steps = stepsOf(missing);
    // A step of its own where no migration is missing.
    if (steps.length === 0 && edition !== 'own') steps.push([]);
    const defined: string[] = [];
    for (const [i, migrations] of steps.entries()) {
      const step = { migrations, schema, isFirst: i === 0, isLast: i === steps.length - 1 };
      defined.push(...(await withPatience(connection, step)));
    }
    return { applied: missing.map(({ name }) => name), defined, newer };
  } finally {
    // Its settings and its lock go with it.
    connection.release(true);
  }
}

/** Before anything is written: the schema was begun anew once, and what was made before that cannot be brought along. */
async function refuseEarlier(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (rows[0]?.exists !== true) return;
  const earlier = await connection.query('select from schema_migrations where name = $1', [EARLIER]);
  if (earlier.rowCount === 0) return;
  throw new Error(
    'This database was made by an early version of Firmquote, whose tables this version cannot bring up to date. Nothing in it was changed. Start on an empty database or a new data folder (DATABASE_URL, FIRMQUOTE_DATA_DIR), or go on with the version that made it.',
  );
}

/**
 * What this version has and the database lacks: nothing, unless it was replaced after the start. A newer version's
 * contains ours.
 */
export async function missingFrom(pool: Pool, { migrations, edition }: Schema): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('select name from schema_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  const own = new Set(migrations.map(({ name }) => name));
  if (rows.some(({ name }) => !own.has(name))) return [];
  const missing = [...own].filter((name) => !applied.has(name));
  if (missing.length > 0) return missing;
  const known = await pool.query('select from schema_editions where edition = $1 limit 1', [edition]);
  return known.rowCount === 0 ? [DEFINITIONS] : [];
}

/**
 * Whether the definitions in the database are of this version, of one that came after it here, or of another one.
 */
async function editionIn(connection: Connection, { edition }: Schema): Promise<'own' | 'newer' | 'other'> {
  const { rows } = await connection.query<{ edition: string }>(
    'select edition from schema_editions order by id desc',
  );
  if (rows[0]?.edition === edition) return 'own';
  return rows.some((row) => row.edition === edition) ? 'newer' : 'other';
}

async function compare(
  connection: Connection,
  wanted: readonly Migration[],
): Promise<{ missing: Migration[]; newer: string[] }> {
  await connection.query(
    `create table if not exists schema_migrations
       (name text primary key, checksum text not null, applied_at timestamptz not null default now());
     alter table schema_migrations add column if not exists runs_with text;
     create table if not exists schema_definitions
       (kind text not null, name text not null, checksum text not null, primary key (kind, name));
     create table if not exists schema_editions
       (id bigint primary key generated always as identity, edition text not null, since timestamptz not null default now())`,
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

interface Step {
  readonly migrations: readonly Migration[];
  readonly schema: Schema;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

async function withPatience(connection: Connection, step: Step): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await apply(connection, step);
    } catch (error) {
      await connection.query('rollback');
      const gaveWay = ['55P03', '40P01'].includes(sqlState(error) ?? '');
      if (!gaveWay || attempt >= ATTEMPTS_MAX) throw error;
      await delay(PAUSES_MS[Math.min(attempt, PAUSES_MS.length) - 1]);
    }
  }
}

/** Answers the names of what it has defined. */
async function apply(
  connection: Connection,
  { migrations, schema, isFirst, isLast }: Step,
): Promise<string[]> {
  const defined: string[] = [];
  const defineOf = async (wanted: readonly Definition[]) => {
    const changed = await changedDefinitions(connection, wanted);
    await define(connection, changed);
    defined.push(...changed.map(({ name }) => name));
  };
  await connection.query(`begin; set local lock_timeout = ${LOCK_WAIT_MS}`);
  if (isFirst) await defineOf(schema.definitions.filter(({ isUnderTables }) => isUnderTables));
  for (const { name, checksum, sql } of migrations) {
    await connection.query({ text: sql, ...UNLIMITED });
    await connection.query('insert into schema_migrations (name, checksum, runs_with) values ($1, $2, $3)', [
      name,
      checksum,
      previousVersion().migration,
    ]);
  }
  if (isLast) {
    await defineOf(schema.definitions);
    await dropOthers(connection, schema.definitions);
    await connection.query('insert into schema_editions (edition) values ($1)', [schema.edition]);
  }
  await connection.query({ text: 'commit', ...UNLIMITED });
  return defined;
}
