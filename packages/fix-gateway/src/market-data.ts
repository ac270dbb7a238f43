import type { IMarketDataRequest } from 'jspurefix/dist/types/FIX4.4/quickfix/index.js';
import type { FixSessionSettings } from '../../service/src/market/fix/protocol.ts';
import { type Fields, required } from './fields.ts';
import type { Outbound } from './outbound.ts';
import type { Refusals } from './refusals.ts';
import type { Symbols } from './symbols.ts';
import { TopOfBook, type TopPrice } from './top-of-book.ts';

/** MDUpdateType. */
const UPDATE_TYPE = { full: '0', incremental: '1' } as const;

/** `price` is undefined when the pair has none any more. */
export type OnPrice = (pair: string, price: TopPrice | undefined) => void;

/** Between two subscriptions to everything. */
const AGAIN_MS = 1_000;

/** Subscribes to the top of book of each pair (V) and reads what comes of it (W, X, Y). */
export class MarketData {
  readonly #settings: FixSessionSettings;
  readonly #symbols: Symbols;
  readonly #refusals: Refusals;
  readonly #onPrice: OnPrice;
  readonly #books = new Map<string, TopOfBook>();
  /** Pair by MDReqID. */
  readonly #requests = new Map<string, string>();
  #isLost = false;
  /** The pairs whose book is not known. */
  readonly #unknown = new Set<string>();
  #subscribedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: FixSessionSettings, symbols: Symbols, refusals: Refusals, onPrice: OnPrice) {
    this.#settings = settings;
    this.#symbols = symbols;
    this.#refusals = refusals;
    this.#onPrice = onPrice;
    for (const pair of settings.pairs) this.#books.set(pair, new TopOfBook((reason) => refusals.add(reason)));
  }

  /**
   * The requests after a logon, one for each pair, so that a rejected symbol does not take the others with it. Their ids
   * differ from those of earlier ones. All books begin anew.
   */
  subscribe(now: number): Outbound<IMarketDataRequest>[] {
    this.#requests.clear();
    this.#unknown.clear();
    this.#isLost = false;
    this.#subscribedAt = now;
    return this.#settings.pairs.map((pair) => {
      this.#books.get(pair)?.clear();
      const id = `md-${now.toString(36)}-${pair}`;
      this.#requests.set(id, pair);
      return this.#request(id, pair, '1');
    });
  }

  /**
   * A message is missing that may have changed a book, so what the books hold may be gone. Each begins anew with the
   * next whole book of its pair, or with what comes under the next subscription.
   */
  lose(): void {
    this.#isLost = true;
    for (const [pair, book] of this.#books) {
      this.#unknown.add(pair);
      book.clear();
      this.#onPrice(pair, undefined);
    }
  }

  /** After a loss the end of the old subscription and a new one, not more often than once a second. */
  again(now: number): Outbound<IMarketDataRequest>[] {
    if (!this.#isLost || now - this.#subscribedAt < AGAIN_MS) return [];
    const ends = [...this.#requests].map(([id, pair]) => this.#request(id, pair, '2'));
    const begins = this.subscribe(now);
    // Changes that name no request may be of the old ones until a whole book, or one under the new request, has come.
    for (const pair of this.#books.keys()) this.#unknown.add(pair);
    return [...ends, ...begins];
  }

  #request(id: string, pair: string, type: '1' | '2'): Outbound<IMarketDataRequest> {
    return {
      MDReqID: id,
      SubscriptionRequestType: type,
      MarketDepth: '1',
      MDUpdateType: UPDATE_TYPE[this.#settings.updates],
      AggregatedBook: true,
      MDReqGrp: { NoMDEntryTypes: [{ MDEntryType: '0' }, { MDEntryType: '1' }] },
      InstrmtMDReqGrp: {
        NoRelatedSym: [{ Instrument: { Symbol: this.#symbols.symbolOf(pair) } }],
      },
    };
  }

  /** W: the whole book of a pair. Throws FieldError. */
  snapshot(message: Fields): void {
    const request = this.#requestOf(message);
    if (request === 'unknown') {
      this.#refusals.add('not_requested');
      return;
    }
    const pair = this.#symbols.pairOf(required(message, 'Symbol'));
    const book = pair === undefined ? undefined : this.#books.get(pair);
    if (pair === undefined || book === undefined || (request !== undefined && request !== pair)) {
      this.#refusals.add('unknown_symbol');
      return;
    }
    book.replace(message.rows('NoMDEntries'));
    this.#unknown.delete(pair);
    this.#notify(pair, book);
  }

  /** X: changes, of one pair or of several. Each pair makes one price at most. @throws FieldError */
  changes(message: Fields): void {
    const request = this.#requestOf(message);
    if (request === 'unknown') {
      this.#refusals.add('not_requested');
      return;
    }
    const changed = new Set<string>();
    let before: string | undefined;
    for (const entry of message.rows('NoMDEntries')) {
      const symbol = entry.text('Symbol') ?? this.#symbolLeftOut(entry, request, before);
      before = symbol;
      const pair = this.#symbols.pairOf(symbol);
      const book = pair === undefined ? undefined : this.#books.get(pair);
      if (pair === undefined || book === undefined || (request !== undefined && request !== pair)) {
        this.#refusals.add('unknown_symbol');
        continue;
      }
      if (this.#unknown.has(pair) && (this.#isLost || request === undefined)) {
        this.#refusals.add('unknown_book');
        continue;
      }
      this.#unknown.delete(pair);
      book.change(entry);
      changed.add(pair);
    }
    for (const pair of changed) {
      const book = this.#books.get(pair);
      if (book !== undefined) this.#notify(pair, book);
    }
  }

  /**
   * The symbol of an entry that names none: that of the request, of the entry that it changes, or of the entry before it (FIX 4.4,
   * Market Data - Incremental Refresh).
   * @throws FieldError when nobody knows whose book it changes
   */
  #symbolLeftOut(entry: Fields, request: string | undefined, before: string | undefined): string {
    if (request !== undefined) return this.#symbols.symbolOf(request);
    const holders = [...this.#books].flatMap(([pair, book]) =>
      book.holds(entry) ? this.#symbols.symbolOf(pair) : [],
    );
    // Books may number their entries alike.
    const isOfBefore = before !== undefined && (holders.length === 0 || holders.includes(before));
    const symbol = isOfBefore ? before : holders.length === 1 ? holders[0] : undefined;
    return symbol ?? required(entry, 'Symbol');
  }

  /** Y: the venue does not give this pair. Returns what to tell people. */
  rejected(message: Fields): string {
    const id = message.text('MDReqID') ?? '';
    this.#end(message);
    const reason = message.text('Text') ?? `reason ${message.text('MDReqRejReason') ?? 'unknown'}`;
    return `market data of ${this.#requests.get(id) ?? 'an unknown request'} refused: ${reason}`;
  }

  /**
   * A whole book that was not taken: what it would have replaced is over all the same. Where only changes follow, they are of a book that is
   * not known, and it is asked for anew.
   */
  refused(message: Fields): void {
    const pair = this.#end(message);
    if (pair === undefined || this.#settings.updates === 'full') return;
    this.#unknown.add(pair);
    this.#isLost = true;
  }

  /** The book of a message is over. @returns its pair */
  #end(message: Fields): string | undefined {
    const request = this.#requestOf(message);
    const symbol = message.text('Symbol');
    const pair = request === undefined && symbol !== undefined ? this.#symbols.pairOf(symbol) : request;
    const book = pair === undefined ? undefined : this.#books.get(pair);
    if (pair === undefined || book === undefined) return undefined;
    book.clear();
    this.#onPrice(pair, undefined);
    return pair;
  }

  /** Pair of the request that the message answers; undefined when it names none, which FIX 4.4 allows. */
  #requestOf(message: Fields): string | 'unknown' | undefined {
    const id = message.text('MDReqID');
    return id === undefined ? undefined : (this.#requests.get(id) ?? 'unknown');
  }

  #notify(pair: string, book: TopOfBook): void {
    this.#onPrice(pair, book.top());
  }
}
