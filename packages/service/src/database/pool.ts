import { AsyncResource } from 'node:async_hooks';
import { STATEMENT_CHANNEL } from '@firmquote/telemetry/channels';
import pg from 'pg';
import { actingNow, BEGIN_ACTING, recordActing } from './acting.ts';
import { readTexts } from './arrays.ts';
import { placeOfStatements, withinEnclosure } from './enclosure.ts';
import { hindranceOf, isStalePlan, markUnsent, sqlState } from './failures.ts';
import { parseInstant } from './instants.ts';
import {
  PATIENT_IDLE_MS,
  SessionClient,
  type SynchronousCommit,
  sessionOptions,
  verifyWritable,
} from './session.ts';

export { isConnectionFailure, sqlState } from './failures.ts';

export type Pool = pg.Pool;
export type Connection = pg.PoolClient;
/** What both a pool and a connection inside a transaction can do. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(
    config: pg.QueryConfig | string,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

const { builtins } = pg.types;
/** Arrays have no names there. */
const TEXTS = 1009;
const UUIDS = 2951;
const types = new pg.TypeOverrides();
// numeric and int8 stay strings (the driver's default); dates stay dates; instants become epoch milliseconds.
types.setTypeParser(builtins.DATE, (text) => text);
types.setTypeParser(builtins.TIMESTAMPTZ, parseInstant);
// `json` columns hold text that is passed on unread; `jsonb` columns are parsed as usual.
types.setTypeParser(builtins.JSON, (text) => text);
for (const arrays of [TEXTS, UUIDS]) {
  const parser = pg.types.getTypeParser(arrays, 'text');
  types.setTypeParser(arrays, (text) => readTexts(text, parser));
}

export interface PoolOptions {
  /** A postgres:// address, or the parts of an embedded server's socket. */
  readonly connection:
    | string
    | { host: string; port: number; user: string; database: string; password?: string };
  readonly max: number;
  readonly onError: (error: Error) => void;
  /** Default: a little more than the server itself gives a statement. */
  readonly answerLimitMs?: number;
  /** What a commit waits for before it is told. Default `on`. */
  readonly synchronousCommit?: SynchronousCommit;
  /** How long a transaction may idle before the server undoes it. Default: a minute. */
  readonly idleMs?: number;
}

const ANSWER_LIMIT_MS = 35_000; // limit: Wait for the answer to a statement
const ROLLBACK_LIMIT_MS = 1_000; // limit: Wait for the answer to a rollback
/** A server that is there does it at once. One that has not answered the statement before does not answer this, and undoes the rest by itself. */
const ROLLBACK = { text: 'rollback', query_timeout: ROLLBACK_LIMIT_MS } as const;
/** For statements that may take as long as they take: the longest time that a timer can be set to, 24 days. */
export const UNLIMITED = { query_timeout: 2 ** 31 - 1 } as const;

