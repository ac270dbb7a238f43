import type { Queryable } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';

/** How often an instance asks what was set on the others: within 1 s it holds everywhere. */
const LOOK_EVERY_MS = 500; // limit: Time between two checks of what was set on other instances

/** Asked of the other processes of a service: to look at once. */
export const LOOK = 'look';

/** Something that operators set, held in memory by every instance. */
export interface Topic {
  /** In lower case, with underscores. */
  readonly name: string;
  /** SQL: one value that every change makes another one, read from a single row or the end of an index. */
  readonly version: string;
  /** That value, as text, of what is held; undefined before anything was read. */
  held(): string | undefined;
  /** Reads what is in force and takes it over, unless what is held is newer. */
  load(): Promise<void>;
  /** Notified that what is held was in force at an instant of real time. */
  confirm?(at: number): void;
}

/** Follows what was set on other instances: one statement asks for every version, and what has moved is loaded. */
export class SettingsFollower {
  readonly #database: Queryable;
  readonly #topics: readonly Topic[];
  readonly #text: string;
  readonly #now: () => number;

  /** @param now real time in milliseconds, as the topics know it */
  constructor(database: Queryable, topics: readonly Topic[], now: () => number = () => performance.now()) {
    if (new Set(topics.map(({ name }) => name)).size !== topics.length) {
      throw new Error('two topics have the same name');
    }
    this.#database = database;
    this.#topics = topics;
    this.#text = `select ${topics.map(({ name, version }) => `(${version})::text as ${name}`).join(', ')}`;
    this.#now = now;
  }

  /**
   * Takes over what has changed. Resolves when it is in force here.
   * @throws what a topic could not load, after the others have
   */
  async look(): Promise<void> {
    const at = this.#now();
    const { rows } = await this.#database.query<Record<string, string>>({
      name: 'followed_versions',
      text: this.#text,
    });
    const [versions = {}] = rows;
    let failure: { readonly error: unknown } | undefined;
    // One after the other: at a start, when all of them are to be loaded, each would open a connection.
    for (const topic of this.#topics) {
      try {
        if (topic.held() !== versions[topic.name]) await topic.load();
        else topic.confirm?.(at);
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  get sweep(): Sweep {
    return {
      name: 'follow_settings',
      does: 'Checks in one statement what operators have set on other instances, and loads what changed.',
      everyMs: LOOK_EVERY_MS,
      run: async () => {
        await this.look();
        return 0;
      },
    };
  }
}
