import { operation } from '../operation.ts';
import { currency, date, instant, pair, strictCurrency, strictPairs } from '../parameters.ts';
import {
  CalendarDate,
  CurrencyCode,
  Instant,
  literals,
  named,
  nullable,
  PairCode,
  pageOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Reference data for customers: what can be traded, when it settles, and by which rules. */

export const CurrencyReference = named(
  'Currency',
  Type.Object({
    code: CurrencyCode,
    numericCode: nullable(
      Type.String({ description: 'ISO 4217; null for CNH, which ISO does not list.', examples: ['840'] }),
    ),
    name: Type.String(),
    minorUnits: Type.Integer({ description: 'Digits of an amount after the point.' }),
    settlementIncrement: Type.String({ description: 'Amounts of quotes are multiples of it.' }),
    status: literals(['tradable', 'withdrawn', 'calendar_missing'], {
      description:
        'calendar_missing: no calendar says when the currency settles; it is not offered until an operator sets one.',
    }),
    validFrom: nullable(CalendarDate),
    validTo: nullable(CalendarDate),
    priced: Type.Boolean({ description: 'Whether it has ever had a price.' }),
    calendar: nullable(
      Type.Object({
        from: CalendarDate,
        to: CalendarDate,
        estimatedFrom: nullable(CalendarDate),
        runsShort: Type.Boolean({ description: 'It ends less than 13 months from now.' }),
      }),
    ),
    cutOff: Type.Object(
      { time: Type.String({ examples: ['13:30'] }), zone: Type.String({ examples: ['Europe/London'] }) },
      { description: 'Latest time for same-day settlement.' },
    ),
  }),
);
export type CurrencyReference = Static<typeof CurrencyReference>;

const PairDirection = named(
  'PairDirection',
  Type.Object({
    sellCurrency: CurrencyCode,
    buyCurrency: CurrencyCode,
    permitted: Type.Boolean(),
    reasons: Type.Array(
      Type.Object({
        code: literals(['pricing_not_configured', 'settlement_instructions_missing']),
        currency: nullable(CurrencyCode),
      }),
    ),
  }),
);
export type PairDirection = Static<typeof PairDirection>;

const Tenor = named(
  'PairTenor',
  Type.Object({
    available: Type.Boolean(),
    valueDate: nullable(CalendarDate),
    reasons: Type.Array(Type.String()),
  }),
);

const pairStatus = {
  tradable: Type.Boolean({ description: 'Whether the market allows a firm quote now.' }),
  reason: Type.Optional(
    literals(['market_closed', 'halt', 'pair_not_enabled', 'stale', 'no_price'], {
      description:
        '`pair_not_enabled`: the pair is not quoted. `stale`: the newest price is too old. `no_price`: there is none.',
    }),
  ),
  lastPriceAt: Type.Optional(Instant),
};
const PairStatus = named('PairStatus', Type.Object(pairStatus));
const InterruptedPair = named('InterruptedPair', Type.Object({ pair: PairCode, ...pairStatus }));

const TradeValue = Type.Object({ amount: Type.String(), currency: CurrencyCode });

export const PairReference = named(
  'Pair',
  Type.Object({
    pair: PairCode,
    baseCurrency: CurrencyCode,
    quoteCurrency: CurrencyCode,
    decimals: Type.Integer({ description: 'Digits of a rate after the point.' }),
    pipDecimals: Type.Integer(),
    pip: Type.String({ examples: ['0.0001'] }),
    price: literals(['direct', 'cross'], {
      description: 'A price of its own, or a cross through the dollar or the euro.',
    }),
    spotLagDays: Type.Integer({ description: 'Business days from trade to spot.' }),
    tenors: Type.Object({ today: Tenor, tom: Tenor, spot: Tenor }),
    directions: Type.Array(PairDirection, { description: 'What you may trade, each way.' }),
    minAmounts: Type.Record(Type.String(), Type.String(), {
      description: 'Smallest amount of each currency.',
    }),
    minTradeValue: nullable(TradeValue),
    maxTradeValue: TradeValue,
    market: PairStatus,
  }),
);
export type PairReference = Static<typeof PairReference>;

const MarketStatus = named(
  'MarketStatus',
  Type.Object({
    market: Type.Object({
      state: literals(['open', 'closed']),
      reason: Type.Optional(Type.String({ description: 'weekend, holiday or halt.' })),
      closesAt: Type.Optional(Instant),
      reopensAt: Type.Optional(Instant),
    }),
    tradeDate: CalendarDate,
    tradeDateEndsAt: Instant,
    interruptedPairs: Type.Array(InterruptedPair, {
      description: 'Pairs that have been quoted and cannot be traded although the market is open.',
    }),
  }),
);

const DateReason = named(
  'DateReason',
  Type.Object(
    {
      code: literals([
        'weekend',
        'holiday',
        'us_holiday',
        'us_holiday_between',
        'cutoff_passed',
        'calendar_missing',
        'before_trade_date',
        'after_spot',
        'not_a_date',
        'unknown_tenor',
        'no_good_date',
      ]),
      currency: Type.Optional(CurrencyCode),
      name: Type.Optional(Type.String({ description: 'Name of the holiday.' })),
      cutOffAt: Type.Optional(Instant),
      date: Type.Optional(CalendarDate),
    },
    {
      description:
        'us_holiday: USD is closed, which counts although it is not in the pair. us_holiday_between: USD is closed on the first of the two days (the Latin American rule).',
    },
  ),
);
export type DateReason = Static<typeof DateReason>;

const ExplainedTenor = named(
  'ExplainedTenor',
  Type.Object({
    available: Type.Boolean(),
    valueDate: nullable(CalendarDate),
    code: nullable(Type.String({ description: 'The problem code that a quote would get.' })),
    reasons: Type.Array(DateReason),
    nextValueDate: nullable(CalendarDate),
  }),
);
export type ExplainedTenor = Static<typeof ExplainedTenor>;

const ConsideredDay = named(
  'ConsideredDay',
  Type.Object({
    date: CalendarDate,
    counts: Type.Boolean(),
    reasons: Type.Array(DateReason),
    ignored: Type.Array(DateReason, {
      description: 'Reasons that do not delay: a US holiday on the first day of USD.',
    }),
  }),
);
export type ConsideredDay = Static<typeof ConsideredDay>;

const SpotDerivation = named(
  'SpotDerivation',
  Type.Object({
    countedFrom: CalendarDate,
    legs: Type.Array(
      Type.Object({
        currency: CurrencyCode,
        lagDays: Type.Integer(),
        date: CalendarDate,
        days: Type.Array(ConsideredDay),
      }),
      { description: 'How each currency counts its days.' },
    ),
    decidingCurrencies: Type.Array(CurrencyCode, {
      description: 'All of them must be open on the value date.',
    }),
    joint: Type.Array(ConsideredDay, {
      description: 'From the later of the two to the first day good for all.',
    }),
    spot: CalendarDate,
  }),
);
export type SpotDerivation = Static<typeof SpotDerivation>;

const ValueDateExplanation = named(
  'ValueDateExplanation',
  Type.Object({
    pair: PairCode,
    baseCurrency: CurrencyCode,
    quoteCurrency: CurrencyCode,
    tradeDate: CalendarDate,
    tradeDateEndsAt: Instant,
    tenors: Type.Object({ today: ExplainedTenor, tom: ExplainedTenor, spot: ExplainedTenor }),
    cutOffs: Type.Array(
      Type.Object({
        currency: CurrencyCode,
        time: Type.String(),
        zone: Type.String(),
        cutOffAt: Instant,
        passed: Type.Boolean(),
      }),
      { description: 'Same-day cut-offs on the trade date.' },
    ),
    dates: Type.Array(
      Type.Object({
        date: CalendarDate,
        good: Type.Boolean({ description: 'A quote for this value date is accepted.' }),
        tenor: nullable(literals(['today', 'tom', 'spot', 'broken'])),
        reasons: Type.Array(DateReason),
      }),
    ),
    derivation: nullable(SpotDerivation),
    estimatedCurrencies: Type.Array(CurrencyCode, {
      description: 'Currencies with days here that are estimated and may still change.',
    }),
  }),
);
export type ValueDateExplanation = Static<typeof ValueDateExplanation>;

const ExecutionPolicy = named(
  'ExecutionPolicy',
  Type.Object({
    version: Type.String({ description: 'Changes with every statement.' }),
    facts: Type.Object({
      capacity: literals(['principal']),
      firmQuotes: Type.Boolean(),
      lastLook: Type.Boolean(),
      holdTimeMs: Type.Integer(),
      priceCheckAtExecution: Type.Boolean(),
      slippage: literals(['none']),
      partialExecution: Type.Boolean(),
      expiryJudgedBy: literals(['arrival_of_the_request']),
      permittedValiditySeconds: Type.Array(Type.Integer()),
      pricingDisclosure: literals(['full', 'total', 'none']),
      amountRounding: literals(['half_up', 'house']),
      statusCheckRequired: Type.Boolean(),
      idempotencyKeyRequired: Type.Boolean(),
    }),
    statements: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), text: Type.String() })),
    executionChecks: Type.Array(
      Type.Object({
        order: Type.Integer(),
        check: Type.String(),
        code: Type.String({ description: 'The problem of a request that does not pass.' }),
        status: Type.Integer(),
        retry: Type.String(),
      }),
      {
        description: 'Every reason to refuse an execution, in the order of the checks.',
      },
    ),
    notExecuted: Type.String(),
  }),
);
export type ExecutionPolicy = Static<typeof ExecutionPolicy>;

