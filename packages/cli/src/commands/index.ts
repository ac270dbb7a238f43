import type { Register } from '../kit.ts';

/** A command of the first level. Its file is loaded when it is called. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly section: string;
  readonly load: () => Promise<Register>;
  readonly isHidden?: true;
}

const SIGN_IN = 'Sign in:';
const TRADE = 'Trade:';
export const OPERATE = 'Operate:';
const ANYTHING = 'Anything else:';

/** In the order of `--help`. */
export const GROUPS: readonly Group[] = [
  {
    name: 'login',
    section: SIGN_IN,
    summary: 'Sign in to a service, and remember it as a profile',
    load: async () => (await import('./login.ts')).register,
  },
  {
    name: 'logout',
    section: SIGN_IN,
    summary: 'Forget a profile, its secret and its token',
    load: async () => (await import('./sign-in.ts')).logout,
  },
  {
    name: 'whoami',
    section: SIGN_IN,
    summary: 'Show who is signed in, where, and by which source',
    load: async () => (await import('./sign-in.ts')).whoami,
  },
  {
    name: 'config',
    section: SIGN_IN,
    summary: 'Show and change profiles',
    load: async () => (await import('./sign-in.ts')).config,
  },
  {
    name: 'doctor',
    section: SIGN_IN,
    summary: 'Find problems: network, clock, credentials, prices',
    load: async () => (await import('./doctor.ts')).register,
  },
  {
    name: 'rates',
    section: TRADE,
    summary: 'See prices, once or as they change',
    load: async () => (await import('./rates.ts')).register,
  },
  {
    name: 'quote',
    section: TRADE,
    summary: 'Get a firm quote, and execute it if you say so',
    load: async () => (await import('./quote.ts')).register,
  },
  {
    name: 'quotes',
    section: TRADE,
    summary: 'List, show, execute and cancel quotes',
    load: async () => (await import('./trading.ts')).quotes,
  },
  {
    name: 'transactions',
    section: TRADE,
    summary: 'List, show and wait for transactions',
    load: async () => (await import('./trading.ts')).transactions,
  },
  {
    name: 'deposits',
    section: TRADE,
    summary: 'See deposits, and work on them',
    load: async () => (await import('./money.ts')).deposits,
  },
  {
    name: 'balances',
    section: TRADE,
    summary: 'See balances, and withdraw from them',
    load: async () => (await import('./trading.ts')).balances,
  },
  {
    name: 'events',
    section: TRADE,
    summary: 'List and follow events',
    load: async () => (await import('./events.ts')).register,
  },
  {
    name: 'webhooks',
    section: TRADE,
    summary: 'Have events sent to your own address',
    load: async () => (await import('./trading.ts')).webhooks,
  },
  {
    name: 'reference',
    section: TRADE,
    summary: 'Look up currencies, pairs, value dates, market hours',
    load: async () => (await import('./trading.ts')).reference,
  },
  {
    name: 'customers',
    section: OPERATE,
    summary: 'Manage customers, their limits and accounts',
    load: async () => (await import('./operating.ts')).customers,
  },
  {
    name: 'credentials',
    section: OPERATE,
    summary: 'Create, rotate and revoke credentials',
    load: async () => (await import('./credentials.ts')).register,
  },
  {
    name: 'spreads',
    section: OPERATE,
    summary: 'Show, propose and activate spread rules',
    load: async () => (await import('./operating.ts')).spreads,
  },
  {
    name: 'market',
    section: OPERATE,
    summary: 'See prices and sources, halt and resume',
    load: async () => (await import('./operating.ts')).market,
  },
  {
    name: 'statements',
    section: OPERATE,
    summary: 'Import bank statements, and see their results',
    load: async () => (await import('./money.ts')).statements,
  },
  {
    name: 'exceptions',
    section: OPERATE,
    summary: 'Work on exceptions',
    load: async () => (await import('./operating.ts')).exceptions,
  },
  {
    name: 'approvals',
    section: OPERATE,
    summary: 'Approve or reject what another operator proposed',
    load: async () => (await import('./operating.ts')).approvals,
  },
  {
    name: 'settlement-runs',
    section: OPERATE,
    summary: 'Pay out what is due',
    load: async () => (await import('./operating.ts')).settlementRuns,
  },
  {
    name: 'positions',
    section: OPERATE,
    summary: "Show the house's positions",
    load: async () => (await import('./operating.ts')).positions,
  },
  {
    name: 'ledger',
    section: OPERATE,
    summary: 'Read and check the books',
    load: async () => (await import('./operating.ts')).ledger,
  },
  {
    name: 'reports',
    section: OPERATE,
    summary: 'Make, list and download reports',
    load: async () => (await import('./reports.ts')).register,
  },
  {
    name: 'audit',
    section: OPERATE,
    summary: 'See who did what, and prove that nobody rewrote it',
    load: async () => (await import('./audit.ts')).register,
  },
  {
    name: 'health',
    section: OPERATE,
    summary: 'Check whether the service is healthy',
    load: async () => (await import('./operating.ts')).health,
  },
  {
    name: 'sandbox',
    section: OPERATE,
    summary: 'Control the clock, market and bank of a sandbox',
    load: async () => (await import('./operating.ts')).sandbox,
  },
  {
    name: 'api',
    section: ANYTHING,
    summary: 'Send a request of your own',
    load: async () => (await import('./anything.ts')).api,
  },
  {
    name: 'call',
    section: ANYTHING,
    summary: 'Call any operation by its name',
    load: async () => (await import('./anything.ts')).call,
  },
  {
    name: 'mcp',
    section: ANYTHING,
    summary: 'Serve an assistant that can look, and trade if you allow it',
    load: async () => (await import('./mcp.ts')).register,
  },
  {
    name: 'completion',
    section: ANYTHING,
    summary: 'Print a completion script for your shell',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: 'complete',
    section: ANYTHING,
    summary: 'Answer a completion script',
    load: async () => (await import('./completion.ts')).complete,
    isHidden: true,
  },
];
