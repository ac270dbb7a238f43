import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { backOffMs, type FeedFault, realTimers, type Timers } from './back-off.ts';
import {
  type FeedConnection,
  type FeedObserver,
  type FeedTransport,
  faultOf,
  type GonePrice,
  type VendorPrice,
} from './feed.ts';
import type { PriceSource, SourceHealth, SourceState, TickSink, WithdrawalSink } from './source.ts';
import { VendorTime } from './vendor-time.ts';

interface SupervisedSourceOptions {
  readonly name: string;
  readonly transport: FeedTransport;
  readonly clock: Clock;
  /** What vendors' stamps are on. Default: the clock of this machine. */
  readonly realClock?: Clock;
  readonly logger: Logger;
  /** Nothing at all for so long, not even a heartbeat: connect anew. */
  readonly silenceMs: number;
  /** No price for so long, though the other side is alive: connect anew, for the subscription may be lost. */
  readonly quietMs?: number;
  readonly timers?: Timers;
}

/** From the first byte sent until the subscription stands. */
const CONNECT_MS = 10_000; // limit: Time to connect to a feed
/** A connection that lasted so long was a good one: the back-off begins from the start. */
const STABLE_MS = 30_000;

/**
 * A source that connects, kept alive: connects, watches for silence, connects anew with a growing pause, and counts.
 * It never throws into a socket's handler and never gives up. With the connection go its prices: nothing is dealt on what
 * a vendor said over a line that is no more.
 */