const ErrorCode = named(
  'ErrorCode',
  Type.Object({
    code: Type.String(),
    type: Type.String({ description: 'Address of its page; `type` of the problem.' }),
    status: Type.Integer(),
    title: Type.String(),
    retry: literals(['none', 'after_fix', 'same_request', 'new_quote', 'later']),
    help: Type.String(),
  }),
);

const PATH = '/v1/customer/reference';
const ofReference = {
  tag: 'Reference',
  access: { audience: 'customer', scope: 'quotes:read' },
  revalidates: true,
} as const;

export const listCurrencies = operation({
  ...ofReference,
  id: 'listCurrencies',
  method: 'GET',
  path: `${PATH}/currencies`,
  summary: 'List the currencies',
  description: 'Includes withdrawn ones.',
  answers: { 200: Type.Object({ items: Type.Array(CurrencyReference) }) },
});

export const listPairs = operation({
  ...ofReference,
  id: 'listPairs',
  method: 'GET',
  path: `${PATH}/pairs`,
  summary: 'List the pairs and what you may trade',
  description:
    'By code, as they are for you now: the dates that can be priced, the directions you may trade and what blocks the others, amounts, and whether a firm quote is possible.',
  query: {
    pair: strictPairs('Six letters in market order; repeatable or a comma list.'),
    currency: strictCurrency('Only pairs of this currency.'),
  },
  pages: true,
  answers: { 200: pageOf(PairReference) },
});

