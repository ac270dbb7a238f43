/** Chapters of the interface, in the order of reading. */
export const TAGS = {
  Authorization:
    'Tokens by client credentials (OAuth 2.0), with a secret or a signed assertion, and the keys that sign them.',
  Quotes: "Indicative prices and firm quotes with the customer's own spread.",
  Prices: 'Streams of live prices.',
  Transactions: 'What came of executed quotes, until both sides have settled.',
  Events: 'What happened to the customer’s quotes and transactions, in order.',
  Customer: 'What applies to the customer who asks.',
  Statements: "The customer's own statements.",
  Reference: 'Currencies, pairs, value dates and error codes.',
  Operations: 'Health and metrics of the service.',
  'Operator: customers': 'Customers, their profiles, limits and halts.',
  'Operator: credentials': "Customers' OAuth clients, with their secrets, keys and allow-lists.",
  'Operator: operator clients': "Operators' own OAuth clients.",
  'Operator: roles': 'Scopes under a name, for persons and clients of operators.',
  'Operator: accounts': 'Settlement instructions, virtual accounts and remitters of a customer.',
  'Operator: spreads': 'What customers pay above the market, in versions.',
  'Operator: pricing': 'Premiums, tiers and swap points.',
  'Operator: limits': 'What the house and its customers may have open.',
  'Operator: market': 'Sources of prices, pairs, halts and what operators accept.',
  'Operator: calendars': 'Holidays and cut-offs, in versions.',
  'Operator: transactions': 'Transactions of all customers, holds, payouts and refunds.',
  'Operator: deposits': 'Money received, and what it is for.',
  'Operator: exceptions': 'What needs a person.',
  'Operator: settlement': 'Settlement runs and payment files.',
  'Operator: statements': 'Bank statements, their entries, and whether bank and ledger agree.',
  'Operator: ledger': 'Accounts, entries and exports of the double-entry journal.',
  'Operator: reports': 'Reports, made in the background and kept.',
  'Operator: approvals': 'What one operator proposed and a second one decides.',
  Sandbox: 'Controls of the simulated world: clock, market and bank.',
} as const;

export type TagName = keyof typeof TAGS;
