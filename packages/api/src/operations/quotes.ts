import { operation } from '../operation.ts';
import { id, instant, list, strictCurrency, strictPair, text } from '../parameters.ts';
import { KEYED, PRICED } from '../problem-groups.ts';
import {
  Amount,
  BpsText,
  CalendarDate,
  ClientReference,
  CurrencyCode,
  described,
  Instant,
  literals,
  Metadata,
  named,
  nullable,
  PairCode,
  pageOf,
  RateText,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import * as examples from './examples.ts';
import { COMMON_EVENTS, priceEvent } from './price-streams.ts';

/** Indicative prices and firm quotes. */

export const QUOTE_STATUSES = ['open', 'executed', 'cancelled', 'expired', 'withdrawn'] as const;
export const WITHDRAWAL_REASONS = ['customer_suspended', 'market_halt', 'sandbox_scenario'] as const;
export type WithdrawalReason = (typeof WITHDRAWAL_REASONS)[number];

export const FixedSide = named(
  'FixedSide',
  literals(['sell', 'buy'], { description: 'Whether `amount` is what you sell or buy.' }),
);
const Tenor = literals(['today', 'tom', 'spot'], {
  description: 'Settlement; default spot. Not together with valueDate.',
});
const QuoteIdText = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['quote_01jngx7z5d2m8r4v6t9k3b1c0a'],
});

export const IndicativeRequest = named(
  'IndicativeRequest',
  Type.Object(
    {
      sellCurrency: CurrencyCode,
      buyCurrency: CurrencyCode,
      fixedSide: Type.Optional(FixedSide),
      amount: Type.Optional(Amount),
      tenor: Type.Optional(Tenor),
      valueDate: Type.Optional(CalendarDate),
    },
    { additionalProperties: false },
  ),
);
export type IndicativeRequest = Static<typeof IndicativeRequest>;

const NewQuoteRequest = named(
  'QuoteTerms',
  Type.Object(
    {
      sellCurrency: CurrencyCode,
      buyCurrency: CurrencyCode,
      fixedSide: FixedSide,
      amount: Amount,
      tenor: Type.Optional(Tenor),
      valueDate: Type.Optional(CalendarDate),
      validitySeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 86_400,
          description: "One of the customer's permitted values; default 30.",
        }),
      ),
      clientReference: Type.Optional(ClientReference),
      metadata: Type.Optional(Metadata),
    },
    { additionalProperties: false },
  ),
);
export type NewQuoteRequest = Static<typeof NewQuoteRequest>;

const RequoteRequest = named(
  'Requote',
  Type.Object({ requoteOf: QuoteIdText }, { additionalProperties: false }),
);
export type RequoteRequest = Static<typeof RequoteRequest>;

