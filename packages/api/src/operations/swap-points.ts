import { operation } from '../operation.ts';
import { pair } from '../parameters.ts';
import {
  BpsText,
  CalendarDate,
  CLOSED,
  CurrencyCode,
  described,
  Instant,
  line,
  literals,
  named,
  nullable,
  PairCode,
  pageOf,
  SET_VERSIONS,
  versionOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Swap points as operators and sources bring them, and the policy where there are none. */

const PUSHED_POINTS_MAX = 500; // limit: Swap points in one push
const RATES_MAX = 200;
const LEGS = ['on', 'tn'] as const;
/** Who says what points are; the first of these that can. */
export const POINTS_ORIGINS = ['operator', 'pushed', 'interest_rates', 'worse_side'] as const;
/** Days of a year by which currencies count interest. */
const DAY_COUNTS = ['ACT/360', 'ACT/365'] as const;

const Version = Type.Integer({ minimum: 1, description: 'The number in the `ETag`; 1: never set.' });

function pips(description: string) {
  return Type.String({ pattern: '^-?\\d{1,7}(\\.\\d{1,8})?$', description, examples: ['0.52'] });
}
function percent(description: string) {
  return Type.String({ pattern: '^-?\\d{1,3}(\\.\\d{1,4})?$', description, examples: ['3.60'] });
}

const LegPoints = named(
  'SwapPointsOfLeg',
  Type.Object(
    { bid: pips('In pips with their sign; not above the ask.'), ask: pips('In pips with their sign.') },
    CLOSED,
  ),
);
const points = { on: nullable(LegPoints), tn: nullable(LegPoints) };

const SetSwapPoints = Type.Object(
  {
    ...points,
    source: line(100, 'Where the points are from, for the evidence of quotes.'),
    reason: line(200, 'Why they are set, for their history.'),
  },
  {
    ...CLOSED,
    description:
      "`on`: overnight, from today to tomorrow; `tn`: tom-next, from tomorrow to spot. null leaves the leg to sources and interest rates. They apply until the trade date ends or they reach the policy's age limit.",
  },
);
export type SetSwapPoints = Static<typeof SetSwapPoints>;

const PushSwapPoints = Type.Object(
  {
    source: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,49}$',
      description: 'Who makes the points. `operator` is reserved.',
      examples: ['bank-a'],
    }),
    points: Type.Array(
      Type.Object(
        {
          pair: Type.String({ maxLength: 20, description: 'Six letters in market order.' }),
          leg: literals(LEGS, { description: 'on: today to tomorrow; tn: tomorrow to spot.' }),
          bid: Type.String({ maxLength: 20, description: 'In pips with their sign.', examples: ['-0.33'] }),
          ask: Type.String({ maxLength: 20, examples: ['-0.26'] }),
          at: Type.Optional(
            Type.String({ maxLength: 40, description: 'When they were made, RFC 3339. Default: now.' }),
          ),
        },
        CLOSED,
      ),
      { minItems: 1, maxItems: PUSHED_POINTS_MAX },
    ),
  },
  CLOSED,
);
export type PushSwapPoints = Static<typeof PushSwapPoints>;

/** Why points of a source are not taken. */
export const POINTS_REFUSALS = [
  'unknown_pair',
  'not_a_number',
  'crossed',
  'not_a_time',
  'future',
  'old',
  'backwards',
  'out_of_range',
] as const;
const PushedSwapPoints = named(
  'PushedSwapPoints',
  Type.Object({
    source: Type.String(),
    receivedAt: Instant,
    accepted: Type.Integer(),
    refused: Type.Integer(),
    results: Type.Array(
      Type.Object({
        pair: Type.String(),
        leg: literals(LEGS),
        outcome: literals(['accepted', 'refused']),
        reason: Type.Optional(
          literals(POINTS_REFUSALS, {
            description:
              "`old`: for a trade date that is over. `backwards`: older than the source's previous points. `out_of_range`: beyond `maxBpsPerDay`.",
          }),
        ),
      }),
      { description: 'One for each, in the order of the request.' },
    ),
  }),
);