/** Begins one picture of the database. It locks nothing, so whoever reads it may take their time. */
export const BEGIN_SNAPSHOT = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = ${PATIENT_IDLE_MS}`;

/**
 * Connections to the database, each with the settings of `session.ts`. A server that takes no writes is one that cannot
 * be reached: after a failover the next attempt finds the new primary.
 */
export function createPool(options: PoolOptions): Pool {
  const { base, given } = addressOf(options.connection);
  const pool = new SessionPool({
    ...base,
    max: options.max,
    types,
    application_name: 'firmquote',
    connectionTimeoutMillis: 10_000,
    query_timeout: options.answerLimitMs ?? ANSWER_LIMIT_MS,
    idleTimeoutMillis: 0,
    keepAlive: true,
    // Ours last: they hold against what the address brings along.
    options:
      `${given} ${sessionOptions(options.synchronousCommit ?? 'on', options.idleMs ?? PATIENT_IDLE_MS)}`.trim(),
    Client: SessionClient,
    verify: verifyWritable,
  });
  pool.on('error', options.onError);
  // The pool listens to idle connections only. One that breaks while it is taken fails its statements, which says
  // enough; but an error that nobody listens to would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * A connection keeps the plans of its named statements. When a migration has changed what one answers, PostgreSQL refuses
 * the kept plan before it runs, and the statement goes over another connection: the refusal has ended this one.
 */
class SessionPool extends pg.Pool {
  override query = (async (...args: Parameters<pg.Pool['query']>) => {
    const place = placeOfStatements();
    if (place === 'past') return this.#readPast(args);
    if (place !== undefined) return place.query(...(args as unknown as Parameters<Connection['query']>));
    for (let attempt = 0; ; attempt++) {
      try {
        return await super.query(...args);
      } catch (error) {
        if (!isStalePlan(error) || attempt >= this.options.max) throw error;
      }
    }
  }) as unknown as pg.Pool['query'];

  async #readPast(args: Parameters<pg.Pool['query']>): Promise<unknown> {
    const connection = await this.connect();
    let broken: Error | undefined;
    try {
      return await connection.query(...(args as unknown as Parameters<Connection['query']>));
    } catch (error) {
      if (isStalePlan(error)) broken = error as Error;
      throw reported(error);
    } finally {
      connection.release(broken);
    }
  }

  // A connection is handed on by whoever gives it back; what is then done belongs to who waited for it.
  override connect = ((wait?: (...found: unknown[]) => void) => {
    if (wait === undefined) {
      const connecting = super.connect().then(undefined, refusedConnection);
      return placeOfStatements() === undefined ? connecting : connecting.then(readingOnly);
    }
    const given = (...found: unknown[]) => {
      markUnsent(found[0]);
      wait(...found);
    };
    return super.connect((STATEMENT_CHANNEL.hasSubscribers ? AsyncResource.bind(given) : given) as never);
  }) as unknown as pg.Pool['connect'];
}

function refusedConnection(error: unknown): never {
  markUnsent(error);
  throw error;
}

/** The database refuses what would be written over it, until it is given back. */
async function readingOnly(connection: Connection): Promise<Connection> {
  const release = connection.release.bind(connection);
  connection.release = (broken) => {
    if (broken !== undefined && broken !== false) return release(broken);
    connection.query('reset default_transaction_read_only').then(() => release(), release);
  };
  try {
    await connection.query('set default_transaction_read_only = on');
    return connection;
  } catch (error) {
    release(error as Error);
    throw error;
  }
}

/** Whoever writes past the transaction that encloses the work is a fault of ours, not of the server. */
function reported(error: unknown): unknown {
  if (sqlState(error) !== '25006') return error;
  return new Error('a statement writes past the transaction that encloses it', { cause: error });
}

/** The driver lets `options` of an address take the place of all others, so they are taken out of it. */
function addressOf(connection: PoolOptions['connection']): { base: pg.PoolConfig; given: string } {
  if (typeof connection !== 'string') return { base: connection, given: '' };
  const url = new URL(connection);
  const given = url.searchParams.getAll('options').join(' ');
  if (given === '') return { base: { connectionString: connection }, given };
  url.searchParams.delete('options');
  return { base: { connectionString: url.href }, given };
}

/**
 * Runs the work in one transaction and commits it, or rolls back and throws what the work threw. Inside of another transaction
 * (`enclosure.ts`) it is committed or undone with that one. What changes in somebody's act is written down with who and why in the
 * same commit.
 */
export function inTransaction<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  return withinEnclosure(work) ?? inOwnTransaction(pool, work);
}

async function inOwnTransaction<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const isReading = placeOfStatements() !== undefined;
  const acting = isReading ? undefined : actingNow();
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query(acting === undefined ? 'begin' : BEGIN_ACTING);
    const result = await work(connection);
    if (acting !== undefined) await recordActing(connection, acting);
    const { command } = await connection.query('commit');
    // What a transaction in which a statement has failed is answered with, whatever became of the error.
    if (command !== 'COMMIT') throw new Error(`The database answered a commit with ${command}.`);
    return result;
  } catch (error) {
    if ((!isReading && hindranceOf(error) === 'read_only') || isStalePlan(error)) broken = error as Error;
    await connection.query(ROLLBACK).catch((failure: Error) => {
      broken = failure;
    });
    throw isReading ? reported(error) : error;
  } finally {
    connection.release(broken);
  }
}
