/** What somebody means, for as long as nobody knows what became of it: what is sent again is the same to the last digit, under the same key. */
export interface Intention {
  readonly idempotencyKey: string;
  /** When it was sent first, epoch milliseconds: an hour from then is another instant at each press, and would be another request. */
  readonly begunAt: number;
}

export class Intentions {
  readonly #now: () => number;
  readonly #begun = new Map<string, Intention>();

  /** @param now real time */
  constructor(now: () => number) {
    this.#now = now;
  }

  of(text: string): Intention {
    const before = this.#begun.get(text);
    if (before !== undefined) return before;
    const begun = { idempotencyKey: crypto.randomUUID(), begunAt: this.#now() };
    this.#begun.set(text, begun);
    return begun;
  }

  /** It is known what became of it: whoever means the same again means something new. */
  decided(text: string): void {
    this.#begun.delete(text);
  }
}
