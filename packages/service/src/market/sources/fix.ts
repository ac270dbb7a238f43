import { findPair, parsePrice } from '@firmquote/fx';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { GatewayProcess, SessionOwner } from '../fix/gateway-process.ts';
import type {
  FixSessionSettings,
  SequenceNumbers,
  StatusLine,
  TickLine,
  VenueLine,
} from '../fix/protocol.ts';
import { FixVenue } from '../fix/venue.ts';
import type { Tick } from '../rate-book.ts';
import type { PriceSource, SourceHealth, SourceState, WithdrawalSink } from './source.ts';

interface FixSourceOptions {
  readonly settings: FixSessionSettings;
  readonly gateway: GatewayProcess;
  readonly clock: Clock;
  /** The clock of the venue's timestamps; replaced in tests. */
  readonly realClock?: Clock;
  readonly logger: Logger;
}

/** How a FIX session is, beyond what every source reports. Instants are epoch milliseconds of the injected clock. */
interface FixSourceHealth extends SourceHealth {
  /** Since when it is logged on. */
  readonly connectedSince?: number;
  /** Logons after the first one. */
  readonly reconnects?: number;
  /** Real milliseconds from the venue's SendingTime to here, of the last price; below 0 when its clock is ahead. */
  readonly lastDelayMs?: number;
  /** Ticks that newer ones of their pair overtook while the service was busy. */
  readonly conflated?: number;
  /** MsgSeqNum of the next message in either direction. */
  readonly nextSent?: number;
  readonly nextReceived?: number;
}

/** Two readings of the clocks are not one: by so much a newer price may seem older than the one before it. */
const JITTER_MS = 5;

interface ReceivedTick {
  readonly line: TickLine;
  readonly tick: Tick;
}

/**
 * Prices of a FIX session. The session itself is in the gateway's process; here its lines become ticks. A tick is as
 * old as its message: from the venue's SendingTime on, so that time in a queue or on the line makes it older. A venue's
 * clock that is ahead makes none younger than now.
 */
export class FixSource implements PriceSource, SessionOwner {
  readonly name: string;
  /** Quotes and orders of the same session. */
  readonly venue: FixVenue;
  readonly #options: FixSourceOptions;
  readonly #realClock: Clock;
  /** Those that the session gives, six letters each. */
  readonly pairs: ReadonlySet<string>;
  readonly #held = new Map<string, ReceivedTick>();
  #sink: ((tick: Tick) => void) | undefined;
  #withdrawal: WithdrawalSink | undefined;
  #state: SourceState = 'idle';
  #status: StatusLine | undefined;
  #error: string | undefined;
  #ticks = 0;
  #unreadable = 0;
  #lastTickAt: number | undefined;
  #lastDelayMs: number | undefined;
  #connectedSince: number | undefined;

  constructor(options: FixSourceOptions) {
    const { settings, gateway } = options;
    this.name = `fix:${settings.name}`;
    this.#options = options;
    this.#realClock = options.realClock ?? systemClock;
    this.pairs = new Set(settings.pairs);
    const session = settings.name;
    this.venue = new FixVenue(
      (request) =>
        gateway.send(
          'query' in request
            ? { type: 'requestQuote', session, query: request.query }
            : { type: 'order', session, order: request.order },
        ),
      ({ id, orderId, executionId, status, filledQuantity }) =>
        options.logger.warn(
          { source: this.name, id, orderId, executionId, status, filledQuantity },
          'unexpected execution report',
        ),
    );
  }

