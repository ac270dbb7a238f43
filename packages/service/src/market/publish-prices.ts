import { formatDecimal } from '@firmquote/fx';
import type { Neighbours } from '../platform/neighbours.ts';
import type { SequenceNumbers } from './fix/protocol.ts';
import type { PriceChannel } from './price-channel.ts';
import type { PriceNews, ReportedPrice, ReportedWithdrawal } from './price-news.ts';
import { ENDING, UNHEARD } from './sources/push.ts';
import type { PriceSource, SourceHealth, TickOutcome } from './sources/source.ts';
import type { Tick } from './tick.ts';

/** The others take a silence that is longer than three of these for the end of this process. */
export const BEAT_MS = 1_000;

/** Asked by whoever has moved the clock: prices of then are here when it is answered. */
export const REFRESH = 'refresh prices';
/** Asked by whoever an operator has asked: the session is of this process. */
export const RESET_SEQUENCE = 'reset sequence';
/** Sent by whoever has just begun, or has heard nothing for a while. */
export const PRICES_WANTED = 'prices wanted';

interface SequenceCommand {
  readonly source: string;
  readonly numbers: SequenceNumbers;
  readonly command: { readonly actor: string; readonly reason: string };
}

/**
 * Of the process that has the sources: sends the others everything that a source has said and the book has heard, in its
 * order. They judge it as they would their own.
 */
export class PricePublisher {
  readonly #channel: PriceChannel;
  /** What a process that has just begun is sent. Bounded by the pairs of the sources. */
  readonly #newest = new Map<string, ReportedPrice>();
  readonly #sources: ReadonlySet<PriceSource>;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;

  /** @param sources those that run here alone */
  constructor(neighbours: Neighbours & PriceChannel, sources: readonly PriceSource[]) {
    this.#channel = neighbours;
    this.#sources = new Set(sources);
    neighbours.onNotified(PRICES_WANTED, (_, from) => {
      if (this.#isStarted) this.#channel.publishPrices(this.#all(), from);
    });
    neighbours.onAsked(RESET_SEQUENCE, (value) => {
      const { source, numbers, command } = value as SequenceCommand;
      return sources.find(({ name }) => name === source)?.resetSequence?.(numbers, command) ?? false;
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
    this.#isStarted = true;
    this.#channel.publishPrices(this.#all());
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  heard(from: PriceSource, { source, pair, bid, ask, at }: Tick, outcome: TickOutcome): void {
    if (!this.#sources.has(from)) return;
    const key = `${source} ${pair}`;
    // A source that is switched off may go on for hours: the others are told once.
    if (ENDING.has(outcome) && this.#newest.has(key)) this.#take({ source, pair });
    if (ENDING.has(outcome) || UNHEARD.has(outcome)) return;
    const price = { source, pair, bid: formatDecimal(bid), ask: formatDecimal(ask), at };
    this.#newest.set(key, price);
    this.#channel.publishPrices({ withdrawals: [], prices: [price] });
  }

  withdrawn(from: PriceSource, pair?: string, at?: number): void {
    if (this.#sources.has(from)) this.#take({ source: from.name, pair, at });
  }

  #take(withdrawal: ReportedWithdrawal): void {
    const { source, pair } = withdrawal;
    for (const [key, price] of this.#newest) {
      if (price.source === source && (pair === undefined || price.pair === pair)) this.#newest.delete(key);
    }
    this.#channel.publishPrices({ withdrawals: [withdrawal], prices: [] });
  }

  #all(): PriceNews {
    return { withdrawals: [], prices: [...this.#newest.values()], isWhole: true, health: this.#health() };
  }

  #health(): Readonly<Record<string, SourceHealth>> {
    return Object.fromEntries([...this.#sources].map((source) => [source.name, source.health()]));
  }

  #beat(): void {
    this.#channel.publishPrices({ withdrawals: [], prices: [], health: this.#health() });
  }
}
