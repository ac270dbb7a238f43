import type { Neighbours } from '../platform/neighbours.ts';
import type { PriceChannel } from './price-channel.ts';
import type { PriceNews } from './price-news.ts';
import { BEAT_MS, PRICES_WANTED, REFRESH, RESET_SEQUENCE } from './publish-prices.ts';
import type { RateBook } from './rate-book.ts';
import { ReportedSource } from './sources/reported.ts';
import type { PriceSource } from './sources/source.ts';

/** What is sent stands no longer than this without a word, however long a pair's prices may. */
const SILENCE_MS = 3_000; // limit: Silence of the process that has the sources, after which its prices are withdrawn

/** Of a process that has no sources: hands on what it is sent by the one that has them, as if they were its own. */
export class PriceSubscriber {
  readonly sources: readonly ReportedSource[];
  readonly #neighbours: Neighbours & PriceChannel;
  readonly #unkept: ReadonlySet<string>;
  readonly #byName: ReadonlyMap<string, ReportedSource>;
  #book: RateBook | undefined;
  #refreshing: Promise<void> | undefined;
  #reportWhole: () => void = () => undefined;
  readonly #heardWhole: Promise<void>;
  #isSilent = true;
  /** Beats without a word. Counted, and not measured: whoever stood still itself has yet to read what came meanwhile. */
  #silentBeats = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param sources as they would be here
   * @param unkept those of them whose prices begin anew with each start
   */
  constructor(
    neighbours: Neighbours & PriceChannel,
    sources: readonly PriceSource[],
    unkept: ReadonlySet<string> = new Set(),
  ) {
    this.#neighbours = neighbours;
    this.#unkept = unkept;
    this.#heardWhole = new Promise((resolve) => {
      this.#reportWhole = resolve;
    });
    this.sources = sources.map(
      (source) =>
        new ReportedSource(
          source,
          () => this.#refresh(),
          async (numbers, command) => {
            const answers = await neighbours.ask(RESET_SEQUENCE, { source: source.name, numbers, command });
            return [...answers.values()].includes(true);
          },
        ),
    );
    this.#byName = new Map(this.sources.map((source) => [source.name, source]));
    neighbours.onPrices((news) => this.#take(news));
  }

  /** Resolves when the process that has the sources has sent all that it knows. */
  get heardWhole(): Promise<void> {
    return this.#heardWhole;
  }

  start(book: RateBook): void {
    this.#book = book;
    this.#neighbours.notify(PRICES_WANTED, null);
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #take({ lost, withdrawals, prices, health, isWhole }: PriceNews): void {
    // Before the book has its settings nothing is judged; everything is sent again at the start.
    if (this.#book === undefined) return;
    if (lost) this.#lose();
    for (const { source, pair, at } of withdrawals) this.#byName.get(source)?.withdraw(pair, at);
    for (const price of prices) this.#byName.get(price.source)?.hear(price);
    if (isWhole) this.#reportWhole();
    if (health === undefined) return;
    this.#silentBeats = 0;
    for (const source of this.sources) source.is(health[source.name]);
    // What was withdrawn in the silence may stand.
    if (this.#isSilent && !isWhole) this.#neighbours.notify(PRICES_WANTED, null);
    this.#isSilent = false;
  }

  #beat(): void {
    this.#silentBeats += 1;
    if (!this.#isSilent && this.#silentBeats * BEAT_MS >= SILENCE_MS) this.#withdrawAll();
  }

  /** The process is gone: those of its sources that make prices up begin anew, from wherever. */
  #lose(): void {
    this.#withdrawAll();
    this.#book?.forget(this.#unkept);
  }

  #withdrawAll(): void {
    this.#isSilent = true;
    for (const source of this.sources) {
      source.withdraw();
      source.is(undefined);
    }
  }

  /** Asked for once, however many sources are to be brought to the present. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#neighbours.ask(REFRESH).then(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }
}
