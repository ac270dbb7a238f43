import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { RecentMap } from '../platform/recent-map.ts';

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
    writeUses(this.#options.pool, due, now).catch(this.#options.onFailure);
  }
}

async function writeUses(db: Queryable, clientIds: readonly string[], now: number): Promise<void> {
  await db.query(
    `insert into client_uses (client_id, last_used_at) select id, $2 from unnest($1::uuid[]) as id order by id
     on conflict (client_id) do update
     set last_used_at = greatest(client_uses.last_used_at, excluded.last_used_at)`,
    [clientIds, isoInstant(now)],
  );
}
