import { DAY_COUNTS } from '@firmquote/fx';
import { operation } from '../operation.ts';
import { id } from '../parameters.ts';
import {
  CalendarDate,
  CurrencyCode,
  Instant,
  literals,
  named,
  nullable,
  PairCode,
  RateText,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import {
  Component,
  EstimatedCurrencies,
  FixedSide,
  QUOTE_STATUSES,
  quoteParams,
  Reference,
  Side,
} from './quotes.ts';
import { PointsOrigin } from './swap-points.ts';

/** How the price of a quote was derived: market, spread and every rounding. */

const SideOrigin = named(
  'PriceOrigin',
  Type.Object(
    { source: Type.String(), asOf: Instant },
    { description: 'Which source gave this side, and when.' },
  ),
);
const Leg = Type.Object({
  pair: PairCode,
  bid: RateText,
  ask: RateText,
  asOf: Type.Optional(Instant),
  source: Type.Optional(Type.String()),
  bidFrom: Type.Optional(SideOrigin),
  askFrom: Type.Optional(SideOrigin),
});
const PointsRate = named(
  'SwapPointsRate',
  Type.Object({
    currency: CurrencyCode,
    bid: Type.String({ description: 'Percent a year.' }),
    ask: Type.String(),
    dayCount: literals(DAY_COUNTS),
    asOf: Type.Optional(CalendarDate),
    source: Type.Optional(Type.String()),
  }),
);
const LegPoints = named(
  'LegSwapPoints',
  Type.Object({
    leg: literals(['on', 'tn', 'broken'], { description: 'on: today to tomorrow; tn: tomorrow to spot.' }),
    from: CalendarDate,
    to: CalendarDate,
    bid: Type.String({ description: 'In pips.' }),
    ask: Type.String(),
    origin: Type.Optional(PointsOrigin),
    source: Type.Optional(Type.String()),
    asOf: Type.Optional(
      Type.String({ description: 'When they were given, or the date of the interest rates.' }),
    ),
    rates: Type.Optional(Type.Object({ base: PointsRate, quote: PointsRate })),
    bpsPerDay: Type.Optional(Type.String({ description: 'How far the price is moved to the worse side.' })),
  }),
);
const SwapPoints = Type.Array(LegPoints, {
  description:
    'From spot back to the value date. The bid for the date is the spot bid minus the ask of all points; the ask is the spot ask minus their bid.',
});
const MarketSnapshot = named(
  'MarketSnapshot',
  Type.Object(
    {
      bid: Type.Optional(RateText),
      ask: Type.Optional(RateText),
      asOf: Instant,
      source: nullable(Type.String()),
      bidFrom: Type.Optional(SideOrigin),
      askFrom: Type.Optional(SideOrigin),
      through: nullable(CurrencyCode),
      legs: Type.Optional(Type.Array(Leg)),
      swapPoints: Type.Optional(SwapPoints),
      swapPointPolicyVersion: Type.Optional(Type.Integer()),
      acceptedPrices: Type.Optional(
        Type.Array(Type.Object({ pair: PairCode, number: Type.Integer() }), {
          description:
            'For operators: the acceptances that the price relied on, `…/pairs/{pair}/accepted-prices`.',
        }),
      ),
    },
    {
      description:
        'The market when the quote was made. A cross has `legs` and the currency it went `through`.',
    },
  ),
);
const SpreadMade = named(
  'SpreadBreakdown',
  Type.Object({
    totalBps: Type.String(),
    components: Type.Optional(Type.Array(Component)),
    rule: Type.Optional(Type.Object({ ruleId: Type.String(), version: Type.Integer() })),
    pricingPolicyVersion: Type.Optional(Type.Integer()),
  }),
);

export const STEP_NAMES = [
  'cross_bid',
  'cross_ask',
  'swap_points_bid',
  'swap_points_ask',
  'client_rate',
  'market_rate',
  'mid',
  'inverse',
  'cost_vs_mid',
  'derived_amount',
  'derived_amount_at_market',
  'reference_difference',
] as const;
const Step = named(
  'RoundingStep',
  Type.Object(
    {
      step: literals(STEP_NAMES),
      formula: Type.String(),
      unit: Type.String({ description: 'A currency, `bps`, `percent`, or the pair of a rate.' }),
      unrounded: Type.String({
        description: 'The exact number, cut off after 20 decimals.',
      }),
      isExact: Type.Boolean({ description: 'Whether `unrounded` is complete.' }),
      numerator: Type.String({ description: 'The exact number as a fraction in lowest terms.' }),
      denominator: Type.String(),
      rounding: literals(['half_up', 'half_even', 'floor', 'ceil', 'up', 'down']),
      decimals: Type.Integer({ description: 'Decimals that are kept.' }),
      result: Type.String(),
    },
    { description: 'One rounding.' },
  ),
);

const Numbers = named(
  'QuoteNumbers',
  Type.Object({
    bid: Type.Optional(RateText),
    ask: Type.Optional(RateText),
    pointsBid: Type.Optional(Type.String({ description: 'All swap points, in pips.' })),
    pointsAsk: Type.Optional(Type.String()),
    outrightBid: Type.Optional(Type.String({ description: 'The price for the value date, exact.' })),
    outrightAsk: Type.Optional(Type.String()),
    spreadBps: Type.Optional(Type.String()),
    side: Type.Optional(Side),
    rate: Type.Optional(RateText),
    inverse: Type.Optional(RateText),
    mid: Type.Optional(RateText),
    market: Type.Optional(RateText),
    costVsMidBps: Type.Optional(Type.String()),
    sellAmount: Type.Optional(Type.String()),
    buyAmount: Type.Optional(Type.String()),
    marketAmount: Type.Optional(Type.String({ description: 'The derived amount at the market rate.' })),
    markup: Type.Optional(Type.String({ description: 'In the currency of the derived amount.' })),
    differencePercent: Type.Optional(Type.String()),
  }),
);
const Evidence = named(
  'QuoteEvidence',
  Type.Object(
    {
      pair: PairCode,
      sellCurrency: CurrencyCode,
      buyCurrency: CurrencyCode,
      fixedSide: FixedSide,
      fixedAmount: Type.String(),
      rateDecimals: Type.Integer(),
      amountRounding: literals(['half_up', 'house']),
      settlementIncrement: Type.Optional(Type.String()),
      bid: RateText,
      ask: RateText,
      legs: Type.Optional(Type.Array(Type.Object({ pair: PairCode, bid: RateText, ask: RateText }))),
      crossRounding: Type.Optional(
        Type.Literal('once', {
          description:
            'The price is made from the exact cross and rounded once; absent if the cross was rounded first.',
        }),
      ),
      swapPoints: Type.Optional(SwapPoints),
      pipDecimals: Type.Optional(Type.Integer()),
      spreadBps: Type.String(),
      components: Type.Optional(Type.Array(Component)),
      referenceRate: Type.Optional(RateText),
    },
    { description: 'What `verifyEvidence` of @firmquote/fx takes, together with `numbers`.' },
  ),
);
const Verification = named(
  'EvidenceVerification',
  Type.Object({
    outcome: literals(['matches', 'differs', 'incomplete'], {
      description:
        'Whether every number of the quote follows from its evidence, recomputed for this response. `incomplete`: less was kept when the quote was made.',
    }),
    differences: Type.Optional(
      Type.Array(
        Type.Object({
          member: Type.String(),
          recorded: Type.String(),
          recomputed: nullable(Type.String()),
        }),
      ),
    ),
    detail: Type.Optional(Type.String()),
  }),
);

const members = {
  quoteId: Type.String(),
  status: literals(QUOTE_STATUSES),
  transactionId: nullable(Type.String()),
  createdAt: Instant,
  expiresAt: Instant,
  disclosure: literals(['full', 'total', 'none'], {
    description:
      'How much is shown: no more than the quote itself, and no more than the customer may see now.',
  }),
  pair: PairCode,
  sellCurrency: CurrencyCode,
  buyCurrency: CurrencyCode,
  fixedSide: FixedSide,
  tradeDate: CalendarDate,
  valueDate: CalendarDate,
  estimatedCurrencies: Type.Optional(EstimatedCurrencies),
  market: MarketSnapshot,
  spread: Type.Optional(SpreadMade),
  numbers: Numbers,
  reference: nullable(Reference),
  steps: Type.Array(Step),
  evidence: Type.Optional(Evidence),
  verification: Verification,
};
/** What of it is there goes with `disclosure`. */
export const Explanation = named(
  'QuoteExplanation',
  Type.Object(members, {
    description: 'How the price of a firm quote was derived.',
  }),
);
export type Explanation = Static<typeof Explanation>;

export const OperatorExplanation = named(
  'OperatorQuoteExplanation',
  Type.Object({ customerId: Type.String(), ...members }),
);
export type OperatorExplanation = Static<typeof OperatorExplanation>;

export const explainQuote = operation({
  id: 'explainQuote',
  method: 'GET',
  path: '/v1/customer/quotes/{quoteId}/explain',
  tag: 'Quotes',
  summary: 'Explain the price of a quote',
  description:
    'Market, spread and every rounding, recomputed from what was kept with the quote. Shows what the pricing disclosure permits.',
  access: { audience: 'customer', scope: 'quotes:read' },
  rate: 'reads',
  params: quoteParams,
  answers: { 200: Explanation },
  problems: ['quote_not_found'],
});

const operators = { audience: 'operator', scope: 'operator:transactions' } as const;

export const explainAnyQuote = operation({
  id: 'explainAnyQuote',
  method: 'GET',
  path: '/v1/operator/quotes/{quoteId}/explain',
  tag: 'Operator: transactions',
  summary: 'Explain the price of any quote in full',
  description:
    'Ignores the pricing disclosure of the customer, and adds prices that operators had accepted. `verification` compares the recorded numbers with recomputed ones.',
  access: operators,
  params: quoteParams,
  query: { customerId: id('cus', 'Makes the lookup faster.') },
  answers: { 200: OperatorExplanation },
  problems: ['quote_not_found'],
});

export const explainTransaction = operation({
  id: 'explainTransaction',
  method: 'GET',
  path: '/v1/operator/transactions/{transactionId}/explain',
  tag: 'Operator: transactions',
  summary: 'Explain the price of a transaction in full',
  description: 'Explains the quote that it executed.',
  access: operators,
  params: { transactionId: id('txn') },
  answers: { 200: OperatorExplanation },
  problems: ['transaction_not_found'],
});
