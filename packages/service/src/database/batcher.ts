import { BATCH_CHANNEL, WAITING_CHANNEL } from '@firmquote/telemetry/channels';
import { Problem } from '../problems/problem.ts';
import { isConnectionFailure } from './failures.ts';
import { isHeldUp, SideLane, type Waiting, waitedTooLong } from './side-lane.ts';
import { Turns } from './turns.ts';

interface BatcherOptions<In, Out> {
  readonly name: string;
  /** Handles all items in one statement (and so one commit) and answers one result for each, in the same order. */
  readonly run: (items: readonly In[]) => Promise<readonly Out[]>;
  /** Items in one statement. */
  readonly maxBatch: number;
  /** Statements on their way to the database at once. */
  readonly maxInFlight: number;
  /** Items waiting; past it, submissions are refused as overloaded. */
  readonly maxQueue: number;
  readonly onBatch?: (size: number, seconds: number) => void;
  /**
   * For statements that lock rows: whose, and how long an item may wait for them before it is refused as overloaded. Items of
   * one key are never in two statements at once, so that these do not wait for each other.
   */
  readonly locks?: { readonly keyOf: (item: In) => string; readonly waitLimitMs: number };
}

/** Up to here a batch is not cut: it would save nobody's time. */
const SMALL_BATCH = 16;

/**
 * Group commit, and the same for reads: while a statement is in flight, arriving items queue, and the next statement
 * takes all of them. One commit then carries many requests, which is what makes a durable write cheap; an item
 * that arrives alone goes at once. What needs a row that somebody holds goes aside (`side-lane.ts`).
 */
