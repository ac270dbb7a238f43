import { type Connection, type Pool, UNLIMITED } from '../database/pool.ts';
import { lateKeys, sealsAfter } from './seal-store.ts';
import type { SealedLog } from './sealed-log.ts';
import { HashTree, leafHash } from './tree.ts';

const SEALS_AT_ONCE = 10;
const LINES_MAX = 10_000; // limit: Rows that an export of a log reads at once

/** What a log came to, for who signs it. */
interface LogHead {
  readonly log: string;
  readonly size: number;
  /** In hex. */
  readonly root: string;
}

/**
 * A sealed log as lines of JSON from one snapshot of the database: rows as they are hashed, each batch followed by its seal, and at
 * the end what all of it comes to, signed. The rows are what is in the database now, so that who verifies the file verifies them.
 * @param sign makes a JWS of the head
 */
export async function* exportLog(
  pool: Pool,
  log: SealedLog,
  sign: (head: LogHead) => Promise<string>,
): AsyncGenerator<string> {
  const connection = await pool.connect();
  let failure: Error | boolean = true;
  try {
    await connection.query('begin isolation level repeatable read read only');
    await connection.query({ text: 'set local statement_timeout = 0', ...UNLIMITED });
    yield* linesOf(connection, log, sign);
    await connection.query('commit');
    failure = false;
  } finally {
    connection.release(failure);
  }
}

async function* linesOf(
  connection: Connection,
  log: SealedLog,
  sign: (head: LogHead) => Promise<string>,
): AsyncGenerator<string> {
  const late = await lateKeys(connection, log.name);
  let last = { number: '0', size: 0, root: new HashTree().root };
  for (;;) {
    const seals = await sealsAfter(connection, log.name, last.number, SEALS_AT_ONCE);
    for (const seal of seals) {
      const { after_key, through_key } = seal;
      const rows =
        seal.late === null
          ? (await log.lines(connection, after_key, through_key, LINES_MAX)).filter(
              ({ key }) => !late.has(key),
            )
          : await log.byKeys(connection, seal.late);
      // What is not sealed yet, because it came a moment ago, is for the next export.
      const sealed = new Set(seal.fingerprints.toString('hex').match(/.{8}/g));
      const shown =
        rows.length <= seal.rows ? rows : rows.filter(({ line }) => sealed.has(fingerprintOf(line)));
      yield shown.map(({ line }) => `${line}\n`).join('');
      const { number, size, fingerprints, root } = seal;
      last = { number, size: Number.parseInt(size, 10), root };
      const told = {
        seal: number,
        size,
        root: root.toString('hex'),
        fingerprints: fingerprints.toString('hex'),
      };
      yield `${JSON.stringify(told)}\n`;
    }
    if (seals.length < SEALS_AT_ONCE) break;
  }
  const head = { log: log.name, size: last.size, root: last.root.toString('hex') };
  yield `${JSON.stringify({ head, jws: await sign(head) })}\n`;
}

function fingerprintOf(line: string): string {
  return leafHash(line).toString('hex', 0, 4);
}
