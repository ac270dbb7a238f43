import type { Session } from './session.ts';

type Rights = Pick<Session, 'scopes'>;

const PRICING = 'operator:pricing:read';
const TRANSACTIONS = ['operator:transactions', 'operator:transactions:read'] as const;
const MONEY_OUT = ['operator:payouts', 'operator:transactions:read'] as const;
const DEPOSITS = ['operator:deposits', 'operator:deposits:read'] as const;
const STATEMENTS = ['operator:statements', 'operator:deposits:read'] as const;
const CUSTOMERS = ['operator:customers', 'operator:customers:read'] as const;
const REPORTS = ['operator:reports', 'operator:reports:read'] as const;
const PEOPLE = ['operator:people', 'operator:people:read'] as const;
const APPROVALS = ['operator:approvals', 'operator:approvals:read'] as const;
const LEDGER = ['operator:ledger'] as const;
const AUDIT = ['operator:audit'] as const;

/**
 * What the console reads, by the operation, with the rights of which any one is enough. The interface says it, and a test holds this against
 * it: a page, a part of one, a link or a file is offered to whoever may call what it calls.
 */
export const ENOUGH = {
  checkBooks: LEDGER,
  countExceptions: DEPOSITS,
  countTransactionWork: TRANSACTIONS,
  downloadReport: REPORTS,
  downloadSettlementRunFile: ['operator:payouts'],
  downloadStatementFile: STATEMENTS,
  exportJournal: LEDGER,
  exportLog: AUDIT,
  getAmountLimits: ['operator:limits', PRICING],
  getAnyConfirmation: ['operator:transactions:read'],
  getAnyQuote: ['operator:transactions:read'],
  getAnyTransaction: TRANSACTIONS,
  getApproval: APPROVALS,
  getBankReconciliation: LEDGER,
  getCustomer: CUSTOMERS,
  getCustomerBalances: MONEY_OUT,
  getCustomerStatement: ['operator:transactions:read'],
  getDeposit: DEPOSITS,
  getException: DEPOSITS,
  getExposure: ['operator:limits', PRICING],
  getExposureLimits: ['operator:limits', PRICING],
  getFourEyesPolicy: APPROVALS,
  getLimitUsage: ['operator:limits', PRICING],
  getMarketHealth: ['operator:market', PRICING],
  getMatchingRules: DEPOSITS,
  getOperatorWebhook: ['operator:webhooks'],
  getPairSettings: ['operator:market', PRICING],
  getPositions: LEDGER,
  getPostalAddress: ['operator:settlement-instructions', 'operator:customers:read'],
  getPricingPolicy: ['operator:spreads', PRICING],
  getSettlementRun: MONEY_OUT,
  getSpreadRules: ['operator:spreads', PRICING],
  getStatementEntry: STATEMENTS,
  getStatementFile: STATEMENTS,
  getTrialBalance: LEDGER,
  getSwapPointPolicy: ['operator:spreads', PRICING],
  getSwapPoints: ['operator:prices', PRICING],
  listAccountEntries: STATEMENTS,
  listAccountPostings: LEDGER,
  listAccountStatements: STATEMENTS,
  listAcceptedPrices: ['operator:market', PRICING],
  listAllQuotes: ['operator:transactions:read'],
  listAllWithdrawals: MONEY_OUT,
  listTopUps: MONEY_OUT,
  listAllTransactions: TRANSACTIONS,
  listApprovals: APPROVALS,
  listAudit: AUDIT,
  listCalendars: ['operator:calendars', PRICING],
  listCollectionAccounts: ['operator:house-accounts', 'operator:customers:read'],
  listCredentials: ['operator:credentials', 'operator:customers:read'],
  listCustomers: CUSTOMERS,
  listDeposits: DEPOSITS,
  listExceptions: DEPOSITS,
  listCutOffVersions: ['operator:calendars', PRICING],
  listCutOffs: ['operator:calendars', PRICING],
  listHalts: ['operator:market', PRICING],
  listJournalEntries: LEDGER,
  listKeys: ['operator:keys'],
  listLogHeads: AUDIT,
  listOperatorClients: ['operator:clients', 'operator:clients:read'],
  listOperatorWebhooks: ['operator:webhooks'],
  listAmountLimitVersions: ['operator:limits', PRICING],
  listBars: ['operator:market', PRICING],
  listFourEyesPolicyVersions: APPROVALS,
  listExposureLimitVersions: ['operator:limits', PRICING],
  listMatchingRuleVersions: DEPOSITS,
  listPairSettings: ['operator:market', PRICING],
  listPairSettingsVersions: ['operator:market', PRICING],
  listPersons: PEOPLE,
  listPrices: ['operator:prices', PRICING],
  listPricingPolicyVersions: ['operator:spreads', PRICING],
  listRemitters: DEPOSITS,
  listReports: REPORTS,
  listReportSchedules: REPORTS,
  listRoles: ['operator:roles', 'operator:clients:read'],
  listSessions: PEOPLE,
  listSettlementInstructions: ['operator:settlement-instructions', 'operator:customers:read'],
  listSettlementRuns: MONEY_OUT,
  listStatementFiles: STATEMENTS,
  listStatementMappings: STATEMENTS,
  listSwapPointPolicyVersions: ['operator:spreads', PRICING],
  listVirtualAccounts: DEPOSITS,
  quoteUnwinding: TRANSACTIONS,
  streamMarketPrices: [PRICING],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** An operation that reads. */
export type Reading = keyof typeof ENOUGH;

/** Whether somebody has any of the scopes. What reads is asked for by its operation instead. */
export function may({ scopes }: Rights, ...enough: readonly string[]): boolean {
  return scopes.includes('operator:*') || enough.some((scope) => scopes.includes(scope));
}

/** Whether the service lets somebody read this. */
export function mayRead(rights: Rights, reading: Reading): boolean {
  return may(rights, ...ENOUGH[reading]);
}
