import { PassingMap } from '../platform/passing-map.ts';

/**
 * Keeps items of one key in their order while several statements are under way: what comes for a key that is in one of them
 * waits here until that one is over.
 */
export class Turns<Each> {
  readonly #keyOf: (each: Each) => string;
  /** Of keys that are in statements: how many of these, and what waits for their end. */
  readonly #busy = new PassingMap<{ statements: number; readonly waiting: Each[] }>();
  #count = 0;

  constructor(keyOf: (each: Each) => string) {
    this.#keyOf = keyOf;
  }

  get waiting(): number {
    return this.#count;
  }

  /** Takes what has to wait for its turn; false when it need not. */
  hold(each: Each): boolean {
    const busy = this.#busy.get(this.#keyOf(each));
    if (busy === undefined) return false;
    busy.waiting.push(each);
    this.#count++;
    return true;
  }

  /** These go into a statement. */
  begin(batch: readonly Each[]): void {
    for (const key of new Set(batch.map(this.#keyOf))) {
      const busy = this.#busy.get(key);
      if (busy === undefined) this.#busy.set(key, { statements: 1, waiting: [] });
      else busy.statements++;
    }
  }

  /** Their statement is over: what may go now, each key's in its order. */
  end(batch: readonly Each[]): Each[] {
    const free: Each[] = [];
    for (const key of new Set(batch.map(this.#keyOf))) {
      const busy = this.#busy.get(key);
      if (busy === undefined || --busy.statements > 0) continue;
      this.#busy.delete(key);
      free.push(...busy.waiting);
    }
    this.#count -= free.length;
    return free;
  }
}
