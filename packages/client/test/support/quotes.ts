import type { Quote, Transaction } from '@firmquote/client';
import { EPOCH } from './fake.ts';

/** A quote as the service writes it, open for 30 s. */
export function quoteOf(more: Partial<Quote> = {}): Quote {
  return {
    ...{ quoteId: 'quote_1', type: 'firm', status: 'open', statusReason: null, version: 1 },
    ...{
      sellCurrency: 'USD',
      buyCurrency: 'EUR',
      fixedSide: 'sell',
      sellAmount: '100000.00',
      buyAmount: '91987.01',
    },
    rate: {
      ...{ pair: 'EURUSD', baseCurrency: 'EUR', quoteCurrency: 'USD', side: 'ask', value: '1.08711' },
      ...{ inverse: '0.9198701143', mid: '1.08491', asOf: '2026-03-04T14:30:00.112Z' },
    },
    pricing: { fees: [] },
    settlement: {
      ...{ tenor: 'spot', tradeDate: '2026-03-04', valueDate: '2026-03-06', fundingMode: 'post_funded' },
      fundingCutoffAt: '2026-03-06T15:00:00.000Z',
    },
    ...{ validitySeconds: 30, validForMs: 30_000, validityTruncated: false },
    createdAt: new Date(EPOCH + 1_000).toISOString(),
    expiresAt: new Date(EPOCH + 31_000).toISOString(),
    ...{ executedAt: null, cancelledAt: null, transactionId: null, clientReference: null, metadata: {} },
    ...more,
  };
}

/** As much of a transaction as tests look at. */
export function transactionOf(more: Partial<Transaction> = {}): Transaction {
  return {
    ...{
      transactionId: 'txn_1',
      quoteId: 'quote_1',
      status: 'awaiting_funds',
      statusReason: null,
      version: 1,
    },
    ...more,
  } as Transaction;
}
