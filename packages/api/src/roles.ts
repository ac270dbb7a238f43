import type { OPERATOR_SCOPES } from './scopes.ts';

type OperatorScope = keyof typeof OPERATOR_SCOPES;

interface Role {
  readonly description: string;
  readonly scopes: readonly OperatorScope[];
}

const SEES: readonly OperatorScope[] = [
  'operator:customers:read',
  'operator:pricing:read',
  'operator:deposits:read',
  'operator:transactions:read',
  'operator:reports:read',
  'operator:approvals:read',
];

/** The roles that every service has. Operators make others of their own beside them. */
export const BUILT_IN_ROLES = {
  viewer: {
    description: 'Sees customers, prices, money and reports, and changes nothing.',
    scopes: SEES,
  },
  dealer: {
    description: 'Trades for customers, sets prices and spreads, and halts markets.',
    scopes: [
      'operator:trades',
      'operator:spreads',
      'operator:market',
      'operator:prices',
      'operator:reports',
      'operator:approvals',
      'operator:customers:read',
      'operator:pricing:read',
      'operator:transactions:read',
    ],
  },
  operations: {
    description: 'Works on deposits, statements, payouts and exceptions.',
    scopes: [
      ...SEES,
      'operator:deposits',
      'operator:statements',
      'operator:entries',
      'operator:transactions',
      'operator:payouts',
      'operator:calendars',
      'operator:reports',
      'operator:approvals',
    ],
  },
  finance: {
    description: "Keeps the books and the house's accounts, and records money by hand.",
    scopes: [
      ...SEES,
      'operator:ledger',
      'operator:house-accounts',
      'operator:funding',
      'operator:reports',
      'operator:approvals',
    ],
  },
  compliance: {
    description: 'Manages customers, their limits and accounts, and holds.',
    scopes: [
      ...SEES,
      'operator:customers',
      'operator:settlement-instructions',
      'operator:limits',
      'operator:holds',
      'operator:ledger',
      'operator:clients:read',
      'operator:reports',
      'operator:approvals',
    ],
  },
  administrator: { description: 'May do everything.', scopes: ['operator:*'] },
} as const satisfies Readonly<Record<string, Role>>;
