import { operation } from '../operation.ts';
import { choice, id, text } from '../parameters.ts';
import {
  Amount,
  CalendarDate,
  CLOSED,
  CurrencyCode,
  CustomerId,
  described,
  GroupName,
  Instant,
  line,
  literals,
  NoBody,
  named,
  nullable,
  pageOf,
  UsualLine,
  Version,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import * as examples from './answer-examples.ts';

/** Customers, and their limits. */

export const CUSTOMER_STATUSES = ['active', 'suspended'] as const;

const settings = {
  pricingDisclosure: literals(['full', 'total', 'none'], {
    description: "How much of a price's make-up is shown: components and market side, the total, or neither.",
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
    description: 'Combines payouts of one settlement run to the same account into one payment.',
  }),
  thirdPartyPayments: literals(['accept', 'hold'], {
    description:
      'What happens to deposits not known to come from the customer: matched like others, or held for an operator.',
  }),
  payerNames: Type.Array(line(140), {
    maxItems: 20,
    uniqueItems: true,
    description:
      'Other names that the customer pays under, such as a trade name; deposits from them are not held.',
  }),
  fundingMode: literals(['post_funded', 'pre_funded'], {
    description: 'Pays after execution, or from its balance at execution. Applies to new quotes.',
  }),
  proceedsToBalance: Type.Boolean({
    description: 'Credits what is bought to the balance on the value date instead of paying it out.',
  }),
};
const CustomerSettings = named('CustomerSettings', Type.Object(settings));
const ChangeSettings = named(
  'CustomerSettingsChange',
  Type.Object(
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
    { ...CLOSED, description: 'Only the given settings change.' },
  ),
);
const ExternalReference = line(100, "The operator's own reference; not unique.");

const CreateCustomer = Type.Object(
  {
    name: UsualLine,
    groupName: Type.Optional(nullable(GroupName)),
    externalReference: Type.Optional(nullable(ExternalReference)),
    settings: Type.Optional(ChangeSettings),
  },
  CLOSED,
);
const UpdateCustomer = Type.Object(
  {
    name: Type.Optional(UsualLine),
    groupName: Type.Optional(nullable(GroupName)),
    externalReference: Type.Optional(nullable(ExternalReference)),
    settings: Type.Optional(ChangeSettings),
  },
  { ...CLOSED, description: 'Omitted members keep their values; null clears.' },
);
const SuspendCustomer = Type.Object(
  { reason: Type.Optional(line(200, 'For operators only; the customer never sees it.')) },
  CLOSED,
);

export const Customer = named(
  'Customer',
  Type.Object({
    customerId: CustomerId,
    name: Type.String(),
    groupName: nullable(Type.String()),
    externalReference: nullable(Type.String()),
    status: literals(CUSTOMER_STATUSES),
    statusReason: nullable(Type.String({ description: 'Why it was suspended.' })),
    settings: CustomerSettings,
    version: Version,
    createdAt: Instant,
    updatedAt: Instant,
  }),
  examples.customer,
);
export type Customer = Static<typeof Customer>;

const Quota = named(
  'RateQuota',
  Type.Object(
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
    CLOSED,
  ),
);
const SetRates = Type.Object(
  {
    indicative: Type.Optional(Quota),
    quotes: Type.Optional(Quota),
    execute: Type.Optional(Quota),
    reads: Type.Optional(Quota),
    revalidation: Type.Optional(Quota),
    all: Type.Optional(Quota),
  },
  { ...CLOSED, description: 'Quotas by policy. Omitted ones follow the defaults.' },
);
const Rates = named(
  'RateQuotas',
  Type.Object({
    indicative: Quota,
    quotes: Quota,
    execute: Quota,
    reads: Quota,
    revalidation: Quota,
    all: Quota,
  }),
);
const moneyLimits = {
  dailyVolume: described(Amount, 'Volume that may be executed in one trade day.'),
  openPosition: described(Amount, 'Total of trades neither settled nor cancelled.'),
  singleTrade: described(Amount, 'Largest single trade.'),
};
const MaxOpenQuotes = Type.Integer({ minimum: 1, maximum: 1_000_000 });

const SetLimits = Type.Object(
  {
    currency: Type.Literal('USD'),
    ...moneyLimits,
    maxOpenQuotes: MaxOpenQuotes,
    rates: Type.Optional(SetRates),
  },
  CLOSED,
);
export const CustomerLimits = named(
  'CustomerLimits',
  Type.Object(
    { currency: CurrencyCode, ...moneyLimits, maxOpenQuotes: MaxOpenQuotes, rates: Rates },
    { description: 'In the form in which you set them.' },
  ),
);
export type CustomerLimits = Static<typeof CustomerLimits>;

const Used = named(
  'UsedLimit',
  Type.Object({
    limit: Amount,
    used: Type.String({ description: 'May exceed a limit that was lowered.' }),
    remaining: Amount,
  }),
);
const usage = {
  currency: CurrencyCode,
  tradeDate: CalendarDate,
  resetsAt: described(Instant, 'When `dailyVolume` resets: 17:00 New York.'),
  dailyVolume: Used,
  openPosition: Used,
};
export const LimitUsage = named('LimitUsage', Type.Object(usage));
export type LimitUsage = Static<typeof LimitUsage>;
export const OwnLimits = named(
  'OwnLimits',
  Type.Object({
    ...usage,
    singleTrade: Type.Object({ limit: Amount }),
    maxOpenQuotes: MaxOpenQuotes,
    rates: Rates,
  }),
);
export type OwnLimits = Static<typeof OwnLimits>;

const tag = 'Operator: customers';
const access = { audience: 'operator', scope: 'operator:customers' } as const;
const PATH = '/v1/operator/customers';
const params = { customerId: id('cus') };

export const createCustomer = operation({
  id: 'createCustomer',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Create a customer',
  description: 'It is active at once, with the default limits.',
  access,
  body: CreateCustomer,
  key: 'kept',
  versioned: true,
  answers: { 201: Customer },
});

export const listCustomers = operation({
  id: 'listCustomers',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List customers, newest first',
  description: 'Includes suspended ones.',
  access,
  query: {
    status: choice(CUSTOMER_STATUSES),
    groupName: text(64),
    search: text(64, 'Part of the name or of `externalReference`, ignoring case.'),
  },
  pages: true,
  answers: { 200: pageOf(Customer) },
});

export const getCustomer = operation({
  id: 'getCustomer',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{customerId}`,
  tag,
  summary: 'Read a customer',
  description: 'With all settings. Limits and accounts are separate resources.',
  access,
  params,
  revalidates: true,
  answers: { 200: Customer },
  problems: ['customer_not_found'],
});

export const updateCustomer = operation({
  id: 'updateCustomer',
  method: 'PATCH',
  path: `${PATH}/{customerId}`,
  tag,
  summary: 'Change a customer',
  description:
    'Omitted members and settings keep their values; null clears `groupName` and `externalReference`. Existing quotes keep their terms.',
  access,
  params,
  body: UpdateCustomer,
  conditional: 'possible',
  answers: { 200: Customer },
  problems: ['customer_not_found'],
});

export const suspendCustomer = operation({
  id: 'suspendCustomer',
  method: 'POST',
  path: `${PATH}/{customerId}/suspend`,
  tag,
  summary: 'Suspend a customer',
  description: 'It can neither quote nor execute, and its open quotes are withdrawn.',
  access,
  params,
  body: SuspendCustomer,
  optionalBody: true,
  key: 'kept',
  versioned: true,
  answers: { 200: Customer },
  problems: ['customer_not_found'],
});

export const resumeCustomer = operation({
  id: 'resumeCustomer',
  method: 'POST',
  path: `${PATH}/{customerId}/resume`,
  tag,
  summary: 'Let a suspended customer trade again',
  description:
    'Quotes that the suspension withdrew stay withdrawn. Payments that runs left out meanwhile are due again.',
  access: { ...access, fresh: true },
  params,
  body: NoBody,
  optionalBody: true,
  key: 'kept',
  versioned: true,
  answers: { 200: Customer },
  problems: ['customer_not_found'],
});

const LIMITS = `${PATH}/{customerId}/limits`;
const limits = {
  tag: 'Operator: limits',
  access: { audience: 'operator', scope: 'operator:limits' },
  params,
  problems: ['customer_not_found'],
} as const;

export const getCustomerLimits = operation({
  ...limits,
  id: 'getCustomerLimits',
  method: 'GET',
  path: LIMITS,
  summary: 'Read the limits of a customer',
  description:
    'In US dollars at the mid, with the number of open quotes and the rate limits. A policy missing from `rates` follows the default.',
  revalidates: true,
  answers: { 200: CustomerLimits },
});

export const setCustomerLimits = operation({
  ...limits,
  access: { ...limits.access, fresh: true },
  id: 'setCustomerLimits',
  method: 'PUT',
  path: LIMITS,
  summary: 'Set the limits of a customer',
  description:
    'Replaces them all; policies left out of `rates` follow the defaults. Daily volume and open position bind existing quotes too: executing one beyond them is 422 `limit_exceeded`.',
  body: SetLimits,
  conditional: 'possible',
  answers: { 200: CustomerLimits },
});

export const getLimitUsage = operation({
  ...limits,
  id: 'getLimitUsage',
  method: 'GET',
  path: `${LIMITS}/usage`,
  summary: 'Read how much of its limits a customer has used',
  description: 'Exact: this is what the next execution is checked against.',
  answers: { 200: LimitUsage },
});

export const getOwnLimits = operation({
  id: 'getOwnLimits',
  method: 'GET',
  path: '/v1/customer/limits',
  tag: 'Customer',
  summary: 'Read your limits and how much of them is used',
  description: 'In US dollars at the mid. Quotes reserve nothing: what counts is the usage when you execute.',
  access: { audience: 'customer', scope: 'transactions:read' },
  answers: { 200: OwnLimits },
});
