import { refuseToTakeOver } from '../database/enclosure.ts';
import type { Topic } from './follower.ts';

/** What prices are made by is never older, whatever becomes of the database. */
export const MAX_AGE_MS = 5_000; // limit: Age up to which settings in memory are used at all

/** What is in force, with the version that it has. */
interface InForce<T> {
  readonly version: number;
  readonly value: T;
}

export interface LiveOptions<T> {
  readonly name: string;
  /** SQL: the version in force, one number that only grows. */
  readonly version: string;
  /** Reads what is in force, or undefined while that is the known version. */
  readonly read: (known: number | undefined) => Promise<InForce<T> | undefined>;
  /** Real time in milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * Something that operators set, as hot paths read it: in memory, answered without a promise when known. A follower
 * reports changes and that there are none; when nobody has done so for {@link MAX_AGE_MS}, the next use waits for a
 * reading of its own. What was not changed stays the same object.
 */
export class Live<T> implements Topic {
  readonly name: string;
  readonly version: string;
  readonly #read: LiveOptions<T>['read'];
  readonly #now: () => number;
  #held: InForce<T> | undefined;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #waiting: Promise<T> | undefined;

  constructor({ name, version, read, now }: LiveOptions<T>) {
    this.name = name;
    this.version = version;
    this.#read = read;
    this.#now = now ?? (() => performance.now());
  }

  current(): T | Promise<T> {
    if (this.#held !== undefined && this.#now() - this.#confirmedAt < MAX_AGE_MS) return this.#held.value;
    // All who wait share a reading.
    this.#waiting ??= this.#readNow().finally(() => {
      this.#waiting = undefined;
    });
    return this.#waiting;
  }

  /** Takes over what was read or just committed, unless what is held is as new or newer. */
  take(version: number, value: T): void {
    refuseToTakeOver(this.name);
    this.#hold(version, value);
  }

  held(): string | undefined {
    return this.#held && String(this.#held.version);
  }

  async load(): Promise<void> {
    await this.#readNow();
  }

  confirm(at: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, at);
  }

  #hold(version: number, value: T): void {
    if (this.#held === undefined || version > this.#held.version) this.#held = { version, value };
  }

  async #readNow(): Promise<T> {
    const at = this.#now();
    const read = await this.#read(this.#held?.version);
    if (read !== undefined) this.#hold(read.version, read.value);
    if (this.#held === undefined) throw new Error(`${this.name}: what is unknown was read as unchanged`);
    this.confirm(at);
    return this.#held.value;
  }
}
