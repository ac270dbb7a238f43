import { setTimeout as sleep } from 'node:timers/promises';

/** Work goes through it; while it is shut, none is under way. */
export class Gate {
  #open: Promise<void> = Promise.resolve();
  #release: () => void = () => {};
  #inside = 0;

  async through<T>(work: () => Promise<T>): Promise<T> {
    for (let waited = this.#open; ; waited = this.#open) {
      await waited;
      if (waited === this.#open) break;
    }
    this.#inside++;
    try {
      return await work();
    } finally {
      this.#inside--;
    }
  }

  /** Shuts it, waits for what is under way, does the work and opens it again. */
  async shut<T>(work: () => Promise<T>): Promise<T> {
    this.#open = new Promise((resolve) => {
      this.#release = resolve;
    });
    try {
      while (this.#inside > 0) await sleep(20);
      return await work();
    } finally {
      this.#release();
    }
  }
}
