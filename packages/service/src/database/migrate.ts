import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { inTransaction, type Pool, UNLIMITED } from './pool.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const FOLDER = new URL('./migrations/', import.meta.url);
/** Any number that nothing else locks: keeps two instances from migrating at once. */
const LOCK = 4_201_984;

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
 * Brings the schema up to date in one transaction: all of it or nothing.
 * @returns the names of the migrations that were applied
 * @throws when the database holds a migration that this version does not have, or has in another form
 */
export async function migrate(pool: Pool, migrations?: readonly Migration[]): Promise<string[]> {
  const wanted = migrations ?? (await readMigrations());
  return inTransaction(pool, async (connection) => {
    await connection.query('set local statement_timeout = 0; set local lock_timeout = 0');
    await connection.query({ text: `select pg_advisory_xact_lock(${LOCK})`, ...UNLIMITED });
    await connection.query(
      'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await connection.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations',
    );
    const applied = new Map(rows.map((row) => [row.name, row.checksum]));
    for (const name of applied.keys()) {
      if (!wanted.some((migration) => migration.name === name)) {
        throw new Error(`The database was migrated by a newer version: it holds ${name}.`);
      }
    }
    const done: string[] = [];
    for (const migration of wanted) {
      const checksum = applied.get(migration.name);
      if (checksum === migration.checksum) continue;
      if (checksum !== undefined)
        throw new Error(`Migration ${migration.name} differs from the one that was applied.`);
      await connection.query({ text: migration.sql, ...UNLIMITED });
      await connection.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
        migration.name,
        migration.checksum,
      ]);
      done.push(migration.name);
    }
    return done;
  });
}
