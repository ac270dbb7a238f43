import pg from 'pg';
import { ConfigError, loadMigrationSettings } from './config.ts';
import { missingGrants } from './database/grants.ts';
import { type Migrated, migrate, readSchema } from './database/migrate.ts';
import { createPool, type Pool } from './database/pool.ts';
import { standingOf } from './database/schema-check.ts';
import { unusableDatabase } from './database/unusable.ts';
import type { MigrationSettings } from './database-settings.ts';
import { readOptions, runProgram, UsageError } from './platform/command-line.ts';

const HELP = `Usage: npm run migrate                      brings the schema of your own database up to date
       npm run migrate -- --check           shows what it would do, and does nothing
       npm run migrate -- --set-password    also gives the service's role the password in DATABASE_URL

It connects as the role in DATABASE_OWNER_URL (or DATABASE_OWNER_URL_FILE), which owns the tables, and gives the service's
role, that in DATABASE_URL (or DATABASE_URL_FILE), the rights that the service needs, and no others. It creates that role
if it is missing. The service keeps running. You can run it again, and twice at once.

Without DATABASE_URL there is nothing to do: the service brings its own database up to date when it starts.

Exits with 0 when the schema is up to date; --check exits with 1 when it is behind.
`;

interface Arguments {
  readonly check: boolean;
  readonly setsPassword: boolean;
}

/** @returns undefined when help was asked for */
function readArguments(args: string[]): Arguments | undefined {
  const options = {
    check: { type: 'boolean' },
    'set-password': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values } = readOptions({ args, options });
  if (values.help) return undefined;
  const { check = false, 'set-password': setsPassword = false } = values;
  if (check && setsPassword) throw new UsageError('--check sets no password.');
  return { check, setsPassword };
}

/** As the driver takes it from the address, or from where the address leaves it out. */
function userOf(address: string): { name: string; password: string | undefined } {
  const { user, password } = clientOf(address) as unknown as { user?: string; password?: string | null };
  if (user === undefined) throw new ConfigError('DATABASE_URL names no user.');
  return { name: user, password: password ?? undefined };
}

function clientOf(connectionString: string): pg.Client {
  try {
    return new pg.Client({ connectionString });
  } catch (error) {
    // The driver names neither the setting nor what it could not read.
    throw unusableDatabase('DATABASE_URL', error);
  }
}

async function connected<T>(address: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ connection: address, max: 1, onError: () => undefined });
  try {
    await pool.query('select').catch((error: unknown) => {
      throw unusableDatabase('DATABASE_OWNER_URL', error);
    });
    return await work(pool);
  } finally {
    await pool.end();
  }
}

async function bringUpToDate(settings: MigrationSettings, setsPassword: boolean): Promise<string[]> {
  const { databaseUrl, ownerUrl } = settings;
  const { name, password } = userOf(databaseUrl);
  if (setsPassword && !password) throw new ConfigError('DATABASE_URL has no password to give.');
  const role = { name, password: setsPassword ? password : undefined };
  return reported(await connected(ownerUrl, async (pool) => migrate(pool, await readSchema(), role)), name);
}

function reported({ applied, defined, granted, newer }: Migrated, role: string): string[] {
  const lines = [
    ...applied.map((name) => `Applied ${name}.`),
    ...(defined.length > 0 ? [`Defined ${defined.length} functions, views and triggers.`] : []),
    ...granted.map((statement) => `Rights of ${role}: ${statement}.`),
  ];
  if (newer.length > 0) {
    // The role is looked after first, whoever has migrated.
    const left = lines.length > 0 ? 'Nothing else was done.' : 'Nothing was done.';
    return [...lines, `A newer version has migrated the database (${newer.join(', ')}). ${left}`];
  }
  return lines.length > 0 ? lines : ['The schema is up to date. Nothing was done.'];
}

async function whatIsBehind({ databaseUrl, ownerUrl }: MigrationSettings): Promise<readonly string[]> {
  const schema = await readSchema();
  const { name } = userOf(databaseUrl);
  return connected(ownerUrl, async (pool) => {
    const { behind, newer } = await standingOf(pool, schema);
    if (newer.length > 0) return [];
    const exists = await pool.query('select from pg_roles where rolname = $1', [name]);
    if (exists.rowCount === 0) return [...behind, `the role ${name}`];
    // Before the schema is there, nothing can be given.
    return behind.length > 0 ? behind : missingGrants(pool, schema.grants, name);
  });
}

async function run({ check, setsPassword }: Arguments): Promise<void> {
  const settings = loadMigrationSettings(process.env);
  if (settings === undefined) {
    process.stdout.write(
      'Without DATABASE_URL the service brings its own database up to date when it starts. Nothing was done.\n',
    );
    return;
  }
  if (check) {
    const behind = await whatIsBehind(settings);
    process.stdout.write(
      behind.length === 0
        ? 'The schema is up to date.\n'
        : `The database is behind:\n${behind.map((each) => `  ${each}\n`).join('')}`,
    );
    if (behind.length > 0) process.exitCode = 1;
    return;
  }
  for (const line of await bringUpToDate(settings, setsPassword)) process.stdout.write(`${line}\n`);
}

await runProgram({ help: HELP, read: readArguments, run, refusals: [ConfigError] });
