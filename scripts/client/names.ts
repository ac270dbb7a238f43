/**
 * Where a customer's client has each operation: `quotes.create`. Operators' and the sandbox's methods are called as their
 * operations are; there are many of them, and their ids say what they work on.
 */
export const CUSTOMER_NAMES: Readonly<Record<string, string>> = {
  getIndicativePrice: 'quotes.indicative',
  createQuote: 'quotes.create',
  getQuote: 'quotes.get',
  listQuotes: 'quotes.list',
  executeQuote: 'quotes.execute',
  cancelQuote: 'quotes.cancel',
  explainQuote: 'quotes.explain',
  streamPrices: 'prices.stream',
  openPriceSocket: 'prices.socket',
  listTransactions: 'transactions.list',
  getTransaction: 'transactions.get',
  getConfirmation: 'transactions.confirmation',
  getBalances: 'balances.get',
  createWithdrawal: 'balances.withdraw',
  listWithdrawals: 'balances.listWithdrawals',
  getWithdrawal: 'balances.getWithdrawal',
  cancelWithdrawal: 'balances.cancelWithdrawal',
  listOwnDeposits: 'deposits.list',
  getOwnDeposit: 'deposits.get',
  listOwnAccounts: 'accounts.list',
  getOwnLimits: 'limits.get',
  listEvents: 'events.list',
  createWebhook: 'webhooks.create',
  listWebhooks: 'webhooks.list',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  deleteWebhook: 'webhooks.delete',
  rotateWebhookSecret: 'webhooks.rotateSecret',
  testWebhook: 'webhooks.test',
  listWebhookDeliveries: 'webhooks.listDeliveries',
  replayWebhookDelivery: 'webhooks.replayDelivery',
  replayWebhook: 'webhooks.replay',
  listCurrencies: 'reference.currencies',
  listPairs: 'reference.pairs',
  explainValueDates: 'reference.valueDates',
  getMarketStatus: 'reference.marketStatus',
  getExecutionPolicy: 'reference.executionPolicy',
  getStatement: 'statements.get',
  createOwnCredential: 'credentials.create',
  listOwnCredentials: 'credentials.list',
  updateOwnCredential: 'credentials.update',
  revokeOwnCredential: 'credentials.revoke',
  addOwnCredentialSecret: 'credentials.addSecret',
  revokeOwnCredentialSecret: 'credentials.revokeSecret',
  setOwnCredentialKeys: 'credentials.setKeys',
  setOwnCredentialIpAllowList: 'credentials.setIpAllowList',
  suspendOwnCredential: 'credentials.suspend',
  resumeOwnCredential: 'credentials.resume',
  revokeOwnCredentialTokens: 'credentials.revokeTokens',
};

/** Without a token. */
export const PUBLIC_NAMES: Readonly<Record<string, string>> = {
  createToken: 'service.createToken',
  revokeToken: 'service.revokeToken',
  introspectToken: 'service.introspectToken',
  getAuthorizationServerMetadata: 'service.authorizationServer',
  getJwks: 'service.jwks',
  getLiveness: 'service.liveness',
  getReadiness: 'service.readiness',
  getPricingReadiness: 'service.pricingReadiness',
  listErrorCodes: 'service.problems',
};

/** Written by hand, because more belongs to them than a request and its answer. */
export const BY_HAND: ReadonlySet<string> = new Set([
  'executeQuote',
  'streamPrices',
  'openPriceSocket',
  'streamMarketPrices',
  'listEvents',
]);

/** POSTs that change something, and may be sent again without a key: they come to the same when they are repeated. */
export const REPEATABLE_POSTS: ReadonlySet<string> = new Set([
  'createToken',
  'revokeToken',
  'suspendCredential',
  'resumeCredential',
  'revokeCredentialTokens',
  'suspendOperatorClient',
  'resumeOperatorClient',
  'revokeOperatorClientTokens',
  // The same bytes again answer with the file of the first time.
  'importStatementFile',
]);