export class SupervisedSource implements PriceSource {
  readonly name: string;
  readonly #options: SupervisedSourceOptions;
  readonly #timers: Timers;
  readonly #time: VendorTime;
  /** Of each pair the newest price, so that a moved clock finds them at once. Bounded by the subscribed pairs. */
  readonly #newest = new Map<string, VendorPrice>();
  #sink: TickSink | undefined;
  #withdrawal: WithdrawalSink | undefined;
  #state: SourceState = 'idle';
  #connection: FeedConnection | undefined;
  /** Number of the present attempt; what observers with another number report is late. */
  #attempt = 0;
  #failures = 0;
  #opened = 0;
  #callOff: () => void = () => undefined;
  #openedAtMs = 0;
  #aliveAtMs = 0;
  #pricedAtMs = 0;
  #nextAttemptMs: number | undefined;
  #counts = { ticks: 0, skippedLines: 0, untradable: 0 };
  #seen: {
    lastTickAt?: number;
    lastHeartbeatAt?: number;
    connectedSince?: number;
    lastSkipReason?: string;
    lastDelayMs?: number;
    error?: string;
    errorAt?: number;
  } = {};

  constructor(options: SupervisedSourceOptions) {
    this.name = options.name;
    this.#options = options;
    this.#timers = options.timers ?? realTimers;
    this.#time = new VendorTime(options.clock, options.realClock ?? systemClock);
  }

  start(sink: TickSink, withdraw?: WithdrawalSink): void {
    if (this.#state !== 'idle') throw new Error(`${this.name} was started already`);
    this.#sink = sink;
    this.#withdrawal = withdraw;
    this.#connect();
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#sink = undefined;
    this.#leave();
  }

  /** The newest prices once more, as old as they are: moving the clock makes no price newer or older. */
  async refresh(): Promise<void> {
    for (const price of this.#newest.values()) this.#deliver(price);
  }

  health(): SourceHealth {
    const pause = this.#nextAttemptMs;
    return {
      state: this.#state,
      ...this.#counts,
      reconnects: Math.max(0, this.#opened - 1),
      ...this.#seen,
      ...(pause === undefined
        ? {}
        : { nextAttemptAt: Math.round(this.#options.clock.now() + pause - this.#timers.now()) }),
    };
  }

  #connect(): void {
    this.#state = 'connecting';
    this.#nextAttemptMs = undefined;
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.#callOff = this.#timers.after(CONNECT_MS, () =>
      this.#lost(attempt, { kind: 'lost', text: `no subscription within ${CONNECT_MS} ms` }),
    );
    try {
      const connection = this.#options.transport.connect(this.#observer(attempt));
      // It may have ended already, before it was handed out.
      if (attempt === this.#attempt) this.#connection = connection;
      else connection.close();
    } catch (error) {
      this.#lost(attempt, faultOf(error, 'cannot connect'));
    }
  }

  #observer(attempt: number): FeedObserver {
    const whileCurrent =
      <A extends unknown[]>(run: (...values: A) => void) =>
      (...values: A): void => {
        if (attempt === this.#attempt) run(...values);
      };
    return {
      opened: whileCurrent(() => this.#open(attempt)),
      heartbeat: whileCurrent(() => this.#alive()),
      price: whileCurrent((price: VendorPrice) => this.#take(price)),
      untradable: whileCurrent((gone: GonePrice) => {
        this.#alive();
        this.#counts.untradable += 1;
        this.#withdraw(gone);
      }),
      skipped: whileCurrent((reason: string, pair?: string) => {
        this.#counts.skippedLines += 1;
        this.#seen.lastSkipReason = reason;
        if (pair !== undefined) this.#withdraw({ pair, stamp: undefined });
      }),
      closed: whileCurrent((fault: FeedFault) => this.#lost(attempt, fault)),
    };
  }

  #open(attempt: number): void {
    if (this.#state === 'running') return;
    this.#callOff();
    this.#state = 'running';
    this.#opened += 1;
    const now = this.#timers.now();
    this.#openedAtMs = now;
    this.#aliveAtMs = now;
    this.#pricedAtMs = now;
    this.#seen.connectedSince = this.#options.clock.now();
    this.#options.logger.info({ source: this.name }, 'price source connected');
    this.#watch(attempt);
  }

  /** One timer for the earlier deadline; it looks again instead of being set anew with each message. */
  #watch(attempt: number): void {
    const { silenceMs, quietMs = Number.POSITIVE_INFINITY } = this.#options;
    const now = this.#timers.now();
    if (now - this.#aliveAtMs >= silenceMs) {
      this.#lost(attempt, { kind: 'lost', text: `nothing received for ${silenceMs} ms` });
      return;
    }
    if (now - this.#pricedAtMs >= quietMs) {
      this.#lost(attempt, { kind: 'lost', text: `no price received for ${quietMs} ms` });
      return;
    }
    const waitMs = Math.min(this.#aliveAtMs + silenceMs, this.#pricedAtMs + quietMs) - now;
    this.#callOff = this.#timers.after(Math.max(1, Math.ceil(waitMs)), () => this.#watch(attempt));
  }

  #alive(): void {
    this.#aliveAtMs = this.#timers.now();
    this.#seen.lastHeartbeatAt = this.#options.clock.now();
  }

  #take(price: VendorPrice): void {
    this.#alive();
    this.#pricedAtMs = this.#aliveAtMs;
    // Without a stamp the price is as old as its arrival.
    const stamped = { ...price, stamp: price.stamp ?? this.#time.realNow() };
    this.#newest.set(price.pair, stamped);
    this.#seen.lastDelayMs = this.#time.delayMs(stamped.stamp);
    this.#deliver(stamped);
  }

  #deliver({ pair, bid, ask, stamp }: VendorPrice): void {
    const sink = this.#sink;
    if (sink === undefined || stamp === undefined) return;
    const at = this.#time.toBusiness(stamp);
    this.#counts.ticks += 1;
    this.#seen.lastTickAt = at;
    try {
      sink({ pair, bid, ask, at, source: this.name });
    } catch (error) {
      // A fault behind the sink must not end the process from inside a socket's handler.
      this.#fault('a price could not be passed on');
      this.#options.logger.error({ source: this.name, err: error }, 'a price could not be passed on');
    }
  }

  /** Of one pair, or of all: nobody says any more that they stand. */
  #withdraw(gone?: GonePrice): void {
    if (gone === undefined) this.#newest.clear();
    else this.#newest.delete(gone.pair);
    const at = gone?.stamp === undefined ? undefined : this.#time.toBusiness(gone.stamp);
    this.#withdrawal?.(gone?.pair, at);
  }

  #lost(attempt: number, fault: FeedFault): void {
    if (attempt !== this.#attempt || this.#state === 'stopped') return;
    this.#withdraw();
    const lastedMs = this.#state === 'running' ? this.#timers.now() - this.#openedAtMs : 0;
    this.#leave();
    this.#state = 'connecting';
    this.#failures = lastedMs >= STABLE_MS ? 1 : this.#failures + 1;
    const pauseMs = backOffMs(fault, this.#failures, () => this.#timers.random());
    this.#nextAttemptMs = this.#timers.now() + pauseMs;
    this.#callOff = this.#timers.after(pauseMs, () => this.#connect());
    this.#fault(fault.text);
    const level = fault.kind === 'refused' ? 'error' : 'warn';
    this.#options.logger[level](
      { source: this.name, reason: fault.text, nextAttemptInMs: pauseMs },
      'price source not connected',
    );
  }

  #fault(text: string): void {
    this.#seen.error = text;
    this.#seen.errorAt = this.#options.clock.now();
  }

  /** Lets go of the connection and of every timer. */
  #leave(): void {
    this.#attempt += 1;
    this.#callOff();
    this.#nextAttemptMs = undefined;
    delete this.#seen.connectedSince;
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close();
  }
}
