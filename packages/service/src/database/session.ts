import { STATEMENT_CHANNEL } from '@firmquote/telemetry/channels';
import pg from 'pg';

/** Least that an acknowledgement rests on; `remote_apply` also waits until standbys show the commit to their readers. */
export type SynchronousCommit = 'on' | 'remote_apply';

/**
 * What every session runs with, whatever server, database, role or address say. It goes with the start of the
 * connection, so that it costs no round trip: instants are read as UTC, nothing hangs for ever, a commit is in the log
 * of the server (and of its synchronous standbys) before it is told, and locks are what keeps work apart
 * (docs/decisions/0008-read-committed-with-locks.md). Nothing is compiled just in time: every statement here is over in
 * milliseconds.
 */
const SESSION = {
  TimeZone: 'UTC',
  statement_timeout: '30000', // limit: {ms} Time of one statement
  lock_timeout: '10000', // limit: {ms} Wait of a statement for a lock
  jit: 'off',
  default_transaction_isolation: 'read committed',
} as const;

/** For work that nobody waits behind: tools, and readers of one picture of the database, who may be slow. */
export const PATIENT_IDLE_MS = 60_000; // limit: Time that a transaction may idle in which nothing is locked
/**
 * What an instance has locked stays locked while it stands still: its machine swaps, is moved, or is gone without a word. Others
 * wait up to 5 s for a row (`EXECUTION_WAIT_LIMIT_MS`), so within that time the database undoes what it was at.
 */
export const SERVICE_IDLE_MS = 3_000; // limit: Time that a transaction of the service may idle

/** As the command line of a server: blanks in a value are escaped. */
export function sessionOptions(synchronousCommit: SynchronousCommit, idleMs: number): string {
  const chosen = {
    idle_in_transaction_session_timeout: String(idleMs),
    synchronous_commit: synchronousCommit,
  };
  return Object.entries({ ...SESSION, ...chosen })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ');
}

/** The server takes no writes: a standby, or one that its operators have told so. */
export class ReadOnlyDatabase extends Error {
  override readonly name = 'ReadOnlyDatabase';
}

/** A commit that the server has made and its standbys may not have: lost, if the server is. */
export class UnconfirmedCommit extends Error {
  override readonly name = 'UnconfirmedCommit';
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Settings that the server tells by itself, at the start of a session and when they change. */
const READ_ONLY_SETTINGS: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only']);

/**
 * A connection that knows whether its server takes writes, and that takes the warning that a commit is not confirmed by
 * the standbys for what it is: the connection ends, so that everything on it fails as not known.
 */
export class SessionClient extends pg.Client {
  readonly #readOnly = new Set<string>();

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: pg.Connection };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (!READ_ONLY_SETTINGS.has(parameterName)) return;
      if (parameterValue === 'on') this.#readOnly.add(parameterName);
      else this.#readOnly.delete(parameterName);
    });
    // The warning is told in the language of the server, and has no code of its own; the routine has one name.
    this.on('notice', ({ routine, message }) => {
      if (routine !== 'SyncRepWaitForLSN') return;
      // First the statement fails, since the end of its answer may be in the same packet.
      connection.emit('error', new UnconfirmedCommit(message));
      connection.stream.destroy();
    });
  }

  override query = ((...args: Parameters<pg.Client['query']>) => {
    if (!STATEMENT_CHANNEL.hasSubscribers) return super.query(...args);
    const [config] = args as [string | pg.QueryConfig, ...unknown[]];
    const text = typeof config === 'string' ? config : config.text;
    const reported = { text, name: typeof config === 'string' ? undefined : config.name };
    // The pool waits with a callback, everybody else for a promise.
    return typeof args.at(-1) === 'function'
      ? STATEMENT_CHANNEL.traceCallback(super.query, -1, reported, this, ...args)
      : STATEMENT_CHANNEL.tracePromise(super.query, reported, this, ...args);
  }) as unknown as pg.Client['query'];

  /** Why nothing can be written over this connection, if so. */
  get readOnly(): string | undefined {
    if (this.#readOnly.has('in_hot_standby')) return 'the server is a standby';
    return this.#readOnly.size > 0 ? 'the server is set to read only' : undefined;
  }
}

/** Called with each new connection: one that takes no writes is not handed out. */
export function verifyWritable(client: pg.ClientBase, done: (error?: Error) => void): void {
  const reason = client instanceof SessionClient ? client.readOnly : undefined;
  if (reason === undefined) done();
  else done(new ReadOnlyDatabase(`The database accepts no writes: ${reason}.`));
}
