import type { Decimal, Pair } from '@firmquote/fx';
import type { BookPrice } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import type { StreamConnection } from './connection.ts';
import { customerPriceJson, type PriceTerms, refusalCode } from './customer-price.ts';
import { Frame, type FrameNumbers } from './frame.ts';
import type { PairView } from './pair-view.ts';

/** Data of a price event, and the part of it whose change is worth an event. */
export interface Rendered {
  readonly data: string;
  readonly content: string;
}

/** Writes the price of a topic. `undefined` says that nothing can be said at this moment. Throws what ends the streams. */
export type Render = (view: PairView) => Rendered | undefined;

/** One price that is computed and written once and goes to all who read it. */
export class Topic {
  readonly key: string;
  readonly line: PriceLine;
  readonly subscribers = new Set<StreamConnection>();
  readonly #render: Render;
  readonly #numbers: FrameNumbers;
  #frame: Frame | undefined;
  #content = '';

  constructor(key: string, line: PriceLine, render: Render, numbers: FrameNumbers) {
    this.key = key;
    this.line = line;
    this.#render = render;
    this.#numbers = numbers;
  }

  /** The newest price, once there is one. */
  get frame(): Frame | undefined {
    return this.#frame;
  }

  /** Makes a new event when the price differs from the last one by more than its time. Answers whether it did. */
  refresh(view: PairView): boolean {
    const rendered = this.#render(view);
    if (rendered === undefined || (this.#frame !== undefined && rendered.content === this.#content))
      return false;
    this.#content = rendered.content;
    this.#frame = new Frame('price', rendered.data, this.#numbers.next());
    return true;
  }

  /** The same price under a new id, for a reader who has already seen a later one: its ids must ascend. */
  renumber(): void {
    if (this.#frame !== undefined) this.#frame = new Frame('price', this.#frame.data, this.#numbers.next());
  }
}

/** In any second, for each pair (docs/interface.md#price-streams). */
const PRICES_PER_SECOND = 4; // limit: Prices of a pair in any second
/**
 * Between two prices of a pair. A little less than a quarter of a second: with all of it, ticks that come four times a
 * second would each wait longer than the one before, because prices go out on a beat.
 */
const GAP_MS = 240;

/** A pair that somebody reads, with one topic for each price group. */
export class PriceLine {
  readonly pair: Pair;
  readonly topics = new Map<string, Topic>();
  /** What the last prices were made from. */
  view: PairView | undefined;

  /** When its last prices went out, in milliseconds of the monotonic clock, the oldest first. */
  readonly #publishedAt: number[] = [];

  constructor(pair: Pair) {
    this.pair = pair;
  }

  isDue(now: number): boolean {
    const last = this.#publishedAt.at(-1);
    if (last === undefined) return true;
    const isFull = this.#publishedAt.length === PRICES_PER_SECOND;
    return now - last >= GAP_MS && !(isFull && now - (this.#publishedAt[0] ?? 0) < 1_000);
  }

  published(now: number): void {
    this.#publishedAt.push(now);
    if (this.#publishedAt.length > PRICES_PER_SECOND) this.#publishedAt.shift();
  }
}

/** The price event of docs/interface.md#price-streams for everybody with these terms. */
export function priceRender(pair: Pair, terms: PriceTerms): Render {
  return (view) => {
    const { price } = view;
    const { spreadBps } = terms;
    const figures =
      price === undefined || spreadBps === undefined ? undefined : figuresOf(pair, price, spreadBps, terms);
    const known = price !== undefined && figures !== undefined;
    const reason = refusalCode(terms.refusal) ?? view.reason ?? (known ? undefined : 'price_unavailable');
    const start = `{"pair":"${pair.code}",${figures ?? NO_PRICE},"asOf":`;
    const spot = view.spotDate === null ? 'null' : `"${view.spotDate}"`;
    const why = reason === undefined ? '' : `,"reason":"${reason}"`;
    const end = `,"spotDate":${spot},"tradable":${reason === undefined}${why}}`;
    const asOf = known ? `"${isoInstant(price.asOf)}"` : 'null';
    return { data: start + asOf + end, content: start + end };
  };
}

/** The same of the market itself, with no spread in it. */
export function marketRender(pair: Pair): Render {
  return priceRender(pair, MARKET_TERMS);
}

/** Under which the market's own prices are shared; no terms of a customer have it. */
export const MARKET_KEY = 'market';
const MARKET_TERMS: PriceTerms = {
  key: MARKET_KEY,
  spreadBps: { units: 0n, scale: 0 },
  refusal: undefined,
  shown: false,
  size: undefined,
  rounding: 'half_up',
};

/** Undefined for a price that comes to nothing at the pair's decimals. It must not end the streams of its readers. */
function figuresOf(pair: Pair, price: BookPrice, spreadBps: Decimal, terms: PriceTerms): string | undefined {
  try {
    return customerPriceJson(pair, price, spreadBps, terms);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const NO_PRICE = '"bid":null,"ask":null,"mid":null';
