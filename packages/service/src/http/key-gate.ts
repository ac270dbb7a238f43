import { Problem } from '../problems/problem.ts';

const WAIT_MS = 2_000; // limit: Wait for the first request with the same key: quotes and executions

/**
 * Lets one request with an idempotency key through at a time in this process. A second one waits for the first up to
 * two seconds and then finds its answer in the database; after that it is told that the first is in progress
 * (docs/interface.md#idempotency). Across instances the database's unique index does the same.
 */
export class KeyGate {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #waitMs: number;

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  run<T>(id: string, work: () => Promise<T>): Promise<T> {
    const first = this.#running.get(id);
    return first === undefined ? this.#start(id, work) : this.#startAfter(first, id, work);
  }

  #start<T>(id: string, work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#running.set(id, running);
    const over = () => this.#running.delete(id);
    running.then(over, over);
    return running;
  }

  async #startAfter<T>(first: Promise<unknown>, id: string, work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#waitMs;
    for (let one: Promise<unknown> | undefined = first; one !== undefined; one = this.#running.get(id)) {
      await settledWithin(one, deadline - performance.now());
    }
    return this.#start(id, work);
  }
}

async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.max(0, ms));
  });
  const done = work.then(
    () => 'done' as const,
    () => 'done' as const,
  );
  const outcome = await Promise.race([done, late]);
  clearTimeout(timer);
  if (outcome === 'late') {
    throw firstInProgress();
  }
}

/** Of a repetition that has waited for as long as it may. */
export function firstInProgress(): Problem {
  return new Problem('request_in_progress', 'The first request with this Idempotency-Key has not finished.', {
    headers: { 'Retry-After': '1' },
  });
}
