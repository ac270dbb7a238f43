import { TRANSACTION_STATUSES } from '@firmquote/fx';
import { CalendarDate, Instant, LINE_PATTERN, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { TransactionAnswer, TransactionList } from '../transactions/schema.ts';
import { HOLD_KINDS } from './holds.ts';
import { ROLL_REASONS } from './roll-value-date.ts';
import { WORK } from './search-transactions.ts';
import { UNWIND_REASONS } from './unwind-changes.ts';

const CustomerId = Type.String({ examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] });
const ExecutedBy = nullable(
  Type.String({
    description: 'The OAuth client that executed.',
    examples: ['cli_01jp0000000000000000000000'],
  }),
);
const FundsMissingSince = nullable(
  Type.String({
    format: 'date-time',
    description:
      'Since when the statements of the bank do not list money that a notification told of and that paid this: no payout is released, and no settlement run takes it.',
  }),
);
const strict = { additionalProperties: false };

/** A transaction as operators see it: as its customer does, and whose it is. */
export const OperatorTransaction = Type.Object({
  customerId: CustomerId,
  executedBy: ExecutedBy,
  fundsMissingSince: FundsMissingSince,
  ...TransactionAnswer.properties,
});
export const OperatorTransactionList = Type.Object({
  items: Type.Array(
    Type.Object({
      customerId: CustomerId,
      executedBy: ExecutedBy,
      fundsMissingSince: FundsMissingSince,
      ...TransactionList.properties.items.items.properties,
    }),
  ),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

const text = (description: string) => Type.Optional(Type.String({ description }));
export const OperatorTransactionQuery = Type.Object({
  status: text(`Repeatable or comma list of: ${TRANSACTION_STATUSES.join(', ')}.`),
  customerId: text('Only trades of this customer.'),
  reference: text('The payment reference.'),
  clientReference: text("The customer's own reference."),
  currency: text('Sold or bought.'),
  minAmount: text('With currency: at least so much of it is sold or bought.'),
  maxAmount: text('With currency: at most so much of it is sold or bought.'),
  tradeDateFrom: text('First trade date.'),
  tradeDateTo: text('Last trade date.'),
  valueDateFrom: text('First value date.'),
  valueDateTo: text('Last value date.'),
  held: text('`true`: a hold stands against the payout; `false`: none does.'),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});

export const WorkCounts = Type.Object({
  items: Type.Array(
    Type.Object({
      work: literals(WORK),
      count: Type.Integer({ description: 'Counted up to 1,000.' }),
      isMore: Type.Boolean({ description: 'There are more than were counted.' }),
    }),
  ),
});

const COMMANDS = [
  'settle',
  'payout-confirmed',
  'payout-failed',
  'retry-payout',
  'redirect-payout',
  'refund-paid',
  'refund-failed',
  'retry-refund',
] as const;
/** Transactions in one request. */
const COMMANDED_MAX = 100; // limit: Transactions in one command
const commandLine = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description }));
export const CommandMany = Type.Object(
  {
    command: literals(COMMANDS, { description: 'As the routes of one transaction are called.' }),
    items: Type.Array(
      Type.Object(
        {
          transactionId: Type.String({ maxLength: 64 }),
          version: Type.Optional(
            Type.Integer({ minimum: 1, description: 'Only when the transaction has this version.' }),
          ),
          bankReference: commandLine(140, 'Of payout-confirmed and refund-paid.'),
          reason: Type.Optional(
            literals(['payout_rejected', 'payout_returned', 'beneficiary_invalid'], {
              description: 'Of payout-failed.',
            }),
          ),
          detail: commandLine(500, 'Of payout-failed and refund-failed: what the bank said.'),
        },
        strict,
      ),
      { minItems: 1, maxItems: COMMANDED_MAX },
    ),
  },
  strict,
);
export type CommandMany = Static<typeof CommandMany>;

export const CommandOutcomes = Type.Object({
  items: Type.Array(
    Type.Object({
      transactionId: Type.String(),
      outcome: literals(['done', 'refused', 'failed'], {
        description: '`failed`: for no reason of the transaction; it may be tried again.',
      }),
      status: nullable(Type.String({ description: 'Of the transaction after it.' })),
      version: nullable(Type.Integer()),
      problem: nullable(
        Type.Object(
          { code: Type.String(), status: Type.Integer(), detail: Type.String() },
          { additionalProperties: true },
        ),
      ),
    }),
    { description: 'In the order of the request.' },
  ),
});

