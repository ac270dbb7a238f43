import { operation } from '../operation.ts';
import { id, list, strictCurrency, strictId } from '../parameters.ts';
import { NEW_MONEY, PAYMENT, WITHDRAW } from '../problem-groups.ts';
import {
  Amount,
  ClientReference,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  pageOf,
} from '../schema.ts';
import { type Static, type TSchema, Type } from '../typebox.ts';
import * as examples from './answer-examples.ts';
import { Approval } from './approvals.ts';

/** Balances of pre-funded customers, and withdrawals from them. */

export const WITHDRAWAL_STATUSES = ['pending', 'paid', 'failed', 'cancelled'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];
const TOP_UP_STATUSES = ['booked', 'replaced', 'reversed'] as const;

const request = { additionalProperties: false } as const;
const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description });

const TopUpRequest = Type.Object(
  {
    currency: CurrencyCode,
    amount: Amount,
    bankReference: line(140, "The bank's reference of the entry; a duplicate counts once."),
  },
  request,
);
const Balances = named(
  'Balances',
  Type.Object({
    items: Type.Array(Type.Object({ currency: CurrencyCode, available: Type.String() })),
    debts: Type.Array(Type.Object({ currency: CurrencyCode, amount: Type.String() }), {
      description: 'What the customer owes apart from open trades.',
    }),
    topUpReference: Type.String({ description: 'ISO 11649; to quote on payments into the balance.' }),
  }),
  examples.balances,
);

const wanted = { currency: CurrencyCode, amount: Amount, clientReference: Type.Optional(ClientReference) };
const WithdrawRequest = Type.Object(wanted, request);
const WithdrawForCustomer = Type.Object(
  { ...wanted, reason: line(500, 'Why; kept with the withdrawal.') },
  request,
);

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
      description: 'The bank rejected it, or returned it after payment; the money is back in the balance.',
    }),
  ),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Instant,
  updatedAt: Instant,
};
const Withdrawal = named('Withdrawal', Type.Object(withdrawal), examples.withdrawal);
const OperatorWithdrawal = named(
  'OperatorWithdrawal',
  Type.Object({
    ...withdrawal,
    customerId: Type.String(),
    requestedAs: literals(['customer', 'operator']),
    requestedBy: Type.String({ description: 'Person or OAuth client.' }),
    approvedBy: nullable(Type.String({ description: 'The second person, if one was needed.' })),
    reason: nullable(Type.String()),
    detail: nullable(Type.String({ description: 'Explanation by the bank or by whoever cancelled it.' })),
  }),
);
const Paid = Type.Object(
  { bankReference: Type.Optional(line(140, "The bank's reference of the payment.")) },
  request,
);
const Ended = Type.Object({ detail: Type.Optional(line(500, 'Why.')) }, request);
const ReverseTopUp = Type.Object(
  {
    bankReference: line(140, 'Under which the balance was topped up.'),
    reason: line(500, 'Why; kept with it.'),
    owesRest: Type.Optional(
      Type.Literal(true, { description: 'The customer owes what the balance no longer covers.' }),
    ),
  },
  request,
);
const TopUp = named(
  'TopUp',
  Type.Object({
    bankReference: Type.String(),
    currency: CurrencyCode,
    amount: Type.String(),
    status: literals(TOP_UP_STATUSES, {
      description: '`replaced`: a deposit has its place since the bank told of the money.',
    }),
    bookedAt: Instant,
    bookedBy: nullable(Type.String({ description: 'Person or OAuth client.' })),
    depositId: nullable(Type.String({ description: 'The deposit that has its place.' })),
    reversedAt: nullable(Instant),
    reversedBy: nullable(Type.String()),
    reason: nullable(Type.String({ description: 'Why it was reversed.' })),
    owedAmount: nullable(
      Type.String({ description: 'What the balance did not cover of the reversal, and the customer owes.' }),
    ),
  }),
  examples.topUp,
);
const NoFields = Type.Object({}, request);
const EndDebt = Type.Object(
  { currency: CurrencyCode, amount: Amount, reason: line(500, 'Why; kept with it.') },
  request,
);
export type WithdrawForCustomer = Static<typeof WithdrawForCustomer>;

const ofCustomer = { customerId: id('cus') };
const ofWithdrawal = { withdrawalId: id('wdr') };
const filter = { status: list(WITHDRAWAL_STATUSES), currency: strictCurrency() };
const OWN = '/v1/customer/balances';
const own = { audience: 'customer', scope: 'transactions:read' } as const;
const moving = { audience: 'customer', scope: 'withdrawals:write' } as const;
const OF_CUSTOMER = '/v1/operator/customers/{customerId}/balances';
const operators = { audience: 'operator', scope: 'operator:payouts' } as const;
const desk = 'Operator: settlement';
const OWED = [
  ...NEW_MONEY,
  'amount_below_minimum',
  'customer_not_found',
  'already_exists',
  'invalid_state_transition',
] as const;

