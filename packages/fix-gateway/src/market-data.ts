import type { IMarketDataRequest } from 'jspurefix/dist/types/FIX4.4/quickfix/index.js';
import type { FixSessionSettings } from '../../service/src/market/fix/protocol.ts';
import { type Fields, required } from './fields.ts';
import type { Outbound } from './outbound.ts';
import type { Refusals } from './refusals.ts';
import type { Symbols } from './symbols.ts';
import { TopOfBook, type TopPrice } from './top-of-book.ts';

/** MDUpdateType. */
const UPDATE_TYPE = { full: '0', incremental: '1' } as const;

export type OnPrice = (pair: string, price: TopPrice) => void;

/** Subscribes to the top of book of each pair (V) and reads what comes of it (W, X, Y). */
export class MarketData {
  readonly #settings: FixSessionSettings;
  readonly #symbols: Symbols;
  readonly #refusals: Refusals;
  readonly #onPrice: OnPrice;
  readonly #books = new Map<string, TopOfBook>();
  /** Pair by MDReqID. */
  readonly #requests = new Map<string, string>();

  constructor(settings: FixSessionSettings, symbols: Symbols, refusals: Refusals, onPrice: OnPrice) {
    this.#settings = settings;
    this.#symbols = symbols;
    this.#refusals = refusals;
    this.#onPrice = onPrice;
    for (const pair of settings.pairs) this.#books.set(pair, new TopOfBook((reason) => refusals.add(reason)));
  }

  /**
   * The requests after a logon, one for each pair, so that a rejected symbol does not take the others with it. `start`
   * makes their ids differ from those of earlier logons. All books begin anew.
   */
  subscribe(start: string): Outbound<IMarketDataRequest>[] {
    this.#requests.clear();
    return this.#settings.pairs.map((pair) => {
      this.#books.get(pair)?.clear();
      const id = `${start}-${pair}`;
      this.#requests.set(id, pair);
      return {
        MDReqID: id,
        SubscriptionRequestType: '1',
        MarketDepth: '1',
        MDUpdateType: UPDATE_TYPE[this.#settings.updates],
        AggregatedBook: true,
        MDReqGrp: { NoMDEntryTypes: [{ MDEntryType: '0' }, { MDEntryType: '1' }] },
        InstrmtMDReqGrp: {
          NoRelatedSym: [{ Instrument: { Symbol: this.#symbols.symbolOf(pair) } }],
        },
      };
    });
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
    this.#tell(pair, book);
  }

  /** X: changes, of one pair or of several. Each pair makes one price at most. */
  changes(message: Fields): void {
    const request = this.#requestOf(message);
    if (request === 'unknown') {
      this.#refusals.add('not_requested');
      return;
    }
    const changed = new Set<string>();
    for (const entry of message.rows('NoMDEntries')) {
      const symbol = entry.text('Symbol');
      const pair = symbol === undefined ? request : this.#symbols.pairOf(symbol);
      const book = pair === undefined ? undefined : this.#books.get(pair);
      if (pair === undefined || book === undefined) {
        this.#refusals.add('unknown_symbol');
        continue;
      }
      book.change(entry);
      changed.add(pair);
    }
    for (const pair of changed) {
      const book = this.#books.get(pair);
      if (book !== undefined) this.#tell(pair, book);
    }
  }

  /** Y: the venue does not give this pair. Returns what to tell people. */
  rejected(message: Fields): string {
    const id = message.text('MDReqID') ?? '';
    const reason = message.text('Text') ?? `reason ${message.text('MDReqRejReason') ?? 'unknown'}`;
    return `market data of ${this.#requests.get(id) ?? 'an unknown request'} refused: ${reason}`;
  }

  /** Pair of the request that the message answers; undefined when it names none, which FIX 4.4 allows. */
  #requestOf(message: Fields): string | 'unknown' | undefined {
    const id = message.text('MDReqID');
    return id === undefined ? undefined : (this.#requests.get(id) ?? 'unknown');
  }

  #tell(pair: string, book: TopOfBook): void {
    const top = book.top();
    if (top !== undefined) this.#onPrice(pair, top);
  }
}