  /** Starts the session; its prices come when the venue has let it in. */
  start(sink: (tick: Tick) => void, withdraw?: WithdrawalSink): void {
    if (this.#sink !== undefined) throw new Error(`${this.name} runs already`);
    this.#sink = sink;
    this.#withdrawal = withdraw;
    this.#state = 'connecting';
    this.#error = undefined;
    this.#options.gateway.attach(this.#options.settings, this);
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
    if (this.#state !== 'idle') this.#state = 'stopped';
    this.#connectedSince = undefined;
    await this.#options.gateway.detach(this.#options.settings.name);
  }

  /** The last prices once more, by the moved clock, and as old as they really are. */
  async refresh(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const { line } of held) this.line(line);
  }

  health(): FixSourceHealth {
    const { logons, refused, conflated, nextSent, nextReceived, opensAt } = this.#status ?? {};
    const { clock } = this.#options;
    // Until its schedule begins it is not to be there, so nothing is wrong.
    const isResting = this.#state === 'connecting' && opensAt !== undefined;
    return {
      state: isResting ? 'idle' : this.#state,
      ticks: this.#ticks,
      ...(this.#unreadable === 0 ? {} : { skippedLines: this.#unreadable }),
      ...(this.#lastTickAt === undefined ? {} : { lastTickAt: this.#lastTickAt }),
      ...(this.#lastDelayMs === undefined ? {} : { lastDelayMs: this.#lastDelayMs }),
      ...(this.#connectedSince === undefined ? {} : { connectedSince: this.#connectedSince }),
      ...(opensAt === undefined ? {} : { nextAttemptAt: clock.now() + opensAt - this.#realClock.now() }),
      ...(logons === undefined ? {} : { reconnects: Math.max(0, logons - 1) }),
      ...(refused === undefined ? {} : { refused }),
      ...(conflated === undefined ? {} : { conflated }),
      ...(nextSent === undefined ? {} : { nextSent }),
      ...(nextReceived === undefined ? {} : { nextReceived }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }

  resetSequence(
    numbers: SequenceNumbers,
    command: { readonly actor: string; readonly reason: string },
  ): boolean {
    const { gateway, settings, logger } = this.#options;
    if (!gateway.send({ type: 'resetSequence', session: settings.name, numbers })) return false;
    logger.warn({ source: this.name, ...numbers, ...command }, 'an operator set the sequence numbers');
    return true;
  }

  /** What the gateway last reported of the session: sequence numbers, and what was refused. */
  get session(): StatusLine | undefined {
    return this.#status;
  }

  line(line: VenueLine): void {
    if (line.type === 'gone') {
      this.#withdraw(line.pair);
      return;
    }
    if (line.type !== 'tick') {
      this.venue.take(line);
      return;
    }
    const tick = this.#tickOf(line);
    if (tick === undefined) {
      this.#unreadable += 1;
      // The venue has another price than the one that is held, and nobody knows which.
      if (this.pairs.has(line.pair)) this.#withdraw(line.pair);
      return;
    }
    this.#held.set(line.pair, { line, tick });
    if (this.#sink === undefined) return;
    this.#ticks += 1;
    this.#lastTickAt = tick.at;
    this.#lastDelayMs = this.#realClock.now() - line.sentAt;
    this.#sink(tick);
  }

  status(status: StatusLine): void {
    const before = this.#status?.state;
    const complaint = status.error !== undefined && status.error !== this.#status?.error;
    this.#status = status;
    this.#error = status.error;
    if (this.#sink !== undefined) this.#state = status.state === 'up' ? 'running' : 'connecting';
    // With the session go its prices: nobody says any more that they stand.
    if (before === 'up' && status.state !== 'up') this.#withdraw();
    if (before === status.state && !complaint) return;
    if (before !== status.state)
      this.#connectedSince = status.state === 'up' ? this.#options.clock.now() : undefined;
    const { state, logons, nextSent, nextReceived } = status;
    const level = state === 'waiting' || complaint ? 'warn' : 'info';
    this.#options.logger[level](
      { source: this.name, state, logons, nextSent, nextReceived, reason: this.#error },
      'FIX session',
    );
  }

  lost(reason: string): void {
    this.#withdraw();
    this.#status = undefined;
    this.#connectedSince = undefined;
    this.#error = reason;
    if (this.#sink !== undefined) this.#state = 'connecting';
    this.venue.lost(reason);
  }

  #withdraw(pair?: string): void {
    if (pair === undefined) this.#held.clear();
    else this.#held.delete(pair);
    this.#withdrawal?.(pair);
  }

  #tickOf(line: TickLine): Tick | undefined {
    const { pair, sentAt } = line;
    const bid = parsePrice(line.bid);
    const ask = parsePrice(line.ask);
    if (bid === undefined || ask === undefined || findPair(pair) === undefined) return undefined;
    if (!this.pairs.has(pair) || !Number.isSafeInteger(sentAt)) return undefined;
    const ageMs = Math.max(0, this.#realClock.now() - sentAt);
    const at = this.#options.clock.now() - ageMs;
    const before = this.#held.get(pair)?.tick.at ?? at;
    return { pair, bid, ask, at: at < before && before - at <= JITTER_MS ? before : at, source: this.name };
  }
}
