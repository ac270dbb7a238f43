import type { Access, Method } from './operation.ts';

/** What a token may do, customers' first. The two sets share nothing. */
export const CUSTOMER_SCOPES = {
  'quotes:read': 'Read prices and quotes.',
  'quotes:write': 'Ask for firm quotes and cancel them.',
  'trades:execute': 'Execute quotes.',
  'withdrawals:write': 'Withdraw balances, and cancel withdrawals.',
  'transactions:read': 'Read transactions, balances, statements and events.',
  'credentials:write': 'Manage your own OAuth clients.',
  'webhooks:manage': 'Manage webhooks.',
} as const;

export const OPERATOR_SCOPES = {
  'operator:*': 'Everything that operators may do.',
  'operator:self': 'Manage your own sign-in. Every person who has signed in has it; programs cannot use it.',
  'operator:clients': "Manage operators' own clients.",
  'operator:clients:read': "Read operators' own clients, and roles.",
  'operator:roles': 'Manage roles.',
  'operator:keys': "Replace and revoke the service's own keys.",
  'operator:people': 'Manage persons, their roles and sessions.',
  'operator:people:read': 'Read persons and their sessions.',
  'operator:customers': 'Manage customers.',
  'operator:customers:read': 'Read customers, their clients and all accounts.',
  'operator:credentials': 'Manage the clients of customers.',
  'operator:settlement-instructions': 'Manage the accounts that customers are paid to.',
  'operator:house-accounts': "Manage the house's own accounts.",
  'operator:spreads': 'Set spreads, premiums and swap points.',
  'operator:limits': 'Set limits.',
  'operator:market': 'Manage sources, pairs and halts, and accept prices.',
  'operator:prices': 'Push prices and swap points.',
  'operator:calendars': 'Set calendars and cut-offs.',
  'operator:pricing:read': 'Read prices, spreads, limits, the market and calendars.',
  'operator:deposits': 'Work on deposits and exceptions.',
  'operator:funding': 'Record deposits and top up balances by hand.',
  'operator:statements': 'Import bank statements.',
  'operator:entries': 'Book and match bank statement entries.',
  'operator:deposits:read': 'Read deposits, exceptions and bank statements.',
  'operator:trades': 'Quote and trade for customers.',
  'operator:transactions': 'Unwind transactions and roll their value dates.',
  'operator:holds': 'Place and release holds.',
  'operator:payouts': 'Work on payouts, refunds, withdrawals and settlement runs.',
  'operator:transactions:read': 'Read transactions, quotes, balances, payouts and settlement runs.',
  'operator:ledger': 'Read the ledger.',
  'operator:reports': 'Make and read reports.',
  'operator:reports:read': 'Read reports.',
  'operator:approvals': 'Approve what others proposed.',
  'operator:approvals:read': 'Read proposals.',
  'operator:webhooks': 'Manage the webhooks of the house.',
  'operator:introspection': 'Check whether tokens are valid.',
  'operator:audit': 'Read the audit trail.',
  'operator:sandbox': 'Control the simulated world.',
} as const;

/** Who may change something may read it; reading alone takes the scope on the right. */
const READING: Readonly<Record<string, string>> = {
  'operator:clients': 'operator:clients:read',
  'operator:roles': 'operator:clients:read',
  'operator:people': 'operator:people:read',
  'operator:customers': 'operator:customers:read',
  'operator:credentials': 'operator:customers:read',
  'operator:settlement-instructions': 'operator:customers:read',
  'operator:house-accounts': 'operator:customers:read',
  'operator:spreads': 'operator:pricing:read',
  'operator:limits': 'operator:pricing:read',
  'operator:market': 'operator:pricing:read',
  'operator:prices': 'operator:pricing:read',
  'operator:calendars': 'operator:pricing:read',
  'operator:deposits': 'operator:deposits:read',
  'operator:statements': 'operator:deposits:read',
  'operator:entries': 'operator:deposits:read',
  'operator:transactions': 'operator:transactions:read',
  'operator:holds': 'operator:transactions:read',
  'operator:payouts': 'operator:transactions:read',
  'operator:reports': 'operator:reports:read',
  'operator:approvals': 'operator:approvals:read',
};

/** The scopes of which any one is enough for an operation, the widest first; none for what anybody may do. */
export function sufficientScopes({
  method,
  access,
}: {
  readonly method: Method;
  readonly access?: Access;
}): readonly string[] {
  if (access === undefined || access.anyScope === true) return [];
  const reading = method === 'GET' && access.only !== true ? READING[access.scope] : undefined;
  return reading === undefined ? [access.scope] : [access.scope, reading];
}

/** Whether who has these scopes is shown what an operation reads: it may call it, or change something of the same field. */
export function mayBeShown(
  scopes: ReadonlySet<string>,
  operation: Parameters<typeof sufficientScopes>[0],
): boolean {
  const enough = new Set(sufficientScopes(operation));
  return [...scopes].some(
    (scope) => scope === 'operator:*' || enough.has(scope) || enough.has(READING[scope] ?? scope),
  );
}
