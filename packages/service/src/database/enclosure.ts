import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection, Pool, Queryable } from './pool.ts';

/** Work that is done inside of a transaction which somebody else ends. */
interface Enclosing {
  readonly connection: Connection;
  /** What waits for the commit. */
  readonly effects: (() => unknown)[];
  readonly depth: number;
  /** Transactions inside of this one go one after the other: they share a connection. */
  turn: Promise<unknown>;
  isOver: boolean;
}

const enclosing = new AsyncLocalStorage<Enclosing>();

function present(): Enclosing | undefined {
  const store = enclosing.getStore();
  // What such work has left running is on its own.
  return store === undefined || store.isOver ? undefined : store;
}

/** What enclosed work came to, and what this process has to take over once it is committed. */
interface Enclosed<T> {
  readonly result: T;
  /** Runs what waits for the commit, in the order in which it was asked for. */
  committed(): Promise<void>;
}

/**
 * Does work whose transactions (`inTransaction`) become parts of the caller's: they are committed with it, or undone with it.
 * Whatever would write past it is refused; what it would tell the rest of the process waits ({@link afterCommit}).
 */
export async function enclose<T>(connection: Connection, work: () => Promise<T>): Promise<Enclosed<T>> {
  const store: Enclosing = {
    connection,
    effects: [],
    depth: 0,
    turn: Promise.resolve(),
    isOver: false,
  };
  try {
    const result = await enclosing.run(store, work);
    return {
      result,
      committed: async () => {
        for (const effect of store.effects) await effect();
      },
    };
  } finally {
    store.isOver = true;
  }
}

/** A transaction inside of the one that encloses it. @returns undefined where none does */
export function withinEnclosure<T>(work: (connection: Connection) => Promise<T>): Promise<T> | undefined {
  const outer = present();
  if (outer === undefined) return undefined;
  const result = outer.turn.then(() => inSavepoint(outer, work));
  outer.turn = result.catch(() => undefined);
  return result;
}

async function inSavepoint<T>(outer: Enclosing, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { connection } = outer;
  const inner: Enclosing = {
    connection,
    effects: [],
    depth: outer.depth + 1,
    turn: Promise.resolve(),
    isOver: false,
  };
  const name = `enclosed_${inner.depth}`;
  await connection.query(`savepoint ${name}`);
  try {
    const result = await enclosing.run(inner, () => work(connection));
    await connection.query(`release savepoint ${name}`);
    outer.effects.push(...inner.effects);
    return result;
  } catch (error) {
    await connection.query(`rollback to savepoint ${name}`);
    throw error;
  } finally {
    inner.isOver = true;
  }
}

/** For statements that stand alone, and for reading what was just written: the pool, or the transaction that encloses the work. */
export function current(pool: Pool): Queryable {
  return present()?.connection ?? pool;
}

/**
 * Tells the rest of the process what was committed: at once, or after the commit of the transaction that encloses the work. Memory
 * never runs ahead of the database.
 */
export async function afterCommit(effect: () => unknown): Promise<void> {
  const store = present();
  if (store === undefined) await effect();
  else store.effects.push(effect);
}

/** Reads what is committed, whatever encloses the one who asks. */
export function outside<T>(work: () => Promise<T>): Promise<T> {
  return enclosing.exit(work);
}

/** Whatever would be on disk while its transaction is undone. */
const WRITES = /^\s*(?:insert|update|delete|truncate|begin|lock|with\b[^;]*\b(?:insert|update|delete))\b/i;

/** @throws Error for a statement that would write past the transaction that encloses the work */
export function refuseToWritePast(text: string): void {
  if (present() !== undefined && WRITES.test(text)) {
    throw new Error(`a statement writes past the transaction that encloses it: ${text.slice(0, 60)}`);
  }
}

/** @throws Error where memory would run ahead of the database */
export function refuseToTakeOver(what: string): void {
  if (present() !== undefined) throw new Error(`${what} is taken over before it is committed`);
}
