/**
 * A bounded map that forgets what was not asked for lately. Two generations instead of a list in the order of use: a
 * look-up that finds something is one look-up and writes nothing, which a Map kept in order (delete and set on every
 * read) is not. It holds at most `max` entries, and of those asked for since the last change of generation none is lost.
 */
export class RecentMap<Key, Value> {
  readonly #generationSize: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(max: number) {
    this.#generationSize = Math.max(1, Math.floor(max / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
