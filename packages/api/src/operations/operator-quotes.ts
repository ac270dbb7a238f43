import { operation } from '../operation.ts';
import {
  id,
  instant,
  list,
  listMatching,
  required,
  strictCurrency,
  strictId,
  strictPair,
  text,
} from '../parameters.ts';
import { KEYED, PRICED } from '../problem-groups.ts';
import { named, pageOf } from '../schema.ts';
import { Type } from '../typebox.ts';
import { PriceStreamEvent, StreamedPrice } from './price-streams.ts';
import { QUOTE_STATUSES, Quote, QuoteRequest, quoteParams } from './quotes.ts';
import { Transaction } from './transactions.ts';

/** Quotes of all customers, and what the house's dealers do with them. */

const OperatorQuote = named(
  'OperatorQuote',
  Type.Object({
    customerId: Type.String({ examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    requestedBy: Type.String({ description: "The customer's OAuth client, or who dealt for the customer." }),
    ...Quote.properties,
  }),
);

const tag = 'Operator: transactions';
const reading = { audience: 'operator', scope: 'operator:transactions:read' } as const;
const dealing = { audience: 'operator', scope: 'operator:trades' } as const;

export const listAllQuotes = operation({
  id: 'listAllQuotes',
  method: 'GET',
  path: '/v1/operator/quotes',
  tag,
  summary: 'List quotes of all customers, newest first',
  description: 'With a filter, a page may hold fewer items than its limit: read on while `hasMore`.',
  access: reading,
  query: {
    customerId: strictId('cus', 'Only quotes of this customer.'),
    status: list(QUOTE_STATUSES),
    createdFrom: instant('Inclusive.'),
    createdTo: instant('Exclusive.'),
    pair: strictPair(),
    sellCurrency: strictCurrency(),
    buyCurrency: strictCurrency(),
    clientReference: text(64, 'Exact.'),
  },
  pages: true,
  answers: { 200: pageOf(OperatorQuote) },
});

export const getAnyQuote = operation({
  id: 'getAnyQuote',
  method: 'GET',
  path: '/v1/operator/quotes/{quoteId}',
  tag,
  summary: 'Read any quote',
  description: 'As the customer sees it, with the customer and who requested it.',
  access: reading,
  params: quoteParams,
  query: { customerId: id('cus', 'Makes the lookup faster.') },
  versioned: true,
  answers: { 200: OperatorQuote },
  problems: ['quote_not_found'],
});

export const quoteForCustomer = operation({
  id: 'quoteForCustomer',
  audited: 'own',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/quotes',
  tag,
  summary: 'Request a firm quote for a customer',
  description: "For a dealer acting on behalf of a customer. The customer's own prices and limits apply.",
  access: dealing,
  params: { customerId: id('cus') },
  body: QuoteRequest,
  key: 'own',
  needsKey: true,
  versioned: true,
  tellsNow: ['Firmquote-Current-Status', 'Firmquote-Valid-For-Ms'],
  answers: { 201: Quote },
  problems: [
    ...KEYED,
    ...PRICED,
    'validity_not_permitted',
    'quote_not_found',
    'customer_not_found',
    'customer_suspended',
    'market_closed',
    'too_many_open_quotes',
    'limit_exceeded',
    'settlement_instructions_missing',
  ],
});

export const executeForCustomer = operation({
  id: 'executeForCustomer',
  audited: 'own',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/quotes/{quoteId}/execute',
  tag,
  summary: 'Execute a quote for a customer',
  description:
    'Trades at the quoted price, exactly once: repeating it with the same key gets the same response.',
  access: dealing,
  params: { customerId: id('cus'), ...quoteParams },
  key: 'own',
  needsKey: true,
  versioned: true,
  tellsNow: ['Firmquote-Current-Status'],
  answers: { 201: Transaction },
  problems: [
    ...KEYED,
    'quote_not_found',
    'quote_expired',
    'quote_cancelled',
    'quote_withdrawn',
    'quote_already_executed',
    'limit_exceeded',
    'customer_suspended',
    'market_closed',
    'price_unavailable',
    'settlement_instructions_missing',
  ],
});

const PAIRS = listMatching(/^[A-Z]{6}$/, 'pairs such as EURUSD,USDJPY', 'In market order; 40 at most.');

export const listCustomerPrices = operation({
  id: 'listCustomerPrices',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/prices',
  tag,
  summary: 'List the prices of a customer',
  description: "Current, indicative prices with the customer's spread.",
  access: dealing,
  params: { customerId: id('cus') },
  query: { pairs: required(PAIRS) },
  answers: { 200: Type.Object({ items: Type.Array(StreamedPrice) }) },
  problems: ['customer_not_found', 'pair_not_supported', 'too_many_pairs'],
});

export const streamMarketPrices = operation({
  id: 'streamMarketPrices',
  method: 'GET',
  path: '/v1/operator/prices/stream',
  tag: 'Operator: market',
  summary: "Stream the market's prices",
  description: 'Like the stream of customers, but without spread.',
  access: { audience: 'operator', scope: 'operator:pricing:read' },
  media: 'event-stream',
  query: { pairs: required(PAIRS) },
  resumes: true,
  answers: {
    200: {
      description: 'The stream. The schema shows its events as objects.',
      content: { 'text/event-stream': PriceStreamEvent },
    },
  },
  problems: ['pair_not_supported', 'too_many_streams', 'too_many_pairs', 'overloaded'],
});
