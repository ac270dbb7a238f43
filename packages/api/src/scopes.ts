/** What a token may do, customers' first. The two sets share nothing. */
export const CUSTOMER_SCOPES = {
  'quotes:read': 'Read prices and quotes.',
  'quotes:write': 'Ask for firm quotes and cancel them.',
  'trades:execute': 'Execute quotes and withdraw balances.',
  'transactions:read': 'Read transactions, balances, statements and events.',
  'webhooks:manage': 'Manage webhooks.',
} as const;

export const OPERATOR_SCOPES = {
  'operator:*': 'Everything that operators may do.',
  'operator:clients': "Manage operators' own clients.",
  'operator:customers': 'Manage customers, their clients and their accounts.',
  'operator:spreads': 'Set spreads, premiums and swap points.',
  'operator:limits': 'Set limits.',
  'operator:market': 'Manage sources, pairs and halts, and push prices.',
  'operator:calendars': 'Set calendars and cut-offs.',
  'operator:deposits': 'Work on deposits and exceptions.',
  'operator:statements': 'Bring in bank statements and work on their entries.',
  'operator:transactions': 'Work on transactions, payouts and settlement runs.',
  'operator:ledger': 'Read the ledger.',
  'operator:reports': 'Make and read reports.',
  'operator:approvals': 'Approve what others proposed.',
  'operator:sandbox': 'Control the simulated world.',
} as const;
