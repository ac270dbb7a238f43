import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';
import type pg from 'pg';
import { real } from './real.ts';

/** What the driver has inside of a client, as far as it is touched here. */
interface Inside {
  readonly connection: pg.Connection & {
    stream: Socket;
    parsedStatements: object;
    _connecting: boolean;
    _ending: boolean;
    connect(): void;
    attachListeners(stream: Socket): void;
  };
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly readyForQuery: boolean | undefined;
  /** As the server has told with its last answer. */
  readonly _txStatus: string | null;
  readonly _ended: boolean;
}

const inside = (client: pg.Client) => client as unknown as Inside;

interface Spare {
  readonly stream: Socket;
  readonly processID: number;
  readonly secretKey: number | null;
  readonly parsedStatements: object;
}

/** Ends what a session has, but for its plans. */
export const RESET_SESSION =
  'reset all; unlisten *; discard temp; discard sequences; select pg_advisory_unlock_all()';

/**
 * Sessions of instances that have crashed, on which nothing was under way: to the database their end is none. They are kept for those
 * that start, since a new process of the server plans all statements and functions anew, which is a third of what a story asks of it.
 */
export class Spares {
  readonly #spares: Spare[] = [];

  /** Takes the session from its client, for whom the connection is gone. @returns whether it could be taken */
  keep(client: pg.Client): boolean {
    const { connection, processID, secretKey, readyForQuery, _txStatus, _ended } = inside(client);
    const { stream, parsedStatements } = connection;
    if (_ended || readyForQuery !== true || _txStatus !== 'I' || processID === null || !stream.writable)
      return false;
    stopListening(stream);
    this.#spares.push({ stream, processID, secretKey, parsedStatements });
    connection.stream = new Socket().destroy();
    real.setImmediate(() => connection.emit('end'));
    return true;
  }

  /**
   * Gives a client a session that is kept instead of a new connection.
   * @param connect the driver's own
   * @returns undefined when there is none
   */
  adopt(client: pg.Client, connect: (done: (error?: unknown) => void) => void): Promise<void> | undefined {
    const spare = this.#spares.shift();
    if (spare === undefined) return undefined;
    const { connection } = inside(client);
    const { stream, processID, secretKey } = spare;
    connection.stream.destroy();
    connection.stream = stream;
    connection.parsedStatements = spare.parsedStatements;
    connection.connect = () => {
      connection._connecting = true;
      stream.on('error', (error) => connection._ending || connection.emit('error', error));
      stream.on('close', () => connection.emit('end'));
      connection.attachListeners(stream);
    };
    return new Promise((resolve, reject) => {
      connect((error) => (error ? reject(error) : resolve()));
      connection.emit('backendKeyData', { processID, secretKey });
      connection.emit('readyForQuery', { status: 'I' });
    });
  }

  /** Ends the sessions. @returns the processes of the server that served them */
  end(): readonly number[] {
    const ended = this.#spares.splice(0);
    for (const { stream } of ended) stream.destroy();
    return ended.map(({ processID }) => processID);
  }
}

const outside = AsyncLocalStorage.snapshot();

/** A socket is nobody's, whoever has it made: another machine may have it later. */
export function makeNobodys(client: pg.Client): void {
  const { stream } = inside(client).connection;
  const connect = stream.connect.bind(stream) as (...to: unknown[]) => Socket;
  stream.connect = (...to: unknown[]) => outside(() => connect(...to));
}

function stopListening(stream: Socket): void {
  for (const event of ['data', 'error', 'close']) stream.removeAllListeners(event);
  const [, ...ofDriver] = stream.listeners('end') as (() => void)[];
  for (const listener of ofDriver) stream.off('end', listener);
  // One that ends while nobody has it ends without a word.
  stream.on('error', () => undefined);
}
