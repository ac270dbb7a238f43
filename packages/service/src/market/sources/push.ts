import { parsePrice } from '@firmquote/fx';
import { parseRfc3339 } from '../../http/query.ts';
import type { Clock } from '../../platform/clock.ts';
import type {
  PriceSource,
  SourceHealth,
  SourceState,
  TickOutcome,
  TickSink,
  WithdrawalSink,
} from './source.ts';

/** A price as it was pushed. */
export interface PushedPrice {
  readonly pair: string;
  readonly bid: string;
  readonly ask: string;
  /** RFC 3339, business time. Default: now. */
  readonly at?: string;
}

type PushOutcome = TickOutcome | 'not_a_number' | 'not_a_time';

/** Prices that somebody brings. It reads them; the rate book judges them as it does every source's. */
export class PushSource implements PriceSource {
  readonly name: string;
  readonly #clock: Clock;
  #sink: TickSink | undefined;
  #withdrawal: WithdrawalSink | undefined;
  #state: SourceState = 'idle';
  #ticks = 0;
  #skipped = 0;
  #lastTickAt: number | undefined;
  #lastSkipReason: string | undefined;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
  }

  start(sink: TickSink, withdraw?: WithdrawalSink): void {
    this.#sink = sink;
    this.#withdrawal = withdraw;
    this.#state = 'running';
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
    this.#state = 'stopped';
  }

  /** Nothing to hand on: what was pushed belongs to its own instant. */
  async refresh(): Promise<void> {}

  /**
   * Hands a price on and says what became of it. Throws Error unless started.
   *
   * A price without a time is of the instant at which it was received. A time is taken as it is, on business time: one
   * ahead of it or behind the price that is held is refused by the book, and an old one makes no firm quote.
   */
  push(price: PushedPrice, receivedAt = this.#clock.now()): PushOutcome {
    const sink = this.#sink;
    if (sink === undefined) throw new Error(`${this.name} does not run`);
    const bid = parsePrice(price.bid);
    const ask = parsePrice(price.ask);
    if (bid === undefined || ask === undefined) return this.#skip('not_a_number');
    const at = price.at === undefined ? receivedAt : parseRfc3339(price.at);
    if (at === undefined) return this.#skip('not_a_time');
    this.#ticks += 1;
    this.#lastTickAt = at;
    return sink({ pair: price.pair, bid, ask, at, source: this.name });
  }

  /**
   * Takes back the prices of these pairs, or of all. One that was made before `at` and comes later is refused.
   * @returns the pairs that had one
   */
  withdraw(pairs: readonly string[] | undefined, at: number): readonly string[] {
    const withdraw = this.#withdrawal;
    if (withdraw === undefined) throw new Error(`${this.name} does not run`);
    return pairs === undefined ? withdraw(undefined, at) : pairs.flatMap((pair) => withdraw(pair, at));
  }

  health(): SourceHealth {
    return {
      state: this.#state,
      ticks: this.#ticks,
      skippedLines: this.#skipped,
      ...(this.#lastTickAt === undefined ? {} : { lastTickAt: this.#lastTickAt }),
      ...(this.#lastSkipReason === undefined ? {} : { lastSkipReason: this.#lastSkipReason }),
    };
  }

  #skip<R extends 'not_a_number' | 'not_a_time'>(reason: R): R {
    this.#skipped += 1;
    this.#lastSkipReason = reason;
    return reason;
  }
}
