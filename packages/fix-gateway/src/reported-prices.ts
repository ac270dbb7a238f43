import type { VenueLine } from '../../service/src/market/fix/protocol.ts';
import type { TopPrice } from './top-of-book.ts';

/** A timer that is longer is over at once. What a venue lets stand for so many days is stale long before. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** What the service has been told of each pair: a price, or that there is none any more. The latter once. */
export class ReportedPrices {
  readonly #session: string;
  readonly #emit: (line: VenueLine) => void;
  /** The pairs whose price the service holds, and what ends it when it has an end. */
  readonly #held = new Map<string, NodeJS.Timeout | undefined>();

  constructor(session: string, emit: (line: VenueLine) => void) {
    this.#session = session;
    this.#emit = emit;
  }

  get pairs(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** @param endsInMs when nothing stands of it any more, such as a quote's ValidUntilTime */
  price(pair: string, price: TopPrice, sentAt: number, endsInMs?: number): void {
    clearTimeout(this.#held.get(pair));
    const hasEnd = endsInMs !== undefined && endsInMs <= TIMER_MAX_MS;
    const end = hasEnd ? setTimeout(() => this.gone(pair), endsInMs).unref() : undefined;
    this.#held.set(pair, end);
    this.#emit({ type: 'tick', session: this.#session, pair, ...price, sentAt });
  }

  gone(pair: string): void {
    clearTimeout(this.#held.get(pair));
    if (this.#held.delete(pair)) this.#emit({ type: 'gone', session: this.#session, pair });
  }

  /** The session went down; the service hears of that itself. */
  clear(): void {
    for (const end of this.#held.values()) clearTimeout(end);
    this.#held.clear();
  }
}