export const explainValueDates = operation({
  ...ofReference,
  id: 'explainValueDates',
  method: 'GET',
  path: `${PATH}/value-dates`,
  summary: 'Explain why a pair settles when it does',
  description:
    'At the current time, at `at`, or at the start of `tradeDate`; never for the past, when calendars may have differed.',
  query: {
    pair: pair('Six letters in market order; or sellCurrency and buyCurrency.'),
    sellCurrency: currency(),
    buyCurrency: currency(),
    at: instant('RFC 3339; default now.'),
    tradeDate: date('The beginning of a trade date, up to 366 days ahead.'),
  },
  answers: { 200: ValueDateExplanation },
  problems: ['pair_not_supported', 'same_currency', 'currency_not_supported', 'currency_withdrawn'],
});

export const getMarketStatus = operation({
  ...ofReference,
  id: 'getMarketStatus',
  method: 'GET',
  path: `${PATH}/market-status`,
  summary: 'Read whether the market is open',
  description: 'With the current trade date, and pairs that cannot be traded although the market is open.',
  answers: { 200: MarketStatus },
});

export const getExecutionPolicy = operation({
  ...ofReference,
  id: 'getExecutionPolicy',
  method: 'GET',
  path: `${PATH}/execution-policy`,
  summary: 'Read how quotes are made and executed',
  description: 'The disclosures that the FX Global Code asks for, as the service applies them.',
  answers: { 200: ExecutionPolicy },
});

export const listErrorCodes = operation({
  id: 'listErrorCodes',
  method: 'GET',
  path: '/v1/problems',
  tag: 'Reference',
  summary: 'List the error codes',
  description: 'With the status of each, whether repeating helps (`retry`), and what to do.',
  answers: { 200: Type.Object({ items: Type.Array(ErrorCode) }) },
});
