import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, SERVICE_ROLE, startEmbeddedPostgres } from '@firmquote/embedded-postgres';
import { asServiceRole } from '@firmquote/embedded-postgres/testing';
import pg from 'pg';
import { migrateAsOwner } from '../packages/service/src/database/migrate.ts';
import { createPool, type Pool } from '../packages/service/src/database/pool.ts';
import { typeId, uuidOf } from '../packages/service/src/platform/ids.ts';
import {
  type Api,
  authorize,
  type Credentials,
  createTrader,
  readCredentials,
  withSecond,
} from '../packages/service/test/support/api.ts';
import { SERVICE_ENVIRONMENT } from '../scripts/service-environment.mjs';
import type { Callers, Readable } from './operations.ts';
import type { Options } from './options.ts';
import { Programs, type Running } from './processes.ts';
import { loadHistory } from './trade-history.ts';

/** Tokens name these and not the port, so that they are good after a restart. */
const ADDRESSES = {
  FIRMQUOTE_AUDIENCE: 'https://fx.example.com',
  FIRMQUOTE_AUTH_URL: 'https://auth.example.com',
};
/** Requests at once while the customers are made. */
const AT_ONCE = 8;
const SEALED_LIMIT_MS = 1_200_000;

export interface Customer {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly client: Credentials;
  readonly token: string;
}

/** A durable database and the service on it, with customers who can trade and the history that was asked for. */
export interface Stage {
  readonly folder: string;
  readonly database: EmbeddedPostgres;
  /** As the owner of the tables. */
  readonly pool: pg.Pool;
  /** The same, for what the service's own code reads. */
  readonly books: Pool;
  readonly programs: Programs;
  readonly service: Running;
  readonly operator: Api;
  readonly customers: readonly Customer[];
  /** Writes who asks into a file for a load process. */
  callers(count: number): Promise<string>;
  close(): Promise<void>;
}

