import { Gathering } from './gathering.ts';
import { keepEqual } from './keep-equal.ts';
import { PassingMap } from './passing-map.ts';

/** A small part of the time for which a value is used: whoever is renewed with it needs no statement of its own. */
export const RENEWED_TOGETHER_MS = 100; // limit: Time for which states in memory that are to be renewed are gathered

interface Entry<V> {
  value: V;
  /** When it was asked for, not when it came: the value may be as old as that. */
  askedAt: number;
  refreshing: boolean;
}

interface Load<V> {
  readonly value: Promise<V>;
  readonly askedAt: number;
}

interface RefreshingCacheOptions<K extends string, V> {
  /**
   * Reads the current value; `before` is the one that is held, of which whatever is equal stays ({@link keepEqual}). What it
   * throws is thrown to callers that must wait, and is not kept.
   */
  readonly load: (key: K, before: V | undefined) => Promise<V>;
  /** Younger than this, a value is served as it is. */
  readonly freshMs: number;
  /**
   * Older than this, callers wait for a new value. Between the two it is served while a new one is fetched, with those of
   * others that are to be renewed within {@link RENEWED_TOGETHER_MS}: `load` is called for all of them in one turn.
   */
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

/**
 * State of the database that hot paths need on every request, at most `maxAgeMs` old. Answers at once (not even a
 * promise) whenever it can.
 */
export class RefreshingCache<K extends string, V> {
  readonly #options: RefreshingCacheOptions<K, V>;
  readonly #entries = new Map<K, Entry<V>>();
  readonly #loading = new PassingMap<Load<V>>();
  readonly #due = new Gathering<K>(RENEWED_TOGETHER_MS, (keys) => {
    for (const key of keys) this.#renew(key);
  });
  readonly #now: () => number;

  constructor(options: RefreshingCacheOptions<K, V>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get(key: K): V | Promise<V> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#load(key);
    const age = this.#now() - entry.askedAt;
    if (!this.#isUsable(age)) return this.#load(key);
    if (age < this.#options.freshMs) return entry.value;
    if (!entry.refreshing) {
      entry.refreshing = true;
      this.#due.add(key);
    }
    return entry.value;
  }

  /** Forgets a value, so that a change made in this process is seen by the next request. */
  invalidate(key: K): void {
    this.#entries.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#loading.clear();
  }

  /** A negative age means that the clock was set back: the true age is not known. */
  #isUsable(ageMs: number): boolean {
    return ageMs >= 0 && ageMs < this.#options.maxAgeMs;
  }

  /** Unless it was forgotten meanwhile, or has been read anew. */
  #renew(key: K): void {
    const entry = this.#entries.get(key);
    if (entry?.refreshing !== true) return;
    this.#load(key).catch(() => {
      entry.refreshing = false;
    });
  }

  #load(key: K): Promise<V> {
    const askedAt = this.#now();
    const running = this.#loading.get(key);
    // What was asked for so long ago is too old when it comes at last.
    if (running !== undefined && this.#isUsable(askedAt - running.askedAt)) return running.value;
    const over = () => {
      if (this.#loading.get(key) === load) this.#loading.delete(key);
    };
    const before = this.#entries.get(key)?.value;
    const value = this.#options.load(key, before).then(
      (read) => {
        const found = keepEqual(before, read);
        // Where the value was forgotten meanwhile, or asked for once more, this may be an old one: it is answered, but not kept.
        if (this.#loading.get(key) === load) this.#keep(key, found, askedAt);
        over();
        return found;
      },
      (error: unknown) => {
        over();
        throw error;
      },
    );
    const load = { value, askedAt };
    this.#loading.set(key, load);
    return value;
  }

  #keep(key: K, value: V, askedAt: number): void {
    const entry = this.#entries.get(key);
    // Their order says who goes first, which matters only when there is no room; until then none is moved.
    if (entry !== undefined && this.#entries.size < this.#options.maxEntries) {
      Object.assign(entry, { value, askedAt, refreshing: false });
      return;
    }
    this.#entries.delete(key);
    this.#entries.set(key, { value, askedAt, refreshing: false });
    if (this.#entries.size > this.#options.maxEntries) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }
}
