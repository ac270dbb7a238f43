import { Amount, BpsText, literals, nullable, PairCode } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

/** What operators set of pricing: the policy and the permitted amounts (docs/interface.md#spreads). */

const request = { additionalProperties: false } as const;
const Version = Type.Integer({ minimum: 1, description: 'The number in the `ETag`.' });

export const MAX_PREMIUM_STEPS = 20; // limit: Rows of a premium table
export const MAX_WINDOWS = 500; // limit: Windows of wider hours
export const MAX_AMOUNT_LIMITS = 10_000; // limit: Amount limits
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const Bps = (description: string) => Type.String({ ...BpsText, description });
const TimeOfDay = (description: string, pattern: string) =>
  Type.String({ pattern, description, examples: ['16:55'] });

const PremiumTable = Type.Array(
  Type.Object(
    {
      upToSeconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
      bps: Bps('Added for promises of up to `upToSeconds`; the last row also for longer ones.'),
    },
    request,
  ),
  { maxItems: MAX_PREMIUM_STEPS, description: 'Ascending in seconds, and never descending in basis points.' },
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
      description: 'How far back prices are looked at.',
    }),
    minimumReturns: Type.Integer({
      minimum: 2,
      maximum: 2_000,
      description: 'With fewer returns in the window the table is used.',
    }),
    floorBps: Bps('The premium is not less.'),
    capBps: Bps('The premium is not more.'),
  },
  request,
);
const Window = Type.Object(
  {
    pair: nullable(PairCode),
    zone: Type.String({ maxLength: 64, description: 'IANA zone.', examples: ['America/New_York'] }),
    days: Type.Array(literals(WEEKDAYS), {
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      description: 'Days on which the window begins, in the zone.',
    }),
    from: TimeOfDay('Wall-clock time, inclusive.', '^([01]\\d|2[0-3]):[0-5]\\d$'),
    to: TimeOfDay(
      'Wall-clock time, exclusive; when it is not after `from`, on the next day.',
      '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
    ),
    bps: Bps('Added while the window is open. Of several windows the widest applies.'),
  },
  request,
);

const policy = {
  validityPremium: Type.Object(
    {
      method: literals(['none', 'table', 'volatility'], {
        description: '`volatility` falls back to the table while there is too little data.',
      }),
      table: PremiumTable,
      volatility: nullable(Volatility),
    },
    request,
  ),
  marketHours: Type.Array(Window, { maxItems: MAX_WINDOWS }),
};
export const SetPricingPolicy = Type.Object(policy, request);
export type SetPricingPolicy = Static<typeof SetPricingPolicy>;
export const PricingPolicyView = Type.Object({ version: Version, ...policy });
export type PricingPolicyView = Static<typeof PricingPolicyView>;

const Usd = (description: string) => nullable(Type.String({ ...Amount, description }));
const AmountLimit = Type.Object(
  {
    customerId: nullable(Type.String({ examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] })),
    groupName: nullable(Type.String({ minLength: 1, maxLength: 64 })),
    pair: nullable(PairCode),
    minimum: Usd('Smallest amount of one trade in US dollars; null leaves it to less specific limits.'),
    maximum: Usd('Largest amount of one trade in US dollars; null leaves it to less specific limits.'),
  },
  request,
);
const limits = { limits: Type.Array(AmountLimit, { maxItems: MAX_AMOUNT_LIMITS }) };
export const SetAmountLimits = Type.Object(limits, request);
export type SetAmountLimits = Static<typeof SetAmountLimits>;
export const AmountLimitsView = Type.Object({ version: Version, ...limits });
export type AmountLimitsView = Static<typeof AmountLimitsView>;
