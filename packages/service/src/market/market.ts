import { type MarketHours, marketHoursAt, type Pair } from '@firmquote/fx';
import { type Clock, isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { BUILT_IN_REFERENCE } from './ecb-reference.ts';
import { Halts } from './halts.ts';
import type { PricePublisher } from './publish-prices.ts';
import type { RateBook } from './rate-book.ts';
import type { ReferenceRates } from './reference-rates.ts';
import { ReportedSource } from './sources/reported.ts';
import type { PriceSource, SourceHealth, TickOutcome } from './sources/source.ts';
import type { PriceSubscriber } from './subscribe-prices.ts';
import type { Tick } from './tick.ts';

export interface MarketState {
  readonly state: 'open' | 'closed';
  readonly reason?: 'weekend' | 'holiday' | 'halt';
  /** The first closed instant, epoch milliseconds; absent when no close is known. */
  readonly closesAt?: number;
  /** The first open instant, epoch milliseconds; absent when it is not known, as in a halt. */
  readonly reopensAt?: number;
}

/** Members of its JSON, as answers and streams have them. */
export function stateMembers({ state, reason, closesAt, reopensAt }: MarketState): string {
  const why = reason === undefined ? '' : `,"reason":"${reason}"`;
  const until = closesAt === undefined ? '' : `,"closesAt":"${isoInstant(closesAt)}"`;
  const from = reopensAt === undefined ? '' : `,"reopensAt":"${isoInstant(reopensAt)}"`;
  return `"state":"${state}"${why}${until}${from}`;
}

export function marketClosed({ reason = 'halt', reopensAt }: MarketState, detail: string): Problem {
  return new Problem('market_closed', detail, {
    members: { reason, ...(reopensAt === undefined ? {} : { reopensAt: isoInstant(reopensAt) }) },
  });
}

export interface MarketOptions {
  readonly clock: Clock;
  readonly book: RateBook;
  /** `always` never closes by itself. */
  readonly hours: 'calendar' | 'always';
  readonly sources?: readonly PriceSource[];
  /** Notified of what they say, for other processes. */
  readonly publisher?: PricePublisher | undefined;
  /** Hands on what another process hears. */
  readonly subscriber?: PriceSubscriber | undefined;
  /** What quotes are compared with. Default: the rates that ship with the service. */
  readonly reference?: ReferenceRates;
  /** The market week; replaced in tests. */
  readonly hoursAt?: (instant: number) => MarketHours;
}

const ALWAYS_OPEN: MarketState = Object.freeze({ state: 'open' });
const HALTED: MarketState = Object.freeze({ state: 'closed', reason: 'halt' });

// The reason of a closure can change while it lasts: a weekend that runs into a holiday.
const CACHED_MS_MAX = 60_000;

/** The market as a whole: whether it is open, what is halted, its prices, and the sources that they come from. */
export class Market {
  readonly book: RateBook;
  readonly reference: ReferenceRates;
  readonly #clock: Clock;
  readonly #hoursAt: (instant: number) => MarketHours;
  readonly #sources: readonly PriceSource[];
  readonly #publisher: PricePublisher | undefined;
  readonly #subscriber: PriceSubscriber | undefined;
  readonly #haltListeners = new Set<() => void>();
  #halts = Halts.NONE;
  /** Set while the state does not follow the calendar. */
  #fixed: MarketState | undefined;
  #state: MarketState = ALWAYS_OPEN;
  #validFrom = Number.POSITIVE_INFINITY;
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor(options: MarketOptions) {
    this.book = options.book;
    this.reference = options.reference ?? BUILT_IN_REFERENCE;
    this.#clock = options.clock;
    this.#hoursAt = options.hoursAt ?? marketHoursAt;
    this.#sources = options.sources ?? [];
    this.#publisher = options.publisher;
    this.#subscriber = options.subscriber;
    this.#fixed = options.hours === 'always' ? ALWAYS_OPEN : undefined;
  }

  /** The halts that operators have ordered. */
  get halts(): Halts {
    return this.#halts;
  }

  /** Takes over which halts are in force. */
  setHalts(halts: Halts): void {
    this.#halts = halts;
    this.book.setHaltedPairs(halts.pairs, halts.withdrawing.pairs);
    for (const listener of this.#haltListeners) listener();
  }

  /** Calls the listener after the ordered halts have changed. Must not throw. Returns how to stop listening. */
  onHaltsChanged(listener: () => void): () => void {
    this.#haltListeners.add(listener);
    return () => this.#haltListeners.delete(listener);
  }

  /**
   * Whether a halt keeps this pair from being quoted to this customer: ordered by an operator, or because its sources
   * disagree. The closed market and the sandbox's override are no halts.
   */
  isHalted(pair: Pair, customerId?: string): boolean {
    const { all, customers } = this.#halts;
    return all || (customerId !== undefined && customers.has(customerId)) || this.book.isHalted(pair);
  }

  /**
   * Whether an operator has ordered that quotes of this pair, of this customer, do not stand any more. What prices do
   * never takes back a quote: that would be a last look.
   */
  endsQuotes(pair: Pair, customerId?: string): boolean {
    const { all, customers } = this.#halts.withdrawing;
    return all || (customerId !== undefined && customers.has(customerId)) || this.book.endsQuotes(pair);
  }

  /** False says that {@link endsQuotes} is false for each pair of this customer, or of every one. */
  mayEndQuotes(customerId?: string): boolean {
    const { all, customers, pairs } = this.#halts.withdrawing;
    return (
      all || (customerId === undefined ? customers.size > 0 : customers.has(customerId)) || pairs.size > 0
    );
  }

  /** False says that {@link executionState} is open for every pair of this customer as of now. */
  mayRefuseExecutions(customerId: string): boolean {
    return this.#ownState().state !== 'open' || this.mayEndQuotes(customerId);
  }

  /**
   * The state as far as it stands against executing a quote that is open. A halt counts from when it is ordered, the market
   * week by when the request arrived: quotes run until the close itself, and what it waited for afterwards is not the customer's.
   */
  executionState(pair: Pair | undefined, customerId: string, receivedAt: number): MarketState {
    const { withdrawing } = this.#halts;
    if (withdrawing.all) return HALTED;
    const state = this.#fixed ?? this.#sessionAt(receivedAt);
    if (state.state !== 'open' || pair === undefined) return state;
    return this.endsQuotes(pair, customerId) ? HALTED : state;
  }

  /** The state for one pair and customer: that of the market, and `halt` while it is halted. No I/O. */
  stateOf(pair: Pair, customerId?: string): MarketState {
    const state = this.stateNow();
    return state.state === 'open' && this.isHalted(pair, customerId) ? HALTED : state;
  }

  /** The state of the market as a whole. The same frozen object is given out until something makes another. */
  stateNow(): MarketState {
    return this.#halts.all ? HALTED : this.#ownState();
  }

  /** The state but for what operators have halted. */
  #ownState(): MarketState {
    return this.#fixed ?? this.#session();
  }

  /** What the market week says, whatever is halted; undefined while the market does not follow it. */
  sessionNow(): MarketState | undefined {
    return this.#fixed === undefined ? this.#session() : undefined;
  }

  /**
   * Sandbox: `closed` halts the market, `open` holds it open, `calendar` lets it follow the market week,
   * also where it was started as always open.
   */
  override(state: 'open' | 'closed' | 'calendar'): void {
    this.#fixed = state === 'calendar' ? undefined : state === 'open' ? ALWAYS_OPEN : HALTED;
  }

  /** Sandbox: what {@link override} was given last, or how the market was started. */
  control(): 'open' | 'closed' | 'calendar' {
    return this.#fixed?.state ?? 'calendar';
  }

  /** Starts every source on the book. When one cannot start, the others are stopped and its error is thrown. */
  async start(): Promise<void> {
    try {
      for (const source of this.#sources) {
        await source.start(
          (tick) => this.#apply(source, tick),
          (pair, at) => this.#withdraw(source, pair, at),
        );
      }
      this.#publisher?.start();
      this.#subscriber?.start(this.book);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#publisher?.stop();
    this.#subscriber?.stop();
    await Promise.all(this.#sources.map((source) => source.stop()));
  }

  /** Brings every source to the present instant. To be called after the clock was moved. */
  async refresh(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.refresh()));
  }

  /** A source that runs here. */
  source(name: string): PriceSource | undefined {
    return this.#sources.find((source) => source.name === name);
  }

  /** How each source is, by its name. */
  sourceHealth(): Readonly<Record<string, SourceHealth>> {
    return healthOf(this.#sources);
  }

  /** The same of those that this process has. */
  ownSourceHealth(): Readonly<Record<string, SourceHealth>> {
    return healthOf(this.#sources.filter((source) => !(source instanceof ReportedSource)));
  }

  #apply(source: PriceSource, tick: Tick): TickOutcome {
    const outcome = this.book.apply(tick);
    this.#publisher?.heard(source, tick, outcome);
    return outcome;
  }

  #withdraw(source: PriceSource, pair?: string, at?: number): readonly string[] {
    const gone = this.book.withdraw(source.name, pair, at);
    this.#publisher?.withdrawn(source, pair, at);
    return gone;
  }

  #session(): MarketState {
    const now = this.#clock.now();
    if (!this.#holdsAt(now)) {
      const state = sessionState(this.#hoursAt(now));
      this.#state = state;
      this.#validFrom = now;
      this.#validUntil = Math.min(state.closesAt ?? state.reopensAt ?? now, now + CACHED_MS_MAX);
    }
    return this.#state;
  }

  /** At another instant than now: what is kept of now stays. */
  #sessionAt(instant: number): MarketState {
    return this.#holdsAt(instant) ? this.#state : sessionState(this.#hoursAt(instant));
  }

  #holdsAt(instant: number): boolean {
    return instant >= this.#validFrom && instant < this.#validUntil;
  }
}

function sessionState({ open, reason, closesAt, reopensAt }: MarketHours): MarketState {
  return Object.freeze({
    state: open ? 'open' : 'closed',
    ...(reason === undefined ? {} : { reason }),
    ...(closesAt === undefined ? {} : { closesAt }),
    ...(reopensAt === undefined ? {} : { reopensAt }),
  });
}

function healthOf(sources: readonly PriceSource[]): Readonly<Record<string, SourceHealth>> {
  return Object.fromEntries(sources.map((source) => [source.name, source.health()]));
}
