// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { OperationSpec } from '../operations.ts';

export const cancelQuote = {
  id: 'cancelQuote',
  method: 'POST',
  path: '/v1/customer/quotes/{quoteId}/cancel',
  isKeyed: true,
} as const;
export const createQuote = {
  id: 'createQuote',
  method: 'POST',
  path: '/v1/customer/quotes',
  isKeyed: true,
} as const;
export const getIndicativePrice = {
  id: 'getIndicativePrice',
  method: 'POST',
  path: '/v1/customer/quotes/indicative',
  isRepeatable: true,
} as const;
export const getQuote = { id: 'getQuote', method: 'GET', path: '/v1/customer/quotes/{quoteId}' } as const;
export const listQuotes = { id: 'listQuotes', method: 'GET', path: '/v1/customer/quotes' } as const;
export const explainQuote = {
  id: 'explainQuote',
  method: 'GET',
  path: '/v1/customer/quotes/{quoteId}/explain',
} as const;
export const openPriceSocket = {
  id: 'openPriceSocket',
  method: 'GET',
  path: '/v1/customer/prices/ws',
} as const;
export const streamPrices = {
  id: 'streamPrices',
  method: 'GET',
  path: '/v1/customer/prices/stream',
} as const;
export const executeQuote = {
  id: 'executeQuote',
  method: 'POST',
  path: '/v1/customer/quotes/{quoteId}/execute',
  isKeyed: true,
} as const;
export const getTransaction = {
  id: 'getTransaction',
  method: 'GET',
  path: '/v1/customer/transactions/{transactionId}',
  waits: true,
} as const;
export const listTransactions = {
  id: 'listTransactions',
  method: 'GET',
  path: '/v1/customer/transactions',
} as const;
export const cancelWithdrawal = {
  id: 'cancelWithdrawal',
  method: 'POST',
  path: '/v1/customer/balances/withdrawals/{withdrawalId}/cancel',
  isKeyed: true,
} as const;
export const createWithdrawal = {
  id: 'createWithdrawal',
  method: 'POST',
  path: '/v1/customer/balances/withdrawals',
  isKeyed: true,
} as const;
export const getBalances = { id: 'getBalances', method: 'GET', path: '/v1/customer/balances' } as const;
export const getWithdrawal = {
  id: 'getWithdrawal',
  method: 'GET',
  path: '/v1/customer/balances/withdrawals/{withdrawalId}',
} as const;
export const listWithdrawals = {
  id: 'listWithdrawals',
  method: 'GET',
  path: '/v1/customer/balances/withdrawals',
} as const;
export const getOwnDeposit = {
  id: 'getOwnDeposit',
  method: 'GET',
  path: '/v1/customer/deposits/{depositId}',
} as const;
export const listOwnAccounts = {
  id: 'listOwnAccounts',
  method: 'GET',
  path: '/v1/customer/accounts',
} as const;
export const listOwnDeposits = {
  id: 'listOwnDeposits',
  method: 'GET',
  path: '/v1/customer/deposits',
} as const;
export const listEvents = {
  id: 'listEvents',
  method: 'GET',
  path: '/v1/customer/events',
  waits: true,
} as const;
export const createWebhook = {
  id: 'createWebhook',
  method: 'POST',
  path: '/v1/customer/webhooks',
  isKeyed: true,
} as const;
export const listWebhooks = { id: 'listWebhooks', method: 'GET', path: '/v1/customer/webhooks' } as const;
export const getWebhook = {
  id: 'getWebhook',
  method: 'GET',
  path: '/v1/customer/webhooks/{webhookId}',
} as const;
export const updateWebhook = {
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/customer/webhooks/{webhookId}',
} as const;
export const deleteWebhook = {
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/customer/webhooks/{webhookId}',
} as const;
export const rotateWebhookSecret = {
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/customer/webhooks/{webhookId}/rotate-secret',
  isKeyed: true,
} as const;
export const testWebhook = {
  id: 'testWebhook',
  method: 'POST',
  path: '/v1/customer/webhooks/{webhookId}/test',
} as const;
export const listWebhookDeliveries = {
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/customer/webhooks/{webhookId}/deliveries',
} as const;
export const replayWebhookDelivery = {
  id: 'replayWebhookDelivery',
  method: 'POST',
  path: '/v1/customer/webhooks/{webhookId}/deliveries/{eventId}/replay',
} as const;
export const replayWebhook = {
  id: 'replayWebhook',
  method: 'POST',
  path: '/v1/customer/webhooks/{webhookId}/replay',
} as const;
export const getOwnLimits = { id: 'getOwnLimits', method: 'GET', path: '/v1/customer/limits' } as const;
export const createOwnCredential = {
  id: 'createOwnCredential',
  method: 'POST',
  path: '/v1/customer/credentials',
  isKeyed: true,
} as const;
export const listOwnCredentials = {
  id: 'listOwnCredentials',
  method: 'GET',
  path: '/v1/customer/credentials',
} as const;
export const updateOwnCredential = {
  id: 'updateOwnCredential',
  method: 'PATCH',
  path: '/v1/customer/credentials/{clientId}',
} as const;
export const revokeOwnCredential = {
  id: 'revokeOwnCredential',
  method: 'DELETE',
  path: '/v1/customer/credentials/{clientId}',
} as const;
export const addOwnCredentialSecret = {
  id: 'addOwnCredentialSecret',
  method: 'POST',
  path: '/v1/customer/credentials/{clientId}/secrets',
  isKeyed: true,
} as const;
export const revokeOwnCredentialSecret = {
  id: 'revokeOwnCredentialSecret',
  method: 'DELETE',
  path: '/v1/customer/credentials/{clientId}/secrets/{secretId}',
} as const;
export const setOwnCredentialKeys = {
  id: 'setOwnCredentialKeys',
  method: 'PUT',
  path: '/v1/customer/credentials/{clientId}/keys',
  isRepeatable: true,
} as const;
export const setOwnCredentialIpAllowList = {
  id: 'setOwnCredentialIpAllowList',
  method: 'PUT',
  path: '/v1/customer/credentials/{clientId}/ip-allow-list',
  isRepeatable: true,
} as const;
export const suspendOwnCredential = {
  id: 'suspendOwnCredential',
  method: 'POST',
  path: '/v1/customer/credentials/{clientId}/suspend',
} as const;
export const resumeOwnCredential = {
  id: 'resumeOwnCredential',
  method: 'POST',
  path: '/v1/customer/credentials/{clientId}/resume',
} as const;
export const revokeOwnCredentialTokens = {
  id: 'revokeOwnCredentialTokens',
  method: 'POST',
  path: '/v1/customer/credentials/{clientId}/revoke-tokens',
} as const;
export const explainValueDates = {
  id: 'explainValueDates',
  method: 'GET',
  path: '/v1/customer/reference/value-dates',
} as const;
export const getExecutionPolicy = {
  id: 'getExecutionPolicy',
  method: 'GET',
  path: '/v1/customer/reference/execution-policy',
} as const;
export const getMarketStatus = {
  id: 'getMarketStatus',
  method: 'GET',
  path: '/v1/customer/reference/market-status',
} as const;
export const listCurrencies = {
  id: 'listCurrencies',
  method: 'GET',
  path: '/v1/customer/reference/currencies',
} as const;
export const listErrorCodes = {
  id: 'listErrorCodes',
  method: 'GET',
  path: '/v1/problems',
  isPublic: true,
} as const;
export const listPairs = { id: 'listPairs', method: 'GET', path: '/v1/customer/reference/pairs' } as const;
export const getLiveness = { id: 'getLiveness', method: 'GET', path: '/healthz', isPublic: true } as const;
export const getPricingReadiness = {
  id: 'getPricingReadiness',
  method: 'GET',
  path: '/readyz/prices',
  isPublic: true,
  also: 503,
} as const;
export const getReadiness = {
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  isPublic: true,
  also: 503,
} as const;
export const createToken = {
  id: 'createToken',
  method: 'POST',
  path: '/oauth/token',
  isPublic: true,
  isRepeatable: true,
} as const;
export const getAuthorizationServerMetadata = {
  id: 'getAuthorizationServerMetadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  isPublic: true,
} as const;
export const getJwks = {
  id: 'getJwks',
  method: 'GET',
  path: '/.well-known/jwks.json',
  isPublic: true,
} as const;
export const introspectToken = {
  id: 'introspectToken',
  method: 'POST',
  path: '/oauth/introspect',
  isPublic: true,
  isRepeatable: true,
} as const;
export const revokeToken = {
  id: 'revokeToken',
  method: 'POST',
  path: '/oauth/revoke',
  isPublic: true,
  isRepeatable: true,
} as const;
export const getConfirmation = {
  id: 'getConfirmation',
  method: 'GET',
  path: '/v1/customer/transactions/{transactionId}/confirmation',
  mayBeFile: true,
} as const;
export const getStatement = {
  id: 'getStatement',
  method: 'GET',
  path: '/v1/customer/statements',
  mayBeFile: true,
} as const;

