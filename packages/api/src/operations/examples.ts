/** One trade from the first look at its price to its settlement, as examples of the operations on its way. */

/** As everywhere in examples. */
export const ids = {
  clientId: 'cli_01jp0000000000000000000000',
  customerId: 'cus_01jngx7z5d2m8r4v6t9k3b1c0a',
  quoteId: 'quote_01jngx7z5d2m8r4v6t9k3b1c0a',
  transactionId: 'txn_01jngx8a3f6n9t2w5y7k4b0c1d',
  depositId: 'dep_01jngx9b4g7p0v3x6z8m5c1d2e',
  destinationId: 'ssi_01jngx6y4c1k7q3t5s8j2a0b9z',
};
const REFERENCE = 'RF06314546685847';
const DUE_BY = '2026-03-06T13:30:00.000Z';
const asked = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell' };
const amounts = { ...asked, sellAmount: '100000.00', buyAmount: '91987.01' };
const rate = {
  pair: 'EURUSD',
  baseCurrency: 'EUR',
  quoteCurrency: 'USD',
  side: 'ask',
  value: '1.08711',
  inverse: '0.9198701143',
  mid: '1.08491',
  market: '1.08494',
  asOf: '2026-03-04T14:30:00.112Z',
};
const pricing = {
  spreadBps: '20.00',
  components: [{ type: 'customer_spread', bps: '20.00' }],
  markup: { amount: '183.99', currency: 'EUR' },
  costVsMidBps: '20.28',
  reference: { provider: 'ECB', rate: '1.08560', date: '2026-03-03', differencePercent: '0.14' },
  fees: [],
};
const dates = { tradeDate: '2026-03-04', valueDate: '2026-03-06' };
const own = { clientReference: 'INV-2291', metadata: { costCentre: '4410' } };

