import { randomBytes } from 'node:crypto';
import { SERVICE_ROLE } from '@firmquote/embedded-postgres';
import { asServiceRole } from '@firmquote/embedded-postgres/testing';
import pg from 'pg';
import { migrate, readSchema } from '../packages/service/src/database/migrate.ts';
import { createPool } from '../packages/service/src/database/pool.ts';
import { SIMULATED_NOW, statementName } from './driver.ts';

/** A server on which the simulator makes databases, as a role that may. */
export class Databases {
  readonly #server: string;
  readonly #made = new Set<string>();

  constructor(server: string) {
    this.#server = server;
  }

  address(name: string): string {
    const url = new URL(this.#server);
    url.pathname = `/${name}`;
    return url.href;
  }

  serviceAddress(name: string): string {
    const url = new URL(asServiceRole(this.address(name)));
    url.searchParams.append('options', '-c plan_cache_mode=force_generic_plan');
    return url.href;
  }

  /** A migrated database whose clock is the simulator's. */
  async make(now: number): Promise<string> {
    const name = await this.#create('template1');
    const pool = createPool({ connection: this.address(name), max: 1, onError: () => undefined });
    try {
      const password = new URL(this.#server).password;
      await migrate(pool, await readSchema(), {
        name: SERVICE_ROLE,
        password: password === '' ? undefined : decodeURIComponent(password),
      });
      await ownTime(pool, now);
    } finally {
      await pool.end();
    }
    return name;
  }

  copy(name: string): Promise<string> {
    return this.#create(name);
  }

  async drop(name: string): Promise<void> {
    await this.#asAdmin((client) => client.query(`drop database if exists ${name} with (force)`));
    this.#made.delete(name);
  }

  async dropAll(): Promise<void> {
    for (const name of this.#made) await this.drop(name);
  }

  async #create(source: string): Promise<string> {
    const name = `firmquote_simulator_${randomBytes(6).toString('hex')}`;
    await this.#asAdmin(async (client) => {
      // One copy at a time: another one of the same database would be refused.
      await client.query('select pg_advisory_lock(77421)');
      const { rows } = await client.query<{ fsync: string }>("select current_setting('fsync') as fsync");
      const strategy = rows[0]?.fsync === 'off' ? 'file_copy' : 'wal_log';
      await client.query(`create database ${name} template ${source} strategy ${strategy}`);
    });
    this.#made.add(name);
    return name;
  }

  async #asAdmin(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    const client = new pg.Client({ connectionString: this.#server });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }
}

/**
 * Takes from the database what is not the story's: PostgreSQL's clock and its chance, limits by real time, and the vacuum that
 * comes when it comes, after which rows lie elsewhere and are found in another order.
 */
async function ownTime(pool: pg.Pool, now: number): Promise<void> {
  await pool.query(`create unlogged table simulated_clock (at timestamptz not null) with (fillfactor = 10)`);
  await pool.query('insert into simulated_clock values (to_timestamp($1::double precision / 1000))', [now]);
  await pool.query(
    `create function ${SIMULATED_NOW} returns timestamptz language sql stable as 'select at from simulated_clock';
     grant select on simulated_clock to ${SERVICE_ROLE};
     create sequence simulated_ids;
     create function simulated_uuid() returns uuid language sql volatile as $$ select md5('id ' || nextval('simulated_ids'))::uuid $$;
     grant usage on sequence simulated_ids to ${SERVICE_ROLE}`,
  );
  const { rows: functions } = await pool.query<{ text: string }>(
    `select pg_get_functiondef(p.oid) as text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = current_schema() and p.prokind in ('f', 'p') and (
       p.prosrc ~ '(clock_timestamp|[^_]now|gen_random_uuid)\\(\\)' or p.proconfig::text ~ 'lock_timeout')`,
  );
  for (const { text } of functions)
    await pool.query(withOwnTime(text).replace(/^\s*SET lock_timeout TO .*$/gm, ''));
  const { rows: columns } = await pool.query<{ place: string; name: string; value: string }>(
    `select format('%I.%I', table_schema, table_name) as place, column_name as name, column_default as value
     from information_schema.columns
     where table_schema = current_schema() and column_default ~ '(clock_timestamp|now|gen_random_uuid)\\(\\)'`,
  );
  for (const { place, name, value } of columns)
    await pool.query(
      `alter table ${place} alter column ${pg.escapeIdentifier(name)} set default ${withOwnTime(value)}`,
    );
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`,
  );
  for (const { name } of tables) await pool.query(`alter table ${name} set (autovacuum_enabled = off)`);
}

function withOwnTime(text: string): string {
  return text
    .replace(/\b(?:pg_catalog\.)?(?:clock_timestamp|now)\(\)/g, SIMULATED_NOW)
    .replace(/\b(?:pg_catalog\.)?gen_random_uuid\(\)/g, 'simulated_uuid()');
}

/** What the simulator itself asks the database: what is in it, and what its clock shows. */
export class Observer {
  readonly #pool: pg.Pool;

  constructor(address: string) {
    this.#pool = createPool({ connection: address, max: 2, onError: () => undefined });
  }

  get pool(): pg.Pool {
    return this.#pool;
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>({ name: statementName(text), text, values })).rows;
  }

  async setClock(now: number): Promise<void> {
    await this.#pool.query({
      name: 'set_simulated_clock',
      text: 'update simulated_clock set at = to_timestamp($1::double precision / 1000)',
      values: [now],
    });
  }

  /** Those of these processes that wait for a lock which somebody has who does nothing. */
  async blockedAmong(processIds: readonly number[]): Promise<number[]> {
    const rows = await this.rows<{ pid: number }>(
      `select p.pid from unnest($1::int[]) as p (pid), lateral (select pg_blocking_pids(p.pid) as by) b
       where cardinality(b.by) > 0 and not exists (
         select from unnest(b.by) as x (pid) left join pg_stat_activity a on a.pid = x.pid
         where x.pid <> all ($1) and a.state is distinct from 'idle in transaction')`,
      [processIds],
    );
    return rows.map(({ pid }) => pid);
  }

  /** Resolves when the server has seen that the connections of those who are gone are closed. */
  async awaitEnd(pids: readonly number[]): Promise<void> {
    if (pids.length === 0) return;
    for (;;) {
      const rows = await this.rows('select from pg_stat_activity where pid = any($1)', [pids]);
      if (rows.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
