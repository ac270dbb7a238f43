import { ids } from './examples.ts';
import { REQUEST_EXAMPLES } from './request-examples.ts';

/** What operations answer beside a trade, as examples of the schemas that many of them share. */

const PERSON_ID = 'per_01jngx7z5d2r4v6t9k3b1c0a8m';

export const approval = {
  approvalId: 'apr_01jngx9d7k0s3y6a9c1q8f4g5h',
  kind: 'limits',
  subject: `${ids.customerId} limits`,
  request: {
    operationId: 'setCustomerLimits',
    params: { customerId: ids.customerId },
    query: {},
    body: REQUEST_EXAMPLES.setCustomerLimits,
    ifMatch: null,
  },
  reason: 'larger programme agreed',
  why: ['The policy requires two people.'],
  effects: [{ at: '/dailyVolume', before: '2000000.00', after: '5000000.00' }],
  effectsDigest: '6f1ed002ab5595859014ebf0951522d9',
  affected: [],
  result: null,
  status: 'pending',
  proposedBy: ids.clientId,
  proposedByPerson: PERSON_ID,
  proposedAt: '2026-03-05T10:15:00.000Z',
  decidedBy: null,
  decidedByPerson: null,
  decidedAt: null,
  note: null,
};

export const customer = {
  customerId: ids.customerId,
  name: 'Acme Ltd',
  groupName: 'gold',
  externalReference: 'CRM-1042',
  status: 'active',
  statusReason: null,
  settings: {
    pricingDisclosure: 'full',
    requireStatusCheck: false,
    requireIdempotencyKey: true,
    permittedValidities: [10, 30, 60, 300],
    amountRounding: 'half_up',
    paymentNetting: false,
    thirdPartyPayments: 'accept',
    payerNames: [],
    fundingMode: 'post_funded',
    proceedsToBalance: false,
  },
  version: 3,
  createdAt: '2026-03-02T09:00:00.000Z',
  updatedAt: '2026-03-03T11:20:45.318Z',
};

export const balances = {
  items: [{ currency: 'EUR', available: '25000.00' }],
  debts: [],
  topUpReference: 'RF63161803398874',
};

export const topUp = {
  bankReference: '2026030500001234',
  currency: 'USD',
  amount: '100000.00',
  status: 'reversed',
  bookedAt: '2026-03-05T10:12:30.118Z',
  bookedBy: 'per_01jngx7z5d2r4v6t9k3b1c0a8m',
  depositId: null,
  reversedAt: '2026-03-05T10:20:01.502Z',
  reversedBy: 'per_01jngx7z5d2r4v6t9k3b1c0a8m',
  reason: 'entered for the wrong customer',
  owedAmount: '0.00',
};

export const withdrawal = {
  withdrawalId: 'wdr_01jngx9c6j9r2x5z8b0p7e3f4g',
  reference: 'RF50271828182845',
  status: 'paid',
  currency: 'EUR',
  amount: '5000.00',
  destinationId: ids.destinationId,
  destinationMasked: 'DE** **** 3000',
  clientReference: 'WD-17',
  bankReference: '2026030600004714',
  paidAt: '2026-03-06T09:40:02.000Z',
  failure: null,
  version: 2,
  createdAt: '2026-03-05T15:02:11.640Z',
  updatedAt: '2026-03-06T09:40:03.207Z',
};

export const person = {
  personId: PERSON_ID,
  email: 'ada@example.com',
  name: 'Ada',
  status: 'active',
  roles: ['dealer'],
  invitationEndsAt: null,
  createdAt: '2026-03-02T09:00:00.000Z',
  updatedAt: '2026-03-02T09:12:30.551Z',
};
