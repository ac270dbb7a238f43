import { DAY_COUNTS } from '@firmquote/fx';
import {
  BpsText,
  CalendarDate,
  CurrencyCode,
  Instant,
  literals,
  nullable,
  PairCode,
} from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

/** Swap points as operators and sources bring them, and the policy where there are none (docs/interface.md#value-dates). */

const request = { additionalProperties: false } as const;
const Version = Type.Integer({ minimum: 1, description: 'The number in the `ETag`; 1: never set.' });

export const PUSHED_POINTS_MAX = 500;
const RATES_MAX = 200;
const LEGS = ['on', 'tn'] as const;

const Pips = (description: string) =>
  Type.String({ pattern: '^-?\\d{1,7}(\\.\\d{1,4})?$', description, examples: ['0.52'] });
const Percent = (description: string) =>
  Type.String({ pattern: '^-?\\d{1,3}(\\.\\d{1,4})?$', description, examples: ['3.60'] });
function text(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$', description });
}

const LegPoints = Type.Object(
  {
    bid: Pips('In pips with their sign; not above the ask.'),
    ask: Pips('In pips with their sign.'),
  },
  request,
);
const points = {
  on: nullable(LegPoints),
  tn: nullable(LegPoints),
};

export const SetSwapPoints = Type.Object(
  {
    ...points,
    source: text(100, 'Where the points are from, for the evidence of quotes.'),
    reason: text(200, 'Why they are set, for their history.'),
  },
  {
    ...request,
    description:
      '`on`: overnight, from today to tomorrow; `tn`: tom-next, from tomorrow to spot. null leaves the leg to sources and interest rates. They hold until the trade date ends, or the age limit of the policy.',
  },
);
export type SetSwapPoints = Static<typeof SetSwapPoints>;

export const PushSwapPoints = Type.Object(
  {
    source: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,49}$',
      description: 'Who makes the points. `operator` is taken.',
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
        request,
      ),
      { minItems: 1, maxItems: PUSHED_POINTS_MAX },
    ),
  },
  request,
);
export type PushSwapPoints = Static<typeof PushSwapPoints>;

export const PushedSwapPoints = Type.Object({
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
        Type.String({ examples: ['unknown_pair', 'not_a_number', 'crossed', 'future', 'old', 'backwards'] }),
      ),
    }),
    { description: 'One for each, in the order of the request.' },
  ),
});

const Rate = Type.Object(
  {
    currency: CurrencyCode,
    bid: Percent('Percent a year that is paid for deposits; not above the ask.'),
    ask: Percent('Percent a year that is asked for loans.'),
    dayCount: literals(DAY_COUNTS, {
      description: 'Days of the year by which the currency counts interest.',
    }),
    asOf: CalendarDate,
    source: text(200, 'Where the rate is known from.'),
  },
  request,
);
const policy = {
  withoutPoints: literals(['refuse', 'worse_side'], {
    description:
      '`refuse`: nothing is priced for a date before spot to which no points lead. `worse_side`: it is priced as if the points were `worseSideBpsPerDay` of the price for each day, to whichever side is worse for the customer.',
  }),
  worseSideBpsPerDay: nullable(Type.String({ ...BpsText, description: 'Required for `worse_side`.' })),
  pointsMaxAgeSeconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    description: 'Points older than this are not priced on. None outlives its trade date.',
  }),
  ratesMaxAgeDays: Type.Integer({
    minimum: 0,
    maximum: 366,
    description: 'Days from `asOf` of an interest rate to the last trade date that is priced on it.',
  }),
  interestRates: Type.Array(Rate, {
    maxItems: RATES_MAX,
    description: 'Points of a pair follow from the rates of both currencies where nobody gives points.',
  }),
};
export const SetSwapPointPolicy = Type.Object(policy, request);
export type SetSwapPointPolicy = Static<typeof SetSwapPointPolicy>;
export const SwapPointPolicyView = Type.Object({
  version: Version,
  ...policy,
  builtInRates: Type.Array(Rate, {
    description:
      "The sandbox's own rates, for currencies that `interestRates` leaves out; empty in production.",
  }),
});
export type SwapPointPolicyView = Static<typeof SwapPointPolicyView>;

export const ORIGINS = ['operator', 'pushed', 'interest_rates', 'worse_side'] as const;
export const Origin = literals(ORIGINS, { description: 'Who says so; the first of these that can.' });

const ResolvedLeg = Type.Object({
  leg: literals(['on', 'tn', 'broken']),
  from: CalendarDate,
  to: CalendarDate,
  origin: nullable(Origin),
  bid: nullable(Type.String({ description: 'In pips.' })),
  ask: nullable(Type.String()),
  source: nullable(Type.String()),
  asOf: nullable(Type.String({ description: 'An instant, or the date of interest rates.' })),
});
const Dated = Type.Object({
  valueDate: nullable(CalendarDate),
  reason: nullable(
    Type.String({ description: 'Why nothing is priced for it.', examples: ['points_missing'] }),
  ),
  legs: Type.Array(ResolvedLeg, { description: 'From spot back to the date.' }),
  bid: nullable(Type.String({ description: 'The price for the date, from the spot price of now.' })),
  ask: nullable(Type.String()),
});

export const SwapPointsOfPair = Type.Object({
  pair: PairCode,
  version: Version,
  tradeDate: CalendarDate,
  spotDate: nullable(CalendarDate),
  set: nullable(
    Type.Object({
      ...points,
      tradeDate: CalendarDate,
      source: Type.String(),
      reason: Type.String(),
      changedBy: Type.String(),
      changedAt: Instant,
    }),
  ),
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
});
export type SwapPointsOfPair = Static<typeof SwapPointsOfPair>;

export const SwapPointsList = Type.Object({
  items: Type.Array(SwapPointsOfPair, {
    description: 'Pairs for which somebody has given points on this trade date.',
  }),
});

export const PairParams = Type.Object({ pair: PairCode });
