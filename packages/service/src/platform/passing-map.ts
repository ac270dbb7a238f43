/** A power of two, and more than what is under way at once nearly always: then a place has one entry. */
const PLACES = 1_024;
/** Names differ at their ends: those of customers are the same at their beginnings. */
const HASHED_LENGTH = 48;

interface Passing<V> {
  readonly key: string;
  value: V;
  next: Passing<V> | undefined;
}

/**
 * A map for what is under way, whose entries come and go with every request. A `Map` of V8 that is filled and emptied takes a new storage now
 * and then, and the old one points at it. Once one of them has become old, the ones after it do, dead as they are, with all keys and
 * values in them, until the whole heap is collected. Here nothing that has passed points at anything.
 */
export class PassingMap<V> {
  readonly #places: (Passing<V> | undefined)[] = new Array(PLACES).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  get(key: string): V | undefined {
    return this.#find(key)?.value;
  }

  set(key: string, value: V): void {
    const found = this.#find(key);
    if (found !== undefined) {
      found.value = value;
      return;
    }
    const place = placeOf(key);
    this.#places[place] = { key, value, next: this.#places[place] };
    this.#size++;
  }

  delete(key: string): void {
    const place = placeOf(key);
    let before: Passing<V> | undefined;
    for (let at = this.#places[place]; at !== undefined; before = at, at = at.next) {
      if (at.key !== key) continue;
      if (before === undefined) this.#places[place] = at.next;
      else before.next = at.next;
      at.next = undefined;
      this.#size--;
      return;
    }
  }

  clear(): void {
    this.#places.fill(undefined);
    this.#size = 0;
  }

  #find(key: string): Passing<V> | undefined {
    let at = this.#places[placeOf(key)];
    while (at !== undefined && at.key !== key) at = at.next;
    return at;
  }
}

/** FNV-1a. Who makes keys that share a place makes only his own requests slower, by what is under way of them. */
function placeOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = Math.max(0, key.length - HASHED_LENGTH); i < key.length; i++)
    hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 16)) & (PLACES - 1);
}
