import { BEGIN_SNAPSHOT, type Connection, type Pool } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';

/** Of so many connections one may be held by a report; trades need the others. */
const CONNECTIONS_FOR_ONE = 5; // limit: Connections of which one may be held by a report
/** Reports that wait for their turn in this process. */
export const SNAPSHOTS_WAITING_MAX = 100; // limit

/**
 * Reads of the database as it is at one moment, however many statements they take. Each holds a connection, so only few
 * go at once and the others wait for their turn.
 */
export class Snapshots {
  readonly #pool: Pool;
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#atOnce = Math.max(1, Math.floor(pool.options.max / CONNECTIONS_FOR_ONE));
  }

  /** @throws Problem overloaded when too many wait already */
  async read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      return await inSnapshot(this.#pool, work);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #turn(): Promise<void> | undefined {
    if (this.#running < this.#atOnce) {
      this.#running++;
      return undefined;
    }
    if (this.#waiting.length >= SNAPSHOTS_WAITING_MAX) {
      throw new Problem('overloaded', `${SNAPSHOTS_WAITING_MAX} reports are already waiting.`, {
        headers: { 'Retry-After': '5' },
      });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** The session is given back only when the work has ended well; else it ends with its transaction. */
async function inSnapshot<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let failed = true;
  try {
    await connection.query(BEGIN_SNAPSHOT);
    const result = await work(connection);
    await connection.query('commit');
    failed = false;
    return result;
  } finally {
    connection.release(failed);
  }
}
