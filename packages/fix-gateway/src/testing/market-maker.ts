import type {
  IExecutionReport,
  IMarketDataIncrementalRefresh,
  IMarketDataRequestReject,
  IMarketDataSnapshotFullRefresh,
  IQuote,
  IQuoteRequestReject,
} from 'jspurefix/dist/types/FIX4.4/quickfix/index.js';
import { type Fields, fieldsOf } from '../fields.ts';
import type { Outbound } from '../outbound.ts';
import { LibraryVenue, type LibraryVenueSession } from './library-venue.ts';

export interface MarketMakerOptions {
  readonly compId: string;
  readonly password?: string;
  readonly port?: number;
  /** Mid prices to begin with, in the pair's last digit: `EUR/USD` at 117000 with 5 decimals. */
  readonly mids?: Readonly<Record<string, { readonly units: bigint; readonly decimals: number }>>;
  /** Real milliseconds between two prices; 0 sends the first one only. */
  readonly intervalMs?: number;
  readonly heartbeatSeconds?: number;
}

const MIDS = {
  'EUR/USD': { units: 117_000n, decimals: 5 },
  'GBP/USD': { units: 134_000n, decimals: 5 },
  'USD/JPY': { units: 155_000n, decimals: 3 },
  'USD/CHF': { units: 80_000n, decimals: 5 },
} as const;

/** Fills up to this much of an order; the rest is cancelled. */
export const FILLED_MAX = 5_000_000n;
const SIZE = '1000000';

interface Subscription {
  readonly session: LibraryVenueSession;
  readonly id: string;
  readonly symbol: string;
  readonly isIncremental: boolean;
}

/** One execution report: OrdStatus, and what of the order is done with it. */
interface Outcome {
  readonly status: string;
  readonly filled: bigint;
  readonly remaining: bigint;
  readonly price?: string;
  readonly reason?: string;
}

/**
 * A venue that makes prices around given ones: market data (V, W, X, Y), quotes (R, S, AG) and orders (D, 8). Orders
 * are filled at its price; a limit or quoted price that is worse for it than its own is rejected.
 */
export class MarketMaker {
  readonly venue: LibraryVenue;
  readonly #mids: ReadonlyMap<string, { units: bigint; readonly decimals: number }>;
  readonly #subscriptions = new Map<string, Subscription>();
  #timer: NodeJS.Timeout | undefined;
  #draw = 1;
  #number = 0;

  private constructor(venue: LibraryVenue, mids: NonNullable<MarketMakerOptions['mids']>) {
    this.venue = venue;
    this.#mids = new Map(Object.entries(mids).map(([symbol, mid]) => [symbol, { ...mid }]));
  }

  static async open(options: MarketMakerOptions): Promise<MarketMaker> {
    let maker: MarketMaker | undefined;
    const venue = await LibraryVenue.listen({
      ...options,
      onMessage: (session, type, view) => maker?.take(session, type, fieldsOf(view)),
      onEnd: (session) => maker?.forget(session),
    });
    maker = new MarketMaker(venue, options.mids ?? MIDS);
    const { intervalMs = 250 } = options;
    if (intervalMs > 0) maker.#timer = setInterval(() => maker?.move(), intervalMs);
    return maker;
  }

  /** Bid and offer of a symbol as texts, two units apart. */
  priceOf(symbol: string): { readonly bid: string; readonly ask: string } {
    const mid = this.#mids.get(symbol);
    if (mid === undefined) throw new Error(`no price of ${symbol}`);
    return { bid: text(mid.units - 1n, mid.decimals), ask: text(mid.units + 1n, mid.decimals) };
  }