export const getBalances = operation({
  id: 'getBalances',
  method: 'GET',
  path: OWN,
  tag: 'Transactions',
  summary: 'Read your balances',
  description: 'Money that you hold with the house to pay for trades.',
  access: own,
  rate: 'reads',
  answers: { 200: Balances },
});

export const createWithdrawal = operation({
  id: 'createWithdrawal',
  method: 'POST',
  path: `${OWN}/withdrawals`,
  tag: 'Transactions',
  summary: 'Withdraw money from a balance',
  description:
    "It is paid to your settlement instruction for the currency, in the house's next payment file. Needs an `Idempotency-Key`.",
  access: moving,
  rate: 'execute',
  body: WithdrawRequest,
  key: 'kept',
  needsKey: true,
  versioned: true,
  answers: { 201: Withdrawal },
  problems: WITHDRAW,
});

export const listWithdrawals = operation({
  id: 'listWithdrawals',
  method: 'GET',
  path: `${OWN}/withdrawals`,
  tag: 'Transactions',
  summary: 'List your withdrawals, newest first',
  description: 'Includes those that operators made for you.',
  access: own,
  rate: 'reads',
  query: filter,
  pages: true,
  answers: { 200: pageOf(Withdrawal) },
});

export const getWithdrawal = operation({
  id: 'getWithdrawal',
  method: 'GET',
  path: `${OWN}/withdrawals/{withdrawalId}`,
  tag: 'Transactions',
  summary: 'Read one of your withdrawals',
  description:
    '`paid`, `failed` and `cancelled` are reported as events too; a paid withdrawal can still fail if the bank returns it.',
  access: own,
  rate: 'reads',
  params: ofWithdrawal,
  versioned: true,
  answers: { 200: Withdrawal },
  problems: ['withdrawal_not_found'],
});

export const cancelWithdrawal = operation({
  id: 'cancelWithdrawal',
  method: 'POST',
  path: `${OWN}/withdrawals/{withdrawalId}/cancel`,
  tag: 'Transactions',
  summary: 'Cancel a withdrawal',
  description: 'Possible until it is in a payment file. The money returns to the balance.',
  access: moving,
  rate: 'execute',
  params: ofWithdrawal,
  key: 'kept',
  conditional: 'possible',
  answers: { 200: Withdrawal },
  problems: PAYMENT,
});

export const getCustomerBalances = operation({
  id: 'getCustomerBalances',
  method: 'GET',
  path: OF_CUSTOMER,
  tag: desk,
  summary: 'Read the balances of a customer',
  description:
    'What is available now: trades and pending withdrawals are already taken off. A payment that names `topUpReference` is credited here.',
  access: operators,
  params: ofCustomer,
  answers: { 200: Balances },
  problems: ['customer_not_found'],
});

export const topUpBalance = operation({
  id: 'topUpBalance',
  method: 'POST',
  path: `${OF_CUSTOMER}/top-ups`,
  tag: desk,
  summary: 'Top up a balance by hand',
  description: 'Credits money that arrived at the bank.',
  access: { audience: 'operator', scope: 'operator:funding', fresh: true },
  params: ofCustomer,
  body: TopUpRequest,
  key: 'kept',
  unlocated: true,
  answers: { 201: Balances },
  problems: [...NEW_MONEY, 'amount_below_minimum', 'customer_not_found', 'already_exists'],
});

export const listTopUps = operation({
  id: 'listTopUps',
  method: 'GET',
  path: `${OF_CUSTOMER}/top-ups`,
  tag: desk,
  summary: 'List the top-ups of a customer by hand, newest first',
  description: 'With what became of them. Payments that the bank told of by itself are deposits.',
  access: operators,
  params: ofCustomer,
  pages: true,
  answers: { 200: pageOf(TopUp) },
  problems: ['customer_not_found'],
});

export const reverseTopUp = operation({
  id: 'reverseTopUp',
  method: 'POST',
  path: `${OF_CUSTOMER}/top-up-reversals`,
  tag: desk,
  summary: 'Reverse a top-up by hand',
  description:
    'For one that was wrong, or whose money never came. The balance must cover it, unless the customer is to owe the rest. The bank reference is free again.',
  access: { audience: 'operator', scope: 'operator:funding', fresh: true },
  params: ofCustomer,
  body: ReverseTopUp,
  key: 'kept',
  unlocated: true,
  answers: { 201: TopUp },
  problems: ['customer_not_found', 'limit_exceeded', 'invalid_state_transition'],
});

