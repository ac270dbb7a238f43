/**
 * What has come and was not read yet. Of events that replace each other only the newest waits, in the place of the first: whoever reads
 * slowly reads no old one, and each of them in its turn.
 */
export class Newest<T> {
  readonly #waiting = new Map<string, T>();
  /** What has come since the last event that nothing replaces; what is older than that one must not stand for what is newer. */
  readonly #since = new Set<string>();
  #count = 0;

  /** @param name of what it replaces; without one it replaces nothing */
  put(event: T, name?: string): void {
    if (name === undefined) {
      this.#since.clear();
      this.#waiting.set(`#${this.#count++}`, event);
      return;
    }
    if (!this.#since.has(name)) this.#waiting.delete(name);
    this.#since.add(name);
    this.#waiting.set(name, event);
  }

  take(): T | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    this.#waiting.delete(next[0]);
    return next[1];
  }
}
