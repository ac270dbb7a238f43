import { Amount, CalendarDate, CurrencyCode, Instant, literals, nullable } from '../http/schema.ts';
import { type Static, type TSchema, Type } from '../platform/typebox.ts';

/** What the customers room takes and answers (docs/interface.md#operators). */

export const request = { additionalProperties: false } as const;

/** Text for people: no control characters, which neither logs nor payment files take, and not blank. */
export function text(maxLength: number, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$',
    ...(description === undefined ? {} : { description }),
  });
}

export const CustomerId = Type.String({ examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] });
export const Version = Type.Integer({ minimum: 1, description: 'The number in the `ETag`.' });
export const CustomerStatus = ['active', 'suspended'] as const;

const settings = {
  pricingDisclosure: literals(['full', 'total', 'none'], {
    description:
      'How much of the make-up of a price answers show: components and market side, the total, or neither.',
  }),
  requireStatusCheck: Type.Boolean({ description: '`execute` without `If-Match` is refused with 428.' }),
  requireIdempotencyKey: Type.Boolean({
    description: 'Every POST that changes something needs an `Idempotency-Key`.',
  }),
  permittedValidities: Type.Array(Type.Integer({ minimum: 1, maximum: 86_400 }), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: 'Values that `validitySeconds` of a quote may take.',
  }),
  amountRounding: literals(['half_up', 'house'], { description: 'How derived amounts are rounded.' }),
  paymentNetting: Type.Boolean({
    description: 'Payouts of one settlement run to one account of the customer go in one payment.',
  }),
  thirdPartyPayments: literals(['accept', 'hold'], {
    description:
      'Deposits that are not known to be paid by the customer itself: matched like others, or held for an operator.',
  }),
  payerNames: Type.Array(text(140), {
    maxItems: 20,
    uniqueItems: true,
    description:
      'Other names under which the customer pays, such as a trade name; `thirdPartyPayments` does not hold them.',
  }),
  fundingMode: literals(['post_funded', 'pre_funded'], {
    description: 'Pays after executing, or from its balance in the execution. Holds for quotes from then on.',
  }),
  proceedsToBalance: Type.Boolean({
    description: 'What is bought is credited to the balance on the value date instead of being paid out.',
  }),
};
const SettingsInput = Type.Object(
  {
    pricingDisclosure: Type.Optional(settings.pricingDisclosure),
    requireStatusCheck: Type.Optional(settings.requireStatusCheck),
    requireIdempotencyKey: Type.Optional(settings.requireIdempotencyKey),
    permittedValidities: Type.Optional(settings.permittedValidities),
    amountRounding: Type.Optional(settings.amountRounding),
    paymentNetting: Type.Optional(settings.paymentNetting),
    thirdPartyPayments: Type.Optional(settings.thirdPartyPayments),
    payerNames: Type.Optional(settings.payerNames),
    fundingMode: Type.Optional(settings.fundingMode),
    proceedsToBalance: Type.Optional(settings.proceedsToBalance),
  },
  request,
);

export const GroupName = text(64, 'Customers of a group share spread rules.');
const ExternalReference = text(100, "The operator's own reference; not unique.");

export const CreateCustomer = Type.Object(
  {
    name: text(200),
    groupName: Type.Optional(nullable(GroupName)),
    externalReference: Type.Optional(nullable(ExternalReference)),
    settings: Type.Optional(SettingsInput),
  },
  request,
);
export type CreateCustomer = Static<typeof CreateCustomer>;

export const UpdateCustomer = Type.Object(
  {
    name: Type.Optional(text(200)),
    groupName: Type.Optional(nullable(GroupName)),
    externalReference: Type.Optional(nullable(ExternalReference)),
    settings: Type.Optional(SettingsInput),
  },
  { ...request, description: 'What is absent stays, null clears. Settings are changed one by one.' },
);
export type UpdateCustomer = Static<typeof UpdateCustomer>;

/** Nothing, or an empty object. */
export const NoBody = nullable(Type.Object({}, request));

export const SuspendCustomer = nullable(
  Type.Object(
    { reason: Type.Optional(text(200, 'For operators only; the customer never sees it.')) },
    request,
  ),
);
export type SuspendCustomer = Static<typeof SuspendCustomer> | undefined;

export const Customer = Type.Object({
  customerId: CustomerId,
  name: Type.String(),
  groupName: nullable(Type.String()),
  externalReference: nullable(Type.String()),
  status: literals(CustomerStatus),
  statusReason: nullable(Type.String()),
  settings: Type.Object(settings),
  version: Version,
  createdAt: Instant,
  updatedAt: Instant,
});
export type Customer = Static<typeof Customer>;

export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: nullable(Type.String()),
    hasMore: Type.Boolean(),
  });
}
export const PageQuery = {
  limit: Type.Optional(Type.String({ pattern: '^[0-9]+$', description: '1 to 200, by default 50.' })),
  cursor: Type.Optional(Type.String({ description: '`nextCursor` of the page before.' })),
};
export const CustomersQuery = Type.Object({
  status: Type.Optional(literals(CustomerStatus)),
  groupName: Type.Optional(Type.String()),
  ...PageQuery,
});

const Quota = Type.Object(
  {
    perMinute: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Requests at once; by default a minute's worth.",
      }),
    ),
  },
  request,
);
const RatesInput = Type.Object(
  {
    indicative: Type.Optional(Quota),
    quotes: Type.Optional(Quota),
    execute: Type.Optional(Quota),
    reads: Type.Optional(Quota),
    revalidation: Type.Optional(Quota),
    all: Type.Optional(Quota),
  },
  { ...request, description: "Quotas by policy. Those left out follow the service's defaults." },
);
const Rates = Type.Object({
  indicative: Quota,
  quotes: Quota,
  execute: Quota,
  reads: Quota,
  revalidation: Quota,
  all: Quota,
});
const moneyLimits = {
  dailyVolume: Type.String({ ...Amount, description: 'Volume that may be executed in one trade day.' }),
  openPosition: Type.String({ ...Amount, description: 'Executed and neither settled nor cancelled.' }),
  singleTrade: Type.String({ ...Amount, description: 'Largest single trade.' }),
};
const MaxOpenQuotes = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const SetLimits = Type.Object(
  {
    currency: Type.Literal('USD'),
    ...moneyLimits,
    maxOpenQuotes: MaxOpenQuotes,
    rates: Type.Optional(RatesInput),
  },
  request,
);
export type SetLimits = Static<typeof SetLimits>;

export const Limits = Type.Object({
  currency: CurrencyCode,
  ...moneyLimits,
  maxOpenQuotes: MaxOpenQuotes,
  rates: Rates,
});
export type Limits = Static<typeof Limits>;

const Used = Type.Object({
  limit: Amount,
  used: Type.String({ description: 'May be more than the limit, when that was lowered.' }),
  remaining: Amount,
});
const usage = {
  currency: CurrencyCode,
  tradeDate: CalendarDate,
  resetsAt: Type.String({ ...Instant, description: 'When `dailyVolume` starts anew: 17:00 New York.' }),
  dailyVolume: Used,
  openPosition: Used,
};
export const LimitUsage = Type.Object(usage);
export type LimitUsage = Static<typeof LimitUsage>;

export const CustomerLimits = Type.Object({
  ...usage,
  singleTrade: Type.Object({ limit: Amount }),
  maxOpenQuotes: MaxOpenQuotes,
  rates: Rates,
});
export type CustomerLimits = Static<typeof CustomerLimits>;
