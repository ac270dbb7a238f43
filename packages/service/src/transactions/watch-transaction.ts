import { Problem } from '../problems/problem.ts';
import type { TransactionRow } from './record.ts';
import type { TransactionStore } from './store.ts';

/** Held polls of one customer at once (contract §9). */
const MAX_HELD = 10;
const POLL_MS = 250;

/**
 * Long poll: holds a request until the transaction's version is no longer the one that the caller knows, or the time
 * is over. The database is asked every quarter of a second for all watched transactions at once, so a change by any
 * instance is seen, whoever made it.
 */
export class TransactionWatch {
  readonly #store: TransactionStore;
  readonly #held = new Map<string, number>();
  #closing = false;
  readonly #wake = new Set<() => void>();

  constructor(store: TransactionStore) {
    this.#store = store;
  }

  /**
   * @param seconds real time to wait at most
   * @param gone aborted when the caller hangs up
   */
  async changed(row: TransactionRow, seconds: number, gone: AbortSignal): Promise<TransactionRow> {
    const held = this.#held.get(row.customer_id) ?? 0;
    if (held >= MAX_HELD) {
      throw new Problem('rate_limited', `${MAX_HELD} requests are held already.`, {
        members: { 'violated-policies': ['held'] },
        headers: { 'Retry-After': '1' },
      });
    }
    this.#held.set(row.customer_id, held + 1);
    try {
      const deadline = performance.now() + seconds * 1000;
      let current = row;
      while (current.version === row.version && !gone.aborted && !this.#closing) {
        const left = deadline - performance.now();
        if (left <= 0) break;
        await this.#pause(Math.min(POLL_MS, left), gone);
        current = (await this.#store.find(row.customer_id, row.id)) ?? current;
      }
      return current;
    } finally {
      const now = (this.#held.get(row.customer_id) ?? 1) - 1;
      if (now === 0) this.#held.delete(row.customer_id);
      else this.#held.set(row.customer_id, now);
    }
  }

  /** Lets every held request answer, so that the service can stop. */
  close(): void {
    this.#closing = true;
    for (const wake of this.#wake) wake();
  }

  #pause(ms: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', end);
        this.#wake.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      gone.addEventListener('abort', end);
      this.#wake.add(end);
    });
  }
}