/** A choice by `if`, not `anyOf`, so that a wrong field is reported against the one form that was meant. */
export type QuoteRequest = NewQuoteRequest | RequoteRequest;
export const QuoteRequest = named(
  'QuoteRequest',
  Type.Unsafe<QuoteRequest>({
    type: 'object',
    if: { type: 'object', required: ['requoteOf'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: RequoteRequest,
    else: NewQuoteRequest,
  }),
);

export const Side = literals(['bid', 'ask'], {
  description: 'ask: the customer buys the base currency; bid: sells it.',
});
const Money = Type.Object({ amount: Type.String(), currency: Type.String() });
const Fees = Type.Array(Type.Unknown(), {
  maxItems: 0,
  description: 'Always empty: everything is in the spread.',
});
export const Reference = named(
  'ReferenceRate',
  Type.Object({
    provider: Type.String(),
    rate: RateText,
    date: CalendarDate,
    differencePercent: Type.String(),
  }),
);

/** `market` and what is made of it are there as far as the customer's pricing disclosure goes. */
export const RateSchema = named(
  'QuotedRate',
  Type.Object({
    pair: PairCode,
    baseCurrency: CurrencyCode,
    quoteCurrency: CurrencyCode,
    side: Side,
    value: RateText,
    inverse: RateText,
    mid: RateText,
    market: Type.Optional(RateText),
    asOf: Instant,
    ageMs: Type.Optional(Type.Integer()),
    source: Type.Optional(Type.String({ description: 'Who gave the price; with full disclosure only.' })),
  }),
);
export const Component = named(
  'SpreadComponent',
  Type.Object({
    type: literals(
      [
        'customer_spread',
        'tenor_spread',
        'validity_premium',
        'amount_tier',
        'market_hours',
        'minimum',
        'maximum',
      ],
      { description: 'What this part of the spread is for. The parts add up to `spreadBps` exactly.' },
    ),
    bps: Type.String({
      pattern: '^-?\\d{1,4}\\.\\d{2}$',
      description: 'Basis points; discounts are negative.',
      examples: ['-2.50'],
    }),
  }),
);
export const PricingSchema = named(
  'Pricing',
  Type.Object({
    spreadBps: Type.Optional(BpsText),
    components: Type.Optional(Type.Array(Component)),
    markup: Type.Optional(Money),
    costVsMidBps: Type.Optional(Type.String()),
    reference: Type.Optional(Reference),
    fees: Fees,
  }),
);

export const EstimatedCurrencies = named(
  'EstimatedCurrencies',
  Type.Array(CurrencyCode, {
    description:
      'Currencies whose holidays up to the value date are estimated and may still change. Absent if there are none.',
  }),
);

export const IndicativePrice = named(
  'IndicativePrice',
  Type.Object(
    {
      type: Type.Literal('indicative'),
      sellCurrency: CurrencyCode,
      buyCurrency: CurrencyCode,
      fixedSide: nullable(FixedSide),
      sellAmount: nullable(Type.String()),
      buyAmount: nullable(Type.String()),
      tradable: Type.Boolean(),
      reason: Type.Optional(Type.String()),
      rate: RateSchema,
      pricing: PricingSchema,
      settlement: Type.Object({
        tenor: Type.String(),
        tradeDate: CalendarDate,
        valueDate: CalendarDate,
        estimatedCurrencies: Type.Optional(EstimatedCurrencies),
      }),
      market: Type.Object({
        state: literals(['open', 'closed']),
        reason: Type.Optional(Type.String()),
        closesAt: Type.Optional(Instant),
        reopensAt: Type.Optional(Instant),
      }),
    },
    { description: 'An estimate: nothing is reserved and it cannot be executed.' },
  ),
);

/** Of the stream of one indicative price. */
export const IndicativeEvent = named(
  'IndicativeEvent',
  Type.Union([named('IndicativePriceEvent', priceEvent(IndicativePrice)), ...COMMON_EVENTS]),
);

export const Quote = named(
  'Quote',
  Type.Object({
    quoteId: QuoteIdText,
    type: Type.Literal('firm'),
    status: literals(QUOTE_STATUSES),
    statusReason: nullable(literals(WITHDRAWAL_REASONS, { description: 'Why it was withdrawn.' })),
    version: Type.Integer({ minimum: 1 }),
    sellCurrency: CurrencyCode,
    buyCurrency: CurrencyCode,
    fixedSide: FixedSide,
    sellAmount: Type.String(),
    buyAmount: Type.String(),
    rate: RateSchema,
    pricing: PricingSchema,
    settlement: named(
      'QuoteSettlement',
      Type.Object({
        tenor: literals(['today', 'tom', 'spot', 'broken']),
        tradeDate: CalendarDate,
        valueDate: CalendarDate,
        fundingMode: literals(['post_funded', 'pre_funded']),
        fundingCutoffAt: described(
          Instant,
          "When the money must have arrived: the earlier of both currencies' cut-offs on the value date.",
        ),
        estimatedCurrencies: Type.Optional(EstimatedCurrencies),
      }),
    ),
    validitySeconds: Type.Integer(),
    validForMs: Type.Integer({ description: 'Milliseconds left when this response was written.' }),
    validityTruncated: Type.Boolean(),
    createdAt: Instant,
    expiresAt: Instant,
    executedAt: nullable(Instant),
    cancelledAt: nullable(Instant),
    transactionId: nullable(Type.String()),
    clientReference: nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
  }),
  examples.openQuote,
);

const tag = 'Quotes';
const PATH = '/v1/customer/quotes';
const reading = { audience: 'customer', scope: 'quotes:read' } as const;
const writing = { audience: 'customer', scope: 'quotes:write' } as const;
export const quoteParams = { quoteId: id('quote') };

export const getIndicativePrice = operation({
  id: 'getIndicativePrice',
  audited: 'nothing',
  method: 'POST',
  path: `${PATH}/indicative`,
  tag,
  summary: 'Get an indicative price',
  description:
    'An estimate: nothing is reserved and it cannot be executed. With `Accept: text/event-stream` it is a stream, with a `price` event whenever it changes.',
  access: reading,
  rate: 'indicative',
  media: 'json-or-event-stream',
  body: IndicativeRequest,
  resumes: true,
  answers: {
    200: {
      description: 'The estimate, or a stream. The schema shows the events of a stream as objects.',
      content: { 'application/json': IndicativePrice, 'text/event-stream': IndicativeEvent },
    },
  },
  problems: PRICED,
  example: examples.indicative,
});

export const createQuote = operation({
  id: 'createQuote',
  audited: 'own',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Request a firm quote',
  description: 'Locks a rate for the validity. `requoteOf` requests the terms of an earlier quote again.',
  access: writing,
  rate: 'quotes',
  body: QuoteRequest,
  key: 'own',
  versioned: true,
  signs: true,
  tellsNow: ['Firmquote-Current-Status', 'Firmquote-Valid-For-Ms'],
  answers: { 201: Quote },
  problems: [
    ...KEYED,
    'idempotency_key_required',
    ...PRICED,
    'validity_not_permitted',
    'quote_not_found',
    'market_closed',
    'too_many_open_quotes',
    'limit_exceeded',
    'settlement_instructions_missing',
  ],
  example: examples.quote,
});

export const getQuote = operation({
  id: 'getQuote',
  method: 'GET',
  path: `${PATH}/{quoteId}`,
  tag,
  summary: 'Check the status of a quote',
  description:
    'From `expiresAt` on an open quote reads as `expired`, before its event is sent. A quote that was not executed is deleted after its retention, seven years by default, and is then 404.',
  access: reading,
  rate: 'reads',
  params: quoteParams,
  revalidates: true,
  signs: true,
  answers: { 200: Quote },
  problems: ['quote_not_found'],
});

export const cancelQuote = operation({
  id: 'cancelQuote',
  audited: 'own',
  method: 'POST',
  path: `${PATH}/{quoteId}/cancel`,
  tag,
  summary: 'Cancel a quote',
  description:
    'Cancelling twice is harmless: an `Idempotency-Key` is checked and not kept, and each answer tells of now, without `Idempotency-Replayed`. Takes no body.',
  access: writing,
  rate: 'execute',
  params: quoteParams,
  key: 'own',
  conditional: 'possible',
  answers: { 200: Quote },
  problems: [
    'idempotency_key_invalid',
    'idempotency_key_required',
    'quote_not_found',
    'quote_expired',
    'quote_withdrawn',
    'quote_already_executed',
    'request_in_progress',
  ],
});

export const listQuotes = operation({
  id: 'listQuotes',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List quotes, newest first',
  description: 'With a filter, a page may hold fewer items than its limit: read on while `hasMore`.',
  access: reading,
  rate: 'reads',
  query: {
    status: list(QUOTE_STATUSES),
    createdFrom: instant('Inclusive.'),
    createdTo: instant('Exclusive.'),
    pair: strictPair(),
    sellCurrency: strictCurrency(),
    buyCurrency: strictCurrency(),
    clientReference: text(64, 'Exact.'),
  },
  pages: true,
  answers: { 200: pageOf(Quote) },
});
