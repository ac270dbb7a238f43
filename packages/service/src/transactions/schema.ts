import { TRANSACTION_STATUSES } from '@firmquote/fx';
import {
  Amount,
  CalendarDate,
  ClientReference,
  CurrencyCode,
  Instant,
  literals,
  Metadata,
  nullable,
} from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { PricingSchema, RateSchema } from '../quotes/schema.ts';
import { STATUS_REASONS } from './record.ts';

export const ExecuteRequest = Type.Object(
  {
    clientReference: Type.Optional(ClientReference),
    expect: Type.Optional(
      Type.Object(
        { sellAmount: Type.Optional(Amount), buyAmount: Type.Optional(Amount) },
        {
          additionalProperties: false,
          minProperties: 1,
          description: 'Terms that the quote must have; on a difference nothing happens.',
        },
      ),
    ),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false },
);
export type ExecuteRequest = Static<typeof ExecuteRequest>;

export const TransactionParams = Type.Object({ transactionId: Type.String() });

const Money = Type.Object({ amount: Type.String(), currency: CurrencyCode });

const summaryFields = {
  transactionId: Type.String(),
  quoteId: Type.String(),
  reference: Type.String({ description: 'ISO 11649; to be given with the deposit.' }),
  status: literals(TRANSACTION_STATUSES),
  statusReason: nullable(literals(STATUS_REASONS)),
  version: Type.Integer({ minimum: 1 }),
  changeSequence: Type.Integer({ description: "Place of the newest change in the customer's event feed." }),
  sellCurrency: CurrencyCode,
  buyCurrency: CurrencyCode,
  fixedSide: literals(['sell', 'buy']),
  sellAmount: Type.String(),
  buyAmount: Type.String(),
  rate: RateSchema,
  pricing: PricingSchema,
  settlement: Type.Object({
    tradeDate: CalendarDate,
    valueDate: CalendarDate,
    originalValueDate: CalendarDate,
    fundingCutoffAt: Type.String({
      ...Instant,
      description:
        'By when the money must be there: the earlier of the cut-offs of both currencies on the value date.',
    }),
    settledAt: nullable(Instant),
  }),
  payout: Type.Object({
    status: Type.String(),
    to: Type.Optional(
      literals(['balance'], { description: 'When it goes into the balance, not to a bank.' }),
    ),
    amount: Type.String(),
    currency: CurrencyCode,
    destinationId: Type.String(),
    destinationMasked: Type.String(),
    bankReference: nullable(Type.String()),
    paidAt: nullable(Instant),
  }),
  refund: nullable(
    Type.Object(
      {},
      { additionalProperties: true, description: 'Operators also see `detail`: what the bank said.' },
    ),
  ),
  holds: Type.Array(
    Type.Object(
      { holdId: Type.String(), kind: Type.String(), placedAt: Instant },
      { additionalProperties: true },
    ),
    { description: 'What the payout waits for.' },
  ),
  failure: nullable(
    Type.Object(
      { code: Type.String(), at: Instant },
      { additionalProperties: true, description: 'Operators also see `detail`: what the bank said.' },
    ),
  ),
  clientReference: nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  createdAt: Instant,
  updatedAt: Instant,
};

const fundingFields = {
  mode: Type.String(),
  expected: Money,
  received: Type.String(),
  outstanding: Type.String(),
  excess: Type.String(),
  shortfall: Type.String({ description: 'What was forgiven of a short payment.' }),
};

const Deposit = Type.Object({
  depositId: Type.String(),
  amount: Type.String(),
  receivedAt: Instant,
  bookedOn: Type.Optional(CalendarDate),
  valueDate: CalendarDate,
  remitterName: nullable(Type.String()),
  matchedBy: literals(['auto', 'manual']),
  matchRule: Type.String(),
  allocatedAmount: Type.String(),
});

export const TransactionAnswer = Type.Object({
  ...summaryFields,
  funding: Type.Object({
    ...fundingFields,
    deposits: Type.Array(Deposit),
    instructions: Type.Object(
      { reference: Type.String(), dueBy: Instant },
      {
        additionalProperties: true,
        description:
          'The account to pay to; with `virtualAccount` it is your own, by which payments without the reference are known too.',
      },
    ),
  }),
  timeline: Type.Array(
    Type.Object(
      {
        sequence: Type.Integer(),
        at: Instant,
        status: Type.String(),
        actor: Type.String(),
        code: Type.String(),
      },
      { additionalProperties: true },
    ),
  ),
  nextPollAfterSeconds: nullable(Type.Integer()),
});

export const TransactionList = Type.Object({
  items: Type.Array(Type.Object({ ...summaryFields, funding: Type.Object(fundingFields) })),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

const text = (description: string) => Type.Optional(Type.String({ description }));
export const TransactionQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: `Repeatable or comma list of: ${TRANSACTION_STATUSES.join(', ')}.`,
      }),
    ),
    createdFrom: text('RFC 3339, inclusive.'),
    createdTo: text('RFC 3339, exclusive.'),
    updatedFrom: text('RFC 3339, inclusive.'),
    updatedTo: text('RFC 3339, exclusive.'),
    valueDateFrom: text('Date, inclusive.'),
    valueDateTo: text('Date, inclusive.'),
    sellCurrency: text('ISO 4217 code.'),
    buyCurrency: text('ISO 4217 code.'),
    pair: text('Six letters in market order.'),
    quoteId: text('Exact.'),
    clientReference: text('Exact.'),
    reference: text('Exact.'),
    minSellAmount: text('Inclusive; needs sellCurrency.'),
    maxSellAmount: text('Inclusive; needs sellCurrency.'),
    sort: text('-createdAt (default), createdAt, updatedAt or valueDate.'),
    limit: text('1 to 200, default 50.'),
    cursor: text('From nextCursor; bound to filters and sort.'),
  },
  { additionalProperties: false },
);
