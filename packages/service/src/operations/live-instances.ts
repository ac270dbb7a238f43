import type { Queryable } from '../database/pool.ts';
import type { Topic } from '../settings/follower.ts';

const COUNT = `select greatest(1, count(*)) from instance_heartbeats where beat_at > clock_timestamp() - interval '15 seconds'`;

/** How many instances serve, by the heartbeats that they write when a balancer asks whether they are ready. */
export class LiveInstances implements Topic {
  readonly name = 'live_instances';
  readonly version = COUNT;
  readonly #database: Queryable;
  #held: string | undefined;

  readonly #own: number;

  /** @param own processes of this service, each of which tells of itself */
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
    const { rows } = await this.#database.query<{ n: string }>(`select (${COUNT})::text as n`);
    this.#held = rows[0]?.n;
  }
}
