/** What somebody means, for as long as nobody knows what became of it: what is sent again is the same to the last digit, under the same key. */
export interface Intention {
  readonly idempotencyKey: string;
  /** When it was sent first, epoch milliseconds: an hour from then is another instant at each press, and would be another request. */
  readonly begunAt: number;
}

/** For so long the same means what was meant before; whoever means it a day later means it anew. */
const MEANT_MS = 3_600_000;

/**
 * The intentions of one form. They are kept where what is typed in it is: a form that is closed while nobody knows what became of it, and
 * opened again with the same in it, would do the same twice under another key.
 */
export class Intentions {
  readonly #now: () => number;
  readonly #kept: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

  /** @param now real time */
  constructor(now: () => number, kept: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
    this.#now = now;
    this.#kept = kept;
  }

  /** @param place of the form @param text what is meant */
  of(place: string, text: string): Intention {
    const begun = this.#begunAt(place);
    const before = begun[text];
    if (before !== undefined) return before;
    const intention = { idempotencyKey: crypto.randomUUID(), begunAt: this.#now() };
    this.#keep(place, { ...begun, [text]: intention });
    return intention;
  }

  /** It is known what became of it: whoever means the same again means something new. */
  decided(place: string, text: string): void {
    const { [text]: _, ...others } = this.#begunAt(place);
    this.#keep(place, others);
  }

  #begunAt(place: string): Readonly<Record<string, Intention>> {
    const kept: Record<string, Intention> = JSON.parse(this.#kept.getItem(place) ?? '{}');
    const recent = ([, { begunAt }]: [string, Intention]) => this.#now() - begunAt < MEANT_MS;
    return Object.fromEntries(Object.entries(kept).filter(recent));
  }

  #keep(place: string, begun: Readonly<Record<string, Intention>>): void {
    if (Object.keys(begun).length === 0) this.#kept.removeItem(place);
    else this.#kept.setItem(place, JSON.stringify(begun));
  }
}