export async function openStage(options: Options, notify: (line: string) => void): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'fq-bench-'));
  // As root, the database runs as another user, who has to get through here.
  await chmod(folder, 0o711);
  const programs = new Programs();
  const database = await startEmbeddedPostgres({ dataDir: folder });
  const pool = new pg.Pool({ ...database.poolOptions, max: 2 });
  // A connection that is closed while the database stops has nothing more to say.
  pool.on('error', () => undefined);
  const books = createPool({ connection: database.connectionString, max: 1, onError: () => undefined });
  const close = async () => {
    await programs.stop();
    await books.end();
    await pool.end();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await migrateAsOwner(database.connectionString, { name: SERVICE_ROLE });
    const dataDir = join(folder, 'service');
    const serve = (flags: readonly string[] = []) =>
      programs.serve(
        'packages/service/src/main.ts',
        {
          ...SERVICE_ENVIRONMENT,
          ...ADDRESSES,
          DATABASE_URL: asServiceRole(database.connectionString),
          FIRMQUOTE_DATA_DIR: dataDir,
          FIRMQUOTE_PORT: '0',
          FIRMQUOTE_LOG_LEVEL: 'warn',
        },
        flags,
      );
    const first = await serve();
    const clients = await makeCustomers(first, dataDir, options.customers, notify);
    const service = await withHistory(first, serve, pool, clients, options, notify);
    await documentationMade(service);
    const { operator, audience } = await deskOf(service, dataDir);
    await sealed(pool, notify);
    const customers = await inTurns(clients, async (client) => ({
      ...client,
      token: (await authorize(urlOf(service), client.client, audience)).token,
    }));
    const callers = (count: number) => writeCallers(folder, pool, customers.slice(0, count));
    return { folder, database, pool, books, programs, service, operator, customers, callers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The service on a history that was loaded while nobody served; it is the one of before where there is none. */
async function withHistory(
  first: Running,
  serve: (flags: readonly string[]) => Promise<Running>,
  pool: pg.Pool,
  customers: readonly { readonly id: string }[],
  { history, profile }: Options,
  notify: (line: string) => void,
): Promise<Running> {
  if (history === 0 && profile === undefined) return first;
  await first.stop();
  const ids = customers.map(({ id }) => id);
  await loadHistory(pool, ids, history, notify);
  return serve(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]);
}

/** Seconds of a processor that a start takes when it has nothing else to do are no cost of what is measured meanwhile. */
async function documentationMade(service: Running): Promise<void> {
  for (const path of ['/docs/', '/docs/try/']) {
    const answer = await fetch(`${urlOf(service)}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    await answer.arrayBuffer();
  }
}

const urlOf = ({ port }: Running) => `http://127.0.0.1:${port}`;

async function deskOf(service: Running, dataDir: string): Promise<{ operator: Api; audience: string }> {
  const file = readCredentials(dataDir);
  const first = await authorize(urlOf(service), file.operator, file.audience);
  const second = await authorize(urlOf(service), file.secondOperator, file.audience);
  return { operator: withSecond(first, second), audience: file.audience };
}

async function makeCustomers(
  service: Running,
  dataDir: string,
  count: number,
  notify: (line: string) => void,
): Promise<Omit<Customer, 'token'>[]> {
  const from = performance.now();
  const { operator } = await deskOf(service, dataDir);
  // The simulated bank would pay in for every trade a few seconds later and so be measured too.
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' });
  const names = Array.from({ length: count }, (_, i) => `Customer ${i + 1} Ltd`);
  const made = await inTurns(names, async (name) => ({ name, ...(await createTrader(operator, name)) }));
  const path = '/v1/operator/spread-rules';
  const current = await operator.expect(200, 'GET', path);
  // Each has a price of its own.
  const rules = made.map(({ customerId }, i) => ({
    customerId,
    spreadBps: (10 + (i % 3_000) / 100).toFixed(2),
  }));
  const kept = current.body.rules.map(
    ({ version: _, createdAt: __, ...rule }: Record<string, unknown>) => rule,
  );
  await operator.expect(
    200,
    'PUT',
    path,
    { rules: [...kept, ...rules] },
    {
      'If-Match': current.headers.get('ETag') ?? '*',
    },
  );
  notify(`${count} customers in ${((performance.now() - from) / 1000).toFixed(0)} s`);
  return made.map(({ customerId, name, client }) => ({ id: uuidOf('cus', customerId), name, client }));
}

/** All of them, some at once, in their order. */
async function inTurns<In, Out>(all: readonly In[], work: (each: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = new Array(all.length);
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = next++; at < all.length; at = next++) results[at] = await work(all[at] as In);
    }),
  );
  return results;
}

/** A journal that was loaded is sealed first, which belongs to no load. */
async function sealed(pool: pg.Pool, notify: (line: string) => void): Promise<void> {
  const from = performance.now();
  for (;;) {
    const { rows } = await pool.query<{ left: boolean }>(
      `select exists (select from journal_entries e, log_tips t where t.log = 'journal'
         and e.id > coalesce(t.through_key::uuid, '00000000-0000-0000-0000-000000000000')) as left`,
    );
    if (rows[0]?.left === false) break;
    if (performance.now() - from > SEALED_LIMIT_MS) throw new Error('the journal is not sealed');
    await sleep(500);
  }
  const seconds = (performance.now() - from) / 1000;
  if (seconds > 1) notify(`journal sealed in ${seconds.toFixed(0)} s`);
}

/** With their newest quotes and transactions, for who reads them. */
async function writeCallers(folder: string, pool: pg.Pool, customers: readonly Customer[]): Promise<string> {
  const places = new Map(customers.map(({ id }, place) => [id, place]));
  const newest = async (table: 'quotes' | 'transactions', prefix: 'quote' | 'txn') => {
    const { rows } = await pool.query<{ customer_id: string; id: string }>(
      `select r.customer_id, r.id from unnest($1::uuid[]) as c (id)
       cross join lateral (
         select t.customer_id, t.id from ${table} t where t.customer_id = c.id order by t.id desc limit $2) r`,
      [[...places.keys()], Math.max(10, Math.ceil(2_000 / customers.length))],
    );
    return rows.map(({ customer_id, id }): Readable => [places.get(customer_id) ?? 0, typeId(prefix, id)]);
  };
  const callers: Callers = {
    tokens: customers.map(({ token }) => token),
    quotes: await newest('quotes', 'quote'),
    transactions: await newest('transactions', 'txn'),
  };
  const file = join(folder, `callers-${customers.length}.json`);
  await writeFile(file, JSON.stringify(callers));
  return file;
}
