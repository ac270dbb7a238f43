import { operation } from '../operation.ts';
import { byDefault, choice, id, instant, required, strictCurrency } from '../parameters.ts';
import { CalendarDate, CurrencyCode, Instant, literals, named, nullable, PairCode } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { NAMED_UNLESS_JSON } from './reports.ts';

/** What customers keep: the statement of a period, and the confirmation of a trade. */

export const CONFIRMATION_FORMATS = ['json', 'csv', 'pdf'] as const;
export const CUSTOMER_STATEMENT_FORMATS = ['json', 'csv'] as const;

const optionalText = nullable(Type.String());

const StatementLine = named(
  'CustomerStatementLine',
  Type.Object({
    at: Instant,
    type: Type.String({
      description: 'Of a debt: why it is booked or released.',
      examples: ['trade_executed', 'deposit_allocated', 'payout_sent'],
    }),
    transactionId: optionalText,
    reference: nullable(
      Type.String({ description: 'Of the trade or the withdrawal; of a top-up booked by hand, the bank’s.' }),
    ),
    clientReference: optionalText,
    debit: optionalText,
    credit: optionalText,
    balance: Type.String(),
    depositId: optionalText,
    withdrawalId: optionalText,
  }),
);

const DebtStatement = Type.Object(
  {
    opening: Type.String(),
    booked: Type.String(),
    released: Type.String(),
    closing: Type.String(),
    lines: Type.Array(StatementLine, { description: 'Booked: `debit`. Released: `credit`.' }),
  },
  { description: 'What the customer owes apart from open trades. The balances above are net of it.' },
);

const CurrencyStatement = Type.Object({
  currency: CurrencyCode,
  openingBalance: Type.String({ description: 'Positive: owed to the customer.' }),
  closingBalance: Type.String(),
  lines: Type.Array(StatementLine),
  debt: DebtStatement,
});
export type CurrencyStatement = Static<typeof CurrencyStatement>;

const CustomerStatement = named(
  'CustomerStatement',
  Type.Object({
    from: Instant,
    to: Instant,
    generatedAt: Instant,
    currencies: Type.Array(CurrencyStatement),
  }),
);
export type CustomerStatement = Static<typeof CustomerStatement>;

const TradeConfirmation = named(
  'TradeConfirmation',
  Type.Object({
    document: literals(['trade_confirmation']),
    transactionId: Type.String(),
    quoteId: Type.String(),
    reference: Type.String(),
    clientReference: optionalText,
    customerId: Type.String(),
    customerName: Type.String(),
    tradedAt: Instant,
    tradeDate: CalendarDate,
    valueDate: CalendarDate,
    customerSells: Type.String(),
    sellCurrency: CurrencyCode,
    customerBuys: Type.String(),
    buyCurrency: CurrencyCode,
    fixedSide: literals(['sell', 'buy']),
    pair: PairCode,
    rate: Type.String(),
    rateMeans: Type.String({ examples: ['USD for one EUR'] }),
    payTo: optionalText,
    payToAccount: optionalText,
    payBy: Instant,
    paidOutTo: Type.String(),
    statusNow: Type.String(),
    valueDateNow: CalendarDate,
    generatedAt: Instant,
    payByNow: Instant,
    paidOutToNow: Type.String({ description: 'A masked account, or `balance`.' }),
  }),
);

const access = { audience: 'customer', scope: 'transactions:read' } as const;
const STATEMENT = {
  query: {
    format: byDefault(choice(CUSTOMER_STATEMENT_FORMATS), 'json'),
    currency: strictCurrency('Only this currency.'),
    from: required(instant('Inclusive.')),
    to: instant('Exclusive. Default, and at most: now.'),
  },
  answers: {
    200: {
      description: 'The statement.',
      content: { 'application/json': CustomerStatement, 'text/csv': Type.String() },
      headers: NAMED_UNLESS_JSON,
    },
  },
} as const;

export const getStatement = operation({
  id: 'getStatement',
  method: 'GET',
  path: '/v1/customer/statements',
  tag: 'Statements',
  summary: 'Read the statement of a period',
  description: 'Shows trades, payments in and out, balances and debts, by currency.',
  access,
  media: 'anything',
  ...STATEMENT,
  problems: ['report_too_large'],
});

export const getCustomerStatement = operation({
  id: 'getCustomerStatement',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/statements',
  tag: 'Operator: transactions',
  summary: "Read a customer's statement of a period",
  description: 'The same as the customer sees.',
  access: { audience: 'operator', scope: 'operator:transactions:read' },
  media: 'anything',
  params: { customerId: id('cus') },
  ...STATEMENT,
  problems: ['report_too_large', 'customer_not_found'],
});

const CONFIRMATION = {
  description: 'The confirmation.',
  content: {
    'application/json': TradeConfirmation,
    'text/csv': Type.String(),
    'application/pdf': Type.Unsafe<Uint8Array>({ type: 'string', contentMediaType: 'application/pdf' }),
  },
  headers: NAMED_UNLESS_JSON,
} as const;

export const getConfirmation = operation({
  id: 'getConfirmation',
  method: 'GET',
  path: '/v1/customer/transactions/{transactionId}/confirmation',
  tag: 'Transactions',
  summary: 'Read the confirmation of a trade',
  description: 'Shows the terms as agreed; what has changed since is in the fields that end in `Now`.',
  access,
  media: 'anything',
  params: { transactionId: id('txn') },
  query: { format: byDefault(choice(CONFIRMATION_FORMATS), 'json') },
  answers: { 200: CONFIRMATION },
  problems: ['transaction_not_found'],
});

export const getAnyConfirmation = operation({
  id: 'getAnyConfirmation',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/transactions/{transactionId}/confirmation',
  tag: 'Operator: transactions',
  summary: "Read the confirmation of a customer's trade",
  description: 'The same as the customer sees.',
  access: { audience: 'operator', scope: 'operator:transactions:read' },
  media: 'anything',
  params: { customerId: id('cus'), transactionId: id('txn') },
  query: { format: byDefault(choice(CONFIRMATION_FORMATS), 'json') },
  answers: { 200: CONFIRMATION },
  problems: ['customer_not_found', 'transaction_not_found'],
});
