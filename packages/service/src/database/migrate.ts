import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  changedDefinitions,
  type Definition,
  define,
  digestOf,
  dropOthers,
  readDefinitions,
} from './definitions.ts';
import { sqlState } from './failures.ts';
import { type Grants, grantsOf, missingGrants, readGrants } from './grants.ts';
import {
  type Connection,
  createPool,
  type Pool,
  type PoolOptions,
  type Queryable,
  UNLIMITED,
} from './pool.ts';
import { ensureServiceRole, type ServiceRole } from './service-role.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** What a database must have for this version: tables by migrations, what is defined upon them, and who may do what. */
export interface Schema {
  readonly migrations: readonly Migration[];
  readonly definitions: readonly Definition[];
  readonly grants: Grants;
  /** Tells sets of definitions apart: those of two versions too, so that a version may take back what one before it changed. */
  readonly edition: string;
}

export interface Migrated {
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** Names of the functions, views and triggers that were made now, or made anew. */
  readonly defined: readonly string[];
  /** What was done so that the role of the service has its rights, and no others. */
  readonly granted: readonly string[];
  /** Names of those that a newer version has applied, and that this version can run with. */
  readonly newer: readonly string[];
}

/** How a database stands to this version. */
interface SchemaState {
  readonly missing: readonly Migration[];
  /** Functions, views and triggers are of an earlier version. */
  readonly isOtherEdition: boolean;
  /** As in {@link Migrated}. */
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
export const DEFINITIONS = 'sql/functions';

let own: Schema | undefined;

/** Of this version; read once, since its files are part of it. */
export async function readSchema(): Promise<Schema> {
  own ??= schemaOf(await readMigrations(), await readDefinitions(), await readGrants());
  return own;
}

export function schemaOf(
  migrations: readonly Migration[],
  definitions: readonly Definition[] = [],
  grants: Grants = grantsOf({}),
): Schema {
  const checksums = definitions.map(({ checksum }) => checksum);
  return {
    migrations,
    definitions,
    grants,
    edition: digestOf([VERSION, ...checksums, grants.digest].join()),
  };
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
 * transaction, the definitions in the last one with what the role of the service may do with all of it. Each gives way when
 * a lock is not to be had at once, and is tried again.
 * @param role made where there is none; undefined: the owner of the tables is who uses them
 * @throws when the database holds a migration that this version cannot run with, or has in another form
 */
export async function migrate(pool: Pool, wanted?: Schema, role?: ServiceRole): Promise<Migrated> {
  const schema = wanted ?? (await readSchema());
  const connection = await pool.connect();
  try {
    await connection.query('set statement_timeout = 0; set lock_timeout = 0');
    await connection.query({ text: `select pg_advisory_lock(${LOCK})`, ...UNLIMITED });
    const granted = role === undefined ? [] : await ensureServiceRole(connection, role);
    await actAsOwner(connection, role);
    await refuseEarlier(connection);
    await keepBooks(connection);
    const { missing, newer, isOtherEdition } = await compare(connection, schema);
    if (newer.length > 0) return { applied: [], defined: [], granted, newer };
    const steps = stepsOf(missing);
    const runsWith = await oldestToRun(connection, schema, missing);
    const lacks = role === undefined ? [] : await missingGrants(connection, schema.grants, role.name);
    // A step of its own where no migration is missing.
    if (steps.length === 0 && (isOtherEdition || lacks.length > 0)) steps.push([]);
    const defined: string[] = [];
    for (const [i, migrations] of steps.entries()) {
      const step = { migrations, runsWith, schema, role, isFirst: i === 0, isLast: i === steps.length - 1 };
      const done = await withPatience(connection, step);
      defined.push(...done.defined);
      granted.push(...done.granted);
    }
    return { applied: missing.map(({ name }) => name), defined, granted, newer };
  } finally {
    // Its settings and its lock go with it.
    connection.release(true);
  }
}

/** The same over a connection of its own. */
export async function migrateAsOwner(
  connection: PoolOptions['connection'],
  role: ServiceRole,
): Promise<Migrated> {
  const pool = createPool({ connection, max: 1, onError: () => undefined });
  try {
    return await migrate(pool, await readSchema(), role);
  } finally {
    await pool.end();
  }
}

/**
 * What is made belongs to the owner of what is there, whoever migrates. Functions that do with their owner's right what others
 * may not (`security definer`) look for tables where their maker did: never among temporary ones, which anybody makes.
 */
async function actAsOwner(connection: Connection, role: ServiceRole | undefined): Promise<void> {
  const { rows } = await connection.query<{ owner: string; mine: boolean; may: boolean; uses: boolean }>(
    `select pg_get_userbyid(relowner) as owner, relowner = current_user::regrole as mine,
       pg_has_role(relowner, 'member') as may,
       exists (select from pg_roles r where r.rolname = $1 and pg_has_role(r.oid, relowner, 'member')) as uses
     from pg_class where oid = to_regclass('schema_migrations')`,
    [role?.name ?? ''],
  );
  const [found] = rows;
  if (found?.uses)
    throw new Error(
      `The tables belong to ${found.owner}, and ${role?.name}, the role of DATABASE_URL, is that role or has its rights: it could change append-only rows. Name another role in DATABASE_URL; it is created if missing.`,
    );
  if (found !== undefined && !found.mine) {
    if (!found.may)
      throw new Error(`The tables belong to ${found.owner}, which DATABASE_OWNER_URL does not name.`);
    await connection.query(`set role ${pg.escapeIdentifier(found.owner)}`);
  }
  await connection.query(
    `select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', false)`,
  );
}

/** Before anything is written: the schema was begun anew once, and what was made before that cannot be brought along. */
async function refuseEarlier(connection: Queryable): Promise<void> {
  const { rows } = await connection.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (rows[0]?.exists !== true) return;
  const earlier = await connection.query('select from schema_migrations where name = $1', [EARLIER]);
  if (earlier.rowCount === 0) return;
  throw new Error(
    'This database was made by an early version of Firmquote, whose tables this version cannot bring up to date. Nothing in it was changed. Start on an empty database or a new data folder (DATABASE_URL, FIRMQUOTE_DATA_DIR), or keep using the version that made it.',
  );
}

async function keepBooks(connection: Connection): Promise<void> {
  await connection.query(
    `create table if not exists schema_migrations
       (name text primary key, checksum text not null, applied_at timestamptz not null default now());
     alter table schema_migrations add column if not exists runs_with text;
     create table if not exists schema_definitions
       (kind text not null, name text not null, checksum text not null, primary key (kind, name));
     create table if not exists schema_editions
       (id bigint primary key generated always as identity, edition text not null, since timestamptz not null default now())`,
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
 * The last migration of the oldest version that may start on what this one migrates. No earlier version has served a new database, and
 * none will: there this version may write what earlier ones cannot read.
 */
async function oldestToRun(
  connection: Queryable,
  { migrations }: Schema,
  missing: readonly Migration[],
): Promise<string | undefined> {
  if (missing.length === migrations.length) return missing.at(-1)?.name;
  const { rows } = await connection.query<{ oldest: string | null }>(
    'select max(runs_with collate "C") as oldest from schema_migrations',
  );
  const { migration } = previousVersion();
  const oldest = rows[0]?.oldest ?? migration;
  return oldest > migration ? oldest : migration;
}

/**
 * Looks, and changes nothing.
 * @throws as {@link migrate}
 */
export async function compareSchema(connection: Queryable, schema: Schema): Promise<SchemaState> {
  await refuseEarlier(connection);
  const { rows } = await connection.query<{ exists: boolean }>(
    `select to_regclass('schema_editions') is not null as exists`,
  );
  if (rows[0]?.exists !== true) return { missing: schema.migrations, isOtherEdition: true, newer: [] };
  return compare(connection, schema);
}

async function compare(connection: Queryable, schema: Schema): Promise<SchemaState> {
  const wanted = schema.migrations;
  const { rows } = await connection.query<{ name: string; checksum: string; runs_with: string | null }>(
    'select name, checksum, runs_with from schema_migrations order by name',
  );
  const own = wanted.at(-1)?.name ?? '';
  const known = new Set(wanted.map(({ name }) => name));
  const newer = rows.filter(({ name }) => !known.has(name));
  for (const { name, runs_with } of newer) {
    if (runs_with === null || own < runs_with)
      throw new Error(`The database was migrated by a newer version: it has ${name}.`);
  }
  // It may have got no further than this one knows.
  const begun = rows.find(({ runs_with }) => runs_with !== null && own < runs_with);
  if (begun !== undefined)
    throw new Error(`A newer version has begun to migrate the database: it will have ${begun.runs_with}.`);
  const checksums = new Map(rows.map((row) => [row.name, row.checksum]));
  for (const { name, checksum } of wanted) {
    if (checksums.has(name) && checksums.get(name) !== checksum)
      throw new Error(`Migration ${name} differs from the one that was applied.`);
  }
  // What a newer version has built upon is not filled in behind its back.
  if (newer.length > 0) return { missing: [], isOtherEdition: false, newer: newer.map(({ name }) => name) };
  const missing = wanted.filter(({ name }) => !checksums.has(name));
  const edition = await editionIn(connection, schema);
  const isNewer = edition === 'newer' && missing.length === 0;
  return { missing, isOtherEdition: edition !== 'own' && !isNewer, newer: isNewer ? [DEFINITIONS] : [] };
}

/**
 * Whether the definitions in the database are of this version, of one that came after it here, or of another one.
 */
async function editionIn(connection: Queryable, { edition }: Schema): Promise<'own' | 'newer' | 'other'> {
  const { rows } = await connection.query<{ edition: string }>(
    'select edition from schema_editions order by id desc',
  );
  if (rows[0]?.edition === edition) return 'own';
  return rows.some((row) => row.edition === edition) ? 'newer' : 'other';
}

/** Files of one number belong together. */
function stepsOf(migrations: readonly Migration[]): Migration[][] {
  const handed = migrations.filter(({ sql }) => HANDS_OVER.test(sql));
  const others = migrations.filter(({ sql }) => !HANDS_OVER.test(sql));
  const steps = [...Map.groupBy(others, ({ name }) => name.slice(0, 4)).values()];
  return handed.length === 0 ? steps : [...steps, handed];
}

/**
 * Such a migration makes rows of what is there, while nobody writes, and a trigger goes on from its commit. So it comes last, whatever
 * its number, in the transaction in which the triggers are made: what is written between two steps would be in nothing.
 */
const HANDS_OVER = /^lock table \w+ in share mode;$/m;

interface Step {
  readonly migrations: readonly Migration[];
  /** The last migration of the oldest version that may start on it. */
  readonly runsWith: string | undefined;
  readonly schema: Schema;
  readonly role: ServiceRole | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

type Done = Pick<Migrated, 'defined' | 'granted'>;

async function withPatience(connection: Connection, step: Step): Promise<Done> {
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

async function apply(
  connection: Connection,
  { migrations, runsWith, schema, role, isFirst, isLast }: Step,
): Promise<Done> {
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
      runsWith,
    ]);
  }
  const granted: string[] = [];
  if (isLast) {
    await defineOf(schema.definitions);
    await dropOthers(connection, schema.definitions);
    if ((await editionIn(connection, schema)) !== 'own')
      await connection.query('insert into schema_editions (edition) values ($1)', [schema.edition]);
    if (role !== undefined) granted.push(...(await missingGrants(connection, schema.grants, role.name)));
    if (granted.length > 0) await connection.query(granted.join(';\n'));
  }
  await connection.query({ text: 'commit', ...UNLIMITED });
  return { defined, granted };
}