/** Every operation of this entry, by its id. */
export const CUSTOMER_OPERATIONS = {
  addOwnCredentialSecret,
  cancelQuote,
  cancelWithdrawal,
  createOwnCredential,
  createQuote,
  createToken,
  createWebhook,
  createWithdrawal,
  deleteWebhook,
  executeQuote,
  explainQuote,
  explainValueDates,
  getAuthorizationServerMetadata,
  getBalances,
  getConfirmation,
  getExecutionPolicy,
  getIndicativePrice,
  getJwks,
  getLiveness,
  getMarketStatus,
  getOwnDeposit,
  getOwnLimits,
  getPricingReadiness,
  getQuote,
  getReadiness,
  getStatement,
  getTransaction,
  getWebhook,
  getWithdrawal,
  introspectToken,
  listCurrencies,
  listErrorCodes,
  listEvents,
  listOwnAccounts,
  listOwnCredentials,
  listOwnDeposits,
  listPairs,
  listQuotes,
  listTransactions,
  listWebhookDeliveries,
  listWebhooks,
  listWithdrawals,
  openPriceSocket,
  replayWebhook,
  replayWebhookDelivery,
  resumeOwnCredential,
  revokeOwnCredential,
  revokeOwnCredentialSecret,
  revokeOwnCredentialTokens,
  revokeToken,
  rotateWebhookSecret,
  setOwnCredentialIpAllowList,
  setOwnCredentialKeys,
  streamPrices,
  suspendOwnCredential,
  testWebhook,
  updateOwnCredential,
  updateWebhook,
} as const satisfies Record<string, OperationSpec>;
