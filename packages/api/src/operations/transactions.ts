import { TRANSACTION_STATUSES } from '@firmquote/fx';
import { operation } from '../operation.ts';
import {
  byDefault,
  choice,
  date,
  id,
  instant,
  list,
  strictCurrency,
  strictId,
  strictPair,
  text,
} from '../parameters.ts';
import { KEYED, REPLACE } from '../problem-groups.ts';
import {
  Amount,
  CalendarDate,
  ClientReference,
  CurrencyCode,
  described,
  Instant,
  literals,
  Metadata,
  Money,
  named,
  nullable,
  PairCode,
  pageOf,
  RateText,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import * as examples from './examples.ts';
import { EstimatedCurrencies, PricingSchema, quoteParams, RateSchema } from './quotes.ts';

/** Executing a quote, and the transaction that comes of it. */

/** Why a transaction is where it is, as customers read it. */
export const STATUS_REASONS = [
  'funding_not_received',
  'funding_short',
  'deposit_returned',
  'payout_rejected',
  'payout_returned',
  'beneficiary_invalid',
  'client_request',
  'trade_error',
  'compliance_rejected',
  'closed_out',
] as const;
export type StatusReason = (typeof STATUS_REASONS)[number];
export const PAYOUT_STATUSES = ['pending', 'sent', 'paid', 'rejected', 'returned', 'cancelled'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];
/** What a payout can wait for. */
export const HOLD_KINDS = ['screening', 'review', 'documents'] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

export const ExecuteRequest = named(
  'ExecuteRequest',
  Type.Object(
    {
      clientReference: Type.Optional(ClientReference),
      expect: Type.Optional(
        Type.Object(
          { sellAmount: Type.Optional(Amount), buyAmount: Type.Optional(Amount) },
          {
            additionalProperties: false,
            minProperties: 1,
            description: 'Terms that the quote must have; otherwise nothing happens.',
          },
        ),
      ),
      metadata: Type.Optional(Metadata),
    },
    { additionalProperties: false },
  ),
);
export type ExecuteRequest = Static<typeof ExecuteRequest>;

export const TransactionStatus = named('TransactionStatus', literals(TRANSACTION_STATUSES));
const StatusReason = named('TransactionStatusReason', literals(STATUS_REASONS));

const Hold = named(
  'PayoutHold',
  Type.Object({ holdId: Type.String(), kind: literals(HOLD_KINDS), placedAt: Instant }),
);
const said = {
  detail: Type.Optional(nullable(Type.String({ description: 'What the bank said; for operators only.' }))),
};
export const Refund = named(
  'Refund',
  Type.Object(
    {
      status: literals(['pending', 'paid', 'failed']),
      amount: Type.String(),
      currency: CurrencyCode,
      reason: Type.String({ description: 'Why the transaction was cancelled, or `excess`.' }),
      bankReference: nullable(Type.String()),
      attempt: Type.Optional(Type.Integer({ description: 'From the second refund of the transaction on.' })),
      paidAt: Type.Optional(Instant),
      failure: Type.Optional(
        literals(['rejected', 'returned'], { description: 'The bank refused it, or it came back.' }),
      ),
      paidAttempts: Type.Optional(
        Type.Array(Type.Integer(), { description: 'Earlier refunds of the transaction that were paid.' }),
      ),
      ...said,
    },
    { description: 'Money that goes back.' },
  ),
);
const PayoutFailure = named(
  'PayoutFailure',
  Type.Object(
    { code: literals(['payout_rejected', 'payout_returned', 'beneficiary_invalid']), at: Instant, ...said },
    { description: 'Why the payout did not arrive.' },
  ),
);
export const CloseOut = named(
  'CloseOut',
  Type.Object(
    {
      pair: PairCode,
      rate: RateText,
      asOf: Instant,
      currency: CurrencyCode,
      result: literals(['none', 'gain', 'loss']),
      amount: Type.String(),
      charged: Type.String({ description: 'The part of a loss that the customer bears.' }),
    },
    { description: 'For a transaction closed out at the market.' },
  ),
);
export type CloseOut = Static<typeof CloseOut>;
const timelineEntryFields = {
  sequence: Type.Integer(),
  at: Instant,
  status: TransactionStatus,
  actor: literals(['client', 'operator', 'risk', 'matcher', 'bank_feed', 'system']),
  code: Type.String(),
  depositId: Type.Optional(Type.String()),
  matchRule: Type.Optional(Type.String()),
  amount: Type.Optional(Type.String()),
  currency: Type.Optional(CurrencyCode),
  reason: Type.Optional(Type.String()),
  valueDate: Type.Optional(CalendarDate),
  previousValueDate: Type.Optional(CalendarDate),
  destinationMasked: Type.Optional(Type.String()),
  holdId: Type.Optional(Type.String()),
  kind: Type.Optional(literals(HOLD_KINDS)),
  closeOut: Type.Optional(CloseOut),
};
const OF_STEP = { description: 'A change, with the members of its `code`.' };
const TimelineEntry = named('TimelineEntry', Type.Object(timelineEntryFields, OF_STEP));
/** What a step tells beside what every one has. */
export type StepDetail = Omit<Static<typeof TimelineEntry>, 'sequence' | 'at' | 'status' | 'actor' | 'code'>;
const stepActor = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(per|cli)_', description }));
/** A change as operators see it. */
export const OperatorTimelineEntry = named(
  'OperatorTimelineEntry',
  Type.Object(
    {
      ...timelineEntryFields,
      by: stepActor(
        'The person or client who did or proposed it. Absent if the service did it, and for changes made before this was recorded.',
      ),
      approvedBy: stepActor('Who approved it, where it took two.'),
    },
    OF_STEP,
  ),
);
const FundingInstructions = named(
  'FundingInstructions',
  Type.Object(
    {
      accountHolder: Type.Optional(Type.String()),
      bankName: Type.Optional(nullable(Type.String())),
      bic: Type.Optional(nullable(Type.String())),
      accountNumber: Type.Optional(nullable(Type.String())),
      routingNumber: Type.Optional(nullable(Type.String())),
      iban: Type.Optional(nullable(Type.String())),
      rails: Type.Optional(Type.Array(Type.String())),
      virtualAccount: Type.Optional(nullable(Type.String())),
      reference: Type.String(),
      dueBy: Instant,
    },
    {
      description:
        'The account to pay to; with `virtualAccount` it is your own, and payments without the reference are recognised too.',
    },
  ),
);

const Settlement = named(
  'TransactionSettlement',
  Type.Object({
    tradeDate: CalendarDate,
    valueDate: CalendarDate,
    originalValueDate: CalendarDate,
    fundingCutoffAt: described(
      Instant,
      "When the money must have arrived: the earlier of both currencies' cut-offs on the value date.",
    ),
    settledAt: nullable(Instant),
    estimatedCurrencies: Type.Optional(EstimatedCurrencies),
  }),
);
const Payout = named(
  'Payout',
  Type.Object({
    status: literals(PAYOUT_STATUSES),
    to: Type.Optional(literals(['balance'], { description: 'If it goes to the balance, not to a bank.' })),
    amount: Type.String(),
    currency: CurrencyCode,
    destinationId: Type.String(),
    destinationMasked: Type.String(),
    bankReference: nullable(Type.String()),
    paidAt: nullable(Instant),
  }),
);

export const summaryFields = {
  transactionId: Type.String(),
  quoteId: Type.String(),
  reference: Type.String({ description: 'ISO 11649; give it with the payment.' }),
  status: TransactionStatus,
  statusReason: nullable(StatusReason),
  version: Type.Integer({ minimum: 1 }),
  changeSequence: Type.Integer({ description: "Place of the newest change in the customer's event feed." }),
  sellCurrency: CurrencyCode,
  buyCurrency: CurrencyCode,
  fixedSide: literals(['sell', 'buy']),
  sellAmount: Type.String(),
  buyAmount: Type.String(),
  rate: RateSchema,
  pricing: PricingSchema,
  settlement: Settlement,
  payout: Payout,
  refund: nullable(Refund),
  holds: Type.Array(Hold, { description: 'What the payout waits for.' }),
  failure: nullable(PayoutFailure),
  clientReference: nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  createdAt: Instant,
  updatedAt: Instant,
};

const fundingFields = {
  mode: literals(['post_funded', 'pre_funded']),
  expected: Money,
  received: Type.String(),
  outstanding: Type.String(),
  excess: Type.String(),
  shortfall: Type.String({ description: 'What was forgiven of a short payment.' }),
};

const MatchedDeposit = named(
  'MatchedDeposit',
  Type.Object({
    depositId: Type.String(),
    amount: Type.String(),
    receivedAt: Instant,
    bookedOn: Type.Optional(CalendarDate),
    valueDate: CalendarDate,
    remitterName: nullable(Type.String()),
    matchedBy: literals(['auto', 'manual']),
    matchRule: Type.String(),
    allocatedAmount: Type.String(),
  }),
);

export const transactionFields = {
  ...summaryFields,
  funding: named(
    'TransactionFunding',
    Type.Object({
      ...fundingFields,
      deposits: Type.Array(MatchedDeposit),
      instructions: FundingInstructions,
    }),
  ),
  timeline: Type.Array(TimelineEntry, { description: 'What happened, oldest first.' }),
  nextPollAfterSeconds: nullable(
    Type.Integer({ description: 'When to look again; null when nothing will change.' }),
  ),
};

export const Transaction = named('Transaction', Type.Object(transactionFields), examples.executed);
/** An item of a list: without timeline and instructions. */
export const itemFields = { ...summaryFields, funding: named('FundingSummary', Type.Object(fundingFields)) };
const TransactionSummary = named('TransactionSummary', Type.Object(itemFields));

const tag = 'Transactions';
const access = { audience: 'customer', scope: 'transactions:read' } as const;
const PATH = '/v1/customer/transactions';
export const transactionParams = { transactionId: id('txn') };
export const SORTS = ['-createdAt', 'createdAt', 'updatedAt', 'valueDate'] as const;

export const executeQuote = operation({
  id: 'executeQuote',
  audited: 'own',
  method: 'POST',
  path: '/v1/customer/quotes/{quoteId}/execute',
  tag: 'Quotes',
  summary: 'Execute a quote',
  description: 'Trades at the quoted price, exactly once, and returns the transaction.',
  access: { audience: 'customer', scope: 'trades:execute' },
  rate: 'execute',
  params: quoteParams,
  body: ExecuteRequest,
  optionalBody: true,
  key: 'own',
  conditional: 'possible',
  signs: true,
  tellsNow: ['Firmquote-Current-Status'],
  answers: { 201: Transaction },
  problems: [
    ...KEYED,
    ...REPLACE,
    'idempotency_key_required',
    'quote_not_found',
    'quote_expired',
    'quote_cancelled',
    'quote_withdrawn',
    'quote_already_executed',
    'quote_terms_mismatch',
    'amount_precision_invalid',
    'limit_exceeded',
    'market_closed',
    'price_unavailable',
    'settlement_instructions_missing',
  ],
  example: examples.execution,
});

export const listTransactions = operation({
  id: 'listTransactions',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List transactions',
  description: 'A summary of each. To follow changes without loss, read events instead.',
  access,
  rate: 'reads',
  query: {
    status: list(TRANSACTION_STATUSES),
    createdFrom: instant('Inclusive.'),
    createdTo: instant('Exclusive.'),
    updatedFrom: instant('Inclusive.'),
    updatedTo: instant('Exclusive.'),
    valueDateFrom: date('Inclusive.'),
    valueDateTo: date('Inclusive.'),
    sellCurrency: strictCurrency(),
    buyCurrency: strictCurrency(),
    pair: strictPair(),
    quoteId: strictId('quote'),
    clientReference: text(64, 'Exact.'),
    reference: text(25, 'Exact.'),
    minSellAmount: text(24, 'Inclusive; needs sellCurrency.'),
    maxSellAmount: text(24, 'Inclusive; needs sellCurrency.'),
    sort: byDefault(choice(SORTS), '-createdAt'),
  },
  pages: true,
  answers: { 200: pageOf(TransactionSummary) },
});

export const getTransaction = operation({
  id: 'getTransaction',
  method: 'GET',
  path: `${PATH}/{transactionId}`,
  tag,
  summary: 'Read a transaction',
  description:
    'For polling until settlement: `nextPollAfterSeconds` says when to look again, and `Prefer: wait` with `If-None-Match` holds the response until something changes.',
  access,
  rate: 'reads',
  params: transactionParams,
  revalidates: true,
  waits: true,
  signs: true,
  answers: {
    200: {
      description: 'Done.',
      content: { 'application/json': Transaction },
      headers: { 'Retry-After': 'As `nextPollAfterSeconds`, if it is not null.' },
    },
  },
  problems: ['transaction_not_found'],
  example: examples.transaction,
});
