import {
  Amount,
  ClientReference,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  nullable,
} from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { WITHDRAWAL_STATUSES } from './withdrawal-record.ts';

const request = { additionalProperties: false } as const;
const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description });

export const TopUpBody = Type.Object(
  {
    currency: CurrencyCode,
    amount: Amount,
    bankReference: line(140, "The bank's reference of the booking: what is told twice counts once."),
  },
  request,
);
export type TopUpBody = Static<typeof TopUpBody>;

export const Balances = Type.Object({
  items: Type.Array(Type.Object({ currency: CurrencyCode, available: Type.String() })),
  topUpReference: Type.String({ description: 'ISO 11649; to be given with money for the balance.' }),
});
export const CustomerParams = Type.Object({ customerId: Type.String() });

const wanted = { currency: CurrencyCode, amount: Amount, clientReference: Type.Optional(ClientReference) };
export const Withdraw = Type.Object(wanted, request);
export type Withdraw = Static<typeof Withdraw>;
export const WithdrawForCustomer = Type.Object(
  { ...wanted, reason: line(500, 'Why; kept with the withdrawal.') },
  request,
);
export type WithdrawForCustomer = Static<typeof WithdrawForCustomer>;

const withdrawal = {
  withdrawalId: Type.String({ examples: ['wdr_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  reference: Type.String({ description: 'ISO 11649; the payment carries it as EndToEndId.' }),
  status: literals(WITHDRAWAL_STATUSES),
  currency: CurrencyCode,
  amount: Type.String(),
  destinationId: Type.String({ description: 'The settlement instruction that it is paid to.' }),
  destinationMasked: Type.String(),
  clientReference: nullable(Type.String()),
  bankReference: nullable(Type.String()),
  paidAt: nullable(Instant),
  failure: nullable(
    literals(['rejected', 'returned'], {
      description: 'The bank refused it, or sent it back after it was paid; the balance has the money again.',
    }),
  ),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Instant,
  updatedAt: Instant,
};
export const Withdrawal = Type.Object(withdrawal);
export const OperatorWithdrawal = Type.Object({
  ...withdrawal,
  customerId: Type.String(),
  requestedAs: literals(['customer', 'operator']),
  requestedBy: Type.String({ description: 'OAuth client.' }),
  approvedBy: nullable(Type.String({ description: 'The second person, where it took one.' })),
  reason: nullable(Type.String()),
  detail: nullable(Type.String({ description: 'What the bank, or who cancelled it, said.' })),
});
const page = { nextCursor: nullable(Type.String()), hasMore: Type.Boolean() };
export const WithdrawalList = Type.Object({ items: Type.Array(Withdrawal), ...page });
export const OperatorWithdrawalList = Type.Object({ items: Type.Array(OperatorWithdrawal), ...page });
export const WithdrawalParams = Type.Object({ withdrawalId: Type.String() });

export const Paid = Type.Object(
  { bankReference: Type.Optional(line(140, "The bank's reference of the payment.")) },
  request,
);
export type Paid = Static<typeof Paid>;
export const Ended = Type.Object({ detail: Type.Optional(line(500, 'Why.')) }, request);
export type Ended = Static<typeof Ended>;

const text = (description: string) => Type.Optional(Type.String({ description }));
const listing = {
  status: text(`Repeatable or comma list of: ${WITHDRAWAL_STATUSES.join(', ')}.`),
  currency: text('ISO 4217 code.'),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
};
export const WithdrawalQuery = Type.Object(listing);
export const OperatorWithdrawalQuery = Type.Object({
  ...listing,
  customerId: text('Of this customer only.'),
});

export const NoFields = Type.Object({}, { additionalProperties: false });
