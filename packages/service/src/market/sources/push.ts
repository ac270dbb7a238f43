import { type Decimal, parsePrice } from '@firmquote/fx';
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

/** What the book has heard of a pair from a push source: its price, or that it has none any more. */
export interface Pushed {
  readonly source: string;
  readonly pair: string;
  /** When it was made or taken back, business time. */
  readonly at: number;
  readonly price: { readonly bid: Decimal; readonly ask: Decimal } | undefined;
}

/** Outcomes of ticks that change nothing of what is known. */
export const UNHEARD: ReadonlySet<TickOutcome> = new Set<TickOutcome>([
  'unknown_pair',
  'too_many_sources',
  'crossed',
  'locked',
  'future',
  'backwards',
]);

/** Outcomes of ticks that end what the source said before, and put nothing in its place. */
export const ENDING: ReadonlySet<TickOutcome> = new Set<TickOutcome>([
  'source_disabled',
  'not_positive',
  'wrong_clock',
]);

/** Prices that somebody brings. It reads them; the rate book judges them as it does every source's. */
export class PushSource implements PriceSource {
  readonly name: string;
  readonly #clock: Clock;
  /** Pairs that were pushed here, or that other instances shared. */
  readonly #pairs = new Set<string>();
  #listener: ((pushed: Pushed) => void) | undefined;
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
    const outcome = this.#take(sink, price.pair, { bid, ask }, at);
    // What only ends a price does so from now on, whatever time it bears.
    if (ENDING.has(outcome)) this.#notify(price.pair, receivedAt, undefined);
    else if (!UNHEARD.has(outcome)) this.#notify(price.pair, at, { bid, ask });
    return outcome;
  }

  #notify(pair: string, at: number, price: Pushed['price']): void {
    this.#pairs.add(pair);
    this.#listener?.({ source: this.name, pair, at, price });
  }

  #take(sink: TickSink, pair: string, { bid, ask }: NonNullable<Pushed['price']>, at: number): TickOutcome {
    this.#ticks += 1;
    this.#lastTickAt = at;
    return sink({ pair, bid, ask, at, source: this.name });
  }

  /**
   * Takes back the prices of these pairs, or of all. One that was made before `at` and comes later is refused.
   * @returns the pairs that had one
   */
  withdraw(pairs: readonly string[] | undefined, at: number): readonly string[] {
    const withdraw = this.#withdrawal;
    if (withdraw === undefined) throw new Error(`${this.name} does not run`);
    const gone = pairs === undefined ? withdraw(undefined, at) : pairs.flatMap((pair) => withdraw(pair, at));
    // Another instance may believe what is not believed here.
    for (const pair of pairs ?? this.#pairs) this.#notify(pair, at, undefined);
    return gone;
  }

  /** Calls the listener with everything that was brought here and that the book has heard. Must not throw. */
  onPushed(listener: (pushed: Pushed) => void): void {
    this.#listener = listener;
  }

  /** Hands on what was brought to another instance. */
  hear({ pair, at, price }: Pushed): void {
    this.#pairs.add(pair);
    if (price === undefined) this.#withdrawal?.(pair, at);
    else if (this.#sink !== undefined) this.#take(this.#sink, pair, price, at);
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
