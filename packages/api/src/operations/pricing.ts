import { operation } from '../operation.ts';
import {
  Amount,
  BpsText,
  CLOSED,
  CurrencyCode,
  described,
  GivenCustomerId,
  Instant,
  literals,
  named,
  nullable,
  PairCode,
  pageOf,
  SET_VERSIONS,
  Version,
  versionOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** What operators set of pricing and risk: the policy, the permitted amounts, the house's exposure. */

const PREMIUM_STEPS_MAX = 20; // limit: Rows of a premium table
const WINDOWS_MAX = 500; // limit: Windows of wider hours
const AMOUNT_LIMITS_MAX = 10_000; // limit: Amount limits
const CURRENCIES_MAX = 200;
/** From Monday on. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const PremiumTable = Type.Array(
  Type.Object(
    {
      upToSeconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
      bps: described(BpsText, 'Added for validities up to `upToSeconds`; the last row also for longer ones.'),
    },
    CLOSED,
  ),
  { maxItems: PREMIUM_STEPS_MAX, description: 'Ascending in seconds, and never descending in basis points.' },
);
const Volatility = Type.Object(
  {
    multiplier: Type.String({
      pattern: '^\\d{1,2}(\\.\\d{1,4})?$',
      description: '`k` of k × σ × √T.',
      examples: ['0.4'],
    }),
    windowSeconds: Type.Integer({
      minimum: 300,
      maximum: 14_400,
      description: 'How far back to look at prices.',
    }),
    minimumReturns: Type.Integer({
      minimum: 2,
      maximum: 2_000,
      description: 'With fewer returns in the window the table is used.',
    }),
    floorBps: described(BpsText, 'Minimum premium.'),
    capBps: described(BpsText, 'Maximum premium.'),
  },
  CLOSED,
);
function timeOfDay(description: string, pattern: string) {
  return Type.String({ pattern, description, examples: ['16:55'] });
}
const Window = named(
  'MarketHoursWindow',
  Type.Object(
    {
      pair: nullable(PairCode),
      zone: Type.String({ maxLength: 64, description: 'IANA zone.', examples: ['America/New_York'] }),
      days: Type.Array(literals(WEEKDAYS), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
        description: 'Days on which the window begins, in the zone.',
      }),
      from: timeOfDay('Wall-clock time, inclusive.', '^([01]\\d|2[0-3]):[0-5]\\d$'),
      to: timeOfDay(
        'Wall-clock time, exclusive; on the next day if not after `from`.',
        '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
      ),
      bps: described(BpsText, 'Added while the window is open. Of several windows the widest applies.'),
    },
    CLOSED,
  ),
);

const SettlementIncrements = named(
  'SettlementIncrements',
  Type.Array(Type.Object({ currency: CurrencyCode, increment: Amount }, CLOSED), {
    maxItems: CURRENCIES_MAX,
    description: 'Amounts of quotes are multiples of it, such as 1.00 for whole forints.',
  }),
);

const policy = {
  validityPremium: named(
    'ValidityPremium',
    Type.Object(
      {
        method: literals(['none', 'table', 'volatility'], {
          description: '`volatility` falls back to the table while there is too little data.',
        }),
        table: PremiumTable,
        volatility: nullable(Volatility),
      },
      CLOSED,
    ),
  ),
  marketHours: Type.Array(Window, { maxItems: WINDOWS_MAX }),
  settlementIncrements: Type.Optional(SettlementIncrements),
};
const SetPricingPolicy = Type.Object(policy, CLOSED);
export type SetPricingPolicy = Static<typeof SetPricingPolicy>;
const PricingPolicy = named('PricingPolicy', Type.Object({ version: Version, ...policy }));
const PricingPolicyVersion = named('PricingPolicyVersion', versionOf(policy));

const AmountLimit = named(
  'AmountLimit',
  Type.Object(
    {
      customerId: nullable(GivenCustomerId),
      groupName: nullable(Type.String({ minLength: 1, maxLength: 64 })),
      pair: nullable(PairCode),
      minimum: nullable(
        described(
          Amount,
          'Smallest amount of one trade in US dollars; null leaves it to less specific limits.',
        ),
      ),
      maximum: nullable(
        described(
          Amount,
          'Largest amount of one trade in US dollars; null leaves it to less specific limits.',
        ),
      ),
    },
    CLOSED,
  ),
);
const amountLimits = { limits: Type.Array(AmountLimit, { maxItems: AMOUNT_LIMITS_MAX }) };
const SetAmountLimits = Type.Object(amountLimits, CLOSED);
export type SetAmountLimits = Static<typeof SetAmountLimits>;
const AmountLimits = named('AmountLimits', Type.Object({ version: Version, ...amountLimits }));
const AmountLimitsVersion = named('AmountLimitsVersion', versionOf(amountLimits));

const Signed = Type.String({
  pattern: '^-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$',
  description: 'Positive: the house is long.',
  examples: ['-250000.00'],
});
const exposureLimits = {
  total: nullable(
    described(
      Amount,
      'Largest net open position in US dollars: the greater of all long and all short positions.',
    ),
  ),
  perCurrency: nullable(
    described(Amount, 'Largest position in US dollars of each unlisted currency except the dollar.'),
  ),
  currencies: named(
    'CurrencyExposureLimits',
    Type.Array(
      Type.Object(
        { currency: CurrencyCode, limit: described(Amount, 'Largest position in US dollars.') },
        CLOSED,
      ),
      { maxItems: CURRENCIES_MAX },
    ),
  ),
  hedges: named(
    'Hedges',
    Type.Array(Type.Object({ currency: CurrencyCode, amount: Signed }, CLOSED), {
      maxItems: CURRENCIES_MAX,
      description: 'What the house has dealt elsewhere, by currency; added to the position.',
    }),
  ),
};
const SetExposureLimits = Type.Object(exposureLimits, CLOSED);
export type SetExposureLimits = Static<typeof SetExposureLimits>;
const ExposureLimits = named('ExposureLimits', Type.Object({ version: Version, ...exposureLimits }));
const ExposureLimitsVersion = named('ExposureLimitsVersion', versionOf(exposureLimits));

const Position = named(
  'HousePosition',
  Type.Object({
    currency: CurrencyCode,
    position: Type.String({ description: 'Booked, without hedges. Positive: the house is long.' }),
    hedged: Type.String(),
    net: Type.String({ description: '`position` and `hedged` together.' }),
    openLong: Type.String({
      description: 'Added to the position if all open quotes that increase it are executed.',
    }),
    openShort: Type.String({
      description: 'Subtracted if all open quotes that reduce it are executed.',
    }),
    netUsd: nullable(Type.String({ description: '`net` in US dollars at the mid; null without a price.' })),
    worstUsd: nullable(
      Type.String({ description: 'The larger side with the open quotes, in US dollars, without sign.' }),
    ),
    limitUsd: nullable(Type.String()),
  }),
);
const Exposure = named(
  'Exposure',
  Type.Object({
    asOf: Instant,
    openQuotes: Type.Integer(),
    positions: Type.Array(Position),
    total: Type.Object({
      longUsd: Type.String(),
      shortUsd: Type.String(),
      netOpenUsd: Type.String({ description: 'The greater of the two; the dollar itself does not count.' }),
      limitUsd: nullable(Type.String()),
      complete: Type.Boolean({ description: 'False when a position is in no sum, because it has no price.' }),
    }),
  }),
);
export type Exposure = Static<typeof Exposure>;

const ofPricing = {
  tag: 'Operator: pricing',
  access: { audience: 'operator', scope: 'operator:spreads' },
} as const;
const ofLimits = {
  tag: 'Operator: limits',
  access: { audience: 'operator', scope: 'operator:limits' },
} as const;

export const getPricingPolicy = operation({
  ...ofPricing,
  id: 'getPricingPolicy',
  method: 'GET',
  path: '/v1/operator/pricing-policy',
  summary: 'Read the pricing policy',
  description: 'How prices are widened beyond the spread rules: for long validities and in thin hours.',
  revalidates: true,
  answers: { 200: PricingPolicy },
});

export const setPricingPolicy = operation({
  ...ofPricing,
  id: 'setPricingPolicy',
  method: 'PUT',
  path: '/v1/operator/pricing-policy',
  summary: 'Replace the pricing policy',
  description:
    'Every version is kept, and each quote names the one that it was priced with. Existing quotes keep their price.',
  body: SetPricingPolicy,
  conditional: 'required',
  answers: { 200: PricingPolicy },
});

export const listPricingPolicyVersions = operation({
  ...ofPricing,
  id: 'listPricingPolicyVersions',
  method: 'GET',
  path: '/v1/operator/pricing-policy/versions',
  summary: 'List the versions of the pricing policy, newest first',
  description: SET_VERSIONS,
  pages: true,
  answers: { 200: pageOf(PricingPolicyVersion) },
});

export const getAmountLimits = operation({
  ...ofLimits,
  id: 'getAmountLimits',
  method: 'GET',
  path: '/v1/operator/amount-limits',
  summary: 'Read the smallest and largest amounts of trades',
  description:
    'In US dollars at the mid. Minimum and maximum each come from the most specific limit that names one.',
  revalidates: true,
  answers: { 200: AmountLimits },
});

export const setAmountLimits = operation({
  ...ofLimits,
  id: 'setAmountLimits',
  method: 'PUT',
  access: { ...ofLimits.access, fresh: true },
  path: '/v1/operator/amount-limits',
  summary: 'Replace the smallest and largest amounts of trades',
  description: 'Apply to new estimates and quotes, not to executions. Every version is kept.',
  body: SetAmountLimits,
  conditional: 'required',
  answers: { 200: AmountLimits },
});

export const listAmountLimitVersions = operation({
  ...ofLimits,
  id: 'listAmountLimitVersions',
  method: 'GET',
  path: '/v1/operator/amount-limits/versions',
  summary: 'List the versions of the smallest and largest amounts of trades, newest first',
  description: SET_VERSIONS,
  pages: true,
  answers: { 200: pageOf(AmountLimitsVersion) },
});

export const getExposureLimits = operation({
  ...ofLimits,
  id: 'getExposureLimits',
  method: 'GET',
  path: '/v1/operator/exposure-limits',
  summary: "Read the limits of the house's exposure",
  description: 'In US dollars at the mid, for each currency and in total. `hedges` count with the position.',
  revalidates: true,
  answers: { 200: ExposureLimits },
});

export const setExposureLimits = operation({
  ...ofLimits,
  id: 'setExposureLimits',
  method: 'PUT',
  access: { ...ofLimits.access, fresh: true },
  path: '/v1/operator/exposure-limits',
  summary: "Replace the limits of the house's exposure",
  description:
    'In force from this commit on, on every instance. A position beyond a limit stays: only trades that increase it are refused.',
  body: SetExposureLimits,
  conditional: 'required',
  answers: { 200: ExposureLimits },
});

export const listExposureLimitVersions = operation({
  ...ofLimits,
  id: 'listExposureLimitVersions',
  method: 'GET',
  path: '/v1/operator/exposure-limits/versions',
  summary: "List the versions of the limits of the house's exposure, newest first",
  description: SET_VERSIONS,
  pages: true,
  answers: { 200: pageOf(ExposureLimitsVersion) },
});

export const getExposure = operation({
  ...ofLimits,
  id: 'getExposure',
  method: 'GET',
  path: '/v1/operator/exposure',
  summary: "Read the house's position in each currency",
  description: 'With what open quotes may add, and the limits.',
  answers: { 200: Exposure },
});
