import type { Pair } from '@firmquote/fx';
import type { StreamConnection } from './connection.ts';
import { type PriceSize, type PriceTerms, type PriceTermsRoom, priceTerms } from './customer-price.ts';
import type { StreamHub } from './hub.ts';
import type { WantedPrices } from './price-request.ts';
import { priceRender } from './topic.ts';

export interface PricesRoom extends PriceTermsRoom {
  readonly hub: StreamHub;
}

/** The pairs that one connection reads, each at the terms that hold for its customer at the moment. */
export class PriceReader {
  readonly #room: PricesRoom;
  readonly #connection: StreamConnection;
  readonly #sizes = new Map<Pair, PriceSize | undefined>();

  constructor(room: PricesRoom, connection: StreamConnection) {
    this.#room = room;
    this.#connection = connection;
  }

  /** Codes of the pairs that are read, sorted. */
  get pairs(): string[] {
    return [...this.#sizes.keys()].map((pair) => pair.code).sort();
  }

  /** @param terms of each of the wanted pairs */
  add(wanted: WantedPrices, terms: ReadonlyMap<Pair, PriceTerms>): void {
    for (const [pair, found] of terms) {
      this.#subscribe(pair, found);
      this.#sizes.set(pair, wanted.size);
    }
  }

  remove(codes: ReadonlySet<string>): void {
    for (const pair of [...this.#sizes.keys()]) {
      if (!codes.has(pair.code)) continue;
      this.#sizes.delete(pair);
      this.#room.hub.unsubscribe(this.#connection, pair.code);
    }
  }

  /**
   * Moves to other price groups where the customer's rules have changed. What is not known in the process at this
   * moment is on its way to it, and is followed the next time.
   */
  follow(): void {
    const { customerId } = this.#connection;
    for (const [pair, size] of this.#sizes) {
      const terms = priceTerms(this.#room, customerId, pair, size);
      if (terms instanceof Promise) terms.catch(() => undefined);
      else this.#subscribe(pair, terms);
    }
  }

  #subscribe(pair: Pair, terms: PriceTerms): void {
    this.#room.hub.subscribe(this.#connection, pair.code, pair, terms.key, priceRender(pair, terms));
  }
}