export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>;
  readonly #aside: SideLane<In, Out> | undefined;
  readonly #turns: Turns<Waiting<In, Out>> | undefined;
  #queue: Waiting<In, Out>[] = [];
  #inFlight = 0;
  #lastSize = 0;
  #scheduled = false;

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options;
    const { locks, maxBatch } = options;
    this.#aside =
      locks === undefined
        ? undefined
        : new SideLane({ ...locks, maxBatch, run: (items) => this.#execute(items) });
    this.#turns =
      locks === undefined || options.maxInFlight === 1
        ? undefined
        : new Turns(({ item }: Waiting<In, Out>) => locks.keyOf(item));
  }

  get waiting(): number {
    return this.#queue.length + (this.#turns?.waiting ?? 0) + (this.#aside?.waiting ?? 0);
  }

  submit(item: In): Promise<Out> {
    if (this.waiting >= this.#options.maxQueue) {
      return Promise.reject(
        new Problem('overloaded', 'Too many requests wait for the database.', {
          headers: { 'Retry-After': '1' },
        }),
      );
    }
    if (!WAITING_CHANNEL.hasSubscribers) return this.#wait(item);
    return WAITING_CHANNEL.tracePromise(() => this.#wait(item), { name: this.#options.name, item });
  }

  #wait(item: In): Promise<Out> {
    return new Promise<Out>((resolve, reject) => {
      const waiting = { item, since: performance.now(), resolve, reject };
      if (this.#aside?.holds(item)) {
        this.#aside.take([waiting]);
        return;
      }
      if (this.#turns?.hold(waiting)) return;
      this.#queue.push(waiting);
      this.#schedule();
    });
  }

  // One turn of the event loop later, so that requests that arrived together go together.
  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#options.maxInFlight) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  /** @param landed items of the statement that is just over, whose callers are about to be answered */
  #flush(landed = 0): void {
    if (this.#queue.length === 0 || this.#inFlight >= this.#options.maxInFlight) return;
    // A statement has costs of its own, whatever it carries: beside one that is under way, the next goes only when it
    // carries as much. Otherwise callers in a closed loop end up in many small batches. When nothing is under way,
    // whatever waits goes at once, so nobody waits longer than one statement.
    if (this.#inFlight > 0 && this.#queue.length < Math.min(this.#lastSize, this.#options.maxBatch)) return;
    const batch = this.#sendable(
      this.#queue.splice(0, Math.min(this.#balanced(landed), this.#options.maxBatch)),
    );
    if (batch.length === 0) {
      this.#schedule();
      return;
    }
    this.#inFlight++;
    this.#lastSize = batch.length;
    this.#begin(batch);
    void this.#run(batch, () => {
      this.#inFlight--;
      const freed = this.#turns?.end(batch) ?? [];
      // They have waited longer than what came for others since.
      if (freed.length > 0) this.#queue = [...freed, ...this.#queue];
      this.#flush(batch.length);
    });
    if (this.#queue.length > 0) this.#schedule();
  }

  /** What is left behind of a key that goes now waits until that has landed. */
  #begin(batch: readonly Waiting<In, Out>[]): void {
    const turns = this.#turns;
    if (turns === undefined) return;
    turns.begin(batch);
    if (this.#queue.length > 0) this.#queue = this.#queue.filter((each) => !turns.hold(each));
  }

  /**
   * Callers in a closed loop fall into two groups: while the statement of one is under way, the other is answered and
   * asks again. Equal groups keep the database and this process busy at the same time; a large one beside a small one,
   * once it has come about, would stay and let each wait for the other.
   */
  #balanced(landed: number): number {
    const waiting = this.#queue.length;
    return landed === 0 ? waiting : Math.max(SMALL_BATCH, Math.ceil((waiting + landed) / 2));
  }

  /** Without what has gone aside meanwhile, and what has waited for longer than it may, which is refused. */
  #sendable(batch: Waiting<In, Out>[]): readonly Waiting<In, Out>[] {
    const aside = this.#aside;
    if (aside === undefined) return batch;
    const oldest = performance.now() - aside.waitLimitMs;
    if (aside.isEmpty && batch.every(({ since }) => since > oldest)) return batch;
    return batch.filter((each) => {
      if (each.since <= oldest) each.reject(waitedTooLong());
      else if (aside.holds(each.item)) aside.take([each]);
      else return true;
      return false;
    });
  }

  /** One statement, with a result for each item. */
  async #execute(items: readonly In[]): Promise<readonly Out[]> {
    const start = performance.now();
    try {
      const results = await this.#traced(items);
      if (results.length === items.length) return results;
      throw new Error(`${this.#options.name}: ${results.length} results for ${items.length} items`);
    } finally {
      this.#options.onBatch?.(items.length, (performance.now() - start) / 1000);
    }
  }

  #traced(items: readonly In[]): Promise<readonly Out[]> {
    const { name, run } = this.#options;
    if (!BATCH_CHANNEL.hasSubscribers) return run(items);
    return BATCH_CHANNEL.tracePromise(() => run(items), { name, items });
  }

  /**
   * @param landed called once, when the statement is over: before anybody is answered, so that the database has the next
   * one while this process writes the answers
   */
  async #run(batch: readonly Waiting<In, Out>[], landed: () => void): Promise<void> {
    let results: readonly Out[];
    try {
      results = await this.#execute(batch.map((waiting) => waiting.item));
    } catch (error) {
      // Before the next batch is put together, so that nothing of theirs is in it.
      const wentAside = this.#aside !== undefined && isHeldUp(error);
      if (wentAside) this.#aside.take(batch);
      landed();
      if (!wentAside) await this.#afterFailure(batch, error);
      return;
    }
    landed();
    for (let i = 0; i < batch.length; i++) batch[i]?.resolve(results[i] as Out);
  }

  /**
   * One bad item must not fail its neighbours: when the statement failed (and was rolled back as a whole), its halves are
   * run, one after the other and beside the statements to come. When the connection failed, the outcome is unknown and
   * every caller is told so.
   */
  async #afterFailure(batch: readonly Waiting<In, Out>[], error: unknown): Promise<void> {
    if (batch.length === 1 || isConnectionFailure(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await this.#run(batch.slice(0, middle), () => {});
    await this.#run(batch.slice(middle), () => {});
  }
}
