import { PassingMap } from '../platform/passing-map.ts';
import { Problem } from '../problems/problem.ts';

const WAIT_MS = 2_000; // limit: Wait for the first request with the same key: quotes and executions

/**
 * Lets one request with an idempotency key through at a time in this process. A second one waits for the first up to
 * two seconds and then finds its answer in the database; after that it is told that the first is in progress
 * (docs/interface.md#idempotency). Across instances the database's unique index does the same.
 */
export class KeyGate {
  /** Who waits for the end of each request under way. */
  readonly #running = new PassingMap<(() => void)[] | undefined>();
  readonly #waitMs: number;

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  run<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#running.has(id) ? this.#startAfter(id, work) : this.#start(id, work);
  }

  #start<T>(id: string, work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#running.set(id, undefined);
    const over = () => this.#end(id);
    running.then(over, over);
    return running;
  }

  async #startAfter<T>(id: string, work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#waitMs;
    while (this.#running.has(id)) await this.#ended(id, deadline - performance.now());
    return this.#start(id, work);
  }

  #end(id: string): void {
    const waiting = this.#running.get(id);
    this.#running.delete(id);
    for (const goOn of waiting ?? []) goOn();
  }

  /** @throws Problem request_in_progress, when it takes longer */
  #ended(id: string, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(firstInProgress()), Math.max(0, ms));
      const goOn = () => {
        clearTimeout(timer);
        resolve();
      };
      const waiting = this.#running.get(id);
      if (waiting === undefined) this.#running.set(id, [goOn]);
      else waiting.push(goOn);
    });
  }
}

/** Of a repetition that has waited for as long as it may. */
export function firstInProgress(): Problem {
  return new Problem('request_in_progress', 'The first request with this Idempotency-Key has not finished.', {
    headers: { 'Retry-After': '1' },
  });
}