const Rate = named(
  'InterestRate',
  Type.Object(
    {
      currency: CurrencyCode,
      bid: percent('Percent a year paid for deposits; not above the ask.'),
      ask: percent('Percent a year asked for loans.'),
      dayCount: literals(DAY_COUNTS, {
        description: 'How the currency counts interest days.',
      }),
      asOf: CalendarDate,
      source: line(200, 'Where the rate is from.'),
    },
    CLOSED,
  ),
);
const policy = {
  withoutPoints: literals(['refuse', 'worse_side'], {
    description:
      '`refuse`: a date before spot is not priced without points. `worse_side`: it is priced with `worseSideBpsPerDay` of the price as points for each day, on the side that is worse for the customer.',
  }),
  worseSideBpsPerDay: nullable(described(BpsText, 'Required for `worse_side`.')),
  pointsMaxAgeSeconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    description: 'Points older than this are not used. None are used after their trade date.',
  }),
  maxBpsPerDay: Type.Optional(
    described(BpsText, 'The most that points may move the price by a day. Default: 25.00.'),
  ),
  ratesMaxAgeDays: Type.Integer({
    minimum: 0,
    maximum: 366,
    description: 'Days from `asOf` of an interest rate to the last trade date that uses it.',
  }),
  interestRates: Type.Array(Rate, {
    maxItems: RATES_MAX,
    description: 'Where nobody gives points, they follow from the rates of both currencies.',
  }),
};
const SetSwapPointPolicy = Type.Object(policy, CLOSED);
export type SetSwapPointPolicy = Static<typeof SetSwapPointPolicy>;
const SwapPointPolicy = named(
  'SwapPointPolicy',
  Type.Object({
    version: Version,
    ...policy,
    builtInRates: Type.Array(Rate, {
      description:
        "The sandbox's own rates, for currencies that `interestRates` leaves out; empty in production.",
    }),
  }),
);
export type SwapPointPolicy = Static<typeof SwapPointPolicy>;
const SwapPointPolicyVersion = named('SwapPointPolicyVersion', versionOf(policy));

export const PointsOrigin = literals(POINTS_ORIGINS, {
  description: 'Where the points come from: the first of these that has any.',
});

const ResolvedLeg = named(
  'SwapPointLeg',
  Type.Object({
    leg: literals(['on', 'tn', 'broken']),
    from: CalendarDate,
    to: CalendarDate,
    origin: nullable(PointsOrigin),
    bid: nullable(Type.String({ description: 'In pips.' })),
    ask: nullable(Type.String()),
    source: nullable(Type.String()),
    asOf: nullable(Type.String({ description: 'An instant, or the date of interest rates.' })),
  }),
);
const Dated = named(
  'PriceForDate',
  Type.Object({
    valueDate: nullable(CalendarDate),
    reason: nullable(Type.String({ description: 'Why it is not priced.', examples: ['points_missing'] })),
    legs: Type.Array(ResolvedLeg, { description: 'From spot back to the date.' }),
    bid: nullable(Type.String({ description: 'The price for the date, from the current spot price.' })),
    ask: nullable(Type.String()),
  }),
);

const setPoints = {
  ...points,
  tradeDate: CalendarDate,
  source: Type.String(),
  reason: Type.String(),
};
const SwapPoints = named(
  'SwapPoints',
  Type.Object({
    pair: PairCode,
    version: Version,
    tradeDate: CalendarDate,
    spotDate: nullable(CalendarDate),
    set: nullable(Type.Object({ ...setPoints, changedBy: Type.String(), changedAt: Instant })),
    pushed: Type.Array(
      Type.Object({
        source: Type.String(),
        leg: literals(LEGS),
        bid: Type.String(),
        ask: Type.String(),
        tradeDate: CalendarDate,
        madeAt: Instant,
      }),
    ),
    today: Dated,
    tom: Dated,
  }),
);
export type SwapPoints = Static<typeof SwapPoints>;
const SwapPointsVersion = named('SwapPointsVersion', versionOf(setPoints));
export type SwapPointsVersion = Static<typeof SwapPointsVersion>;

