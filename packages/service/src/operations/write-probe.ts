import { randomUUID } from 'node:crypto';
import { type Hindrance, hindranceOf } from '../database/failures.ts';
import type { Pool } from '../database/pool.ts';
import { losesCommits, type ServerSettings, unusable } from '../database/safety.ts';
import { writeHeartbeat } from './store.ts';

/** Whoever asks more often gets what was found last. */
const PROBE_EVERY_MS = 2_000; // limit: Shortest time between two small writes that prove that the database takes them

interface Finding {
  readonly ok: boolean;
  readonly detail: string;
}

const DETAILS: Readonly<Record<Hindrance, string>> = {
  unconfirmed: 'the standbys do not confirm commits',
  read_only: 'the database accepts no writes',
  no_room: 'the database has run out of disk space',
  unreachable: 'the database does not answer',
  unanswered: 'the database does not answer',
  busy: 'a small write takes too long',
};

/**
 * Whether the database takes writes, found out by writing: the heartbeat of this instance, and a little to the disk. Also
 * whether it still keeps what it acknowledges, since that can be changed while it runs.
 */
export class WriteProbe {
  readonly #pool: Pool;
  readonly #refuseUnsafe: boolean;
  readonly #instance = randomUUID();
  #last: { readonly at: number; readonly finding: Promise<Finding> } | undefined;
  #underWay = false;

  constructor(pool: Pool, options: { readonly unsafeDatabase: 'refuse' | 'warn' }) {
    this.#pool = pool;
    this.#refuseUnsafe = options.unsafeDatabase === 'refuse';
  }

  check(): Promise<Finding> {
    const now = performance.now();
    if (this.#last === undefined || (!this.#underWay && now - this.#last.at >= PROBE_EVERY_MS)) {
      // One at a time: those that hang must not take all connections.
      this.#underWay = true;
      const finding = this.#write().finally(() => {
        this.#underWay = false;
      });
      this.#last = { at: now, finding };
    }
    return this.#last.finding;
  }

  async #write(): Promise<Finding> {
    try {
      return this.#findingOf(await writeHeartbeat(this.#pool, this.#instance));
    } catch (error) {
      const hindrance = hindranceOf(error);
      return { ok: false, detail: hindrance === undefined ? 'a small write failed' : DETAILS[hindrance] };
    }
  }

  #findingOf(settings: ServerSettings): Finding {
    const reason = unusable(settings);
    if (reason !== undefined) return { ok: false, detail: `DATABASE_URL ${reason}` };
    const risks = losesCommits(settings);
    return { ok: risks.length === 0 || !this.#refuseUnsafe, detail: risks.join(' ') || 'written' };
  }
}
