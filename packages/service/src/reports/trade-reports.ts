import { formatAmount, knownCurrency } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { Report, Row } from './report.ts';
import { type TradeRow, tradesInOrder } from './trade-store.ts';

/** Every trade that was made between two instants, in the order in which they were made, with its state of now. */
export const BLOTTER: Report = {
  name: 'blotter',
  async *rows({ database }, parameters) {
    for await (const trades of tradesInOrder(database, parameters)) yield trades.map(blotterRow);
    return {};
  },
};

function blotterRow(trade: TradeRow): Row {
  const rate = JSON.parse(trade.rate) as { readonly value: string; readonly side: string };
  // The markup is in the currency of the amount that is not fixed.
  const markupCurrency = trade.fixed_side === 'sell' ? trade.buy_currency : trade.sell_currency;
  return {
    executedAt: isoInstant(trade.created_at),
    ...whose(trade),
    quoteId: typeId('quote', trade.quote_id),
    reference: trade.reference,
    clientReference: trade.client_reference,
    pair: trade.pair,
    side: rate.side,
    sellCurrency: trade.sell_currency,
    sellAmount: amountText(trade.sell_minor, trade.sell_currency),
    buyCurrency: trade.buy_currency,
    buyAmount: amountText(trade.buy_minor, trade.buy_currency),
    rate: rate.value,
    markupCurrency,
    markupAmount: amountText(trade.markup_minor, markupCurrency),
    usdEquivalent: amountText(trade.usd_minor, 'USD'),
    tradeDate: trade.trade_date,
    valueDate: trade.value_date,
    status: trade.status,
    statusReason: trade.status_reason,
  };
}

function whose(trade: TradeRow): Row {
  return {
    transactionId: typeId('txn', trade.id),
    customerId: typeId('cus', trade.customer_id),
    customerName: trade.customer_name,
  };
}

export function amountText(minor: string | bigint, currency: string): string {
  return formatAmount(BigInt(minor), knownCurrency(currency));
}

const HOUR_MS = 3_600_000;

/** Trades whose money did not come in time, oldest first. */
export const OVERDUE: Report = {
  name: 'overdue',
  async *rows({ database, now }, parameters) {
    for await (const trades of tradesInOrder(database, parameters, ['overdue'])) {
      yield trades.map((trade) => overdueRow(trade, now));
    }
    return {};
  },
};

function overdueRow(trade: TradeRow, now: number): Row {
  const outstanding = BigInt(trade.sell_minor) - BigInt(trade.received_minor) - BigInt(trade.shortfall_minor);
  return {
    ...whose(trade),
    reference: trade.reference,
    clientReference: trade.client_reference,
    sellCurrency: trade.sell_currency,
    sellAmount: amountText(trade.sell_minor, trade.sell_currency),
    received: amountText(trade.received_minor, trade.sell_currency),
    outstanding: amountText(outstanding, trade.sell_currency),
    buyCurrency: trade.buy_currency,
    buyAmount: amountText(trade.buy_minor, trade.buy_currency),
    usdEquivalent: amountText(trade.usd_minor, 'USD'),
    valueDate: trade.value_date,
    fundingCutoffAt: isoInstant(trade.funding_cutoff_at),
    overdueHours: Math.max(0, Math.floor((now - trade.funding_cutoff_at) / HOUR_MS)),
    statusReason: trade.status_reason,
  };
}
