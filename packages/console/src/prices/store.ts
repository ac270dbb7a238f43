import { compareRates } from '../money/amount.ts';
import type { AgedPrice, HostLink, LinkState, StreamedPrice, ToTab } from './messages.ts';

/** Live prices, outside of React: ticks come, and once a frame whatever has changed is written where it is shown. */

export interface Shown {
  readonly price: StreamedPrice;
  /** Of the last change that was one. */
  readonly moves: { readonly bid: 'up' | 'down' | undefined; readonly ask: 'up' | 'down' | undefined };
  /** When it came, by the clock that only goes forward, ms. */
  readonly cameAt: number;
}

export interface Link {
  readonly state: LinkState;
  readonly since: number;
  readonly isPaused: boolean;
  readonly market: string | undefined;
  readonly problem: string | undefined;
}

type Writer = (shown: Shown | undefined) => void;

/** Prices that stand still are looked at so often: their age goes on. */
const AGE_MS = 1_000;

export class PriceStore {
  readonly #shown = new Map<string, Shown>();
  readonly #writers = new Map<string, Set<Writer>>();
  readonly #linkListeners = new Set<() => void>();
  readonly #dirty = new Set<string>();
  #frame: number | undefined;
  #ages: ReturnType<typeof setInterval> | undefined;
  #link: Link = { state: 'connecting', since: 0, isPaused: false, market: undefined, problem: undefined };

  get link(): Link {
    return this.#link;
  }

  of(pair: string): Shown | undefined {
    return this.#shown.get(pair);
  }

  /** Calls the writer now, in the frame after each change of the pair, and once a second. */
  watch(pair: string, write: Writer): () => void {
    const writers = this.#writers.get(pair) ?? new Set();
    writers.add(write);
    this.#writers.set(pair, writers);
    write(this.#shown.get(pair));
    this.#ages ??= setInterval(() => this.#all(), AGE_MS);
    return () => {
      writers.delete(write);
      if (writers.size === 0) this.#writers.delete(pair);
      if (this.#writers.size > 0) return;
      clearInterval(this.#ages);
      this.#ages = undefined;
    };
  }

  watchLink = (listener: () => void): (() => void) => {
    this.#linkListeners.add(listener);
    return () => this.#linkListeners.delete(listener);
  };

  pause(isPaused: boolean): void {
    this.#set({ isPaused });
    if (!isPaused) this.#schedule();
  }

  /** Whether anything on the page shows prices. */
  get isShown(): boolean {
    return this.#writers.size > 0 && !this.#link.isPaused;
  }

  take(message: ToTab): void {
    if (message.is === 'link') this.#linked(message.link);
    else for (const each of message.prices) this.#price(each);
  }

  /** The browser knows first when there is no network. */
  offline(): void {
    this.#set({ state: 'offline' });
    this.#all();
  }

  #linked({ state, market, problem }: HostLink): void {
    this.#set({ state, market, problem });
    this.#all();
  }

  #price({ price, ageMs }: AgedPrice): void {
    const before = this.#shown.get(price.pair);
    const moves = {
      bid: moved(before?.price.bid, price.bid) ?? before?.moves.bid,
      ask: moved(before?.price.ask, price.ask) ?? before?.moves.ask,
    };
    this.#shown.set(price.pair, { price, moves, cameAt: performance.now() - ageMs });
    this.#dirty.add(price.pair);
    this.#schedule();
  }

  #all(): void {
    for (const pair of this.#writers.keys()) this.#dirty.add(pair);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#frame !== undefined || this.#link.isPaused || this.#dirty.size === 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = undefined;
      // Paused before it was drawn: it is drawn when prices go on.
      if (this.#link.isPaused) return;
      for (const pair of this.#dirty) {
        const shown = this.#shown.get(pair);
        for (const write of this.#writers.get(pair) ?? []) write(shown);
      }
      this.#dirty.clear();
    });
  }

  #set(changes: Partial<Link>): void {
    const isOther = changes.state !== undefined && changes.state !== this.#link.state;
    this.#link = { ...this.#link, ...changes, ...(isOther ? { since: Date.now() } : {}) };
    for (const listener of this.#linkListeners) listener();
  }
}

/** No move keeps the direction of the last one. */
function moved(before: string | null | undefined, after: string | null): 'up' | 'down' | undefined {
  if (before === null || before === undefined || after === null) return undefined;
  const way = compareRates(before, after);
  return way === 0 ? undefined : way > 0 ? 'up' : 'down';
}

export const prices = new PriceStore();
