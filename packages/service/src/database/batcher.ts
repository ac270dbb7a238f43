import { Problem } from '../problems/problem.ts';
import { isConnectionFailure } from './pool.ts';

export interface BatcherOptions<In, Out> {
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
}

/** Up to here a batch is not cut: it would save nobody's time. */
const SMALL_BATCH = 16;

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit, and the same for reads: while a statement is in flight, arriving items queue, and the next statement
 * takes all of them. One commit then carries many requests, which is what makes a durable write cheap; an item
 * that arrives alone goes at once.
 */
export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>;
  #queue: Waiting<In, Out>[] = [];
  #inFlight = 0;
  #lastSize = 0;
  #scheduled = false;

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  submit(item: In): Promise<Out> {
    if (this.#queue.length >= this.#options.maxQueue) {
      return Promise.reject(
        new Problem('overloaded', 'Too many requests wait for the database.', {
          headers: { 'Retry-After': '1' },
        }),
      );
    }
    return new Promise<Out>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
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
    const batch = this.#queue.splice(0, Math.min(this.#balanced(landed), this.#options.maxBatch));
    this.#inFlight++;
    this.#lastSize = batch.length;
    void this.#run(batch, () => {
      this.#inFlight--;
      this.#flush(batch.length);
    });
    if (this.#queue.length > 0) this.#schedule();
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

  /**
   * @param landed called once, when the statement is over: before anybody is answered, so that the database has the next
   * one while this process writes the answers
   */
  async #run(batch: readonly Waiting<In, Out>[], landed: () => void): Promise<void> {
    const start = performance.now();
    let results: readonly Out[];
    try {
      results = await this.#options.run(batch.map((waiting) => waiting.item));
      if (results.length !== batch.length) {
        throw new Error(`${this.#options.name}: ${results.length} results for ${batch.length} items`);
      }
    } catch (error) {
      await this.#afterFailure(batch, error);
      landed();
      return;
    } finally {
      this.#options.onBatch?.(batch.length, (performance.now() - start) / 1000);
    }
    landed();
    for (let i = 0; i < batch.length; i++) batch[i]?.resolve(results[i] as Out);
  }

  /**
   * One bad item must not fail its neighbours: when the statement failed (and was rolled back as a whole), each item
   * is run alone. When the connection failed, the outcome is unknown and every caller is told so.
   */
  async #afterFailure(batch: readonly Waiting<In, Out>[], error: unknown): Promise<void> {
    if (batch.length === 1 || isConnectionFailure(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) await this.#run([waiting], () => {});
  }
}
