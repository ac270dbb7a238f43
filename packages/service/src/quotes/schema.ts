import {
  Amount,
  BpsText,
  CalendarDate,
  ClientReference,
  CurrencyCode,
  Instant,
  literals,
  Metadata,
  nullable,
  PairCode,
  RateText,
} from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { WITHDRAWAL_REASONS } from './record.ts';

export const FixedSide = literals(['sell', 'buy'], { description: 'Which of the two amounts `amount` is.' });
const Tenor = literals(['today', 'tom', 'spot'], {
  description: 'Settlement; default spot. Not together with valueDate.',
});
const QuoteIdText = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['quote_01jngx7z5d2m8r4v6t9k3b1c0a'],
});

export const IndicativeRequest = Type.Object(
  {
    sellCurrency: CurrencyCode,
    buyCurrency: CurrencyCode,
    fixedSide: Type.Optional(FixedSide),
    amount: Type.Optional(Amount),
    tenor: Type.Optional(Tenor),
    valueDate: Type.Optional(CalendarDate),
  },
  { additionalProperties: false },
);
export type IndicativeRequest = Static<typeof IndicativeRequest>;

const NewQuoteRequest = Type.Object(
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
);
export type NewQuoteRequest = Static<typeof NewQuoteRequest>;

const RequoteRequest = Type.Object({ requoteOf: QuoteIdText }, { additionalProperties: false });
export type RequoteRequest = Static<typeof RequoteRequest>;

/** A choice by `if`, not `anyOf`, so that a wrong field is reported against the one form that was meant. */
export type QuoteRequest = NewQuoteRequest | RequoteRequest;
export const QuoteRequest = Type.Unsafe<QuoteRequest>({
  type: 'object',
  if: { type: 'object', required: ['requoteOf'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: RequoteRequest,
  else: NewQuoteRequest,
});

export const QuoteParams = Type.Object({ quoteId: Type.String() });

export const Side = literals(['bid', 'ask'], {
  description: 'ask: the customer buys the base currency; bid: sells it.',
});
const Money = Type.Object({ amount: Type.String(), currency: Type.String() });
const Fees = Type.Array(Type.Unknown());
export const Reference = Type.Object({
  provider: Type.String(),
  rate: RateText,
  date: CalendarDate,
  differencePercent: Type.String(),
});

/** `market` and what is made of it are there as far as the customer's pricing disclosure goes. */
export const RateSchema = Type.Object({
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
});
export const Component = Type.Object({
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
});
export const PricingSchema = Type.Object({
  spreadBps: Type.Optional(BpsText),
  components: Type.Optional(Type.Array(Component)),
  markup: Type.Optional(Money),
  costVsMidBps: Type.Optional(Type.String()),
  reference: Type.Optional(Reference),
  fees: Fees,
});

export const EstimatedCurrencies = Type.Array(CurrencyCode, {
  description:
    'Currencies whose closing days up to the value date are calculated, and may still be moved by an announcement. Absent when there are none.',
});

export const IndicativeAnswer = Type.Object(
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
);

export const QuoteAnswer = Type.Object({
  quoteId: QuoteIdText,
  type: Type.Literal('firm'),
  status: literals(['open', 'executed', 'cancelled', 'expired', 'withdrawn']),
  statusReason: nullable(literals(WITHDRAWAL_REASONS, { description: 'Why it was withdrawn.' })),
  version: Type.Integer({ minimum: 1 }),
  sellCurrency: CurrencyCode,
  buyCurrency: CurrencyCode,
  fixedSide: FixedSide,
  sellAmount: Type.String(),
  buyAmount: Type.String(),
  rate: RateSchema,
  pricing: PricingSchema,
  settlement: Type.Object({
    tenor: literals(['today', 'tom', 'spot', 'broken']),
    tradeDate: CalendarDate,
    valueDate: CalendarDate,
    fundingMode: literals(['post_funded', 'pre_funded']),
    fundingCutoffAt: Type.String({
      ...Instant,
      description:
        'By when the money must be there: the earlier of the cut-offs of both currencies on the value date.',
    }),
    estimatedCurrencies: Type.Optional(EstimatedCurrencies),
  }),
  validitySeconds: Type.Integer(),
  validForMs: Type.Integer({ description: 'Milliseconds left when this answer was written.' }),
  validityTruncated: Type.Boolean(),
  createdAt: Instant,
  expiresAt: Instant,
  executedAt: nullable(Instant),
  cancelledAt: nullable(Instant),
  transactionId: nullable(Type.String()),
  clientReference: nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
});
