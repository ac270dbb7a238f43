import { AsyncLocalStorage } from 'node:async_hooks';
import { hindranceOf } from './failures.ts';
import type { Connection, Pool, Queryable } from './pool.ts';

/** Work that is done inside of a transaction which somebody else ends. */
interface Enclosing {
  readonly connection: Connection;
  /** Statements of the pool see what is not committed yet. */
  readonly readsInside: boolean;
  /** What waits for the commit. */
  readonly effects: (() => unknown)[];
  readonly depth: number;
  /** Transactions inside of this one go one after the other: they share a connection. */
  turn: Promise<unknown>;
  isOver: boolean;
}

/** Work that only reads what is committed, while a transaction is open that somebody else ends. */
interface Outside {
  readonly connection: undefined;
  isOver: boolean;
}

const enclosing = new AsyncLocalStorage<Enclosing | Outside>();

function store(): Enclosing | Outside | undefined {
  const found = enclosing.getStore();
  // What such work has left running is on its own.
  return found === undefined || found.isOver ? undefined : found;
}

function present(): Enclosing | undefined {
  const found = store();
  return found?.connection === undefined ? undefined : found;
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
  const outermost = enclosingIn(connection, 0);
  try {
    const result = await enclosing.run(outermost, work);
    return {
      result,
      committed: async () => {
        for (const effect of outermost.effects) await takeOver(effect);
      },
    };
  } finally {
    outermost.isOver = true;
  }
}

function enclosingIn(connection: Connection, depth: number, readsInside = false): Enclosing {
  return { connection, readsInside, effects: [], depth, turn: Promise.resolve(), isOver: false };
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
  const inner = enclosingIn(connection, outer.depth + 1, outer.readsInside);
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

/** Whether somebody else's transaction ends what is done here: all of it at once, and its locks stay until then. */
export function isEnclosed(): boolean {
  return present() !== undefined;
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
  const outer = present();
  if (outer === undefined) await takeOver(effect);
  else outer.effects.push(effect);
}

/**
 * What was committed is done, whether the database answers the reading that follows or not: whoever asked must not be told otherwise.
 * This process takes it over with what others have set (`settings/follower.ts`), as soon as the database is back.
 */
async function takeOver(effect: () => unknown): Promise<void> {
  try {
    await effect();
  } catch (error) {
    if (hindranceOf(error) === undefined) throw error;
  }
}

/** Reads what is committed, whatever encloses the one who asks. It writes nothing. */
export async function outside<T>(work: () => Promise<T>): Promise<T> {
  const place: Outside = { connection: undefined, isOver: false };
  try {
    return await enclosing.run(place, work);
  } finally {
    place.isOver = true;
  }
}

/** Reads as the transaction sees it, whoever asks: also what asks the pool. What it does there is part of the transaction. */
export async function inside<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const place = enclosingIn(connection, 0, true);
  try {
    return await enclosing.run(place, work);
  } finally {
    place.isOver = true;
  }
}

/** Where statements of the pool go: anywhere, to the transaction that encloses the work, or past it, where they can only read. */
export function placeOfStatements(): Connection | 'past' | undefined {
  const found = store();
  if (found === undefined) return undefined;
  return found.connection !== undefined && found.readsInside ? found.connection : 'past';
}

/** @throws Error where memory would run ahead of the database */
export function refuseToTakeOver(what: string): void {
  if (present() !== undefined) throw new Error(`${what} is taken over before it is committed`);
}