export const NoFields = Type.Object({}, strict);

const line = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description }));

export const PayoutConfirmed = Type.Object(
  { bankReference: line(140, "The bank's reference of the payment.") },
  strict,
);
export type PayoutConfirmed = Static<typeof PayoutConfirmed>;

export const PayoutFailed = Type.Object(
  {
    reason: Type.Optional(
      literals(['payout_rejected', 'payout_returned', 'beneficiary_invalid'], {
        description: 'Default: payout_returned for a settled transaction, else payout_rejected.',
      }),
    ),
    detail: line(500, 'What the bank said.'),
  },
  strict,
);
export type PayoutFailed = Static<typeof PayoutFailed>;

export const RefundFailed = Type.Object({ detail: line(500, 'What the bank said.') }, strict);
export type RefundFailed = Static<typeof RefundFailed>;

export const Unwind = Type.Object(
  {
    reason: Type.Optional(
      literals(UNWIND_REASONS, {
        description: 'Default: closed_out for an overdue transaction, else client_request.',
      }),
    ),
    closeOutAt: Type.Optional(
      literals(['market', 'trade'], {
        description:
          'At the market the gain or loss is booked; at the trade everything is taken back as it was booked. Default: market for an overdue transaction, else trade.',
      }),
    ),
    chargeCustomer: Type.Optional(
      Type.Boolean({
        description: 'Whether the customer bears a loss. Default: FIRMQUOTE_CLOSE_OUT_CHARGE.',
      }),
    ),
  },
  strict,
);
export type Unwind = Static<typeof Unwind>;

const inner = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, pattern: LINE_PATTERN, description });

export const PlaceHold = Type.Object(
  {
    kind: literals(HOLD_KINDS, { description: 'Shown to the customer.' }),
    reason: inner('For operators only; the customer never sees it.'),
  },
  strict,
);
export type PlaceHold = Static<typeof PlaceHold>;

export const ReleaseHold = Type.Object({ reason: Type.Optional(inner('For operators only.')) }, strict);
export type ReleaseHold = Static<typeof ReleaseHold>;

export const HoldParams = Type.Object({ transactionId: Type.String(), holdId: Type.String() });
export const HoldList = Type.Object({
  items: Type.Array(
    Type.Object({
      holdId: Type.String(),
      kind: literals(HOLD_KINDS),
      reason: Type.String(),
      placedBy: Type.String({ description: 'The OAuth client of the operator.' }),
      placedAt: Instant,
      releasedBy: nullable(Type.String()),
      releasedAt: nullable(Instant),
      releaseReason: nullable(Type.String()),
    }),
  ),
});

export const RollValueDate = Type.Object(
  {
    valueDate: CalendarDate,
    reason: literals(ROLL_REASONS, { description: 'Shown to the customer in the timeline.' }),
  },
  strict,
);
export type RollValueDate = Static<typeof RollValueDate>;

export const UnwindQuoteQuery = Type.Object({
  closeOutAt: Type.Optional(Type.String({ description: 'market or trade, as in the unwinding itself.' })),
  chargeCustomer: Type.Optional(Type.String({ description: 'true or false.' })),
});
export const UnwindQuote = Type.Object(
  {
    transactionId: Type.String(),
    status: literals(TRANSACTION_STATUSES),
    version: Type.Integer(),
    reason: Type.String(),
    needs: nullable(Type.String()),
    closeOutAt: literals(['market', 'trade']),
    closeOut: nullable(Type.Object({}, { additionalProperties: true })),
    received: Type.String(),
    refund: nullable(Type.Object({}, { additionalProperties: true })),
    postings: Type.Array(
      Type.Object({
        entry: Type.String(),
        account: Type.String(),
        currency: Type.String(),
        amount: Type.String({ description: 'Positive a debit, negative a credit.' }),
      }),
    ),
  },
  { description: 'What would be booked now.' },
);
