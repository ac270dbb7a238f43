import {
  Amount,
  CalendarDate,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  nullable,
  TEXT_PATTERN,
} from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { DEPOSIT_STATUSES } from './record.ts';

const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description });

export const ReceiveDeposit = Type.Object(
  {
    account: Type.Optional(
      line(64, "The house's account. Default: the account that customers pay this currency into."),
    ),
    bankReference: line(140, "The bank's own reference of the booking; unique on the account."),
    amount: Amount,
    currency: CurrencyCode,
    remitterName: line(140, 'Who sent the money.'),
    remitterAccount: Type.Optional(line(64, 'Account that the money came from.')),
    virtualAccount: Type.Optional(
      line(64, 'Virtual account that it came in on, where that is not `account` itself.'),
    ),
    reference: Type.Optional(line(140, 'Payment reference, when the bank gives it apart from the text.')),
    remittanceText: Type.Optional(
      Type.String({
        maxLength: 4000,
        pattern: TEXT_PATTERN,
        description: 'Free text of the payment; references are looked for in it.',
      }),
    ),
    valueDate: Type.Optional(CalendarDate),
    receivedAt: Type.Optional(Instant),
  },
  {
    additionalProperties: false,
    description: '`valueDate` is by default the UTC date of `receivedAt`, which is by default now.',
  },
);
export type ReceiveDeposit = Static<typeof ReceiveDeposit>;

const DepositIdText = Type.String({ examples: ['dep_01jngx7z5d2m8r4v6t9k3b1c0a'] });

export const DepositAnswer = Type.Object({
  depositId: DepositIdText,
  status: literals(DEPOSIT_STATUSES),
  exception: nullable(
    Type.Object({
      type: Type.String({
        description: 'Kind of work: unmatched, ambiguous, excess, wrong_currency, late, …',
      }),
      reason: Type.String(),
    }),
  ),
  version: Type.Integer({ minimum: 1 }),
  account: Type.String(),
  bankReference: Type.String(),
  amount: Type.String(),
  currency: CurrencyCode,
  allocatedAmount: Type.String(),
  excessAmount: Type.String(),
  returnedAmount: Type.String(),
  bookedAs: nullable(
    Type.String({
      description:
        'Account of the ledger, when it was money of the house itself; then it counts as returned.',
    }),
  ),
  remitterName: nullable(Type.String()),
  remitterAccount: nullable(Type.String()),
  virtualAccount: nullable(Type.String()),
  remittanceText: nullable(Type.String()),
  valueDate: CalendarDate,
  bookedOn: nullable(
    Type.String({
      description: 'Day on which the bank booked it, where a statement tells; by it lateness is judged.',
    }),
  ),
  missingSince: nullable(
    Type.String({
      format: 'date-time',
      description:
        'Since when the statements of its day do not list it, though a notification told of it: payouts that rest on it are held back.',
    }),
  ),
  receivedAt: Instant,
  source: literals(['operator', 'sandbox', 'statement']),
  customerId: nullable(
    Type.String({
      description: 'Null also where several customers have parts of it; `allocations` name them.',
    }),
  ),
  allocations: Type.Array(
    Type.Object({
      to: literals(['transaction', 'balance']),
      customerId: Type.String(),
      transactionId: nullable(Type.String({ description: "Null: into the customer's balance." })),
      allocatedAmount: Type.String(),
      excessAmount: Type.String(),
      shortfallAmount: Type.String({ description: 'What was forgiven of a short payment.' }),
      matchRule: Type.String(),
      score: nullable(Type.Integer({ description: '0 to 100, by rule; null where a person decided.' })),
      matchedBy: literals(['auto', 'manual']),
      actor: Type.String(),
      evidence: Type.Unsafe<unknown>({ description: 'What the rule or the person saw.' }),
      at: Instant,
    }),
  ),
  returns: Type.Array(
    Type.Object({
      returnId: Type.String({ examples: ['dpr_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
      status: literals(['pending', 'in_run', 'sent', 'paid', 'failed', 'cancelled'], {
        description: '`sent`: the file of its run is at the bank. What failed is in suspense again.',
      }),
      amount: Type.String(),
      reference: Type.String(),
      accountHolder: Type.String(),
      destinationMasked: Type.String(),
      runId: nullable(Type.String()),
      bankReference: nullable(Type.String()),
      paidAt: nullable(Instant),
      failure: nullable(literals(['rejected', 'returned'])),
      detail: nullable(Type.String()),
      createdAt: Instant,
    }),
    { description: 'What the house sends back, in settlement runs.' },
  ),
  createdAt: Instant,
  updatedAt: Instant,
});
export type DepositAnswer = Static<typeof DepositAnswer>;

export const DepositList = Type.Object({
  items: Type.Array(DepositAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

const text = (description: string) => Type.Optional(Type.String({ description }));
export const DepositQuery = Type.Object({
  status: text(`Repeatable or comma list of: ${DEPOSIT_STATUSES.join(', ')}.`),
  currency: text('ISO 4217 code; repeatable or comma list.'),
  from: text('Received at or after this RFC 3339 instant.'),
  to: text('Received before this RFC 3339 instant.'),
  amount: text('With one currency: exactly so much arrived.'),
  minAmount: text('With one currency: at least so much arrived.'),
  maxAmount: text('With one currency: at most so much arrived.'),
  customerId: text('Matched to this customer, or a part of it.'),
  account: text("The house's account."),
  bankReference: text("The bank's reference."),
  reference: text('Payment reference of a trade that has a part of it, or that an open one names.'),
  remitterAccount: text('The account that it came from.'),
  remitter: text("Part of the remitter's name, in any case."),
  text: text('Part of the remittance text, in any case.'),
  bookedFrom: text('Booked by the bank on or after this date.'),
  bookedTo: text('Booked by the bank on or before this date.'),
  valueDateFrom: text('First value date.'),
  valueDateTo: text('Last value date.'),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});
export const DepositParams = Type.Object({ depositId: Type.String() });
export const ReturnParams = Type.Object({ depositId: Type.String(), returnId: Type.String() });