export const withdrawForCustomer = operation({
  id: 'withdrawForCustomer',
  method: 'POST',
  path: `${OF_CUSTOMER}/withdrawals`,
  tag: desk,
  summary: "Withdraw money from a customer's balance",
  description:
    "It is paid to the customer's settlement instruction for the currency. Above the approval limit, a second operator must approve it (202). Needs an `Idempotency-Key`.",
  access: { ...operators, fresh: true },
  params: ofCustomer,
  body: WithdrawForCustomer,
  key: 'kept',
  needsKey: true,
  versioned: true,
  answers: { 201: OperatorWithdrawal, 202: Approval },
  problems: [...WITHDRAW, 'customer_not_found', 'already_exists'],
});

const PATH = '/v1/operator/withdrawals';

const onDebts = {
  method: 'POST',
  tag: desk,
  params: ofCustomer,
  access: { audience: 'operator', scope: 'operator:funding', fresh: true },
  body: EndDebt,
  key: 'kept',
  needsKey: true,
  unlocated: true,
  proposes: true,
  answers: { 201: Balances, 202: Approval },
} as const;

export const payDebtFromBalance = operation({
  ...onDebts,
  id: 'payDebtFromBalance',
  path: `${OF_CUSTOMER}/debt-payments`,
  summary: "Pay a customer's debt from its balance",
  description:
    'At most what the customer owes apart from open trades, and what its balance has. Above the approval limit, a second operator must approve it (202).',
  problems: [...OWED, 'limit_exceeded'],
});

export const writeOffDebt = operation({
  ...onDebts,
  id: 'writeOffDebt',
  path: `${OF_CUSTOMER}/debt-write-offs`,
  summary: 'Write off what a customer owes',
  description:
    'The house bears it, in the account `charges`. Above the approval limit, a second operator must approve it (202).',
  problems: OWED,
});

export const listAllWithdrawals = operation({
  id: 'listAllWithdrawals',
  method: 'GET',
  path: PATH,
  tag: desk,
  summary: 'List withdrawals of all customers, newest first',
  description: 'Includes finished ones.',
  access: operators,
  query: { ...filter, customerId: strictId('cus', 'Of this customer only.') },
  pages: true,
  answers: { 200: pageOf(OperatorWithdrawal) },
});

export const getAnyWithdrawal = operation({
  id: 'getAnyWithdrawal',
  method: 'GET',
  path: `${PATH}/{withdrawalId}`,
  tag: desk,
  summary: 'Read a withdrawal of any customer',
  description:
    'Adds what the customer does not see: who requested and approved it, why, and the `detail` of a failure.',
  access: operators,
  params: ofWithdrawal,
  versioned: true,
  answers: { 200: OperatorWithdrawal },
  problems: ['withdrawal_not_found'],
});

/** A command on one withdrawal, whose answer is the withdrawal as it is after it. */
function command<const Id extends string, const Body extends TSchema>(
  name: Id,
  verb: string,
  summary: string,
  body: Body,
  description: string,
) {
  return operation({
    id: name,
    method: 'POST',
    path: `${PATH}/{withdrawalId}/${verb}`,
    tag: desk,
    summary,
    description,
    access: { ...operators, fresh: true },
    params: ofWithdrawal,
    body,
    optionalBody: true,
    key: 'kept',
    conditional: 'possible',
    answers: { 200: OperatorWithdrawal },
    problems: verb === 'redirect' ? [...PAYMENT, 'settlement_instructions_missing'] : PAYMENT,
  });
}

export const confirmWithdrawal = command(
  'confirmWithdrawal',
  'paid',
  'Confirm a withdrawal',
  Paid,
  'Records that the bank has paid it.',
);
export const redirectWithdrawal = command(
  'redirectWithdrawal',
  'redirect',
  'Redirect a withdrawal',
  NoFields,
  "Pays it to the customer's active settlement instruction instead of the original one.",
);
export const failWithdrawal = command(
  'failWithdrawal',
  'failed',
  'Report a failed withdrawal',
  Ended,
  'The bank rejected or returned it. The money returns to the balance.',
);
export const cancelAnyWithdrawal = command(
  'cancelAnyWithdrawal',
  'cancel',
  'Cancel a withdrawal of any customer',
  Ended,
  'Possible until the bank has it. The money returns to the balance.',
);
