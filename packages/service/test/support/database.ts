import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICE_ROLE, startEmbeddedPostgres } from '@firmquote/embedded-postgres';
import { asServiceRole } from '@firmquote/embedded-postgres/testing';
import pg from 'pg';
import { migrate, readSchema } from '../../src/database/migrate.ts';
import { createPool, type Pool } from '../../src/database/pool.ts';
import { assertAnswersDeclared } from './declared-answers.ts';
import { assertQuotesFollowFromEvidence } from './evidence-check.ts';
import { atEachFileEnd, whenFileEnds } from './file-end.ts';
import { assertProblemsListed } from './listed-problems.ts';
import { assertActsRecorded } from './recorded-acts.ts';

/** A database that belongs to this caller alone. */
export interface TestDatabase {
  /** postgres:// address for the service, whose role owns nothing. */
  readonly url: string;
  readonly pool: Pool;
  /** For what tests do behind the service's back: as the owner of the tables. */
  readonly ownerUrl: string;
  readonly owner: Pool;
}

/**
 * Work that a test has not waited for may still have connections when it is over, for a moment: as long as a connection may
 * take to be made, and a statement to be answered.
 */
const END_LIMIT_MS = 60_000;

let shared: Promise<string> | undefined;
const owners = new WeakMap<Pool, Pool>();

/** For what only the owner of the tables may do, such as a fault that a test puts in. */
export function ownerOf(pool: Pool): Pool {
  const owner = owners.get(pool);
  if (owner === undefined) throw new Error('the pool is not one of createTestDatabase');
  return owner;
}

// Whatever has a database may have a server, and what that answers is watched.
atEachFileEnd(assertProblemsListed);
atEachFileEnd(assertAnswersDeclared);
atEachFileEnd(assertActsRecorded);

/**
 * Address of a server on which databases may be made: the one that `npm test` started or was given, else one that
 * this process starts for itself and removes when its tests are over (a single test file run by hand).
 */
function serverUrl(): Promise<string> {
  const given = process.env.FIRMQUOTE_TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  if (given) return Promise.resolve(given);
  shared ??= startOwn();
  return shared;
}

async function startOwn(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fq-test-'));
  // Started by root, the server runs as another user, who must be able to pass; else it would lie elsewhere and stay.
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({ dataDir: folder, durable: false });
  whenFileEnds(async () => {
    shared = undefined;
    templateName = undefined;
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return server.connectionString;
}

function withDatabase(url: string, database: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(\/[^?]*)?/, `$1/${database}`);
}

/** One for the whole server. Where the server wants a password, it is the owner's. */
function serviceRoleOf(url: string): { name: string; password: string | undefined } {
  const { password } = new URL(url);
  return { name: SERVICE_ROLE, password: password === '' ? undefined : decodeURIComponent(password) };
}

async function asAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let templateName: Promise<string> | undefined;

/**
 * The migrated database that test databases are copied from, made once for each state of the schema. An advisory
 * lock keeps the test processes from making it twice. Where functions alone have changed, it is the one before with those.
 */
async function makeTemplate(url: string): Promise<string> {
  const schema = await readSchema();
  const tables = createHash('sha256');
  for (const migration of schema.migrations) tables.update(migration.checksum);
  const family = `firmquote_template_${tables.digest('hex').slice(0, 12)}`;
  const name = `${family}_${createHash('sha256').update(schema.edition).digest('hex').slice(0, 12)}`;
  await asAdmin(url, async (client) => {
    await client.query('select pg_advisory_lock(77420)');
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1) order by datname <> $2 limit 1',
      [family, name],
    );
    const [found] = rows;
    if (found?.datname === name) return;
    const unfinished = `${name}_new`.replace('template', 'test');
    const makeFrom = async (source: string) => {
      await client.query(`drop database if exists ${unfinished}`);
      await client.query(`create database ${unfinished} template ${source}`);
      const pool = createPool({
        connection: withDatabase(url, unfinished),
        max: 1,
        onError: () => undefined,
      });
      await migrate(pool, schema, serviceRoleOf(url)).finally(() => pool.end());
    };
    // What an upgrade could not change in place is made anew.
    const isMade =
      found !== undefined &&
      (await makeFrom(found.datname).then(
        () => true,
        () => false,
      ));
    if (!isMade) await makeFrom('template1');
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

/**
 * A migrated database of one's own, dropped after the tests of the file. Before that, every quote in it is computed again
 * from its evidence; one that does not come out fails the file.
 */
export async function createTestDatabase(
  options: { connections?: number; migrated?: boolean } = {},
): Promise<TestDatabase> {
  const url = await serverUrl();
  const name = `firmquote_test_${randomBytes(6).toString('hex')}`;
  templateName ??= makeTemplate(url);
  const source = options.migrated === false ? 'template1' : await templateName;
  await asAdmin(url, async (client) => {
    await client.query('select pg_advisory_lock(77421)');
    const { rows } = await client.query<{ fsync: string }>("select current_setting('fsync') as fsync");
    // Copying files takes half the work of writing pages to the log, but waits for the disk where that is waited for.
    const strategy = rows[0]?.fsync === 'off' ? 'file_copy' : 'wal_log';
    await client.query(`create database ${name} template ${source} strategy ${strategy}`);
  });
  const ownerUrl = withDatabase(url, name);
  const own = asServiceRole(ownerUrl);
  const max = options.connections ?? 8;
  const pool = createPool({ connection: own, max, onError: () => undefined });
  const owner = createPool({ connection: ownerUrl, max, onError: () => undefined });
  owners.set(pool, owner);
  whenFileEnds(async () => {
    try {
      await assertEvidence(ownerUrl).finally(() => Promise.all([endPool(pool), endPool(owner)]));
    } finally {
      await asAdmin(url, (client) => client.query(`drop database if exists ${name} with (force)`));
    }
  });
  return { url: own, pool, ownerUrl, owner };
}

/** A pool ends when all of its connections are back; one that a test keeps is its mistake, and would hold up the rest. */
async function endPool(pool: Pool): Promise<void> {
  const limit = new AbortController();
  const late = delay(END_LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`${pool.totalCount} connections to the test database were taken and not given back`);
  });
  try {
    await Promise.race([pool.end(), late]);
  } finally {
    limit.abort();
    await late.catch(() => undefined);
  }
}

/** On a connection of its own, because tests end pools, and close the door to them, in many ways. */
async function assertEvidence(url: string): Promise<void> {
  const pool = createPool({ connection: url, max: 1, onError: () => undefined });
  try {
    const { rows } = await pool.query<{ exists: boolean }>(
      `select to_regclass('quotes') is not null as exists`,
    );
    if (rows[0]?.exists) await assertQuotesFollowFromEvidence(pool);
  } finally {
    await pool.end();
  }
}
