import { Amount, Instant, LINE_PATTERN, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { HOUSE_ACCOUNTS } from './house-entries.ts';

const request = { additionalProperties: false } as const;
const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: LINE_PATTERN,
  description: 'Why; kept in the history.',
});

/** More trades than that are never paid with one deposit by hand. */
export const SPLIT_MAX = 20; // limit: Trades that a person may pay with one deposit

export const MatchOrder = Type.Object(
  {
    allocations: Type.Optional(
      Type.Array(
        Type.Object(
          {
            transactionId: Type.String({ maxLength: 64 }),
            amount: Type.Optional(Amount),
            forgiveShortfall: Type.Optional(
              Type.Boolean({ description: 'What is missing becomes a charge of the house.' }),
            ),
          },
          request,
        ),
        { minItems: 1, maxItems: SPLIT_MAX, description: 'One transaction, or several.' },
      ),
    ),
    balance: Type.Optional(
      Type.Object(
        {
          customerId: Type.String({ maxLength: 64 }),
          amount: Type.Optional(Amount),
          isAnotherPayment: Type.Optional(
            Type.Boolean({
              description:
                'It is not the payment that was booked to the balance by hand under the same reference.',
            }),
          ),
        },
        { ...request, description: 'Instead of transactions: whose balance it tops up.' },
      ),
    ),
    reason: Reason,
  },
  request,
);
export type MatchOrder = Static<typeof MatchOrder>;

export const UnmatchOrder = Type.Object(
  {
    transactionId: Type.Optional(Type.String({ maxLength: 64 })),
    balance: Type.Optional(Type.Literal(true, { description: 'Only from the balance.' })),
    reason: Reason,
  },
  request,
);
export type UnmatchOrder = Static<typeof UnmatchOrder>;

export const ReturnOrder = Type.Object(
  {
    returnedBy: Type.Optional(
      literals(['house', 'remitter_bank'], {
        description:
          '`house` (default): we send back what no transaction has. `remitter_bank`: the bank of the remitter has taken all of it back.',
      }),
    ),
    amount: Type.Optional(Amount),
    bankReference: Type.Optional(Type.String({ minLength: 1, maxLength: 140, pattern: LINE_PATTERN })),
    account: Type.Optional(
      Type.Object(
        {
          accountHolder: Type.Optional(Type.String({ minLength: 1, maxLength: 140, pattern: LINE_PATTERN })),
          iban: Type.Optional(Type.String({ maxLength: 42 })),
          accountNumber: Type.Optional(Type.String({ maxLength: 42 })),
          bic: Type.Optional(Type.String({ maxLength: 11 })),
          routingNumber: Type.Optional(Type.String({ maxLength: 20 })),
        },
        {
          ...request,
          description:
            'Where the house sends it. Default: the account that the deposit came from; without one it must be given.',
        },
      ),
    ),
    paidOutside: Type.Optional(
      Type.Boolean({
        description:
          'The house has paid it without a settlement run; takes two persons. Default: the next run pays it.',
      }),
    ),
    reason: Reason,
  },
  request,
);
export type ReturnOrder = Static<typeof ReturnOrder>;

export const ReleaseOrder = Type.Object(
  {
    remember: Type.Optional(
      Type.Boolean({
        description:
          'What comes from this account is the customer’s own from now on. Default: only this once.',
      }),
    ),
    reason: Reason,
  },
  request,
);
export type ReleaseOrder = Static<typeof ReleaseOrder>;

export const ReturnPaid = Type.Object(
  { bankReference: Type.String({ minLength: 1, maxLength: 140, pattern: LINE_PATTERN }), reason: Reason },
  request,
);
export type ReturnPaid = Static<typeof ReturnPaid>;

export const ReturnCancelled = Type.Object({ reason: Reason }, request);
export type ReturnCancelled = Static<typeof ReturnCancelled>;

export const BookOrder = Type.Object(
  {
    as: literals(HOUSE_ACCOUNTS, { description: 'Account of the ledger that the money is booked to.' }),
    reason: Reason,
  },
  request,
);
export type BookOrder = Static<typeof BookOrder>;

export const ForgiveOrder = Type.Object(
  {
    transactionId: Type.String({
      maxLength: 64,
      description: 'A transaction that has a part of the deposit.',
    }),
    amount: Type.String({ ...Amount, description: 'What is missing; another amount is refused.' }),
    reason: Reason,
  },
  request,
);
export type ForgiveOrder = Static<typeof ForgiveOrder>;

export const IgnoreOrder = Type.Object({ reason: Reason }, request);
export type IgnoreOrder = Static<typeof IgnoreOrder>;

export const AssignOrder = Type.Object(
  {
    assignee: nullable(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: LINE_PATTERN,
        description: 'A person or a team; null: nobody.',
      }),
    ),
    note: Type.Optional(Reason),
  },
  request,
);
export type AssignOrder = Static<typeof AssignOrder>;

export const NoteOrder = Type.Object({ note: Reason }, request);
export type NoteOrder = Static<typeof NoteOrder>;

export const History = Type.Object({
  items: Type.Array(
    Type.Object({
      version: Type.Integer(),
      at: Instant,
      actor: Type.String({ description: '`matcher`, `bank_feed`, or the OAuth client of an operator.' }),
      action: Type.String(),
      reason: nullable(Type.String()),
      detail: Type.Unsafe<unknown>({}),
    }),
  ),
});
