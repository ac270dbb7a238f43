import pg from 'pg';

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
const types = new pg.TypeOverrides();
// numeric and int8 stay strings (the driver's default); dates stay dates; instants become epoch milliseconds.
types.setTypeParser(builtins.DATE, (text) => text);
types.setTypeParser(builtins.TIMESTAMPTZ, parseInstant);
// `json` columns hold text that is passed on unread; `jsonb` columns are parsed as usual.
types.setTypeParser(builtins.JSON, (text) => text);

/** `2026-03-04 14:30:00.252+00` (the sessions run in UTC) to epoch milliseconds. */
export function parseInstant(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, text.length - 3)}Z`);
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
}

const ANSWER_LIMIT_MS = 35_000;
/** For statements that may take as long as they take: the longest time that a timer can be set to, 24 days. */
export const UNLIMITED = { query_timeout: 2 ** 31 - 1 } as const;

/**
 * Connections to the database. Sessions run in UTC, wait for a lock at most 10 s and for a statement at most 30 s,
 * so that nothing hangs for ever. Nothing is compiled just in time: every statement here is over in milliseconds.
 */
export function createPool(options: PoolOptions): Pool {
  const base =
    typeof options.connection === 'string' ? { connectionString: options.connection } : options.connection;
  const pool = new pg.Pool({
    ...base,
    max: options.max,
    types,
    application_name: 'firmquote',
    connectionTimeoutMillis: 10_000,
    query_timeout: options.answerLimitMs ?? ANSWER_LIMIT_MS,
    idleTimeoutMillis: 0,
    keepAlive: true,
    options:
      '-c TimeZone=UTC -c statement_timeout=30000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=60000 -c jit=off',
  });
  pool.on('error', options.onError);
  // The pool listens to idle connections only. One that breaks while it is taken fails its statements, which says
  // enough; but an error that nobody listens to would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Runs the work in one transaction and commits it, or rolls back and throws what the work threw. */
export async function inTransaction<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query('begin');
    const result = await work(connection);
    await connection.query('commit');
    return result;
  } catch (error) {
    await connection.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** SQLSTATE of a database error, if it is one. It has a digit; without one it is a code of the system, as `EPIPE`. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** True when the database itself cannot be reached or is going away, as opposed to a statement that failed. */
export function isConnectionFailure(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P|53)/.test(state);
  return (
    error instanceof Error &&
    /ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|timeout|terminated|Connection/i.test(
      `${error.message} ${'code' in error ? error.code : ''}`,
    )
  );
}
