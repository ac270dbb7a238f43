import { placeOfStatements } from '../database/enclosure.ts';
import type { Pool } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { IMPORT_WAIT_MS } from './statement-store.ts';

/** Files that wait for their turn in this process. */
const IMPORTS_WAITING_MAX = 100; // limit

interface Turns {
  isTaken: boolean;
  readonly waiting: Set<() => void>;
}

const turnsOf = new WeakMap<Pool, Turns>();

/**
 * One import of a process at a time has a connection. In the database they wait for each other in any case; a bank that sends many
 * files at once would have all connections wait there, and trades with them.
 * @throws Problem overloaded, when too many wait or it takes too long
 */
export async function inTurn<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  // What is done inside of another transaction has its connection already.
  if (placeOfStatements() !== undefined) return work();
  const turns = turnsOf.get(pool) ?? { isTaken: false, waiting: new Set() };
  turnsOf.set(pool, turns);
  if (turns.isTaken) await turnOf(turns);
  turns.isTaken = true;
  try {
    return await work();
  } finally {
    const [next] = turns.waiting;
    if (next === undefined) turns.isTaken = false;
    else next();
  }
}

function turnOf({ waiting }: Turns): Promise<void> {
  if (waiting.size >= IMPORTS_WAITING_MAX) throw importsWait();
  return new Promise((resolve, reject) => {
    const goOn = () => {
      clearTimeout(late);
      waiting.delete(goOn);
      resolve();
    };
    const late = setTimeout(() => {
      waiting.delete(goOn);
      reject(importsWait());
    }, IMPORT_WAIT_MS);
    waiting.add(goOn);
  });
}

export function importsWait(cause?: unknown): Problem {
  return new Problem('overloaded', 'Another statement file is being imported. Try again in a minute.', {
    headers: { 'Retry-After': '60' },
    ...(cause === undefined ? {} : { cause }),
  });
}
