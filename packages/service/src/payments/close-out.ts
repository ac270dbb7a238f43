import type * as api from '@firmquote/api/operations/transactions';
import {
  formatAmount,
  formatDecimal,
  knownCurrency,
  type PricedRate,
  pairOf,
  priceAmounts,
  priceRate,
  type RateRequest,
  UnusablePrice,
} from '@firmquote/fx';
import type { JournalEntry, Posting } from '../ledger/journal.ts';
import { priceUnavailable, readPrice } from '../market/current-price.ts';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TransactionRow } from '../transactions/record.ts';

/** What it brings the house to close a trade's position at the market's price now. */
export interface CloseOut {
  /** Market price of the pair on the side that the position is closed at. */
  readonly rate: string;
  readonly pair: string;
  readonly asOf: number;
  /** In the sold currency: positive a gain of the house, negative a loss. */
  readonly resultMinor: bigint;
}

/**
 * The bought currency goes back to the market: what it yields now against what it cost at the trade's market price.
 * No spread is taken, so that nobody earns by an unwinding.
 * @throws Problem price_unavailable without a fresh price
 */
export function closeOutAtMarket(row: TransactionRow, book: RateBook): CloseOut {
  const sell = knownCurrency(row.sell_currency);
  const buy = knownCurrency(row.buy_currency);
  const pair = pairOf(sell, buy);
  const { price, fresh } = readPrice(book, pair);
  if (!fresh) throw priceUnavailable(pair, isoInstant(price.asOf));
  const position = positionOf(row);
  const request = { pair, sell: buy, buy: sell, market: price, spreadBps: { units: 0n, scale: 2 } };
  const rate = atMarket(request);
  if (rate === undefined) throw priceUnavailable(pair, isoInstant(price.asOf));
  const priced = priceAmounts({ ...request, fixedSide: 'sell', amountMinor: position.buyMinor }, rate);
  // What is too small for a minor unit yields nothing.
  const yieldMinor = priced.ok ? priced.buyMinor : 0n;
  return {
    rate: formatDecimal(rate.market),
    pair: pair.code,
    asOf: price.asOf,
    resultMinor: yieldMinor - position.sellMinor,
  };
}

/** Undefined at a price that is nothing at the decimals of its pair. */
function atMarket(request: RateRequest): PricedRate | undefined {
  try {
    return priceRate(request);
  } catch (error) {
    if (error instanceof UnusablePrice) return undefined;
    throw error;
  }
}

/** What the trade brought into the house's position: the leg that was not fixed at the market's price. */
function positionOf(row: TransactionRow): { readonly sellMinor: bigint; readonly buyMinor: bigint } {
  const market = BigInt(row.market_minor);
  return row.fixed_side === 'sell'
    ? { sellMinor: BigInt(row.sell_minor), buyMinor: market }
    : { sellMinor: market, buyMinor: BigInt(row.buy_minor) };
}

/** How a loss falls on the customer: out of money that is owed back, and what is over as a debt. */
export interface Charge {
  readonly fromMoneyMinor: bigint;
  readonly debtMinor: bigint;
}

/** What the customer has paid for the trade and was not given back; no trade ends while a refund of some of it is under way. */
export function moneyHeld({ received_minor: received, excess_minor: excess }: TransactionRow): bigint {
  return BigInt(received) + BigInt(excess);
}

export function chargeOf(row: TransactionRow, closeOut: CloseOut, charged: boolean): Charge {
  const loss = closeOut.resultMinor < 0n ? -closeOut.resultMinor : 0n;
  if (!charged) return { fromMoneyMinor: 0n, debtMinor: 0n };
  const held = moneyHeld(row);
  const fromMoneyMinor = loss < held ? loss : held;
  return { fromMoneyMinor, debtMinor: loss - fromMoneyMinor };
}

/**
 * Beside the reversal of the trade: the sold currency's position is what the market gave, the difference is the house's
 * gain or loss in an account of its own, less what the customer bears of it.
 */
export function closeOutEntry(
  row: TransactionRow,
  { resultMinor }: CloseOut,
  charge: Charge,
): JournalEntry[] {
  const currency = row.sell_currency;
  const { fromMoneyMinor, debtMinor } = charge;
  const money = row.pre_funded ? 'customer_balance' : 'customer_excess';
  const postings: Posting[] = [
    { account: 'position', currency, amount: resultMinor },
    { account: 'close_out_result', currency, amount: -resultMinor - fromMoneyMinor - debtMinor },
    { account: money, currency, amount: fromMoneyMinor },
    { account: 'customer_receivable', currency, amount: debtMinor },
  ];
  return resultMinor === 0n
    ? []
    : [{ customerId: row.customer_id, kind: 'close_out', transactionId: row.id, postings }];
}

/** The close-out as timeline and previews show it. */
export function closeOutView(row: TransactionRow, closeOut: CloseOut, charge: Charge): api.CloseOut {
  const currency = knownCurrency(row.sell_currency);
  const size = closeOut.resultMinor < 0n ? -closeOut.resultMinor : closeOut.resultMinor;
  return {
    pair: closeOut.pair,
    rate: closeOut.rate,
    asOf: isoInstant(closeOut.asOf),
    currency: currency.code,
    result: closeOut.resultMinor === 0n ? 'none' : closeOut.resultMinor > 0n ? 'gain' : 'loss',
    amount: formatAmount(size, currency),
    charged: formatAmount(charge.fromMoneyMinor + charge.debtMinor, currency),
  };
}
