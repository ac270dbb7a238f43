import { Problem } from '../problems/problem.ts';
import { isConnectionFailure, LOCKED, sqlState } from './failures.ts';

/**
 * How long a statement of a batch waits for one lock before it gives up and its items go to the side lane. The SQL
 * functions carry it themselves (`alter function … set lock_timeout`). Others wait meanwhile, so it is short; who holds a
 * row for less than that is merely waited for.
 */
export const BATCH_LOCK_TIMEOUT_MS = 250; // limit: Wait of a group-committed statement for a lock
/** Between two attempts at a row that is held. */
const PAUSE_MS = 100;
/** Statements of the side lane at once: one may wait for a lock while another one finds out who else is free. */
const SIDE_STATEMENTS = 2;

/** A lock that was not given in time, or a deadlock that was broken: the statement has done nothing. */
export function isHeldUp(error: unknown): boolean {
  const state = sqlState(error);
  return state === '55P03' || state === '40P01';
}

/** An item on its way to the database, with its caller. */
export interface Waiting<In, Out> {
  readonly item: In;
  /** When it was submitted, in milliseconds of the monotonic clock. */
  readonly since: number;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

interface SideLaneOptions<In, Out> {
  readonly run: (items: readonly In[]) => Promise<readonly Out[]>;
  /** Whose rows the item needs: items with different keys never wait for one another's rows. */
  readonly keyOf: (item: In) => string;
  readonly waitLimitMs: number;
  readonly maxBatch: number;
}

/**
 * Where the items of a batch go whose statement had to wait for a held row, so that the main lane goes on without them. It
 * repeats them by halves of their keys until it is known whose row is held. That key stays here, with what comes for it in
 * the meantime, until one of its statements gets through; the others are back in the main lane as soon as theirs have.
 */
export class SideLane<In, Out> {
  readonly #options: SideLaneOptions<In, Out>;
  /** What waits for each key that is here, in order; empty while all of it is on its way. */
  readonly #waiting = new Map<string, Waiting<In, Out>[]>();
  /** Keys that go together; each key that is here is in one of them, or in a statement or pause. */
  readonly #groups: (readonly string[])[] = [];
  #count = 0;
  #running = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: SideLaneOptions<In, Out>) {
    this.#options = options;
  }

  get waitLimitMs(): number {
    return this.#options.waitLimitMs;
  }

  /** Items that are not in a statement. */
  get waiting(): number {
    return this.#count;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  holds(item: In): boolean {
    return this.#waiting.size > 0 && this.#waiting.has(this.#options.keyOf(item));
  }

  /** Takes over the items of a statement that was held up, or one whose key is here. */
  take(batch: readonly Waiting<In, Out>[]): void {
    const fresh: string[] = [];
    for (const each of batch) {
      const key = this.#options.keyOf(each.item);
      const queue = this.#waiting.get(key);
      if (queue !== undefined) queue.push(each);
      else {
        this.#waiting.set(key, [each]);
        fresh.push(key);
      }
    }
    this.#count += batch.length;
    // Before those that are known to be held: most of these are free.
    if (fresh.length > 0) this.#groups.unshift(...halves(fresh));
    this.#watch ??= setInterval(() => this.#refuseOverdue(), PAUSE_MS).unref();
    this.#pump();
  }

  #pump(): void {
    while (this.#running < SIDE_STATEMENTS) {
      const keys = this.#groups.shift();
      if (keys === undefined) return;
      const batch = this.#batchOf(keys);
      if (batch.length === 0) this.#letGo(keys);
      else void this.#serve(keys, batch);
    }
  }

  async #serve(keys: readonly string[], batch: readonly Waiting<In, Out>[]): Promise<void> {
    this.#running++;
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      for (const [i, each] of batch.entries()) each.resolve(results[i] as Out);
      this.#goOn(keys);
    } catch (error) {
      if (isHeldUp(error)) this.#putBack(keys, batch);
      else await this.#afterFailure(keys, batch, error);
    } finally {
      this.#running--;
      this.#pump();
    }
  }

  /** The keys are free again, but for what has come for them in the meantime. */
  #goOn(keys: readonly string[]): void {
    const left = keys.filter((key) => (this.#waiting.get(key) ?? []).length > 0);
    this.#letGo(keys.filter((key) => !left.includes(key)));
    if (left.length > 0) this.#groups.push(left);
  }

  #letGo(keys: readonly string[]): void {
    for (const key of keys) if (this.#waiting.get(key)?.length === 0) this.#waiting.delete(key);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  /** One of these keys is held up: in halves it is found, alone it is tried again after a pause. */
  #putBack(keys: readonly string[], batch: readonly Waiting<In, Out>[]): void {
    this.#count += batch.length;
    for (const each of batch.toReversed()) this.#waiting.get(this.#options.keyOf(each.item))?.unshift(each);
    this.#refuseOverdue();
    if (keys.length > 1) {
      this.#groups.unshift(...halves(keys));
      return;
    }
    setTimeout(() => {
      this.#groups.push(keys);
      this.#pump();
    }, PAUSE_MS).unref();
  }

  /** Something else is wrong with one of the items: each has a statement of its own. */
  async #afterFailure(
    keys: readonly string[],
    batch: readonly Waiting<In, Out>[],
    error: unknown,
  ): Promise<void> {
    if (batch.length === 1 || isConnectionFailure(error)) {
      for (const each of batch) each.reject(error);
    } else {
      for (const each of batch) {
        await this.#options.run([each.item]).then(([result]) => each.resolve(result as Out), each.reject);
      }
    }
    this.#goOn(keys);
  }

  #batchOf(keys: readonly string[]): Waiting<In, Out>[] {
    const batch: Waiting<In, Out>[] = [];
    for (const key of keys) {
      const queue = this.#waiting.get(key) ?? [];
      batch.push(...queue.splice(0, this.#options.maxBatch - batch.length));
    }
    this.#count -= batch.length;
    return batch;
  }

  #refuseOverdue(): void {
    const oldest = performance.now() - this.#options.waitLimitMs;
    for (const [key, queue] of this.#waiting) {
      const late = queue.filter(({ since }) => since <= oldest);
      if (late.length === 0) continue;
      this.#waiting.set(
        key,
        queue.filter(({ since }) => since > oldest),
      );
      this.#count -= late.length;
      for (const { reject } of late) reject(waitedTooLong());
    }
  }
}

/** 503 for what could not be sent, or got no lock, within its limit. */
export function waitedTooLong(): Problem {
  return new Problem('overloaded', LOCKED, {
    headers: { 'Retry-After': '1' },
  });
}

function halves(keys: readonly string[]): string[][] {
  const middle = Math.ceil(keys.length / 2);
  return [keys.slice(0, middle), keys.slice(middle)].filter((half) => half.length > 0);
}