export const token = {
  body: {
    client_id: ids.clientId,
    client_secret: 'the secret that was shown once',
    audience: 'https://fx.example.com',
    grant_type: 'client_credentials',
  },
  answer: { access_token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl', token_type: 'Bearer', expires_in: 86_400 },
};

export const indicative = {
  body: { ...asked, amount: '100000.00' },
  answer: {
    type: 'indicative',
    ...amounts,
    tradable: true,
    rate: { ...rate, ageMs: 140 },
    pricing,
    settlement: { tenor: 'spot', ...dates },
    market: { state: 'open', closesAt: '2026-03-06T22:00:00.000Z' },
  },
};

export const openQuote = {
  quoteId: ids.quoteId,
  type: 'firm',
  status: 'open',
  statusReason: null,
  version: 1,
  ...amounts,
  rate,
  pricing,
  settlement: { tenor: 'spot', ...dates, fundingMode: 'post_funded', fundingCutoffAt: DUE_BY },
  validitySeconds: 30,
  validForMs: 29_860,
  validityTruncated: false,
  createdAt: '2026-03-04T14:30:00.252Z',
  expiresAt: '2026-03-04T14:30:30.252Z',
  executedAt: null,
  cancelledAt: null,
  transactionId: null,
  ...own,
};

export const quote = {
  body: { ...asked, amount: '100000.00', tenor: 'spot', validitySeconds: 30, ...own },
};

const funding = {
  mode: 'post_funded',
  expected: { amount: '100000.00', currency: 'USD' },
  received: '0.00',
  outstanding: '100000.00',
  excess: '0.00',
  shortfall: '0.00',
  deposits: [] as readonly object[],
  instructions: {
    accountHolder: 'Example FX Client Money',
    bankName: 'Example Bank',
    bic: 'EXAMUS33XXX',
    accountNumber: '9876543210',
    routingNumber: '021000021',
    iban: null,
    rails: ['fedwire', 'swift'],
    reference: REFERENCE,
    dueBy: DUE_BY,
  },
};
const payout = {
  status: 'pending',
  amount: '91987.01',
  currency: 'EUR',
  destinationId: ids.destinationId,
  destinationMasked: 'DE** **** 3000',
  bankReference: null as string | null,
  paidAt: null as string | null,
};
const executedAt = '2026-03-04T14:30:09.331Z';
const settlement = { ...dates, originalValueDate: '2026-03-06', fundingCutoffAt: DUE_BY };
export const executed = {
  transactionId: ids.transactionId,
  quoteId: ids.quoteId,
  reference: REFERENCE,
  status: 'awaiting_funds',
  statusReason: null,
  version: 1,
  changeSequence: 2,
  ...amounts,
  rate,
  pricing,
  settlement: { ...settlement, settledAt: null },
  funding,
  payout,
  refund: null,
  holds: [],
  failure: null,
  ...own,
  createdAt: executedAt,
  updatedAt: executedAt,
  timeline: [{ sequence: 1, at: executedAt, status: 'awaiting_funds', actor: 'client', code: 'executed' }],
  nextPollAfterSeconds: 900,
};

export const execution = { body: { clientReference: 'INV-2291' } };

const receivedAt = '2026-03-05T09:12:40.000Z';
const fundedAt = '2026-03-05T09:12:41.118Z';
const settledAt = '2026-03-06T09:40:02.000Z';
const matched = { depositId: ids.depositId, matchRule: 'reference_exact' };
export const transaction = {
  answer: {
    ...executed,
    status: 'settled',
    version: 4,
    changeSequence: 7,
    settlement: { ...settlement, settledAt },
    funding: {
      ...funding,
      received: '100000.00',
      outstanding: '0.00',
      deposits: [
        {
          ...matched,
          amount: '100000.00',
          receivedAt,
          bookedOn: '2026-03-05',
          valueDate: '2026-03-05',
          remitterName: 'ACME LTD',
          matchedBy: 'auto',
          allocatedAmount: '100000.00',
        },
      ],
    },
    payout: { ...payout, status: 'paid', bankReference: '2026030600004711', paidAt: settledAt },
    updatedAt: settledAt,
    timeline: [
      ...executed.timeline,
      { sequence: 2, at: fundedAt, status: 'funded', actor: 'matcher', code: 'deposit_matched', ...matched },
      {
        sequence: 3,
        at: '2026-03-06T06:00:00.410Z',
        status: 'settling',
        actor: 'system',
        code: 'settlement_started',
      },
      { sequence: 4, at: settledAt, status: 'settled', actor: 'bank_feed', code: 'payout_confirmed' },
    ],
    nextPollAfterSeconds: null,
  },
};

const eventId = 'evt_01jngx8a3fen9t2w5w00000002';
const created = { eventId, sequence: 2 };
export const events = {
  answer: {
    items: [
      {
        ...created,
        type: 'transaction.created',
        timestamp: executedAt,
        data: {
          ...created,
          quoteId: ids.quoteId,
          transactionId: ids.transactionId,
          version: 1,
          status: 'awaiting_funds',
          previousStatus: null,
          clientReference: 'INV-2291',
        },
      },
    ],
    lastEventId: eventId,
    hasMore: false,
    missed: 0,
  },
};

const money = { currency: 'USD', amount: '100000.00' };
const allocated = { allocatedAmount: '100000.00', excessAmount: '0.00', returnedAmount: '0.00' };
export const ownDeposits = {
  answer: {
    items: [
      {
        depositId: ids.depositId,
        status: 'matched',
        version: 1,
        ...money,
        ...allocated,
        unallocatedAmount: '0.00',
        remitterName: 'ACME LTD',
        remittanceText: REFERENCE,
        valueDate: '2026-03-05',
        receivedAt,
        allocations: [
          {
            to: 'transaction',
            transactionId: ids.transactionId,
            amount: '100000.00',
            excessAmount: '0.00',
            at: fundedAt,
          },
        ],
        returns: [],
        updatedAt: fundedAt,
      },
    ],
    nextCursor: null,
    hasMore: false,
  },
};

/** Money that nothing was known for, as operators see it. */
export const unmatched = {
  depositId: ids.depositId,
  status: 'unmatched',
  exception: { type: 'unmatched', reason: 'no_reference' },
  version: 1,
  account: '9876543210',
  ...money,
  ...allocated,
  allocatedAmount: '0.00',
  bookedAs: null,
  remitterName: 'ACME LTD',
  remitterAccount: null,
  virtualAccount: null,
  remittanceText: null,
  valueDate: '2026-03-05',
  bookedOn: null,
  missingSince: null,
  receivedAt,
  bankReference: '2026030500001234',
  source: 'operator',
  customerId: null,
  allocations: [],
  returns: [],
  createdAt: fundedAt,
  updatedAt: fundedAt,
};
export const recordedDeposit = {
  body: { bankReference: '2026030500001234', ...money, remitterName: 'ACME LTD' },
};
export const sandboxDeposit = { body: { reference: 'PO 1', ...money, remitterName: 'ACME LTD' } };