  /** Every price takes a step, and the subscribers hear of it. */
  move(): void {
    for (const mid of this.#mids.values()) {
      this.#draw = (this.#draw * 48_271) % 2_147_483_647;
      mid.units += BigInt(this.#draw % 7) - 3n;
    }
    for (const subscription of this.#subscriptions.values()) this.#publish(subscription);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.venue.close();
  }

  take(session: LibraryVenueSession, type: string, message: Fields): void {
    if (type === 'V') this.#subscribe(session, message);
    else if (type === 'R') this.#quote(session, message);
    else if (type === 'D') {
      for (const outcome of this.#outcomesOf(message)) this.#report(session, message, outcome);
    }
  }

  forget(session: LibraryVenueSession): void {
    for (const [key, subscription] of this.#subscriptions) {
      if (subscription.session === session) this.#subscriptions.delete(key);
    }
  }

  #subscribe(session: LibraryVenueSession, message: Fields): void {
    const id = message.text('MDReqID') ?? '';
    const symbol = message.rows('NoRelatedSym')[0]?.text('Symbol') ?? '';
    if (!this.#mids.has(symbol)) {
      const reject: Outbound<IMarketDataRequestReject> = {
        MDReqID: id,
        MDReqRejReason: '0',
        Text: `no prices of ${symbol}`,
      };
      session.reply('Y', reject);
      return;
    }
    const isIncremental = message.text('MDUpdateType') === '1';
    const subscription = { session, id, symbol, isIncremental };
    this.#subscriptions.set(`${session.party} ${id}`, subscription);
    this.#publish({ ...subscription, isIncremental: false });
  }

  #publish({ session, id, symbol, isIncremental }: Subscription): void {
    const { bid, ask } = this.priceOf(symbol);
    if (isIncremental) {
      const entry = (type: string, price: string) => ({
        MDUpdateAction: '1',
        MDEntryType: type,
        Instrument: { Symbol: symbol },
        MDEntryPx: price,
        MDEntrySize: SIZE,
      });
      const changes: Outbound<IMarketDataIncrementalRefresh> = {
        MDReqID: id,
        MDIncGrp: { NoMDEntries: [entry('0', bid), entry('1', ask)] },
      };
      session.reply('X', changes);
      return;
    }
    const snapshot: Outbound<IMarketDataSnapshotFullRefresh> = {
      MDReqID: id,
      Instrument: { Symbol: symbol },
      MDFullGrp: {
        NoMDEntries: [
          { MDEntryType: '0', MDEntryPx: bid, MDEntrySize: SIZE },
          { MDEntryType: '1', MDEntryPx: ask, MDEntrySize: SIZE },
        ],
      },
    };
    session.reply('W', snapshot);
  }

  #quote(session: LibraryVenueSession, message: Fields): void {
    const id = message.text('QuoteReqID') ?? '';
    const symbol = message.rows('NoRelatedSym')[0]?.text('Symbol') ?? '';
    if (!this.#mids.has(symbol)) {
      const reject: Outbound<IQuoteRequestReject> = {
        QuoteReqID: id,
        QuoteRequestRejectReason: '1',
        QuotReqRjctGrp: { NoRelatedSym: [{ Instrument: { Symbol: symbol } }] },
        Text: `no quotes of ${symbol}`,
      };
      session.reply('AG', reject);
      return;
    }
    const { bid, ask } = this.priceOf(symbol);
    const quote: Outbound<IQuote> = {
      QuoteReqID: id,
      QuoteID: this.#next('Q'),
      Instrument: { Symbol: symbol },
      BidPx: bid,
      OfferPx: ask,
      BidSize: SIZE,
      OfferSize: SIZE,
      ValidUntilTime: new Date(Date.now() + 5_000),
    };
    session.reply('S', quote);
  }

  #outcomesOf(order: Fields): readonly Outcome[] {
    const symbol = order.text('Symbol') ?? '';
    const quantity = BigInt((order.text('OrderQty') ?? '0').split('.')[0] ?? '0');
    const mid = this.#mids.get(symbol);
    if (mid === undefined) return [nothing('8', `no prices of ${symbol}`)];
    const { bid, ask } = this.priceOf(symbol);
    const isBuy = order.text('Side') === '1';
    const price = isBuy ? ask : bid;
    const limit = order.text('Price');
    const wanted = limit === undefined ? undefined : unitsOf(limit, mid.decimals);
    const own = unitsOf(price, mid.decimals);
    if (wanted !== undefined && (isBuy ? wanted < own : wanted > own))
      return [nothing('8', 'price not available')];
    if (quantity <= FILLED_MAX) return [{ status: '2', filled: quantity, remaining: 0n, price }];
    if (order.text('TimeInForce') === '4') return [nothing('4', 'not enough to fill it all')];
    return [
      { status: '1', filled: FILLED_MAX, remaining: quantity - FILLED_MAX, price },
      { status: '4', filled: FILLED_MAX, remaining: 0n, reason: 'the rest is cancelled' },
    ];
  }

  #report(session: LibraryVenueSession, order: Fields, outcome: Outcome): void {
    const { status, filled, remaining, price, reason } = outcome;
    const report: Outbound<IExecutionReport> = {
      OrderID: `O-${order.text('ClOrdID')}`,
      ClOrdID: order.text('ClOrdID') ?? '',
      ExecID: this.#next('E'),
      // Fills are trades (F) in FIX 4.4.
      ExecType: price === undefined ? status : 'F',
      OrdStatus: status,
      Instrument: { Symbol: order.text('Symbol') ?? '' },
      Side: order.text('Side') ?? '',
      OrderQtyData: { OrderQty: order.text('OrderQty') ?? '' },
      LeavesQty: String(remaining),
      CumQty: String(filled),
      AvgPx: price ?? '0',
      ...(price === undefined ? {} : { LastPx: price, LastQty: String(filled) }),
      ...(reason === undefined ? {} : { Text: reason }),
    };
    session.reply('8', report);
  }

  #next(prefix: string): string {
    this.#number += 1;
    return `${prefix}${this.#number}`;
  }
}

function nothing(status: string, reason: string): Outcome {
  return { status, filled: 0n, remaining: 0n, reason };
}

function text(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function unitsOf(price: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals));
}
