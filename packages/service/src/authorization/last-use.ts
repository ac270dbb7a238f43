import type { Queryable } from '../database/pool.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { writeLastUses } from './store.ts';

const NOTE_EVERY_MS = 60_000; // limit: Time between two notes of a client's last use
const NOTED_MAX = 10_000;

interface LastUseOptions {
  readonly pool: Queryable;
  readonly onFailure: (error: unknown) => void;
}

/** Keeps when clients were used last, in the background, and at most once a minute for each. */
export class LastUse {
  readonly #options: LastUseOptions;
  readonly #noted = new RecentMap<string, number>(NOTED_MAX);

  constructor(options: LastUseOptions) {
    this.#options = options;
  }

  /** @param now real time, epoch milliseconds */
  note(clientIds: readonly string[], now: number): void {
    const due = clientIds.filter((id) => {
      const noted = this.#noted.get(id);
      return noted === undefined || now < noted || now >= noted + NOTE_EVERY_MS;
    });
    if (due.length === 0) return;
    for (const id of due) this.#noted.set(id, now);
    writeLastUses(this.#options.pool, due, now).catch(this.#options.onFailure);
  }
}
