import type { Access } from '@firmquote/api/operation';
import { Problem } from '../problems/problem.ts';

type Audience = Access['audience'];

/** Of ten connections to the database: what lists may have at once, of each audience, and what slow ones may have beside. */
const OF_TEN = {
  customer: { quick: 4, slow: 1 },
  operator: { quick: 2, slow: 1 },
} as const satisfies Readonly<Record<Audience, object>>;
const SLOW_MS = 250; // limit: Time after which a list in the making lets another one begin beside it

export type ListTurnsOf = Readonly<Record<Audience, ListTurns>>;

/** @param connections that the process has to the database */
export function listTurns(connections: number): ListTurnsOf {
  return {
    customer: new ListTurns(connections, 'customer'),
    operator: new ListTurns(connections, 'operator'),
  };
}

/**
 * Lists are made a few at a time, of customers and of operators each; the others wait, first come, first served. A page costs as much as
 * forty reads: begun all at once, all of them stand before every trade, for a connection to the database as for the turn of this process,
 * and what they hold outlives the collections of young objects (decision 0087).
 */
export class ListTurns {
  readonly #quickMost: number;
  readonly #slowMost: number;
  #quick = 0;
  #slow = 0;
  readonly #waiting = new Set<() => void>();

  /** @param connections that the process has to the database */
  constructor(connections: number, audience: Audience) {
    const { quick, slow } = OF_TEN[audience];
    this.#quickMost = Math.max(1, Math.floor((connections * quick) / 10));
    this.#slowMost = Math.floor((connections * slow) / 10);
  }

  /** Those that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * @param isWanted whether anybody still waits for the list, asked when its turn has come
   * @throws Problem overloaded where nobody does: so it is counted, and there is nobody to read it
   */
  async run<T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T> {
    if (this.#quick < this.#quickMost) this.#quick++;
    else await new Promise<void>((goOn) => this.#waiting.add(goOn));
    if (!isWanted()) {
      this.#passOn();
      throw new Problem('overloaded', 'The caller hung up before the list could be made.');
    }
    let isSlow = false;
    const slow = setInterval(() => {
      isSlow = this.#slow < this.#slowMost;
      if (!isSlow) return;
      clearInterval(slow);
      this.#slow++;
      this.#passOn();
    }, SLOW_MS).unref();
    try {
      return await work();
    } finally {
      clearInterval(slow);
      if (isSlow) this.#slow--;
      else this.#passOn();
    }
  }

  /** The turn goes to who waits longest, if anybody does. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#quick--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
