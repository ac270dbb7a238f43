import type { DateRulesSource, Pair } from '@firmquote/fx';
import type { Market } from '../market/market.ts';
import type { Clock } from '../platform/clock.ts';
import type { StreamConnection } from './connection.ts';
import type { StreamCounts } from './counts.ts';
import { FrameNumbers } from './frame.ts';
import { sameView, viewPair } from './pair-view.ts';
import { PriceLine, type Render, Topic } from './topic.ts';

interface BoardOptions {
  readonly clock: Clock;
  readonly market: Market;
  readonly dates: DateRulesSource;
  readonly counts: StreamCounts;
  /** A topic has a new price: its readers are to get it. */
  readonly onPrice: (topic: Topic) => void;
  /** A topic's price cannot be made any more: its readers are to be told. */
  readonly onFault: (topic: Topic, error: unknown) => void;
}

/**
 * The prices that somebody reads. A tick only marks its pairs; `publish` makes the prices of those whose turn it is,
 * once for each price group.
 */
export class PriceBoard {
  readonly #options: BoardOptions;
  readonly #numbers = new FrameNumbers();
  readonly #lines = new Map<string, PriceLine>();
  /** Lines by the codes of the pairs whose ticks move them. */
  readonly #moving = new Map<string, Set<PriceLine>>();
  readonly #moved = new Set<PriceLine>();
  /** Stops listening to the rate book. */
  readonly close: () => void;

  constructor(options: BoardOptions) {
    this.#options = options;
    this.close = options.market.book.onChange((code) => {
      const lines = this.#moving.get(code);
      if (lines !== undefined) for (const line of lines) this.#moved.add(line);
    });
  }

  /** The topic with this key, with its price as it is now. */
  join(connection: StreamConnection, pair: Pair, key: string, render: Render): Topic {
    const line = this.#line(pair);
    const topic = line.topics.get(key) ?? new Topic(key, line, render, this.#numbers);
    if (topic.frame === undefined) {
      // Throws before anything is kept when the price cannot be made.
      try {
        if (topic.refresh(this.#view(pair))) this.#options.counts.prices++;
      } catch (error) {
        this.#forgetIfUnread(line);
        throw error;
      }
    }
    line.topics.set(key, topic);
    topic.subscribers.add(connection);
    return topic;
  }

  leave(connection: StreamConnection, topic: Topic): void {
    connection.withdraw(topic);
    topic.subscribers.delete(connection);
    if (topic.subscribers.size > 0) return;
    topic.line.topics.delete(topic.key);
    this.#forgetIfUnread(topic.line);
  }

  /** Has the prices of a pair made anew on the next turn, whether or not the market moved. */
  touch(pair: Pair): void {
    const line = this.#lines.get(pair.code);
    if (line === undefined) return;
    line.view = undefined;
    this.#moved.add(line);
  }

  /**
   * Marks every pair as moved: prices grow stale by time alone, and a cross follows its legs only until it has a price
   * of its own.
   * @param anew also where the market did not move, because what customers pay may have
   */
  markAll(anew: boolean): void {
    for (const line of this.#lines.values()) {
      if (anew) line.view = undefined;
      this.#moved.add(line);
      this.#learnMovers(line);
    }
  }

  /** Makes the prices of all pairs that moved and whose turn it is. `now` is monotonic. */
  publish(now: number): void {
    for (const line of this.#moved) {
      if (!line.isDue(now)) continue;
      this.#moved.delete(line);
      const view = this.#view(line.pair);
      if (sameView(line.view, view)) continue;
      line.view = view;
      let isNew = false;
      for (const topic of line.topics.values()) {
        try {
          if (!topic.refresh(view)) continue;
        } catch (error) {
          this.#options.onFault(topic, error);
          continue;
        }
        isNew = true;
        this.#options.counts.prices++;
        this.#options.onPrice(topic);
      }
      if (isNew) line.published(now);
    }
  }

  #view(pair: Pair) {
    const { market, dates, clock } = this.#options;
    return viewPair(market, dates.current, pair, clock.now());
  }

  #line(pair: Pair): PriceLine {
    let line = this.#lines.get(pair.code);
    if (line === undefined) {
      line = new PriceLine(pair);
      this.#lines.set(pair.code, line);
      this.#learnMovers(line);
    }
    return line;
  }

  #learnMovers(line: PriceLine): void {
    for (const code of this.#options.market.book.dependenciesOf(line.pair)) {
      const lines = this.#moving.get(code) ?? new Set<PriceLine>();
      this.#moving.set(code, lines.add(line));
    }
  }

  #forgetIfUnread(line: PriceLine): void {
    if (line.topics.size > 0) return;
    this.#lines.delete(line.pair.code);
    this.#moved.delete(line);
    for (const [code, lines] of this.#moving) {
      if (lines.delete(line) && lines.size === 0) this.#moving.delete(code);
    }
  }
}