const ofMarket = {
  tag: 'Operator: market',
  access: { audience: 'operator', scope: 'operator:prices' },
} as const;
const ofPricing = {
  tag: 'Operator: pricing',
  access: { audience: 'operator', scope: 'operator:spreads' },
} as const;
const PATH = '/v1/operator/swap-points';
const ETAG = { ETag: 'The version, for `If-Match`.' };

export const listSwapPoints = operation({
  ...ofMarket,
  id: 'listSwapPoints',
  method: 'GET',
  path: PATH,
  summary: 'List the swap points given on this trade date',
  description:
    'Those of operators and sources, by pair, with the prices that follow. They lapse with the trade date.',
  answers: { 200: Type.Object({ items: Type.Array(SwapPoints) }) },
});

export const getSwapPoints = operation({
  ...ofMarket,
  id: 'getSwapPoints',
  method: 'GET',
  path: `${PATH}/{pair}`,
  summary: 'Read the swap points of a pair',
  description: 'With the prices before spot that follow from them.',
  params: { pair: pair() },
  versioned: true,
  answers: {
    200: { description: 'The current points.', content: { 'application/json': SwapPoints }, headers: ETAG },
  },
  problems: ['pair_not_supported'],
});

export const setSwapPoints = operation({
  ...ofMarket,
  id: 'setSwapPoints',
  method: 'PUT',
  path: `${PATH}/{pair}`,
  summary: "Set a pair's swap points for this trade date",
  description: 'Every version is kept.',
  params: { pair: pair() },
  body: SetSwapPoints,
  conditional: 'required',
  answers: { 200: SwapPoints },
  problems: ['pair_not_supported'],
});

export const listSwapPointVersions = operation({
  ...ofMarket,
  id: 'listSwapPointVersions',
  method: 'GET',
  path: `${PATH}/{pair}/versions`,
  summary: "List the versions of a pair's swap points, newest first",
  description: SET_VERSIONS,
  params: { pair: pair() },
  pages: true,
  answers: { 200: pageOf(SwapPointsVersion) },
  problems: ['pair_not_supported'],
});

export const pushSwapPoints = operation({
  ...ofMarket,
  id: 'pushSwapPoints',
  audited: 'own',
  method: 'POST',
  path: PATH,
  summary: 'Push swap points',
  description: `Up to ${PUSHED_POINTS_MAX}; each has its own outcome. New points replace those that the source gave for the leg before.`,
  body: PushSwapPoints,
  key: 'kept',
  answers: { 200: PushedSwapPoints },
});

export const getSwapPointPolicy = operation({
  ...ofPricing,
  id: 'getSwapPointPolicy',
  method: 'GET',
  path: '/v1/operator/swap-point-policy',
  summary: 'Read the swap point policy',
  description: 'Interest rates, and the rule for dates before spot without points.',
  versioned: true,
  answers: {
    200: {
      description: 'The policy in force.',
      content: { 'application/json': SwapPointPolicy },
      headers: ETAG,
    },
  },
});

export const setSwapPointPolicy = operation({
  ...ofPricing,
  id: 'setSwapPointPolicy',
  method: 'PUT',
  path: '/v1/operator/swap-point-policy',
  summary: 'Replace the swap point policy',
  description:
    'Applies on every instance within a second. Every version is kept; existing quotes keep their price.',
  body: SetSwapPointPolicy,
  conditional: 'required',
  answers: { 200: SwapPointPolicy },
});

export const listSwapPointPolicyVersions = operation({
  ...ofPricing,
  id: 'listSwapPointPolicyVersions',
  method: 'GET',
  path: '/v1/operator/swap-point-policy/versions',
  summary: 'List the versions of the swap point policy, newest first',
  description: SET_VERSIONS,
  pages: true,
  answers: { 200: pageOf(SwapPointPolicyVersion) },
});
