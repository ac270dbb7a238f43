import type { Queryable } from '../database/pool.ts';
import type { Topic } from '../settings/follower.ts';
import { countLiveInstances, LIVE_INSTANCES_QUERY } from './store.ts';

/** How many instances serve, by the heartbeats that they write when a balancer asks whether they are ready. */
export class LiveInstances implements Topic {
  readonly name = 'live_instances';
  readonly version = LIVE_INSTANCES_QUERY;
  readonly #database: Queryable;
  #held: string | undefined;

  readonly #own: number;

  /** @param own processes of this service, each of which writes heartbeats of its own */
  constructor(database: Queryable, own = 1) {
    this.#database = database;
    this.#own = own;
  }

  /** At least those of this service. While the database does not answer, as many as there were. */
  get count(): number {
    return Math.max(this.#own, this.#held === undefined ? 1 : Number.parseInt(this.#held, 10));
  }

  /** How many services these come to, where each has as many processes as this one. */
  get services(): number {
    return this.count / this.#own;
  }

  held(): string | undefined {
    return this.#held;
  }

  async load(): Promise<void> {
    this.#held = await countLiveInstances(this.#database);
  }
}
