import { operation } from '../operation.ts';
import { choice, id, instant, strictCurrencies, strictCurrency } from '../parameters.ts';
import { Amount, CalendarDate, CurrencyCode, Instant, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { INSTRUCTION_STATUSES, SettlementInstruction } from './customer-accounts.ts';
import * as examples from './examples.ts';

/** What customers see of their own money: where it goes, and what has arrived. */

const { customerId: _customer, lei: _lei, ...ownFields } = SettlementInstruction.properties;
export const OwnAccount = named('OwnAccount', Type.Object(ownFields));
export type OwnAccount = Static<typeof OwnAccount>;

/** What was set aside is told like what nobody has placed yet: why is between the operators and the bank. */
export const OWN_DEPOSIT_STATUSES = ['unmatched', 'partially_matched', 'matched', 'returned'] as const;

const Allocation = Type.Object({
  to: literals(['transaction', 'balance']),
  transactionId: nullable(Type.String({ description: 'Null: it went to your balance.' })),
  amount: Amount,
  excessAmount: Type.String({
    description: 'Paid beyond what the transaction needed; kept for you or refunded.',
  }),
  at: Instant,
});
const Return = Type.Object({
  amount: Amount,
  status: literals(['pending', 'paid', 'failed', 'cancelled']),
  reference: Type.String({ description: 'As shown on the payment.' }),
  destinationMasked: Type.String({ examples: ['DE** **** 4321'] }),
  paidAt: nullable(Instant),
});

export const OwnDeposit = named(
  'OwnDeposit',
  Type.Object({
    depositId: Type.String({ examples: ['dep_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    status: literals(OWN_DEPOSIT_STATUSES, {
      description: '`matched` when nothing of it is unallocated; an overpayment is kept for you.',
    }),
    version: Type.Integer({ minimum: 1 }),
    currency: CurrencyCode,
    amount: Type.String({
      description: 'What arrived for you; of a shared payment, your part.',
    }),
    allocatedAmount: Type.String({ description: 'What went to transactions and your balance.' }),
    excessAmount: Type.String({ description: 'Paid beyond what its transactions needed.' }),
    returnedAmount: Type.String({ description: 'What goes back, or went back, to the payer.' }),
    unallocatedAmount: Type.String({ description: 'Not allocated yet.' }),
    remitterName: nullable(Type.String()),
    remittanceText: nullable(Type.String()),
    valueDate: CalendarDate,
    receivedAt: Instant,
    allocations: Type.Array(Allocation),
    returns: Type.Array(Return),
    updatedAt: Instant,
  }),
);
export type OwnDeposit = Static<typeof OwnDeposit>;

const tag = 'Customer';
const access = { audience: 'customer', scope: 'transactions:read' } as const;

export const listOwnAccounts = operation({
  id: 'listOwnAccounts',
  method: 'GET',
  path: '/v1/customer/accounts',
  tag,
  summary: 'List the accounts that you are paid to, newest first',
  description: 'Your operator sets them. Each transaction keeps the account that it was executed with.',
  access,
  query: { currency: strictCurrency(), status: choice(INSTRUCTION_STATUSES) },
  pages: true,
  answers: { 200: pageOf(OwnAccount) },
});

export const listOwnDeposits = operation({
  id: 'listOwnDeposits',
  method: 'GET',
  path: '/v1/customer/deposits',
  tag,
  summary: 'List your deposits and what became of them, newest first',
  description: 'Lists a deposit once it is known to come from you or to pay one of your transactions.',
  access,
  query: {
    currency: strictCurrencies(),
    from: instant('Received at or after this RFC 3339 instant.'),
    to: instant('Received before this RFC 3339 instant.'),
  },
  pages: true,
  answers: { 200: pageOf(OwnDeposit) },
  example: examples.ownDeposits,
});

export const getOwnDeposit = operation({
  id: 'getOwnDeposit',
  method: 'GET',
  path: '/v1/customer/deposits/{depositId}',
  tag,
  summary: 'Read one of your deposits',
  description:
    'Of a payment for several customers you see only your part, without its remittance text. A deposit of somebody else is 404.',
  access,
  params: { depositId: id('dep') },
  revalidates: true,
  answers: { 200: OwnDeposit },
  problems: ['deposit_not_found'],
});
