interface Entry<V> {
  value: V;
  loadedAt: number;
  refreshing: boolean;
}

interface RefreshingCacheOptions<K, V> {
  /** Reads the current value. What it throws is thrown to callers that must wait, and is not kept. */
  readonly load: (key: K) => Promise<V>;
  /** Younger than this, a value is served as it is. */
  readonly freshMs: number;
  /** Older than this, callers wait for a new value; between the two it is served while a new one is fetched. */
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

/**
 * State of the database that hot paths need on every request, at most `maxAgeMs` old. Answers at once (not even a
 * promise) whenever it can.
 */
export class RefreshingCache<K, V> {
  readonly #options: RefreshingCacheOptions<K, V>;
  readonly #entries = new Map<K, Entry<V>>();
  readonly #loading = new Map<K, Promise<V>>();
  readonly #now: () => number;
  #generation = 0;

  constructor(options: RefreshingCacheOptions<K, V>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get(key: K): V | Promise<V> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#load(key);
    const age = this.#now() - entry.loadedAt;
    if (age < this.#options.freshMs) return entry.value;
    if (age >= this.#options.maxAgeMs) return this.#load(key);
    if (!entry.refreshing) {
      entry.refreshing = true;
      this.#load(key).catch(() => {
        entry.refreshing = false;
      });
    }
    return entry.value;
  }

  /** Forgets a value, so that a change made in this process is seen by the next request. */
  invalidate(key: K): void {
    this.#generation++;
    this.#entries.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#generation++;
    this.#entries.clear();
    this.#loading.clear();
  }

  #load(key: K): Promise<V> {
    const running = this.#loading.get(key);
    if (running) return running;
    const generation = this.#generation;
    const loading = this.#options.load(key).then(
      (value) => {
        // A value read before an invalidation may be the old one: it is answered, but not kept.
        if (generation === this.#generation) this.#keep(key, value);
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw error;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }

  #keep(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, loadedAt: this.#now(), refreshing: false });
    if (this.#entries.size > this.#options.maxEntries) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }
}
