import { IndicativePrice, IndicativeRequest, Quote, QuoteRequest } from '@firmquote/api/operations/quotes';
import { ExecuteRequest, Transaction } from '@firmquote/api/operations/transactions';
import { fastify } from 'fastify';

/**
 * The floor: bare Fastify routes with the service's own schemas, which validate the same body and serialise an answer
 * of the same size, and do nothing else: no token, no limits, no price, no database. Nothing built on Fastify can be
 * faster than this.
 */
const rate = {
  pair: 'EURUSD',
  baseCurrency: 'EUR',
  quoteCurrency: 'USD',
  side: 'ask',
  value: '1.08711',
  inverse: '0.9198701143',
  mid: '1.08491',
  market: '1.08494',
  asOf: '2026-03-04T14:30:00.112Z',
  source: 'simulated',
};
const pricing = {
  spreadBps: '20.00',
  components: [{ type: 'customer_spread', bps: '20.00' }],
  markup: { amount: '1.84', currency: 'EUR' },
  costVsMidBps: '20.28',
  reference: { provider: 'ECB', rate: '1.08490', date: '2026-03-03', differencePercent: '0.20' },
  fees: [],
};
const parties = {
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  sellAmount: '1000.00',
  buyAmount: '919.87',
};
const settlement = { tenor: 'spot', tradeDate: '2026-03-04', valueDate: '2026-03-06' };
const at = '2026-03-04T14:30:00.252Z';

const indicative = {
  type: 'indicative',
  ...parties,
  tradable: true,
  rate: { ...rate, ageMs: 140 },
  pricing,
  settlement,
  market: { state: 'open' },
};
const quote = {
  quoteId: 'quote_01jngx7z5d2m8r4v6t9k3b1c0a',
  type: 'firm',
  status: 'open',
  statusReason: null,
  version: 1,
  ...parties,
  rate,
  pricing,
  settlement: { ...settlement, fundingMode: 'post_funded', fundingCutoffAt: '2026-03-06T15:00:00.000Z' },
  validitySeconds: 30,
  validForMs: 29_954,
  validityTruncated: false,
  createdAt: at,
  expiresAt: '2026-03-04T14:30:30.252Z',
  executedAt: null,
  cancelledAt: null,
  transactionId: null,
  clientReference: null,
  metadata: {},
};
const transaction = {
  transactionId: 'txn_01jngxb2qk6e0m4w8y5t7r3h1f',
  quoteId: quote.quoteId,
  reference: 'RF44260304001729',
  status: 'awaiting_funds',
  statusReason: null,
  version: 1,
  changeSequence: 2,
  ...parties,
  rate,
  pricing,
  settlement: {
    tradeDate: '2026-03-04',
    valueDate: '2026-03-06',
    originalValueDate: '2026-03-06',
    fundingCutoffAt: '2026-03-06T15:00:00.000Z',
    settledAt: null,
  },
  funding: {
    mode: 'post_funded',
    expected: { amount: '1000.00', currency: 'USD' },
    received: '0.00',
    outstanding: '1000.00',
    excess: '0.00',
    shortfall: '0.00',
    deposits: [],
    instructions: {
      accountHolder: 'Example FX Ltd Client Money',
      bankName: 'Example Bank',
      bic: 'EXMPUS33XXX',
      accountNumber: '9876543210',
      routingNumber: '021000021',
      iban: null,
      rails: ['fedwire', 'swift'],
      reference: 'RF44260304001729',
      dueBy: '2026-03-06T15:00:00.000Z',
    },
  },
  payout: {
    status: 'pending',
    amount: '919.87',
    currency: 'EUR',
    destinationId: 'ssi_01jngxb2qk6e0m4w8y5t7r3h1f',
    destinationMasked: 'DE** **** 4321',
    bankReference: null,
    paidAt: null,
  },
  refund: null,
  holds: [],
  failure: null,
  clientReference: null,
  metadata: {},
  timeline: [{ sequence: 1, at, status: 'awaiting_funds', actor: 'client', code: 'executed' }],
  createdAt: at,
  updatedAt: at,
  nextPollAfterSeconds: 5,
};

const app = fastify({
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true, strict: false } },
});
app.post(
  '/v1/customer/quotes/indicative',
  { schema: { body: IndicativeRequest, response: { 200: IndicativePrice } } },
  async () => indicative,
);
app.post(
  '/v1/customer/quotes',
  { schema: { body: QuoteRequest, response: { 201: Quote } } },
  async (_request, reply) => reply.code(201).send(quote),
);
app.post(
  '/v1/customer/quotes/:quoteId/execute',
  { schema: { body: ExecuteRequest, response: { 201: Transaction } } },
  async (_request, reply) => reply.code(201).send(transaction),
);
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stdout.write(`floor listens on ${typeof address === 'object' ? address?.port : ''}\n`);
