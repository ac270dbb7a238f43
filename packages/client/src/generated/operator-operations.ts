// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Call, List } from '../call.ts';
import type { Download } from '../download.ts';
import { type OperationSpec, Operations } from '../operations.ts';
import type {
  CallOptions,
  KeyedMatchedOptions,
  KeyedOptions,
  MatchedOptions,
  MustMatchOptions,
} from '../options.ts';
import type * as types from './operator-types.ts';

export const explainAnyQuote = {
  id: 'explainAnyQuote',
  method: 'GET',
  path: '/v1/operator/quotes/{quoteId}/explain',
} as const;
export const explainTransaction = {
  id: 'explainTransaction',
  method: 'GET',
  path: '/v1/operator/transactions/{transactionId}/explain',
} as const;
export const executeForCustomer = {
  id: 'executeForCustomer',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/quotes/{quoteId}/execute',
  isKeyed: true,
} as const;
export const getAnyQuote = {
  id: 'getAnyQuote',
  method: 'GET',
  path: '/v1/operator/quotes/{quoteId}',
} as const;
export const listAllQuotes = { id: 'listAllQuotes', method: 'GET', path: '/v1/operator/quotes' } as const;
export const listCustomerPrices = {
  id: 'listCustomerPrices',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/prices',
} as const;
export const quoteForCustomer = {
  id: 'quoteForCustomer',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/quotes',
  isKeyed: true,
} as const;
export const streamMarketPrices = {
  id: 'streamMarketPrices',
  method: 'GET',
  path: '/v1/operator/prices/stream',
} as const;
export const listPrices = { id: 'listPrices', method: 'GET', path: '/v1/operator/prices' } as const;
export const pushPrices = {
  id: 'pushPrices',
  method: 'POST',
  path: '/v1/operator/prices',
  isKeyed: true,
} as const;
export const withdrawPrices = {
  id: 'withdrawPrices',
  method: 'POST',
  path: '/v1/operator/prices/withdraw',
  isKeyed: true,
} as const;
export const cancelAnyWithdrawal = {
  id: 'cancelAnyWithdrawal',
  method: 'POST',
  path: '/v1/operator/withdrawals/{withdrawalId}/cancel',
  isKeyed: true,
} as const;
export const confirmWithdrawal = {
  id: 'confirmWithdrawal',
  method: 'POST',
  path: '/v1/operator/withdrawals/{withdrawalId}/paid',
  isKeyed: true,
} as const;
export const failWithdrawal = {
  id: 'failWithdrawal',
  method: 'POST',
  path: '/v1/operator/withdrawals/{withdrawalId}/failed',
  isKeyed: true,
} as const;
export const getAnyWithdrawal = {
  id: 'getAnyWithdrawal',
  method: 'GET',
  path: '/v1/operator/withdrawals/{withdrawalId}',
} as const;
export const getCustomerBalances = {
  id: 'getCustomerBalances',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/balances',
} as const;
export const listAllWithdrawals = {
  id: 'listAllWithdrawals',
  method: 'GET',
  path: '/v1/operator/withdrawals',
} as const;
export const redirectWithdrawal = {
  id: 'redirectWithdrawal',
  method: 'POST',
  path: '/v1/operator/withdrawals/{withdrawalId}/redirect',
  isKeyed: true,
} as const;
export const topUpBalance = {
  id: 'topUpBalance',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/balances/top-ups',
  isKeyed: true,
} as const;
export const withdrawForCustomer = {
  id: 'withdrawForCustomer',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/balances/withdrawals',
  isKeyed: true,
} as const;
export const createOperatorWebhook = {
  id: 'createOperatorWebhook',
  method: 'POST',
  path: '/v1/operator/webhooks',
  isKeyed: true,
} as const;
export const listOperatorWebhooks = {
  id: 'listOperatorWebhooks',
  method: 'GET',
  path: '/v1/operator/webhooks',
} as const;
export const getOperatorWebhook = {
  id: 'getOperatorWebhook',
  method: 'GET',
  path: '/v1/operator/webhooks/{webhookId}',
} as const;
export const updateOperatorWebhook = {
  id: 'updateOperatorWebhook',
  method: 'PATCH',
  path: '/v1/operator/webhooks/{webhookId}',
} as const;
export const deleteOperatorWebhook = {
  id: 'deleteOperatorWebhook',
  method: 'DELETE',
  path: '/v1/operator/webhooks/{webhookId}',
} as const;
export const rotateOperatorWebhookSecret = {
  id: 'rotateOperatorWebhookSecret',
  method: 'POST',
  path: '/v1/operator/webhooks/{webhookId}/rotate-secret',
  isKeyed: true,
} as const;
export const testOperatorWebhook = {
  id: 'testOperatorWebhook',
  method: 'POST',
  path: '/v1/operator/webhooks/{webhookId}/test',
} as const;
export const listOperatorWebhookDeliveries = {
  id: 'listOperatorWebhookDeliveries',
  method: 'GET',
  path: '/v1/operator/webhooks/{webhookId}/deliveries',
} as const;
export const replayOperatorWebhookDelivery = {
  id: 'replayOperatorWebhookDelivery',
  method: 'POST',
  path: '/v1/operator/webhooks/{webhookId}/deliveries/{eventId}/replay',
} as const;
export const replayOperatorWebhook = {
  id: 'replayOperatorWebhook',
  method: 'POST',
  path: '/v1/operator/webhooks/{webhookId}/replay',
} as const;
export const createCustomer = {
  id: 'createCustomer',
  method: 'POST',
  path: '/v1/operator/customers',
  isKeyed: true,
} as const;
export const getCustomer = {
  id: 'getCustomer',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}',
} as const;
export const getCustomerLimits = {
  id: 'getCustomerLimits',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/limits',
} as const;
export const getLimitUsage = {
  id: 'getLimitUsage',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/limits/usage',
} as const;
export const listCustomers = { id: 'listCustomers', method: 'GET', path: '/v1/operator/customers' } as const;
export const resumeCustomer = {
  id: 'resumeCustomer',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/resume',
  isKeyed: true,
} as const;
export const setCustomerLimits = {
  id: 'setCustomerLimits',
  method: 'PUT',
  path: '/v1/operator/customers/{customerId}/limits',
} as const;
export const suspendCustomer = {
  id: 'suspendCustomer',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/suspend',
  isKeyed: true,
} as const;
export const updateCustomer = {
  id: 'updateCustomer',
  method: 'PATCH',
  path: '/v1/operator/customers/{customerId}',
} as const;
export const addSettlementInstruction = {
  id: 'addSettlementInstruction',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/settlement-instructions',
  isKeyed: true,
} as const;
export const getPostalAddress = {
  id: 'getPostalAddress',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/postal-address',
} as const;
export const listCollectionAccounts = {
  id: 'listCollectionAccounts',
  method: 'GET',
  path: '/v1/operator/collection-accounts',
} as const;
export const listSettlementInstructions = {
  id: 'listSettlementInstructions',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/settlement-instructions',
} as const;
export const releaseCollectionAccount = {
  id: 'releaseCollectionAccount',
  method: 'POST',
  path: '/v1/operator/collection-accounts/{currency}/release',
} as const;
export const releaseSettlementInstruction = {
  id: 'releaseSettlementInstruction',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/settlement-instructions/{ssiId}/release',
  isKeyed: true,
} as const;
export const retireSettlementInstruction = {
  id: 'retireSettlementInstruction',
  method: 'DELETE',
  path: '/v1/operator/customers/{customerId}/settlement-instructions/{ssiId}',
} as const;
export const setCollectionAccount = {
  id: 'setCollectionAccount',
  method: 'PUT',
  path: '/v1/operator/collection-accounts/{currency}',
  isRepeatable: true,
} as const;
export const setPostalAddress = {
  id: 'setPostalAddress',
  method: 'PUT',
  path: '/v1/operator/customers/{customerId}/postal-address',
  isRepeatable: true,
} as const;
export const addVirtualAccount = {
  id: 'addVirtualAccount',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/virtual-accounts',
  isKeyed: true,
} as const;
export const closeVirtualAccount = {
  id: 'closeVirtualAccount',
  method: 'DELETE',
  path: '/v1/operator/customers/{customerId}/virtual-accounts/{virtualAccountId}',
} as const;
export const forgetRemitter = {
  id: 'forgetRemitter',
  method: 'DELETE',
  path: '/v1/operator/customers/{customerId}/remitters/{remitterId}',
} as const;
export const listRemitters = {
  id: 'listRemitters',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/remitters',
} as const;
export const listVirtualAccounts = {
  id: 'listVirtualAccounts',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/virtual-accounts',
} as const;
export const releaseVirtualAccount = {
  id: 'releaseVirtualAccount',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/virtual-accounts/{virtualAccountId}/release',
} as const;
export const createCredential = {
  id: 'createCredential',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/credentials',
  isKeyed: true,
} as const;
export const listCredentials = {
  id: 'listCredentials',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/credentials',
} as const;
export const updateCredential = {
  id: 'updateCredential',
  method: 'PATCH',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}',
} as const;
export const revokeCredential = {
  id: 'revokeCredential',
  method: 'DELETE',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}',
} as const;
export const addCredentialSecret = {
  id: 'addCredentialSecret',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}/secrets',
  isKeyed: true,
} as const;
export const revokeCredentialSecret = {
  id: 'revokeCredentialSecret',
  method: 'DELETE',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}/secrets/{secretId}',
} as const;
export const setCredentialKeys = {
  id: 'setCredentialKeys',
  method: 'PUT',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}/keys',
  isRepeatable: true,
} as const;
export const setCredentialIpAllowList = {
  id: 'setCredentialIpAllowList',
  method: 'PUT',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}/ip-allow-list',
  isRepeatable: true,
} as const;
export const suspendCredential = {
  id: 'suspendCredential',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}/suspend',
  isRepeatable: true,
} as const;
export const resumeCredential = {
  id: 'resumeCredential',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}/resume',
  isRepeatable: true,
} as const;
export const revokeCredentialTokens = {
  id: 'revokeCredentialTokens',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/credentials/{clientId}/revoke-tokens',
  isRepeatable: true,
} as const;
export const createOperatorClient = {
  id: 'createOperatorClient',
  method: 'POST',
  path: '/v1/operator/clients',
  isKeyed: true,
} as const;
export const listOperatorClients = {
  id: 'listOperatorClients',
  method: 'GET',
  path: '/v1/operator/clients',
} as const;
export const updateOperatorClient = {
  id: 'updateOperatorClient',
  method: 'PATCH',
  path: '/v1/operator/clients/{clientId}',
} as const;
export const revokeOperatorClient = {
  id: 'revokeOperatorClient',
  method: 'DELETE',
  path: '/v1/operator/clients/{clientId}',
} as const;
export const addOperatorClientSecret = {
  id: 'addOperatorClientSecret',
  method: 'POST',
  path: '/v1/operator/clients/{clientId}/secrets',
  isKeyed: true,
} as const;
export const revokeOperatorClientSecret = {
  id: 'revokeOperatorClientSecret',
  method: 'DELETE',
  path: '/v1/operator/clients/{clientId}/secrets/{secretId}',
} as const;
export const setOperatorClientKeys = {
  id: 'setOperatorClientKeys',
  method: 'PUT',
  path: '/v1/operator/clients/{clientId}/keys',
  isRepeatable: true,
} as const;
export const setOperatorClientIpAllowList = {
  id: 'setOperatorClientIpAllowList',
  method: 'PUT',
  path: '/v1/operator/clients/{clientId}/ip-allow-list',
  isRepeatable: true,
} as const;
export const suspendOperatorClient = {
  id: 'suspendOperatorClient',
  method: 'POST',
  path: '/v1/operator/clients/{clientId}/suspend',
  isRepeatable: true,
} as const;
export const resumeOperatorClient = {
  id: 'resumeOperatorClient',
  method: 'POST',
  path: '/v1/operator/clients/{clientId}/resume',
  isRepeatable: true,
} as const;
export const revokeOperatorClientTokens = {
  id: 'revokeOperatorClientTokens',
  method: 'POST',
  path: '/v1/operator/clients/{clientId}/revoke-tokens',
  isRepeatable: true,
} as const;
export const deleteRole = { id: 'deleteRole', method: 'DELETE', path: '/v1/operator/roles/{role}' } as const;
export const listRoles = { id: 'listRoles', method: 'GET', path: '/v1/operator/roles' } as const;
export const setRole = { id: 'setRole', method: 'PUT', path: '/v1/operator/roles/{role}' } as const;
export const listKeys = { id: 'listKeys', method: 'GET', path: '/v1/operator/keys' } as const;
export const revokeKey = { id: 'revokeKey', method: 'POST', path: '/v1/operator/keys/{kid}/revoke' } as const;
export const rotateKey = { id: 'rotateKey', method: 'POST', path: '/v1/operator/keys/rotate' } as const;
export const endOwnSession = {
  id: 'endOwnSession',
  method: 'DELETE',
  path: '/auth/sessions/{sessionId}',
} as const;
export const endPerson = {
  id: 'endPerson',
  method: 'DELETE',
  path: '/v1/operator/persons/{personId}',
} as const;
export const endSession = {
  id: 'endSession',
  method: 'DELETE',
  path: '/v1/operator/sessions/{sessionId}',
} as const;
export const getOwnSession = { id: 'getOwnSession', method: 'GET', path: '/auth/session' } as const;
export const getPerson = { id: 'getPerson', method: 'GET', path: '/v1/operator/persons/{personId}' } as const;
export const invitePerson = {
  id: 'invitePerson',
  method: 'POST',
  path: '/v1/operator/persons',
  isKeyed: true,
} as const;
export const listOwnSessions = { id: 'listOwnSessions', method: 'GET', path: '/auth/sessions' } as const;
export const listPasskeys = { id: 'listPasskeys', method: 'GET', path: '/auth/passkeys' } as const;
export const listPersons = { id: 'listPersons', method: 'GET', path: '/v1/operator/persons' } as const;
export const listSessions = { id: 'listSessions', method: 'GET', path: '/v1/operator/sessions' } as const;
export const removePasskey = {
  id: 'removePasskey',
  method: 'DELETE',
  path: '/auth/passkeys/{passkeyId}',
} as const;
export const renamePasskey = {
  id: 'renamePasskey',
  method: 'PATCH',
  path: '/auth/passkeys/{passkeyId}',
} as const;
export const renewInvitation = {
  id: 'renewInvitation',
  method: 'POST',
  path: '/v1/operator/persons/{personId}/invitation',
  isKeyed: true,
} as const;
export const renewRecoveryCodes = {
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: '/auth/recovery-codes',
} as const;
export const resumePerson = {
  id: 'resumePerson',
  method: 'POST',
  path: '/v1/operator/persons/{personId}/resume',
} as const;
export const setPersonRoles = {
  id: 'setPersonRoles',
  method: 'PUT',
  path: '/v1/operator/persons/{personId}/roles',
  isRepeatable: true,
} as const;
export const signOut = { id: 'signOut', method: 'DELETE', path: '/auth/session' } as const;
export const suspendPerson = {
  id: 'suspendPerson',
  method: 'POST',
  path: '/v1/operator/persons/{personId}/suspend',
} as const;
export const withdrawInvitation = {
  id: 'withdrawInvitation',
  method: 'DELETE',
  path: '/v1/operator/persons/{personId}/invitation',
} as const;
export const listActors = { id: 'listActors', method: 'GET', path: '/v1/operator/actors' } as const;
export const activateSpreadRuleDraft = {
  id: 'activateSpreadRuleDraft',
  method: 'POST',
  path: '/v1/operator/spread-rules/draft/activate',
} as const;
export const discardSpreadRuleDraft = {
  id: 'discardSpreadRuleDraft',
  method: 'DELETE',
  path: '/v1/operator/spread-rules/draft',
} as const;
export const getSpreadRuleDraft = {
  id: 'getSpreadRuleDraft',
  method: 'GET',
  path: '/v1/operator/spread-rules/draft',
} as const;
export const getSpreadRuleVersion = {
  id: 'getSpreadRuleVersion',
  method: 'GET',
  path: '/v1/operator/spread-rules/versions/{version}',
} as const;
export const getSpreadRules = {
  id: 'getSpreadRules',
  method: 'GET',
  path: '/v1/operator/spread-rules',
} as const;
export const listSpreadRuleVersions = {
  id: 'listSpreadRuleVersions',
  method: 'GET',
  path: '/v1/operator/spread-rules/versions',
} as const;
export const previewSpreadRules = {
  id: 'previewSpreadRules',
  method: 'POST',
  path: '/v1/operator/spread-rules/preview',
  isRepeatable: true,
} as const;
export const restoreSpreadRules = {
  id: 'restoreSpreadRules',
  method: 'POST',
  path: '/v1/operator/spread-rules/versions/{version}/restore',
} as const;
export const setSpreadRuleDraft = {
  id: 'setSpreadRuleDraft',
  method: 'PUT',
  path: '/v1/operator/spread-rules/draft',
} as const;
export const setSpreadRules = {
  id: 'setSpreadRules',
  method: 'PUT',
  path: '/v1/operator/spread-rules',
} as const;
export const getAmountLimits = {
  id: 'getAmountLimits',
  method: 'GET',
  path: '/v1/operator/amount-limits',
} as const;
export const getExposure = { id: 'getExposure', method: 'GET', path: '/v1/operator/exposure' } as const;
export const getExposureLimits = {
  id: 'getExposureLimits',
  method: 'GET',
  path: '/v1/operator/exposure-limits',
} as const;
export const getPricingPolicy = {
  id: 'getPricingPolicy',
  method: 'GET',
  path: '/v1/operator/pricing-policy',
} as const;
export const setAmountLimits = {
  id: 'setAmountLimits',
  method: 'PUT',
  path: '/v1/operator/amount-limits',
} as const;
export const setExposureLimits = {
  id: 'setExposureLimits',
  method: 'PUT',
  path: '/v1/operator/exposure-limits',
} as const;
export const setPricingPolicy = {
  id: 'setPricingPolicy',
  method: 'PUT',
  path: '/v1/operator/pricing-policy',
} as const;
export const getSwapPointPolicy = {
  id: 'getSwapPointPolicy',
  method: 'GET',
  path: '/v1/operator/swap-point-policy',
} as const;
export const getSwapPoints = {
  id: 'getSwapPoints',
  method: 'GET',
  path: '/v1/operator/swap-points/{pair}',
} as const;
export const listSwapPoints = {
  id: 'listSwapPoints',
  method: 'GET',
  path: '/v1/operator/swap-points',
} as const;
export const pushSwapPoints = {
  id: 'pushSwapPoints',
  method: 'POST',
  path: '/v1/operator/swap-points',
  isKeyed: true,
} as const;
export const setSwapPointPolicy = {
  id: 'setSwapPointPolicy',
  method: 'PUT',
  path: '/v1/operator/swap-point-policy',
} as const;
export const setSwapPoints = {
  id: 'setSwapPoints',
  method: 'PUT',
  path: '/v1/operator/swap-points/{pair}',
} as const;
export const acceptPrice = {
  id: 'acceptPrice',
  method: 'POST',
  path: '/v1/operator/pairs/{pair}/accepted-prices',
  isKeyed: true,
} as const;
export const disableSource = {
  id: 'disableSource',
  method: 'POST',
  path: '/v1/operator/market/sources/{source}/disable',
  isKeyed: true,
} as const;
export const enableSource = {
  id: 'enableSource',
  method: 'POST',
  path: '/v1/operator/market/sources/{source}/enable',
  isKeyed: true,
} as const;
export const getMarketHealth = {
  id: 'getMarketHealth',
  method: 'GET',
  path: '/v1/operator/market/health',
} as const;
export const getPairSettings = {
  id: 'getPairSettings',
  method: 'GET',
  path: '/v1/operator/pairs/{pair}',
} as const;
export const haltMarket = {
  id: 'haltMarket',
  method: 'POST',
  path: '/v1/operator/market/halt',
  isKeyed: true,
} as const;
export const listAcceptedPrices = {
  id: 'listAcceptedPrices',
  method: 'GET',
  path: '/v1/operator/pairs/{pair}/accepted-prices',
} as const;
export const listBars = { id: 'listBars', method: 'GET', path: '/v1/operator/market/bars' } as const;
export const listHalts = { id: 'listHalts', method: 'GET', path: '/v1/operator/market/halts' } as const;
export const listPairSettings = {
  id: 'listPairSettings',
  method: 'GET',
  path: '/v1/operator/pairs',
} as const;
export const resetSourceSequence = {
  id: 'resetSourceSequence',
  method: 'POST',
  path: '/v1/operator/market/sources/{source}/reset-sequence',
  isKeyed: true,
} as const;
export const resumeMarket = {
  id: 'resumeMarket',
  method: 'POST',
  path: '/v1/operator/market/resume',
  isKeyed: true,
} as const;
export const setPairSettings = {
  id: 'setPairSettings',
  method: 'PUT',
  path: '/v1/operator/pairs/{pair}',
} as const;
export const getCalendarImport = {
  id: 'getCalendarImport',
  method: 'GET',
  path: '/v1/operator/calendar-imports/{importId}',
} as const;
export const getCalendarYear = {
  id: 'getCalendarYear',
  method: 'GET',
  path: '/v1/operator/calendars/{currency}/{year}',
} as const;
export const getCutOff = { id: 'getCutOff', method: 'GET', path: '/v1/operator/cutoffs/{currency}' } as const;
export const listCalendarYearVersions = {
  id: 'listCalendarYearVersions',
  method: 'GET',
  path: '/v1/operator/calendars/{currency}/{year}/versions',
} as const;
export const listCalendars = { id: 'listCalendars', method: 'GET', path: '/v1/operator/calendars' } as const;
export const listCutOffVersions = {
  id: 'listCutOffVersions',
  method: 'GET',
  path: '/v1/operator/cutoffs/{currency}/versions',
} as const;
export const listCutOffs = { id: 'listCutOffs', method: 'GET', path: '/v1/operator/cutoffs' } as const;
export const proposeCalendarImport = {
  id: 'proposeCalendarImport',
  method: 'POST',
  path: '/v1/operator/calendar-imports',
  isKeyed: true,
  sends: 'text/csv',
} as const;
export const setCalendarYear = {
  id: 'setCalendarYear',
  method: 'PUT',
  path: '/v1/operator/calendars/{currency}/{year}',
} as const;
export const setCutOff = { id: 'setCutOff', method: 'PUT', path: '/v1/operator/cutoffs/{currency}' } as const;
export const commandTransactions = {
  id: 'commandTransactions',
  method: 'POST',
  path: '/v1/operator/transactions/commands',
  isKeyed: true,
} as const;
export const confirmPayout = {
  id: 'confirmPayout',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/payout-confirmed',
  isKeyed: true,
} as const;
export const confirmRefund = {
  id: 'confirmRefund',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/refund-paid',
  isKeyed: true,
} as const;
export const countTransactionWork = {
  id: 'countTransactionWork',
  method: 'GET',
  path: '/v1/operator/transactions/counts',
} as const;
export const failPayout = {
  id: 'failPayout',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/payout-failed',
  isKeyed: true,
} as const;
export const failRefund = {
  id: 'failRefund',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/refund-failed',
  isKeyed: true,
} as const;
export const getAnyTransaction = {
  id: 'getAnyTransaction',
  method: 'GET',
  path: '/v1/operator/transactions/{transactionId}',
} as const;
export const listAllTransactions = {
  id: 'listAllTransactions',
  method: 'GET',
  path: '/v1/operator/transactions',
} as const;
export const listHolds = {
  id: 'listHolds',
  method: 'GET',
  path: '/v1/operator/transactions/{transactionId}/holds',
} as const;
export const placeHold = {
  id: 'placeHold',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/holds',
  isKeyed: true,
} as const;
export const quoteUnwinding = {
  id: 'quoteUnwinding',
  method: 'GET',
  path: '/v1/operator/transactions/{transactionId}/unwind-quote',
} as const;
export const redirectPayout = {
  id: 'redirectPayout',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/redirect-payout',
  isKeyed: true,
} as const;
export const refundExcess = {
  id: 'refundExcess',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/refund-excess',
  isKeyed: true,
} as const;
export const releaseHold = {
  id: 'releaseHold',
  method: 'DELETE',
  path: '/v1/operator/transactions/{transactionId}/holds/{holdId}',
} as const;
export const releasePayout = {
  id: 'releasePayout',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/settle',
  isKeyed: true,
} as const;
export const retryPayout = {
  id: 'retryPayout',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/retry-payout',
  isKeyed: true,
} as const;
export const retryRefund = {
  id: 'retryRefund',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/retry-refund',
  isKeyed: true,
} as const;
export const rollValueDate = {
  id: 'rollValueDate',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/roll-value-date',
  isKeyed: true,
} as const;
export const unwindTransaction = {
  id: 'unwindTransaction',
  method: 'POST',
  path: '/v1/operator/transactions/{transactionId}/unwind',
  isKeyed: true,
} as const;
export const countDeposits = {
  id: 'countDeposits',
  method: 'GET',
  path: '/v1/operator/deposits/counts',
} as const;
export const getDeposit = {
  id: 'getDeposit',
  method: 'GET',
  path: '/v1/operator/deposits/{depositId}',
} as const;
export const getDepositHistory = {
  id: 'getDepositHistory',
  method: 'GET',
  path: '/v1/operator/deposits/{depositId}/history',
} as const;
export const listDeposits = { id: 'listDeposits', method: 'GET', path: '/v1/operator/deposits' } as const;
export const recordDeposit = {
  id: 'recordDeposit',
  method: 'POST',
  path: '/v1/operator/deposits',
  isKeyed: true,
} as const;
export const addDepositNote = {
  id: 'addDepositNote',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/note',
  isKeyed: true,
} as const;
export const assignDeposit = {
  id: 'assignDeposit',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/assign',
  isKeyed: true,
} as const;
export const bookDeposit = {
  id: 'bookDeposit',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/book',
  isKeyed: true,
} as const;
export const cancelDepositReturn = {
  id: 'cancelDepositReturn',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/returns/{returnId}/cancel',
  isKeyed: true,
} as const;
export const commandDeposits = {
  id: 'commandDeposits',
  method: 'POST',
  path: '/v1/operator/deposits/commands',
  isKeyed: true,
} as const;
export const confirmDepositReturn = {
  id: 'confirmDepositReturn',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/returns/{returnId}/paid',
  isKeyed: true,
} as const;
export const forgiveShortfall = {
  id: 'forgiveShortfall',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/forgive',
  isKeyed: true,
} as const;
export const ignoreDeposit = {
  id: 'ignoreDeposit',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/ignore',
  isKeyed: true,
} as const;
export const matchDeposit = {
  id: 'matchDeposit',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/match',
  isKeyed: true,
} as const;
export const releaseDeposit = {
  id: 'releaseDeposit',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/release',
  isKeyed: true,
} as const;
export const returnDeposit = {
  id: 'returnDeposit',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/return',
  isKeyed: true,
} as const;
export const unmatchDeposit = {
  id: 'unmatchDeposit',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/unmatch',
  isKeyed: true,
} as const;
export const getMatchingRules = {
  id: 'getMatchingRules',
  method: 'GET',
  path: '/v1/operator/matching-rules',
} as const;
export const previewMatchingRules = {
  id: 'previewMatchingRules',
  method: 'POST',
  path: '/v1/operator/matching-rules/preview',
  isRepeatable: true,
} as const;
export const replaceMatchingRules = {
  id: 'replaceMatchingRules',
  method: 'PUT',
  path: '/v1/operator/matching-rules',
} as const;
export const assignException = {
  id: 'assignException',
  method: 'POST',
  path: '/v1/operator/exceptions/{exceptionId}/assign',
  isKeyed: true,
} as const;
export const commandExceptions = {
  id: 'commandExceptions',
  method: 'POST',
  path: '/v1/operator/exceptions/commands',
  isKeyed: true,
} as const;
export const countExceptions = {
  id: 'countExceptions',
  method: 'GET',
  path: '/v1/operator/exceptions/counts',
} as const;
export const getException = {
  id: 'getException',
  method: 'GET',
  path: '/v1/operator/exceptions/{exceptionId}',
} as const;
export const listExceptions = {
  id: 'listExceptions',
  method: 'GET',
  path: '/v1/operator/exceptions',
} as const;
export const resolveException = {
  id: 'resolveException',
  method: 'POST',
  path: '/v1/operator/exceptions/{exceptionId}/resolve',
  isKeyed: true,
} as const;
export const retryException = {
  id: 'retryException',
  method: 'POST',
  path: '/v1/operator/exceptions/{exceptionId}/retry',
  isKeyed: true,
} as const;
export const cancelSettlementRun = {
  id: 'cancelSettlementRun',
  method: 'POST',
  path: '/v1/operator/settlement-runs/{runId}/cancel',
  isKeyed: true,
} as const;
export const createSettlementRun = {
  id: 'createSettlementRun',
  method: 'POST',
  path: '/v1/operator/settlement-runs',
  isKeyed: true,
} as const;
export const downloadSettlementRunFile = {
  id: 'downloadSettlementRunFile',
  method: 'GET',
  path: '/v1/operator/settlement-runs/{runId}/files/{format}',
  isFile: true,
} as const;
export const getSettlementRun = {
  id: 'getSettlementRun',
  method: 'GET',
  path: '/v1/operator/settlement-runs/{runId}',
} as const;
export const listSettlementRunPayments = {
  id: 'listSettlementRunPayments',
  method: 'GET',
  path: '/v1/operator/settlement-runs/{runId}/payments',
} as const;
export const listSettlementRuns = {
  id: 'listSettlementRuns',
  method: 'GET',
  path: '/v1/operator/settlement-runs',
} as const;
export const markSettlementRunSent = {
  id: 'markSettlementRunSent',
  method: 'POST',
  path: '/v1/operator/settlement-runs/{runId}/mark-sent',
  isKeyed: true,
} as const;
export const previewSettlementRun = {
  id: 'previewSettlementRun',
  method: 'GET',
  path: '/v1/operator/settlement-runs/preview',
} as const;
export const acceptStatementFile = {
  id: 'acceptStatementFile',
  method: 'POST',
  path: '/v1/operator/statements/{fileId}/accept',
  isKeyed: true,
} as const;
export const deleteStatementFile = {
  id: 'deleteStatementFile',
  method: 'DELETE',
  path: '/v1/operator/statements/{fileId}',
} as const;
export const deleteStatementMapping = {
  id: 'deleteStatementMapping',
  method: 'DELETE',
  path: '/v1/operator/statement-mappings/{name}',
} as const;
export const downloadStatementFile = {
  id: 'downloadStatementFile',
  method: 'GET',
  path: '/v1/operator/statements/{fileId}/file',
  isFile: true,
} as const;
export const getStatementFile = {
  id: 'getStatementFile',
  method: 'GET',
  path: '/v1/operator/statements/{fileId}',
} as const;
export const getStatementMapping = {
  id: 'getStatementMapping',
  method: 'GET',
  path: '/v1/operator/statement-mappings/{name}',
} as const;
export const importStatementFile = {
  id: 'importStatementFile',
  method: 'POST',
  path: '/v1/operator/statements',
  isRepeatable: true,
  sends: 'application/octet-stream',
} as const;
export const listAccountStatements = {
  id: 'listAccountStatements',
  method: 'GET',
  path: '/v1/operator/account-statements',
} as const;
export const listEntriesOfFile = {
  id: 'listEntriesOfFile',
  method: 'GET',
  path: '/v1/operator/statements/{fileId}/entries',
} as const;
export const listPaymentStatusesOfFile = {
  id: 'listPaymentStatusesOfFile',
  method: 'GET',
  path: '/v1/operator/statements/{fileId}/payment-statuses',
} as const;
export const listStatementFiles = {
  id: 'listStatementFiles',
  method: 'GET',
  path: '/v1/operator/statements',
} as const;
export const listStatementMappings = {
  id: 'listStatementMappings',
  method: 'GET',
  path: '/v1/operator/statement-mappings',
} as const;
export const listStatementsOfFile = {
  id: 'listStatementsOfFile',
  method: 'GET',
  path: '/v1/operator/statements/{fileId}/statements',
} as const;
export const setStatementMapping = {
  id: 'setStatementMapping',
  method: 'PUT',
  path: '/v1/operator/statement-mappings/{name}',
  isRepeatable: true,
} as const;
export const withdrawStatementFile = {
  id: 'withdrawStatementFile',
  method: 'POST',
  path: '/v1/operator/statements/{fileId}/withdraw',
  isKeyed: true,
} as const;
export const bookStatementEntry = {
  id: 'bookStatementEntry',
  method: 'POST',
  path: '/v1/operator/statement-entries/{entryId}/book',
  isKeyed: true,
} as const;
export const getStatementEntry = {
  id: 'getStatementEntry',
  method: 'GET',
  path: '/v1/operator/statement-entries/{entryId}',
} as const;
export const listAccountEntries = {
  id: 'listAccountEntries',
  method: 'GET',
  path: '/v1/operator/statement-entries',
} as const;
export const markStatementEntryDistinct = {
  id: 'markStatementEntryDistinct',
  method: 'POST',
  path: '/v1/operator/statement-entries/{entryId}/another',
  isKeyed: true,
} as const;
export const markStatementEntryDuplicate = {
  id: 'markStatementEntryDuplicate',
  method: 'POST',
  path: '/v1/operator/statement-entries/{entryId}/same',
  isKeyed: true,
} as const;
export const markStatementEntryNeverBooked = {
  id: 'markStatementEntryNeverBooked',
  method: 'POST',
  path: '/v1/operator/statement-entries/{entryId}/never-booked',
  isKeyed: true,
} as const;
export const matchStatementEntry = {
  id: 'matchStatementEntry',
  method: 'POST',
  path: '/v1/operator/statement-entries/{entryId}/match',
  isKeyed: true,
} as const;
export const checkBooks = { id: 'checkBooks', method: 'GET', path: '/v1/operator/ledger/check' } as const;
export const exportJournal = {
  id: 'exportJournal',
  method: 'GET',
  path: '/v1/operator/ledger/export',
  isFile: true,
} as const;
export const getJournalEntry = {
  id: 'getJournalEntry',
  method: 'GET',
  path: '/v1/operator/ledger/entries/{entryId}',
} as const;
export const getPairPositions = {
  id: 'getPairPositions',
  method: 'GET',
  path: '/v1/operator/ledger/pair-positions',
} as const;
export const getPositions = {
  id: 'getPositions',
  method: 'GET',
  path: '/v1/operator/ledger/positions',
} as const;
export const getTrialBalance = {
  id: 'getTrialBalance',
  method: 'GET',
  path: '/v1/operator/ledger/trial-balance',
} as const;
export const listAccountPostings = {
  id: 'listAccountPostings',
  method: 'GET',
  path: '/v1/operator/ledger/accounts/{account}/postings',
} as const;
export const listJournalEntries = {
  id: 'listJournalEntries',
  method: 'GET',
  path: '/v1/operator/ledger/entries',
} as const;
export const listLedgerAccounts = {
  id: 'listLedgerAccounts',
  method: 'GET',
  path: '/v1/operator/ledger/accounts',
} as const;
export const getBankReconciliation = {
  id: 'getBankReconciliation',
  method: 'GET',
  path: '/v1/operator/ledger/bank-reconciliation',
} as const;
export const listBankReconciliationItems = {
  id: 'listBankReconciliationItems',
  method: 'GET',
  path: '/v1/operator/ledger/bank-reconciliation/items',
} as const;
export const getBlotterReport = {
  id: 'getBlotterReport',
  method: 'GET',
  path: '/v1/operator/reports/blotter',
  mayBeFile: true,
} as const;
export const getSettlementLadderReport = {
  id: 'getSettlementLadderReport',
  method: 'GET',
  path: '/v1/operator/reports/settlement-ladder',
  mayBeFile: true,
} as const;
export const getExposureReport = {
  id: 'getExposureReport',
  method: 'GET',
  path: '/v1/operator/reports/exposure',
  mayBeFile: true,
} as const;
export const getPairPositionsReport = {
  id: 'getPairPositionsReport',
  method: 'GET',
  path: '/v1/operator/reports/pair-positions',
  mayBeFile: true,
} as const;
export const getSpreadRevenueReport = {
  id: 'getSpreadRevenueReport',
  method: 'GET',
  path: '/v1/operator/reports/spread-revenue',
  mayBeFile: true,
} as const;
export const getReconciliationReport = {
  id: 'getReconciliationReport',
  method: 'GET',
  path: '/v1/operator/reports/reconciliation',
  mayBeFile: true,
} as const;
export const getOverdueReport = {
  id: 'getOverdueReport',
  method: 'GET',
  path: '/v1/operator/reports/overdue',
  mayBeFile: true,
} as const;
export const getSuspenseReport = {
  id: 'getSuspenseReport',
  method: 'GET',
  path: '/v1/operator/reports/suspense',
  mayBeFile: true,
} as const;
export const getExceptionsReport = {
  id: 'getExceptionsReport',
  method: 'GET',
  path: '/v1/operator/reports/exceptions',
  mayBeFile: true,
} as const;
export const getDepositsReport = {
  id: 'getDepositsReport',
  method: 'GET',
  path: '/v1/operator/reports/deposits',
  mayBeFile: true,
} as const;
export const deleteReport = {
  id: 'deleteReport',
  method: 'DELETE',
  path: '/v1/operator/reports/{reportId}',
} as const;
export const downloadReport = {
  id: 'downloadReport',
  method: 'GET',
  path: '/v1/operator/reports/{reportId}/content',
  isFile: true,
} as const;
export const getReport = { id: 'getReport', method: 'GET', path: '/v1/operator/reports/{reportId}' } as const;
export const listReports = { id: 'listReports', method: 'GET', path: '/v1/operator/reports' } as const;
export const requestReport = {
  id: 'requestReport',
  method: 'POST',
  path: '/v1/operator/reports',
  isKeyed: true,
} as const;
export const createReportSchedule = {
  id: 'createReportSchedule',
  method: 'POST',
  path: '/v1/operator/report-schedules',
  isKeyed: true,
} as const;
export const deleteReportSchedule = {
  id: 'deleteReportSchedule',
  method: 'DELETE',
  path: '/v1/operator/report-schedules/{scheduleId}',
} as const;
export const getReportSchedule = {
  id: 'getReportSchedule',
  method: 'GET',
  path: '/v1/operator/report-schedules/{scheduleId}',
} as const;
export const listReportScheduleRuns = {
  id: 'listReportScheduleRuns',
  method: 'GET',
  path: '/v1/operator/report-schedules/{scheduleId}/runs',
} as const;
export const listReportSchedules = {
  id: 'listReportSchedules',
  method: 'GET',
  path: '/v1/operator/report-schedules',
} as const;
export const replaceReportSchedule = {
  id: 'replaceReportSchedule',
  method: 'PUT',
  path: '/v1/operator/report-schedules/{scheduleId}',
} as const;
export const approve = {
  id: 'approve',
  method: 'POST',
  path: '/v1/operator/approvals/{approvalId}/approve',
  isKeyed: true,
} as const;
export const getApproval = {
  id: 'getApproval',
  method: 'GET',
  path: '/v1/operator/approvals/{approvalId}',
} as const;
export const listApprovals = { id: 'listApprovals', method: 'GET', path: '/v1/operator/approvals' } as const;
export const rejectApproval = {
  id: 'rejectApproval',
  method: 'POST',
  path: '/v1/operator/approvals/{approvalId}/reject',
  isKeyed: true,
} as const;
export const dryRunCommand = {
  id: 'dryRunCommand',
  method: 'POST',
  path: '/v1/operator/four-eyes/dry-run',
} as const;
export const getFourEyesPolicy = {
  id: 'getFourEyesPolicy',
  method: 'GET',
  path: '/v1/operator/four-eyes',
} as const;
export const setFourEyesPolicy = {
  id: 'setFourEyesPolicy',
  method: 'PUT',
  path: '/v1/operator/four-eyes',
} as const;
export const exportLog = {
  id: 'exportLog',
  method: 'GET',
  path: '/v1/operator/audit/export',
  isFile: true,
} as const;
export const listAudit = { id: 'listAudit', method: 'GET', path: '/v1/operator/audit' } as const;
export const listLogHeads = { id: 'listLogHeads', method: 'GET', path: '/v1/operator/audit/heads' } as const;
export const proveLogGrowth = {
  id: 'proveLogGrowth',
  method: 'GET',
  path: '/v1/operator/audit/consistency',
} as const;
export const proveLogRow = {
  id: 'proveLogRow',
  method: 'GET',
  path: '/v1/operator/audit/inclusion',
} as const;
export const signLogHead = {
  id: 'signLogHead',
  method: 'POST',
  path: '/v1/operator/audit/heads',
  isKeyed: true,
} as const;
export const getAnyConfirmation = {
  id: 'getAnyConfirmation',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/transactions/{transactionId}/confirmation',
  mayBeFile: true,
} as const;

/** Every operation of this entry, by its id. */
export const OPERATOR_OPERATIONS = {
  acceptPrice,
  acceptStatementFile,
  activateSpreadRuleDraft,
  addCredentialSecret,
  addDepositNote,
  addOperatorClientSecret,
  addSettlementInstruction,
  addVirtualAccount,
  approve,
  assignDeposit,
  assignException,
  bookDeposit,
  bookStatementEntry,
  cancelAnyWithdrawal,
  cancelDepositReturn,
  cancelSettlementRun,
  checkBooks,
  closeVirtualAccount,
  commandDeposits,
  commandExceptions,
  commandTransactions,
  confirmDepositReturn,
  confirmPayout,
  confirmRefund,
  confirmWithdrawal,
  countDeposits,
  countExceptions,
  countTransactionWork,
  createCredential,
  createCustomer,
  createOperatorClient,
  createOperatorWebhook,
  createReportSchedule,
  createSettlementRun,
  deleteOperatorWebhook,
  deleteReport,
  deleteReportSchedule,
  deleteRole,
  deleteStatementFile,
  deleteStatementMapping,
  disableSource,
  discardSpreadRuleDraft,
  downloadReport,
  downloadSettlementRunFile,
  downloadStatementFile,
  dryRunCommand,
  enableSource,
  endOwnSession,
  endPerson,
  endSession,
  executeForCustomer,
  explainAnyQuote,
  explainTransaction,
  exportJournal,
  exportLog,
  failPayout,
  failRefund,
  failWithdrawal,
  forgetRemitter,
  forgiveShortfall,
  getAmountLimits,
  getAnyConfirmation,
  getAnyQuote,
  getAnyTransaction,
  getAnyWithdrawal,
  getApproval,
  getBankReconciliation,
  getBlotterReport,
  getCalendarImport,
  getCalendarYear,
  getCustomer,
  getCustomerBalances,
  getCustomerLimits,
  getCutOff,
  getDeposit,
  getDepositHistory,
  getDepositsReport,
  getException,
  getExceptionsReport,
  getExposure,
  getExposureLimits,
  getExposureReport,
  getFourEyesPolicy,
  getJournalEntry,
  getLimitUsage,
  getMarketHealth,
  getMatchingRules,
  getOperatorWebhook,
  getOverdueReport,
  getOwnSession,
  getPairPositions,
  getPairPositionsReport,
  getPairSettings,
  getPerson,
  getPositions,
  getPostalAddress,
  getPricingPolicy,
  getReconciliationReport,
  getReport,
  getReportSchedule,
  getSettlementLadderReport,
  getSettlementRun,
  getSpreadRevenueReport,
  getSpreadRuleDraft,
  getSpreadRuleVersion,
  getSpreadRules,
  getStatementEntry,
  getStatementFile,
  getStatementMapping,
  getSuspenseReport,
  getSwapPointPolicy,
  getSwapPoints,
  getTrialBalance,
  haltMarket,
  ignoreDeposit,
  importStatementFile,
  invitePerson,
  listAcceptedPrices,
  listAccountEntries,
  listAccountPostings,
  listAccountStatements,
  listActors,
  listAllQuotes,
  listAllTransactions,
  listAllWithdrawals,
  listApprovals,
  listAudit,
  listBankReconciliationItems,
  listBars,
  listCalendarYearVersions,
  listCalendars,
  listCollectionAccounts,
  listCredentials,
  listCustomerPrices,
  listCustomers,
  listCutOffVersions,
  listCutOffs,
  listDeposits,
  listEntriesOfFile,
  listExceptions,
  listHalts,
  listHolds,
  listJournalEntries,
  listKeys,
  listLedgerAccounts,
  listLogHeads,
  listOperatorClients,
  listOperatorWebhookDeliveries,
  listOperatorWebhooks,
  listOwnSessions,
  listPairSettings,
  listPasskeys,
  listPaymentStatusesOfFile,
  listPersons,
  listPrices,
  listRemitters,
  listReportScheduleRuns,
  listReportSchedules,
  listReports,
  listRoles,
  listSessions,
  listSettlementInstructions,
  listSettlementRunPayments,
  listSettlementRuns,
  listSpreadRuleVersions,
  listStatementFiles,
  listStatementMappings,
  listStatementsOfFile,
  listSwapPoints,
  listVirtualAccounts,
  markSettlementRunSent,
  markStatementEntryDistinct,
  markStatementEntryDuplicate,
  markStatementEntryNeverBooked,
  matchDeposit,
  matchStatementEntry,
  placeHold,
  previewMatchingRules,
  previewSettlementRun,
  previewSpreadRules,
  proposeCalendarImport,
  proveLogGrowth,
  proveLogRow,
  pushPrices,
  pushSwapPoints,
  quoteForCustomer,
  quoteUnwinding,
  recordDeposit,
  redirectPayout,
  redirectWithdrawal,
  refundExcess,
  rejectApproval,
  releaseCollectionAccount,
  releaseDeposit,
  releaseHold,
  releasePayout,
  releaseSettlementInstruction,
  releaseVirtualAccount,
  removePasskey,
  renamePasskey,
  renewInvitation,
  renewRecoveryCodes,
  replaceMatchingRules,
  replaceReportSchedule,
  replayOperatorWebhook,
  replayOperatorWebhookDelivery,
  requestReport,
  resetSourceSequence,
  resolveException,
  restoreSpreadRules,
  resumeCredential,
  resumeCustomer,
  resumeMarket,
  resumeOperatorClient,
  resumePerson,
  retireSettlementInstruction,
  retryException,
  retryPayout,
  retryRefund,
  returnDeposit,
  revokeCredential,
  revokeCredentialSecret,
  revokeCredentialTokens,
  revokeKey,
  revokeOperatorClient,
  revokeOperatorClientSecret,
  revokeOperatorClientTokens,
  rollValueDate,
  rotateKey,
  rotateOperatorWebhookSecret,
  setAmountLimits,
  setCalendarYear,
  setCollectionAccount,
  setCredentialIpAllowList,
  setCredentialKeys,
  setCustomerLimits,
  setCutOff,
  setExposureLimits,
  setFourEyesPolicy,
  setOperatorClientIpAllowList,
  setOperatorClientKeys,
  setPairSettings,
  setPersonRoles,
  setPostalAddress,
  setPricingPolicy,
  setRole,
  setSpreadRuleDraft,
  setSpreadRules,
  setStatementMapping,
  setSwapPointPolicy,
  setSwapPoints,
  signLogHead,
  signOut,
  streamMarketPrices,
  suspendCredential,
  suspendCustomer,
  suspendOperatorClient,
  suspendPerson,
  testOperatorWebhook,
  topUpBalance,
  unmatchDeposit,
  unwindTransaction,
  updateCredential,
  updateCustomer,
  updateOperatorClient,
  updateOperatorWebhook,
  withdrawForCustomer,
  withdrawInvitation,
  withdrawPrices,
  withdrawStatementFile,
} as const satisfies Record<string, OperationSpec>;

/** What operators can do, by the ids of the operations. */
export class OperatorOperations extends Operations {
  /**
   * Explain the price of any quote in full. Ignores the pricing disclosure of the customer, and adds prices that operators had accepted. `verification` compares the recorded numbers with recomputed ones.
   *
   * `GET /v1/operator/quotes/{quoteId}/explain`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  explainAnyQuote(
    quoteId: string,
    query?: types.ExplainAnyQuoteQuery,
    options?: CallOptions,
  ): Call<types.OperatorQuoteExplanation> {
    return this.invoke(explainAnyQuote, { path: [quoteId], query }, options);
  }

  /**
   * Explain the price of a transaction in full. Explains the quote that it executed.
   *
   * `GET /v1/operator/transactions/{transactionId}/explain`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  explainTransaction(transactionId: string, options?: CallOptions): Call<types.OperatorQuoteExplanation> {
    return this.invoke(explainTransaction, { path: [transactionId] }, options);
  }

  /**
   * Execute a quote for a customer. Trades at the quoted price, exactly once: repeating it with the same key gets the same response.
   *
   * `POST /v1/operator/customers/{customerId}/quotes/{quoteId}/execute`. Needs the scope `operator:trades`.
   */
  executeForCustomer(customerId: string, quoteId: string, options?: KeyedOptions): Call<types.Transaction> {
    return this.invoke(executeForCustomer, { path: [customerId, quoteId] }, options);
  }

  /**
   * Read any quote. As the customer sees it, with the customer and who requested it.
   *
   * `GET /v1/operator/quotes/{quoteId}`. Needs the scope `operator:transactions:read`.
   */
  getAnyQuote(
    quoteId: string,
    query?: types.GetAnyQuoteQuery,
    options?: CallOptions,
  ): Call<types.OperatorQuote> {
    return this.invoke(getAnyQuote, { path: [quoteId], query }, options);
  }

  /**
   * List quotes of all customers, newest first. With a filter, a page may hold fewer items than its limit: read on while `hasMore`.
   *
   * `GET /v1/operator/quotes`. Needs the scope `operator:transactions:read`.
   */
  listAllQuotes(query?: types.ListAllQuotesQuery, options?: CallOptions): List<types.OperatorQuote> {
    return this.pages(listAllQuotes, { query }, options);
  }

  /**
   * List the prices of a customer. Current, indicative prices with the customer's spread.
   *
   * `GET /v1/operator/customers/{customerId}/prices`. Needs the scope `operator:trades`.
   */
  listCustomerPrices(
    customerId: string,
    query: types.ListCustomerPricesQuery,
    options?: CallOptions,
  ): Call<types.ListCustomerPricesAnswer> {
    return this.invoke(listCustomerPrices, { path: [customerId], query }, options);
  }

  /**
   * Request a firm quote for a customer. For a dealer acting on behalf of a customer. The customer's own prices and limits apply.
   *
   * `POST /v1/operator/customers/{customerId}/quotes`. Needs the scope `operator:trades`.
   */
  quoteForCustomer(customerId: string, body: types.QuoteRequest, options?: KeyedOptions): Call<types.Quote> {
    return this.invoke(quoteForCustomer, { path: [customerId], body }, options);
  }

  /**
   * List the price of each pair in this instance. With the price of each source, and any halts.
   *
   * `GET /v1/operator/prices`. Needs the scope `operator:prices` or `operator:pricing:read`.
   */
  listPrices(query?: types.ListPricesQuery, options?: CallOptions): Call<types.ListPricesAnswer> {
    return this.invoke(listPrices, { query }, options);
  }

  /**
   * Push prices. A single price, or up to 500 in `prices`. Each is checked like one from a feed and has its own outcome. With an `Idempotency-Key`, repeating the request gets the first response and does not make an old price look new.
   *
   * `POST /v1/operator/prices`. Needs the scope `operator:prices`.
   */
  pushPrices(body: types.PushPricesBody, options?: KeyedOptions): Call<types.PushPricesAnswer> {
    return this.invoke(pushPrices, { body }, options);
  }

  /**
   * Withdraw pushed prices. They are no longer used for quotes, whatever their age; existing firm quotes stay valid. A price made before the withdrawal is refused if it arrives later.
   *
   * `POST /v1/operator/prices/withdraw`. Needs the scope `operator:prices`.
   */
  withdrawPrices(body: types.WithdrawPricesBody, options?: KeyedOptions): Call<types.WithdrawPricesAnswer> {
    return this.invoke(withdrawPrices, { body }, options);
  }

  /**
   * Cancel a withdrawal of any customer. Possible until the bank has it. The money returns to the balance.
   *
   * `POST /v1/operator/withdrawals/{withdrawalId}/cancel`. Needs the scope `operator:payouts`.
   */
  cancelAnyWithdrawal(
    withdrawalId: string,
    body?: types.CancelAnyWithdrawalBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorWithdrawal> {
    return this.invoke(cancelAnyWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Confirm a withdrawal. Records that the bank has paid it.
   *
   * `POST /v1/operator/withdrawals/{withdrawalId}/paid`. Needs the scope `operator:payouts`.
   */
  confirmWithdrawal(
    withdrawalId: string,
    body?: types.ConfirmWithdrawalBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorWithdrawal | types.Approval> {
    return this.invoke(confirmWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Report a failed withdrawal. The bank rejected or returned it. The money returns to the balance.
   *
   * `POST /v1/operator/withdrawals/{withdrawalId}/failed`. Needs the scope `operator:payouts`.
   */
  failWithdrawal(
    withdrawalId: string,
    body?: types.FailWithdrawalBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorWithdrawal | types.Approval> {
    return this.invoke(failWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Read a withdrawal of any customer. Adds what the customer does not see: who requested and approved it, why, and the `detail` of a failure.
   *
   * `GET /v1/operator/withdrawals/{withdrawalId}`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  getAnyWithdrawal(withdrawalId: string, options?: CallOptions): Call<types.OperatorWithdrawal> {
    return this.invoke(getAnyWithdrawal, { path: [withdrawalId] }, options);
  }

  /**
   * Read the balances of a customer. What is available now: trades and pending withdrawals are already taken off. A payment that names `topUpReference` is credited here.
   *
   * `GET /v1/operator/customers/{customerId}/balances`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  getCustomerBalances(customerId: string, options?: CallOptions): Call<types.Balances> {
    return this.invoke(getCustomerBalances, { path: [customerId] }, options);
  }

  /**
   * List withdrawals of all customers, newest first. Includes finished ones.
   *
   * `GET /v1/operator/withdrawals`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  listAllWithdrawals(
    query?: types.ListAllWithdrawalsQuery,
    options?: CallOptions,
  ): List<types.OperatorWithdrawal> {
    return this.pages(listAllWithdrawals, { query }, options);
  }

  /**
   * Redirect a withdrawal. Pays it to the customer's active settlement instruction instead of the original one.
   *
   * `POST /v1/operator/withdrawals/{withdrawalId}/redirect`. Needs the scope `operator:payouts`.
   */
  redirectWithdrawal(
    withdrawalId: string,
    body?: Record<never, never>,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorWithdrawal | types.Approval> {
    return this.invoke(redirectWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Top up a balance by hand. Credits money that arrived at the bank.
   *
   * `POST /v1/operator/customers/{customerId}/balances/top-ups`. Needs the scope `operator:funding`.
   */
  topUpBalance(
    customerId: string,
    body: types.TopUpBalanceBody,
    options?: KeyedOptions,
  ): Call<types.Balances | types.Approval> {
    return this.invoke(topUpBalance, { path: [customerId], body }, options);
  }

  /**
   * Withdraw money from a customer's balance. It is paid to the customer's settlement instruction for the currency. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/customers/{customerId}/balances/withdrawals`. Needs the scope `operator:payouts`.
   */
  withdrawForCustomer(
    customerId: string,
    body: types.WithdrawForCustomerBody,
    options?: KeyedOptions,
  ): Call<types.OperatorWithdrawal | types.Approval> {
    return this.invoke(withdrawForCustomer, { path: [customerId], body }, options);
  }

  /**
   * Create a webhook. From now on events are sent to it, signed as in Standard Webhooks. Only this response shows the secret.
   *
   * `POST /v1/operator/webhooks`. Needs the scope `operator:webhooks`.
   */
  createOperatorWebhook(
    body: types.CreateOperatorWebhookBody,
    options?: KeyedOptions,
  ): Call<types.OperatorWebhookWithSecret> {
    return this.invoke(createOperatorWebhook, { body }, options);
  }

  /**
   * List webhooks, newest first. Includes disabled ones. Secrets are not shown.
   *
   * `GET /v1/operator/webhooks`. Needs the scope `operator:webhooks`.
   */
  listOperatorWebhooks(
    query?: types.ListOperatorWebhooksQuery,
    options?: CallOptions,
  ): List<types.OperatorWebhook> {
    return this.pages(listOperatorWebhooks, { query }, options);
  }

  /**
   * Read a webhook. `disabledReason` says why nothing is sent to it. Its secret is not shown.
   *
   * `GET /v1/operator/webhooks/{webhookId}`. Needs the scope `operator:webhooks`.
   */
  getOperatorWebhook(webhookId: string, options?: CallOptions): Call<types.OperatorWebhook> {
    return this.invoke(getOperatorWebhook, { path: [webhookId] }, options);
  }

  /**
   * Change a webhook. A webhook that is enabled again continues where it stopped, with the events since.
   *
   * `PATCH /v1/operator/webhooks/{webhookId}`. Needs the scope `operator:webhooks`.
   */
  updateOperatorWebhook(
    webhookId: string,
    body: types.UpdateOperatorWebhookBody,
    options?: MatchedOptions,
  ): Call<types.OperatorWebhook> {
    return this.invoke(updateOperatorWebhook, { path: [webhookId], body }, options);
  }

  /**
   * Delete a webhook. Nothing more is sent, not even retries. To pause it, set its `status` to `disabled` instead.
   *
   * `DELETE /v1/operator/webhooks/{webhookId}`. Needs the scope `operator:webhooks`.
   */
  deleteOperatorWebhook(webhookId: string, options?: CallOptions): Call<void> {
    return this.invoke(deleteOperatorWebhook, { path: [webhookId] }, options);
  }

  /**
   * Replace the secret of a webhook. Both secrets sign for a while, so that receivers can switch over.
   *
   * `POST /v1/operator/webhooks/{webhookId}/rotate-secret`. Needs the scope `operator:webhooks`.
   */
  rotateOperatorWebhookSecret(
    webhookId: string,
    body?: types.RotateOperatorWebhookSecretBody,
    options?: KeyedOptions,
  ): Call<types.OperatorWebhookWithSecret> {
    return this.invoke(rotateOperatorWebhookSecret, { path: [webhookId], body }, options);
  }

  /**
   * Send a test event. Sends one `webhook.test` at once and returns the outcome.
   *
   * `POST /v1/operator/webhooks/{webhookId}/test`. Needs the scope `operator:webhooks`.
   */
  testOperatorWebhook(webhookId: string, options?: CallOptions): Call<types.OperatorWebhookDelivery> {
    return this.invoke(testOperatorWebhook, { path: [webhookId] }, options);
  }

  /**
   * List deliveries, newest event first. Kept as long as the events: 30 days.
   *
   * `GET /v1/operator/webhooks/{webhookId}/deliveries`. Needs the scope `operator:webhooks`.
   */
  listOperatorWebhookDeliveries(
    webhookId: string,
    query?: types.ListOperatorWebhookDeliveriesQuery,
    options?: CallOptions,
  ): List<types.OperatorWebhookDelivery> {
    return this.pages(listOperatorWebhookDeliveries, { path: [webhookId], query }, options);
  }

  /**
   * Send an event again. Whether it was delivered or not, with a new series of attempts. Only events that were sent to this webhook before.
   *
   * `POST /v1/operator/webhooks/{webhookId}/deliveries/{eventId}/replay`. Needs the scope `operator:webhooks`.
   */
  replayOperatorWebhookDelivery(
    webhookId: string,
    eventId: string,
    options?: CallOptions,
  ): Call<types.OperatorWebhookDelivery> {
    return this.invoke(replayOperatorWebhookDelivery, { path: [webhookId, eventId] }, options);
  }

  /**
   * Send the events of a period again, or those that failed. Up to 1,000 events in a call. Without `status`, also events that were never sent, such as those before the webhook was created.
   *
   * `POST /v1/operator/webhooks/{webhookId}/replay`. Needs the scope `operator:webhooks`.
   */
  replayOperatorWebhook(
    webhookId: string,
    query?: types.ReplayOperatorWebhookQuery,
    options?: CallOptions,
  ): Call<types.WebhookReplay> {
    return this.invoke(replayOperatorWebhook, { path: [webhookId], query }, options);
  }

  /**
   * Create a customer. It is active at once, with the default limits.
   *
   * `POST /v1/operator/customers`. Needs the scope `operator:customers`.
   */
  createCustomer(body: types.CreateCustomerBody, options?: KeyedOptions): Call<types.Customer> {
    return this.invoke(createCustomer, { body }, options);
  }

  /**
   * Read a customer. With all settings. Limits and accounts are separate resources.
   *
   * `GET /v1/operator/customers/{customerId}`. Needs the scope `operator:customers` or `operator:customers:read`.
   */
  getCustomer(customerId: string, options?: CallOptions): Call<types.Customer> {
    return this.invoke(getCustomer, { path: [customerId] }, options);
  }

  /**
   * Read the limits of a customer. In US dollars at the mid, with the number of open quotes and the rate limits. A policy missing from `rates` follows the default.
   *
   * `GET /v1/operator/customers/{customerId}/limits`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getCustomerLimits(customerId: string, options?: CallOptions): Call<types.CustomerLimits> {
    return this.invoke(getCustomerLimits, { path: [customerId] }, options);
  }

  /**
   * Read how much of its limits a customer has used. Exact: this is what the next execution is checked against.
   *
   * `GET /v1/operator/customers/{customerId}/limits/usage`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getLimitUsage(customerId: string, options?: CallOptions): Call<types.LimitUsage> {
    return this.invoke(getLimitUsage, { path: [customerId] }, options);
  }

  /**
   * List customers, newest first. Includes suspended ones.
   *
   * `GET /v1/operator/customers`. Needs the scope `operator:customers` or `operator:customers:read`.
   */
  listCustomers(query?: types.ListCustomersQuery, options?: CallOptions): List<types.Customer> {
    return this.pages(listCustomers, { query }, options);
  }

  /**
   * Let a suspended customer trade again. Quotes that the suspension withdrew stay withdrawn. Payments that runs left out meanwhile are due again.
   *
   * `POST /v1/operator/customers/{customerId}/resume`. Needs the scope `operator:customers`.
   */
  resumeCustomer(
    customerId: string,
    body?: Record<never, never>,
    options?: KeyedOptions,
  ): Call<types.Customer | types.Approval> {
    return this.invoke(resumeCustomer, { path: [customerId], body }, options);
  }

  /**
   * Set the limits of a customer. Replaces them all; policies left out of `rates` follow the defaults. Daily volume and open position bind existing quotes too: executing one beyond them is 422 `limit_exceeded`.
   *
   * `PUT /v1/operator/customers/{customerId}/limits`. Needs the scope `operator:limits`.
   */
  setCustomerLimits(
    customerId: string,
    body: types.SetCustomerLimitsBody,
    options?: MatchedOptions,
  ): Call<types.CustomerLimits | types.Approval> {
    return this.invoke(setCustomerLimits, { path: [customerId], body }, options);
  }

  /**
   * Suspend a customer. It can neither quote nor execute, and its open quotes are withdrawn.
   *
   * `POST /v1/operator/customers/{customerId}/suspend`. Needs the scope `operator:customers`.
   */
  suspendCustomer(
    customerId: string,
    body?: types.SuspendCustomerBody,
    options?: KeyedOptions,
  ): Call<types.Customer> {
    return this.invoke(suspendCustomer, { path: [customerId], body }, options);
  }

  /**
   * Change a customer. Omitted members and settings keep their values; null clears `groupName` and `externalReference`. Existing quotes keep their terms.
   *
   * `PATCH /v1/operator/customers/{customerId}`. Needs the scope `operator:customers`.
   */
  updateCustomer(
    customerId: string,
    body: types.UpdateCustomerBody,
    options?: MatchedOptions,
  ): Call<types.Customer | types.Approval> {
    return this.invoke(updateCustomer, { path: [customerId], body }, options);
  }

  /**
   * Add an account that the customer is paid to. It replaces the active one of its currency.
   *
   * `POST /v1/operator/customers/{customerId}/settlement-instructions`. Needs the scope `operator:settlement-instructions`.
   */
  addSettlementInstruction(
    customerId: string,
    body: types.AddSettlementInstructionBody,
    options?: KeyedOptions,
  ): Call<types.SettlementInstruction | types.Approval> {
    return this.invoke(addSettlementInstruction, { path: [customerId], body }, options);
  }

  /**
   * Read the postal address of a customer. The creditor's address in payment files; null if none is set.
   *
   * `GET /v1/operator/customers/{customerId}/postal-address`. Needs the scope `operator:settlement-instructions` or `operator:customers:read`.
   */
  getPostalAddress(customerId: string, options?: CallOptions): Call<types.GetPostalAddressAnswer> {
    return this.invoke(getPostalAddress, { path: [customerId] }, options);
  }

  /**
   * List the house's collection accounts. Customers pay into them; there is one for each currency.
   *
   * `GET /v1/operator/collection-accounts`. Needs the scope `operator:house-accounts` or `operator:customers:read`.
   */
  listCollectionAccounts(options?: CallOptions): Call<types.ListCollectionAccountsAnswer> {
    return this.invoke(listCollectionAccounts, {}, options);
  }

  /**
   * List the accounts that the customer is paid to, newest first. Includes retired ones. At most one for each currency is active; before `usableFrom` nothing is paid to it.
   *
   * `GET /v1/operator/customers/{customerId}/settlement-instructions`. Needs the scope `operator:settlement-instructions` or `operator:customers:read`.
   */
  listSettlementInstructions(
    customerId: string,
    query?: types.ListSettlementInstructionsQuery,
    options?: CallOptions,
  ): List<types.SettlementInstruction> {
    return this.pages(listSettlementInstructions, { path: [customerId], query }, options);
  }

  /**
   * Release a new collection account before its wait ends. Does nothing if it is not waiting.
   *
   * `POST /v1/operator/collection-accounts/{currency}/release`. Needs the scope `operator:house-accounts`.
   */
  releaseCollectionAccount(
    currency: string,
    options?: CallOptions,
  ): Call<types.CollectionAccount | types.Approval> {
    return this.invoke(releaseCollectionAccount, { path: [currency] }, options);
  }

  /**
   * Release a new settlement account before its wait ends. Does nothing if it is not waiting.
   *
   * `POST /v1/operator/customers/{customerId}/settlement-instructions/{ssiId}/release`. Needs the scope `operator:settlement-instructions`.
   */
  releaseSettlementInstruction(
    customerId: string,
    ssiId: string,
    options?: KeyedOptions,
  ): Call<types.SettlementInstruction | types.Approval> {
    return this.invoke(releaseSettlementInstruction, { path: [customerId, ssiId] }, options);
  }

  /**
   * Retire an account that the customer is paid to. Trades executed with it keep it.
   *
   * `DELETE /v1/operator/customers/{customerId}/settlement-instructions/{ssiId}`. Needs the scope `operator:settlement-instructions`.
   */
  retireSettlementInstruction(customerId: string, ssiId: string, options?: CallOptions): Call<void> {
    return this.invoke(retireSettlementInstruction, { path: [customerId, ssiId] }, options);
  }

  /**
   * Set the collection account of a currency. A different account first waits as `next`. Existing transactions keep the account that they were executed with.
   *
   * `PUT /v1/operator/collection-accounts/{currency}`. Needs the scope `operator:house-accounts`.
   */
  setCollectionAccount(
    currency: string,
    body: types.SetCollectionAccountBody,
    options?: CallOptions,
  ): Call<types.CollectionAccount | types.Approval> {
    return this.invoke(setCollectionAccount, { path: [currency], body }, options);
  }

  /**
   * Set the postal address of a customer. Payment files show it as the creditor's address.
   *
   * `PUT /v1/operator/customers/{customerId}/postal-address`. Needs the scope `operator:settlement-instructions`.
   */
  setPostalAddress(
    customerId: string,
    body: types.SetPostalAddressBody,
    options?: CallOptions,
  ): Call<types.SetPostalAddressAnswer> {
    return this.invoke(setPostalAddress, { path: [customerId], body }, options);
  }

  /**
   * Register a virtual account. Money that arrives on it from now on belongs to the customer.
   *
   * `POST /v1/operator/customers/{customerId}/virtual-accounts`. Needs the scope `operator:deposits`.
   */
  addVirtualAccount(
    customerId: string,
    body: types.AddVirtualAccountBody,
    options?: KeyedOptions,
  ): Call<types.VirtualAccount | types.Approval> {
    return this.invoke(addVirtualAccount, { path: [customerId], body }, options);
  }

  /**
   * Close a virtual account. Later payments to it are not assigned to a customer.
   *
   * `DELETE /v1/operator/customers/{customerId}/virtual-accounts/{virtualAccountId}`. Needs the scope `operator:deposits`.
   */
  closeVirtualAccount(customerId: string, virtualAccountId: string, options?: CallOptions): Call<void> {
    return this.invoke(closeVirtualAccount, { path: [customerId, virtualAccountId] }, options);
  }

  /**
   * Forget an account that a customer has paid from. Deposits from it are no longer suggested for this customer, and may count as a third party's. Existing matches stay.
   *
   * `DELETE /v1/operator/customers/{customerId}/remitters/{remitterId}`. Needs the scope `operator:deposits`.
   */
  forgetRemitter(customerId: string, remitterId: string, options?: CallOptions): Call<void> {
    return this.invoke(forgetRemitter, { path: [customerId, remitterId] }, options);
  }

  /**
   * List the accounts that a customer is known to pay from. Newest first, at most 200.
   *
   * `GET /v1/operator/customers/{customerId}/remitters`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listRemitters(customerId: string, options?: CallOptions): Call<types.ListRemittersAnswer> {
    return this.invoke(listRemitters, { path: [customerId] }, options);
  }

  /**
   * List the virtual accounts of a customer, newest first. Includes closed ones. New trades name the newest open one that has reached its `usableFrom`.
   *
   * `GET /v1/operator/customers/{customerId}/virtual-accounts`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listVirtualAccounts(
    customerId: string,
    query?: types.ListVirtualAccountsQuery,
    options?: CallOptions,
  ): List<types.VirtualAccount> {
    return this.pages(listVirtualAccounts, { path: [customerId], query }, options);
  }

  /**
   * Release a new virtual account before its wait ends. Trades name it at once. Does nothing if it is not waiting.
   *
   * `POST /v1/operator/customers/{customerId}/virtual-accounts/{virtualAccountId}/release`. Needs the scope `operator:deposits`.
   */
  releaseVirtualAccount(
    customerId: string,
    virtualAccountId: string,
    options?: CallOptions,
  ): Call<types.VirtualAccount | types.Approval> {
    return this.invoke(releaseVirtualAccount, { path: [customerId, virtualAccountId] }, options);
  }

  /**
   * Create an OAuth client of a customer. Only this response shows the secret.
   *
   * `POST /v1/operator/customers/{customerId}/credentials`. Needs the scope `operator:credentials`.
   */
  createCredential(
    customerId: string,
    body: types.CreateCredentialBody,
    options?: KeyedOptions,
  ): Call<types.CreatedCredential | types.Approval> {
    return this.invoke(createCredential, { path: [customerId], body }, options);
  }

  /**
   * List a customer's OAuth clients. Secrets are not shown.
   *
   * `GET /v1/operator/customers/{customerId}/credentials`. Needs the scope `operator:credentials` or `operator:customers:read`.
   */
  listCredentials(customerId: string, options?: CallOptions): Call<types.ListCredentialsAnswer> {
    return this.invoke(listCredentials, { path: [customerId] }, options);
  }

  /**
   * Change an OAuth client of a customer. Omitted members keep their values. Removed rights end at once; added ones apply to new tokens.
   *
   * `PATCH /v1/operator/customers/{customerId}/credentials/{clientId}`. Needs the scope `operator:credentials`.
   */
  updateCredential(
    customerId: string,
    clientId: string,
    body: types.UpdateCredentialBody,
    options?: CallOptions,
  ): Call<types.Credential | types.Approval> {
    return this.invoke(updateCredential, { path: [customerId, clientId], body }, options);
  }

  /**
   * Revoke an OAuth client of a customer. Ends it for good, with its secrets, keys and tokens.
   *
   * `DELETE /v1/operator/customers/{customerId}/credentials/{clientId}`. Needs the scope `operator:credentials`.
   */
  revokeCredential(customerId: string, clientId: string, options?: CallOptions): Call<void> {
    return this.invoke(revokeCredential, { path: [customerId, clientId] }, options);
  }

  /**
   * Add a second secret to an OAuth client of a customer. Lets you replace the first without an outage.
   *
   * `POST /v1/operator/customers/{customerId}/credentials/{clientId}/secrets`. Needs the scope `operator:credentials`.
   */
  addCredentialSecret(
    customerId: string,
    clientId: string,
    body?: types.AddCredentialSecretBody,
    options?: KeyedOptions,
  ): Call<types.CreatedClientSecret | types.Approval> {
    return this.invoke(addCredentialSecret, { path: [customerId, clientId], body }, options);
  }

  /**
   * Revoke a secret of an OAuth client of a customer. Tokens issued with it stay valid until they expire or you revoke them.
   *
   * `DELETE /v1/operator/customers/{customerId}/credentials/{clientId}/secrets/{secretId}`. Needs the scope `operator:credentials`.
   */
  revokeCredentialSecret(
    customerId: string,
    clientId: string,
    secretId: string,
    options?: CallOptions,
  ): Call<void> {
    return this.invoke(revokeCredentialSecret, { path: [customerId, clientId, secretId] }, options);
  }

  /**
   * Set the public keys of an OAuth client of a customer. Used for `private_key_jwt`.
   *
   * `PUT /v1/operator/customers/{customerId}/credentials/{clientId}/keys`. Needs the scope `operator:credentials`.
   */
  setCredentialKeys(
    customerId: string,
    clientId: string,
    body: types.ClientKeys,
    options?: CallOptions,
  ): Call<types.Credential | types.Approval> {
    return this.invoke(setCredentialKeys, { path: [customerId, clientId], body }, options);
  }

  /**
   * Set the IP allow-list of an OAuth client of a customer. Replaces the list. Takes effect on every instance within 5 seconds, also for tokens already issued.
   *
   * `PUT /v1/operator/customers/{customerId}/credentials/{clientId}/ip-allow-list`. Needs the scope `operator:credentials`.
   */
  setCredentialIpAllowList(
    customerId: string,
    clientId: string,
    body: types.SetCredentialIpAllowListBody,
    options?: CallOptions,
  ): Call<types.Credential | types.Approval> {
    return this.invoke(setCredentialIpAllowList, { path: [customerId, clientId], body }, options);
  }

  /**
   * Suspend an OAuth client of a customer. Its tokens stop working at once.
   *
   * `POST /v1/operator/customers/{customerId}/credentials/{clientId}/suspend`. Needs the scope `operator:credentials`.
   */
  suspendCredential(customerId: string, clientId: string, options?: CallOptions): Call<types.Credential> {
    return this.invoke(suspendCredential, { path: [customerId, clientId] }, options);
  }

  /**
   * Resume a suspended OAuth client of a customer. Tokens neither revoked nor expired work again.
   *
   * `POST /v1/operator/customers/{customerId}/credentials/{clientId}/resume`. Needs the scope `operator:credentials`.
   */
  resumeCredential(
    customerId: string,
    clientId: string,
    options?: CallOptions,
  ): Call<types.Credential | types.Approval> {
    return this.invoke(resumeCredential, { path: [customerId, clientId] }, options);
  }

  /**
   * Revoke the tokens of an OAuth client of a customer. All those issued so far, or one. The client can still get new ones.
   *
   * `POST /v1/operator/customers/{customerId}/credentials/{clientId}/revoke-tokens`. Needs the scope `operator:credentials`.
   */
  revokeCredentialTokens(
    customerId: string,
    clientId: string,
    body?: types.RevokeCredentialTokensBody,
    options?: CallOptions,
  ): Call<void> {
    return this.invoke(revokeCredentialTokens, { path: [customerId, clientId], body }, options);
  }

  /**
   * Create an OAuth client of the operators. Only this response shows the secret.
   *
   * `POST /v1/operator/clients`. Needs the scope `operator:clients`.
   */
  createOperatorClient(
    body: types.CreateOperatorClientBody,
    options?: KeyedOptions,
  ): Call<types.CreatedOperatorClient | types.Approval> {
    return this.invoke(createOperatorClient, { body }, options);
  }

  /**
   * List the operators' OAuth clients. Secrets are not shown.
   *
   * `GET /v1/operator/clients`. Needs the scope `operator:clients` or `operator:clients:read`.
   */
  listOperatorClients(options?: CallOptions): Call<types.ListOperatorClientsAnswer> {
    return this.invoke(listOperatorClients, {}, options);
  }

  /**
   * Change an OAuth client of the operators. Omitted members keep their values. Removed rights end at once; added ones apply to new tokens.
   *
   * `PATCH /v1/operator/clients/{clientId}`. Needs the scope `operator:clients`.
   */
  updateOperatorClient(
    clientId: string,
    body: types.UpdateOperatorClientBody,
    options?: CallOptions,
  ): Call<types.OperatorClient | types.Approval> {
    return this.invoke(updateOperatorClient, { path: [clientId], body }, options);
  }

  /**
   * Revoke an OAuth client of the operators. Ends it for good, with its secrets, keys and tokens.
   *
   * `DELETE /v1/operator/clients/{clientId}`. Needs the scope `operator:clients`.
   */
  revokeOperatorClient(clientId: string, options?: CallOptions): Call<void> {
    return this.invoke(revokeOperatorClient, { path: [clientId] }, options);
  }

  /**
   * Add a second secret to an OAuth client of the operators. Lets you replace the first without an outage.
   *
   * `POST /v1/operator/clients/{clientId}/secrets`. Needs the scope `operator:clients`.
   */
  addOperatorClientSecret(
    clientId: string,
    body?: types.AddOperatorClientSecretBody,
    options?: KeyedOptions,
  ): Call<types.CreatedClientSecret | types.Approval> {
    return this.invoke(addOperatorClientSecret, { path: [clientId], body }, options);
  }

  /**
   * Revoke a secret of an OAuth client of the operators. Tokens issued with it stay valid until they expire or you revoke them.
   *
   * `DELETE /v1/operator/clients/{clientId}/secrets/{secretId}`. Needs the scope `operator:clients`.
   */
  revokeOperatorClientSecret(clientId: string, secretId: string, options?: CallOptions): Call<void> {
    return this.invoke(revokeOperatorClientSecret, { path: [clientId, secretId] }, options);
  }

  /**
   * Set the public keys of an OAuth client of the operators. Used for `private_key_jwt`.
   *
   * `PUT /v1/operator/clients/{clientId}/keys`. Needs the scope `operator:clients`.
   */
  setOperatorClientKeys(
    clientId: string,
    body: types.ClientKeys,
    options?: CallOptions,
  ): Call<types.OperatorClient | types.Approval> {
    return this.invoke(setOperatorClientKeys, { path: [clientId], body }, options);
  }

  /**
   * Set the IP allow-list of an OAuth client of the operators. Replaces the list. Takes effect on every instance within 5 seconds, also for tokens already issued.
   *
   * `PUT /v1/operator/clients/{clientId}/ip-allow-list`. Needs the scope `operator:clients`.
   */
  setOperatorClientIpAllowList(
    clientId: string,
    body: types.SetOperatorClientIpAllowListBody,
    options?: CallOptions,
  ): Call<types.OperatorClient | types.Approval> {
    return this.invoke(setOperatorClientIpAllowList, { path: [clientId], body }, options);
  }

  /**
   * Suspend an OAuth client of the operators. Its tokens stop working at once.
   *
   * `POST /v1/operator/clients/{clientId}/suspend`. Needs the scope `operator:clients`.
   */
  suspendOperatorClient(clientId: string, options?: CallOptions): Call<types.OperatorClient> {
    return this.invoke(suspendOperatorClient, { path: [clientId] }, options);
  }

  /**
   * Resume a suspended OAuth client of the operators. Tokens neither revoked nor expired work again.
   *
   * `POST /v1/operator/clients/{clientId}/resume`. Needs the scope `operator:clients`.
   */
  resumeOperatorClient(clientId: string, options?: CallOptions): Call<types.OperatorClient | types.Approval> {
    return this.invoke(resumeOperatorClient, { path: [clientId] }, options);
  }

  /**
   * Revoke the tokens of an OAuth client of the operators. All those issued so far, or one. The client can still get new ones.
   *
   * `POST /v1/operator/clients/{clientId}/revoke-tokens`. Needs the scope `operator:clients`.
   */
  revokeOperatorClientTokens(
    clientId: string,
    body?: types.RevokeOperatorClientTokensBody,
    options?: CallOptions,
  ): Call<void> {
    return this.invoke(revokeOperatorClientTokens, { path: [clientId], body }, options);
  }

  /**
   * Delete a role. Everyone who has it loses it at once.
   *
   * `DELETE /v1/operator/roles/{role}`. Needs the scope `operator:roles`.
   */
  deleteRole(role: string, options?: CallOptions): Call<void> {
    return this.invoke(deleteRole, { path: [role] }, options);
  }

  /**
   * List roles, built-in ones first. With the scopes that each grants now. Built-in ones cannot be changed.
   *
   * `GET /v1/operator/roles`. Needs the scope `operator:roles` or `operator:clients:read`.
   */
  listRoles(options?: CallOptions): Call<types.ListRolesAnswer> {
    return this.invoke(listRoles, {}, options);
  }

  /**
   * Create or change a role. Applies at once to everyone with the role. You can give only scopes that you have.
   *
   * `PUT /v1/operator/roles/{role}`. Needs the scope `operator:roles`.
   */
  setRole(
    role: string,
    body: types.SetRoleBody,
    options?: MatchedOptions,
  ): Call<types.Role | types.Approval> {
    return this.invoke(setRole, { path: [role], body }, options);
  }

  /**
   * List the keys that the service signs with. Includes retired and revoked ones. Private keys are never shown.
   *
   * `GET /v1/operator/keys`. Needs the scope `operator:keys`.
   */
  listKeys(options?: CallOptions): Call<types.ListKeysAnswer> {
    return this.invoke(listKeys, {}, options);
  }

  /**
   * Revoke a compromised key. It no longer verifies anything: tokens signed with it are refused, and the public keys list it as revoked. The next key signs at once.
   *
   * `POST /v1/operator/keys/{kid}/revoke`. Needs the scope `operator:keys`.
   */
  revokeKey(
    kid: string,
    body: types.RevokeKeyBody,
    options?: CallOptions,
  ): Call<types.ServiceKey | types.Approval> {
    return this.invoke(revokeKey, { path: [kid], body }, options);
  }

  /**
   * Rotate to the next key now. The previous key still verifies what it signed. Returns the key that signs from now on.
   *
   * `POST /v1/operator/keys/rotate`. Needs the scope `operator:keys`.
   */
  rotateKey(body: types.RotateKeyBody, options?: CallOptions): Call<types.ServiceKey | types.Approval> {
    return this.invoke(rotateKey, { body }, options);
  }

  /**
   * End one of your sessions. Requests with it are refused at once on this instance, and within 5 seconds on all.
   *
   * `DELETE /auth/sessions/{sessionId}`. Needs the scope `operator:self`.
   */
  endOwnSession(sessionId: string, options?: CallOptions): Call<void> {
    return this.invoke(endOwnSession, { path: [sessionId] }, options);
  }

  /**
   * Remove a person for good. What the person did stays on record.
   *
   * `DELETE /v1/operator/persons/{personId}`. Needs the scope `operator:people`.
   */
  endPerson(personId: string, options?: CallOptions): Call<void> {
    return this.invoke(endPerson, { path: [personId] }, options);
  }

  /**
   * End a session. Refused at once on this instance, and within 5 seconds on all. The person can sign in again: suspend the person to prevent that.
   *
   * `DELETE /v1/operator/sessions/{sessionId}`. Needs the scope `operator:people`.
   */
  endSession(sessionId: string, options?: CallOptions): Call<void> {
    return this.invoke(endSession, { path: [sessionId] }, options);
  }

  /**
   * Read your session. Has the `csrfToken` that each change must send as `X-CSRF-Token`, and your scopes. After `freshUntil`, moving money needs another sign-in.
   *
   * `GET /auth/session`. Needs the scope `operator:self`.
   */
  getOwnSession(options?: CallOptions): Call<types.GetOwnSessionAnswer> {
    return this.invoke(getOwnSession, {}, options);
  }

  /**
   * Read a person. Persons who have ended stay readable.
   *
   * `GET /v1/operator/persons/{personId}`. Needs the scope `operator:people` or `operator:people:read`.
   */
  getPerson(personId: string, options?: CallOptions): Call<types.Person> {
    return this.invoke(getPerson, { path: [personId] }, options);
  }

  /**
   * Invite a person. Give the link to the person and nobody else. You can give only roles with scopes that you have.
   *
   * `POST /v1/operator/persons`. Needs the scope `operator:people`.
   */
  invitePerson(
    body: types.InvitePersonBody,
    options?: KeyedOptions,
  ): Call<types.InvitedPerson | types.Approval> {
    return this.invoke(invitePerson, { body }, options);
  }

  /**
   * List your sessions. Newest first, at most 100. `isThisOne` marks the one that asks.
   *
   * `GET /auth/sessions`. Needs the scope `operator:self`.
   */
  listOwnSessions(options?: CallOptions): Call<types.ListOwnSessionsAnswer> {
    return this.invoke(listOwnSessions, {}, options);
  }

  /**
   * List your passkeys. Oldest first, with the number of unused recovery codes.
   *
   * `GET /auth/passkeys`. Needs the scope `operator:self`.
   */
  listPasskeys(options?: CallOptions): Call<types.ListPasskeysAnswer> {
    return this.invoke(listPasskeys, {}, options);
  }

  /**
   * List persons, newest first. Includes suspended and ended ones.
   *
   * `GET /v1/operator/persons`. Needs the scope `operator:people` or `operator:people:read`.
   */
  listPersons(query?: types.ListPersonsQuery, options?: CallOptions): List<types.Person> {
    return this.pages(listPersons, { query }, options);
  }

  /**
   * List active sessions, newest first. Those that still work: not ended, expired or idle for too long.
   *
   * `GET /v1/operator/sessions`. Needs the scope `operator:people` or `operator:people:read`.
   */
  listSessions(query?: types.ListSessionsQuery, options?: CallOptions): List<types.Session> {
    return this.pages(listSessions, { query }, options);
  }

  /**
   * Remove one of your passkeys. Ends your other sessions. You cannot remove your only way to sign in.
   *
   * `DELETE /auth/passkeys/{passkeyId}`. Needs the scope `operator:self`.
   */
  removePasskey(passkeyId: string, options?: CallOptions): Call<void> {
    return this.invoke(removePasskey, { path: [passkeyId] }, options);
  }

  /**
   * Rename one of your passkeys. The name is only for you to tell your passkeys apart.
   *
   * `PATCH /auth/passkeys/{passkeyId}`. Needs the scope `operator:self`.
   */
  renamePasskey(
    passkeyId: string,
    body: types.RenamePasskeyBody,
    options?: CallOptions,
  ): Call<types.Passkey> {
    return this.invoke(renamePasskey, { path: [passkeyId], body }, options);
  }

  /**
   * Give a person a new link. The previous link stops working. A person who lost all passkeys can recover with it: using it removes them and ends all sessions.
   *
   * `POST /v1/operator/persons/{personId}/invitation`. Needs the scope `operator:people`.
   */
  renewInvitation(personId: string, options?: KeyedOptions): Call<types.InvitedPerson | types.Approval> {
    return this.invoke(renewInvitation, { path: [personId] }, options);
  }

  /**
   * Create recovery codes. Replaces the previous codes. Shown only once.
   *
   * `POST /auth/recovery-codes`. Needs the scope `operator:self`.
   */
  renewRecoveryCodes(options?: CallOptions): Call<types.RenewRecoveryCodesAnswer> {
    return this.invoke(renewRecoveryCodes, {}, options);
  }

  /**
   * Resume a suspended person. The person has the same roles and must sign in again.
   *
   * `POST /v1/operator/persons/{personId}/resume`. Needs the scope `operator:people`.
   */
  resumePerson(personId: string, options?: CallOptions): Call<types.Person | types.Approval> {
    return this.invoke(resumePerson, { path: [personId] }, options);
  }

  /**
   * Set the roles of a person. Ends the person's sessions. You can give or take only scopes that you have.
   *
   * `PUT /v1/operator/persons/{personId}/roles`. Needs the scope `operator:people`.
   */
  setPersonRoles(
    personId: string,
    body: types.SetPersonRolesBody,
    options?: CallOptions,
  ): Call<types.Person | types.Approval> {
    return this.invoke(setPersonRoles, { path: [personId], body }, options);
  }

  /**
   * Sign out. Ends this session only, and clears its cookie.
   *
   * `DELETE /auth/session`. Needs the scope `operator:self`.
   */
  signOut(options?: CallOptions): Call<void> {
    return this.invoke(signOut, {}, options);
  }

  /**
   * Suspend a person. Ends the person's sessions at once. Clients that the person answers for keep working but cannot approve.
   *
   * `POST /v1/operator/persons/{personId}/suspend`. Needs the scope `operator:people`.
   */
  suspendPerson(personId: string, options?: CallOptions): Call<types.Person> {
    return this.invoke(suspendPerson, { path: [personId] }, options);
  }

  /**
   * Withdraw a person's link. The person stays, and can be sent another link.
   *
   * `DELETE /v1/operator/persons/{personId}/invitation`. Needs the scope `operator:people`.
   */
  withdrawInvitation(personId: string, options?: CallOptions): Call<void> {
    return this.invoke(withdrawInvitation, { path: [personId] }, options);
  }

  /**
   * Look up the names of people and clients. For ids in other responses, such as `proposedBy` or `executedBy`. Whoever sees an id may read its name. Names stay readable after a person leaves or a client is revoked; unknown ids are left out.
   *
   * `GET /v1/operator/actors`.
   */
  listActors(query: types.ListActorsQuery, options?: CallOptions): Call<types.ListActorsAnswer> {
    return this.invoke(listActors, { query }, options);
  }

  /**
   * Activate the draft of the spread rules. Takes effect in one commit. A repetition with the same `If-Match` is refused: the draft has a new version by then.
   *
   * `POST /v1/operator/spread-rules/draft/activate`. Needs the scope `operator:spreads`.
   */
  activateSpreadRuleDraft(
    body: Record<never, never>,
    options: MustMatchOptions,
  ): Call<types.SpreadRules | types.Approval> {
    return this.invoke(activateSpreadRuleDraft, { body }, options);
  }

  /**
   * Discard the draft of the spread rules. The rules in force stay as they are. Without a draft, nothing changes.
   *
   * `DELETE /v1/operator/spread-rules/draft`. Needs the scope `operator:spreads`.
   */
  discardSpreadRuleDraft(options: MustMatchOptions): Call<types.SpreadRuleDraft> {
    return this.invoke(discardSpreadRuleDraft, {}, options);
  }

  /**
   * Read the draft of the next spread rules. If other rules than those of `basedOn` are in force by now, store the draft again before you activate it.
   *
   * `GET /v1/operator/spread-rules/draft`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSpreadRuleDraft(options?: CallOptions): Call<types.SpreadRuleDraft> {
    return this.invoke(getSpreadRuleDraft, {}, options);
  }

  /**
   * Read a version of the spread rules, and how it differs from another one. Rules are compared by what they are for: a rule that was removed and added again unchanged is no difference.
   *
   * `GET /v1/operator/spread-rules/versions/{version}`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSpreadRuleVersion(
    version: string,
    query?: types.GetSpreadRuleVersionQuery,
    options?: CallOptions,
  ): Call<types.SpreadRuleVersionDetail> {
    return this.invoke(getSpreadRuleVersion, { path: [version], query }, options);
  }

  /**
   * Read the spread rules in force. With the version of the set.
   *
   * `GET /v1/operator/spread-rules`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSpreadRules(options?: CallOptions): Call<types.SpreadRules> {
    return this.invoke(getSpreadRules, {}, options);
  }

  /**
   * List the versions of the spread rules, newest first. What was in force when, and who changed and approved it.
   *
   * `GET /v1/operator/spread-rules/versions`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  listSpreadRuleVersions(
    query?: types.ListSpreadRuleVersionsQuery,
    options?: CallOptions,
  ): List<types.SpreadRuleVersion> {
    return this.pages(listSpreadRuleVersions, { query }, options);
  }

  /**
   * Price a sample request by the rules in force and by a draft. Side by side, with the rule that decides each and why the others do not. Nothing is kept or reserved.
   *
   * `POST /v1/operator/spread-rules/preview`. Needs the scope `operator:spreads`.
   */
  previewSpreadRules(body: types.PreviewSpreadRulesBody, options?: CallOptions): Call<types.SpreadPreview> {
    return this.invoke(previewSpreadRules, { body }, options);
  }

  /**
   * Copy an earlier version of the rules into the draft. Activate the draft to put them in force: a new version, with the same approval as any change. `If-Match` is the `ETag` of the draft.
   *
   * `POST /v1/operator/spread-rules/versions/{version}/restore`. Needs the scope `operator:spreads`.
   */
  restoreSpreadRules(
    version: string,
    body: Record<never, never>,
    options: MustMatchOptions,
  ): Call<types.SpreadRuleDraft> {
    return this.invoke(restoreSpreadRules, { path: [version], body }, options);
  }

  /**
   * Save a draft of the next spread rules. Checked like rules that take effect, but prices nothing.
   *
   * `PUT /v1/operator/spread-rules/draft`. Needs the scope `operator:spreads`.
   */
  setSpreadRuleDraft(
    body: types.SetSpreadRuleDraftBody,
    options: MustMatchOptions,
  ): Call<types.SpreadRuleDraft> {
    return this.invoke(setSpreadRuleDraft, { body }, options);
  }

  /**
   * Replace the spread rules. Former versions of a rule are kept, because quotes refer to them.
   *
   * `PUT /v1/operator/spread-rules`. Needs the scope `operator:spreads`.
   */
  setSpreadRules(
    body: types.SetSpreadRulesBody,
    options: MustMatchOptions,
  ): Call<types.SpreadRules | types.Approval> {
    return this.invoke(setSpreadRules, { body }, options);
  }

  /**
   * Read the smallest and largest amounts of trades. In US dollars at the mid. Minimum and maximum each come from the most specific limit that names one.
   *
   * `GET /v1/operator/amount-limits`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getAmountLimits(options?: CallOptions): Call<types.AmountLimits> {
    return this.invoke(getAmountLimits, {}, options);
  }

  /**
   * Read the house's position in each currency. With what open quotes may add, and the limits.
   *
   * `GET /v1/operator/exposure`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getExposure(options?: CallOptions): Call<types.Exposure> {
    return this.invoke(getExposure, {}, options);
  }

  /**
   * Read the limits of the house's exposure. In US dollars at the mid, for each currency and in total. `hedges` count with the position.
   *
   * `GET /v1/operator/exposure-limits`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getExposureLimits(options?: CallOptions): Call<types.ExposureLimits> {
    return this.invoke(getExposureLimits, {}, options);
  }

  /**
   * Read the pricing policy. How prices are widened beyond the spread rules: for long validities and in thin hours.
   *
   * `GET /v1/operator/pricing-policy`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getPricingPolicy(options?: CallOptions): Call<types.PricingPolicy> {
    return this.invoke(getPricingPolicy, {}, options);
  }

  /**
   * Replace the smallest and largest amounts of trades. Apply to new estimates and quotes, not to executions. Every version is kept.
   *
   * `PUT /v1/operator/amount-limits`. Needs the scope `operator:limits`.
   */
  setAmountLimits(
    body: types.SetAmountLimitsBody,
    options: MustMatchOptions,
  ): Call<types.AmountLimits | types.Approval> {
    return this.invoke(setAmountLimits, { body }, options);
  }

  /**
   * Replace the limits of the house's exposure. In force from this commit on, on every instance. A position beyond a limit stays: only trades that increase it are refused.
   *
   * `PUT /v1/operator/exposure-limits`. Needs the scope `operator:limits`.
   */
  setExposureLimits(
    body: types.SetExposureLimitsBody,
    options: MustMatchOptions,
  ): Call<types.ExposureLimits | types.Approval> {
    return this.invoke(setExposureLimits, { body }, options);
  }

  /**
   * Replace the pricing policy. Every version is kept, and each quote names the one that it was priced with. Existing quotes keep their price.
   *
   * `PUT /v1/operator/pricing-policy`. Needs the scope `operator:spreads`.
   */
  setPricingPolicy(
    body: types.SetPricingPolicyBody,
    options: MustMatchOptions,
  ): Call<types.PricingPolicy | types.Approval> {
    return this.invoke(setPricingPolicy, { body }, options);
  }

  /**
   * Read the swap point policy. Interest rates, and the rule for dates before spot without points.
   *
   * `GET /v1/operator/swap-point-policy`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSwapPointPolicy(options?: CallOptions): Call<types.SwapPointPolicy> {
    return this.invoke(getSwapPointPolicy, {}, options);
  }

  /**
   * Read the swap points of a pair. With the prices before spot that follow from them.
   *
   * `GET /v1/operator/swap-points/{pair}`. Needs the scope `operator:prices` or `operator:pricing:read`.
   */
  getSwapPoints(pair: string, options?: CallOptions): Call<types.SwapPoints> {
    return this.invoke(getSwapPoints, { path: [pair] }, options);
  }

  /**
   * List the swap points given on this trade date. Those of operators and sources, by pair, with the prices that follow. They lapse with the trade date.
   *
   * `GET /v1/operator/swap-points`. Needs the scope `operator:prices` or `operator:pricing:read`.
   */
  listSwapPoints(options?: CallOptions): Call<types.ListSwapPointsAnswer> {
    return this.invoke(listSwapPoints, {}, options);
  }

  /**
   * Push swap points. Up to 500; each has its own outcome. New points replace those that the source gave for the leg before.
   *
   * `POST /v1/operator/swap-points`. Needs the scope `operator:prices`.
   */
  pushSwapPoints(body: types.PushSwapPointsBody, options?: KeyedOptions): Call<types.PushedSwapPoints> {
    return this.invoke(pushSwapPoints, { body }, options);
  }

  /**
   * Replace the swap point policy. Applies on every instance within a second. Every version is kept; existing quotes keep their price.
   *
   * `PUT /v1/operator/swap-point-policy`. Needs the scope `operator:spreads`.
   */
  setSwapPointPolicy(
    body: types.SetSwapPointPolicyBody,
    options: MustMatchOptions,
  ): Call<types.SwapPointPolicy | types.Approval> {
    return this.invoke(setSwapPointPolicy, { body }, options);
  }

  /**
   * Set a pair's swap points for this trade date. Every version is kept.
   *
   * `PUT /v1/operator/swap-points/{pair}`. Needs the scope `operator:prices`.
   */
  setSwapPoints(
    pair: string,
    body: types.SetSwapPointsBody,
    options: MustMatchOptions,
  ): Call<types.SwapPoints | types.Approval> {
    return this.invoke(setSwapPoints, { path: [pair], body }, options);
  }

  /**
   * Accept a price that moved too far to be trusted automatically. Sets the correct price: from now on only prices within its band are trusted. It replaces the reference rate until rates of a later day arrive. Sources that were set aside and agree with it are used again. Every instance follows within a second.
   *
   * `POST /v1/operator/pairs/{pair}/accepted-prices`. Needs the scope `operator:market`.
   */
  acceptPrice(
    pair: string,
    body: types.AcceptPriceBody,
    options?: KeyedOptions,
  ): Call<types.AcceptedPrice | types.Approval> {
    return this.invoke(acceptPrice, { path: [pair], body }, options);
  }

  /**
   * Switch off a price source. Its prices are no longer used.
   *
   * `POST /v1/operator/market/sources/{source}/disable`. Needs the scope `operator:market`.
   */
  disableSource(
    source: string,
    body: types.DisableSourceBody,
    options?: KeyedOptions,
  ): Call<types.PriceSourceHealth> {
    return this.invoke(disableSource, { path: [source], body }, options);
  }

  /**
   * Switch a price source back on. Its prices are used again on every instance within a second. If it is on already, nothing changes.
   *
   * `POST /v1/operator/market/sources/{source}/enable`. Needs the scope `operator:market`.
   */
  enableSource(
    source: string,
    body: types.EnableSourceBody,
    options?: KeyedOptions,
  ): Call<types.PriceSourceHealth | types.Approval> {
    return this.invoke(enableSource, { path: [source], body }, options);
  }

  /**
   * Read the health of market data in this instance. Shows sources, their ticks by outcome, and pairs with a price.
   *
   * `GET /v1/operator/market/health`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  getMarketHealth(options?: CallOptions): Call<types.MarketHealth> {
    return this.invoke(getMarketHealth, {}, options);
  }

  /**
   * Read the settings of a pair. The defaults, where nothing was set.
   *
   * `GET /v1/operator/pairs/{pair}`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  getPairSettings(pair: string, options?: CallOptions): Call<types.PairSettings> {
    return this.invoke(getPairSettings, { path: [pair] }, options);
  }

  /**
   * Halt trading: everything, one pair or one customer. Firm quotes are refused with 409 `market_closed` and the reason `halt`; indicative prices are not tradable. Affected open quotes are withdrawn or, with `openQuotes` `keep`, stay valid until they expire. Takes effect on this instance at once, on others within a second. Repeating it withdraws open quotes again.
   *
   * `POST /v1/operator/market/halt`. Needs the scope `operator:market`.
   */
  haltMarket(body: types.HaltMarketBody, options?: KeyedOptions): Call<types.HaltMarketAnswer> {
    return this.invoke(haltMarket, { body }, options);
  }

  /**
   * List the accepted prices of a pair, newest first. Shows who accepted each, and why.
   *
   * `GET /v1/operator/pairs/{pair}/accepted-prices`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listAcceptedPrices(
    pair: string,
    query?: types.ListAcceptedPricesQuery,
    options?: CallOptions,
  ): List<types.AcceptedPrice> {
    return this.pages(listAcceptedPrices, { path: [pair], query }, options);
  }

  /**
   * List bars of a pair, newest first. Shows what its own price did in each second or minute.
   *
   * `GET /v1/operator/market/bars`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listBars(query: types.ListBarsQuery, options?: CallOptions): List<types.Bar, types.ListBarsExtra> {
    return this.pages(listBars, { query }, options);
  }

  /**
   * List halts, newest first. Shows who ordered and lifted each, and the automatic halts of this instance.
   *
   * `GET /v1/operator/market/halts`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listHalts(query?: types.ListHaltsQuery, options?: CallOptions): List<types.Halt, types.ListHaltsExtra> {
    return this.pages(listHalts, { query }, options);
  }

  /**
   * List the settings of pairs. Lists pairs that have a price or settings of their own.
   *
   * `GET /v1/operator/pairs`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listPairSettings(options?: CallOptions): Call<types.ListPairSettingsAnswer> {
    return this.invoke(listPairSettings, {}, options);
  }

  /**
   * Set the sequence numbers of a FIX session and log on with them. For when the two sides disagree; agree on the numbers with the venue first. The session logs out first, so its prices end. Affects only the process that answers. The health of the source shows the last reset as `sequenceReset`.
   *
   * `POST /v1/operator/market/sources/{source}/reset-sequence`. Needs the scope `operator:market`.
   */
  resetSourceSequence(
    source: string,
    body: types.ResetSourceSequenceBody,
    options?: KeyedOptions,
  ): Call<types.PriceSourceHealth> {
    return this.invoke(resetSourceSequence, { path: [source], body }, options);
  }

  /**
   * Lift a halt. Other halts that affect the same pair or customer stay in force. Withdrawn quotes stay withdrawn.
   *
   * `POST /v1/operator/market/resume`. Needs the scope `operator:market`.
   */
  resumeMarket(body: types.ResumeMarketBody, options?: KeyedOptions): Call<types.Halt | types.Approval> {
    return this.invoke(resumeMarket, { body }, options);
  }

  /**
   * Change the settings of a pair. Age limit, composite, filters, and whether it is enabled. Every instance follows within a second. A disabled pair is not quoted; its open quotes stay valid, unlike under a halt.
   *
   * `PUT /v1/operator/pairs/{pair}`. Needs the scope `operator:market`.
   */
  setPairSettings(
    pair: string,
    body: types.SetPairSettingsBody,
    options: MustMatchOptions,
  ): Call<types.PairSettings | types.Approval> {
    return this.invoke(setPairSettings, { path: [pair], body }, options);
  }

  /**
   * Read an import of holidays. Returns the proposed changes and their approval.
   *
   * `GET /v1/operator/calendar-imports/{importId}`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  getCalendarImport(importId: string, options?: CallOptions): Call<types.CalendarImport> {
    return this.invoke(getCalendarImport, { path: [importId] }, options);
  }

  /**
   * Read a year of a currency's calendar. Returns the built-in days, the operator's changes, and the result.
   *
   * `GET /v1/operator/calendars/{currency}/{year}`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  getCalendarYear(currency: string, year: string, options?: CallOptions): Call<types.CalendarYear> {
    return this.invoke(getCalendarYear, { path: [currency, year] }, options);
  }

  /**
   * Read the same-day cut-off of a currency. The operator's, or else the built-in one. `cutOffAt` is that of the current trade date.
   *
   * `GET /v1/operator/cutoffs/{currency}`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  getCutOff(currency: string, options?: CallOptions): Call<types.CutOff> {
    return this.invoke(getCutOff, { path: [currency] }, options);
  }

  /**
   * List the versions of the operator's changes to a year, newest first. Empty if only the built-in days apply.
   *
   * `GET /v1/operator/calendars/{currency}/{year}/versions`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCalendarYearVersions(
    currency: string,
    year: string,
    query?: types.ListCalendarYearVersionsQuery,
    options?: CallOptions,
  ): List<types.CalendarYearVersion> {
    return this.pages(listCalendarYearVersions, { path: [currency, year], query }, options);
  }

  /**
   * List the calendars of all currencies. Shows how far each calendar goes, and which run short.
   *
   * `GET /v1/operator/calendars`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCalendars(options?: CallOptions): Call<types.ListCalendarsAnswer> {
    return this.invoke(listCalendars, {}, options);
  }

  /**
   * List the versions of a currency's cut-off, newest first. Empty if the built-in cut-off applies.
   *
   * `GET /v1/operator/cutoffs/{currency}/versions`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCutOffVersions(
    currency: string,
    query?: types.ListCutOffVersionsQuery,
    options?: CallOptions,
  ): List<types.CutOffVersion> {
    return this.pages(listCutOffVersions, { path: [currency], query }, options);
  }

  /**
   * List the same-day cut-offs of all currencies. Of each, the operator's or else the built-in one (`origin`). Only currencies that can be traded.
   *
   * `GET /v1/operator/cutoffs`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCutOffs(options?: CallOptions): Call<types.ListCutOffsAnswer> {
    return this.invoke(listCutOffs, {}, options);
  }

  /**
   * Propose a vendor's holidays for whole years. The body is a CSV file in UTF-8, at most 2 MiB and 20,000 days: headings `currency` (or `centre`), `date` and `name`, then a line for each closing day. Nothing changes until another operator approves it; the approval is of kind `calendar_import`.
   *
   * `POST /v1/operator/calendar-imports`. Needs the scope `operator:calendars`.
   */
  proposeCalendarImport(
    body: Uint8Array | Blob | string,
    query: types.ProposeCalendarImportQuery,
    options?: KeyedOptions,
  ): Call<types.CalendarImport> {
    return this.invoke(proposeCalendarImport, { body, query }, options);
  }

  /**
   * Replace the operator's changes to a year. They take effect at once. Existing quotes and transactions keep their dates.
   *
   * `PUT /v1/operator/calendars/{currency}/{year}`. Needs the scope `operator:calendars`.
   */
  setCalendarYear(
    currency: string,
    year: string,
    body: types.SetCalendarYearBody,
    options: MustMatchOptions,
  ): Call<types.ChangedCalendarYear | types.Approval> {
    return this.invoke(setCalendarYear, { path: [currency, year], body }, options);
  }

  /**
   * Set the same-day cut-off of a currency. Existing quotes and transactions keep their cut-offs.
   *
   * `PUT /v1/operator/cutoffs/{currency}`. Needs the scope `operator:calendars`.
   */
  setCutOff(
    currency: string,
    body: types.SetCutOffBody,
    options: MustMatchOptions,
  ): Call<types.CutOff | types.Approval> {
    return this.invoke(setCutOff, { path: [currency], body }, options);
  }

  /**
   * Run one command on many transactions. Each item runs in its own commit, like the command on one. The response is always 200; each item has its own outcome.
   *
   * `POST /v1/operator/transactions/commands`. Needs the scope `operator:payouts`.
   */
  commandTransactions(
    body: types.CommandTransactionsBody,
    options?: KeyedOptions,
  ): Call<types.CommandTransactionsAnswer | types.Approval> {
    return this.invoke(commandTransactions, { body }, options);
  }

  /**
   * Confirm the payout. Records that the bank has paid out.
   *
   * `POST /v1/operator/transactions/{transactionId}/payout-confirmed`. Needs the scope `operator:payouts`.
   */
  confirmPayout(
    transactionId: string,
    body?: types.ConfirmPayoutBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(confirmPayout, { path: [transactionId], body }, options);
  }

  /**
   * Confirm the refund. Records that the bank has paid the refund.
   *
   * `POST /v1/operator/transactions/{transactionId}/refund-paid`. Needs the scope `operator:payouts`.
   */
  confirmRefund(
    transactionId: string,
    body?: types.ConfirmRefundBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(confirmRefund, { path: [transactionId], body }, options);
  }

  /**
   * Count the pending work. Transactions, refunds and withdrawals, by what they wait for.
   *
   * `GET /v1/operator/transactions/counts`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  countTransactionWork(options?: CallOptions): Call<types.CountTransactionWorkAnswer> {
    return this.invoke(countTransactionWork, {}, options);
  }

  /**
   * Report a failed payout. Records that the bank refused or returned the payout.
   *
   * `POST /v1/operator/transactions/{transactionId}/payout-failed`. Needs the scope `operator:payouts`.
   */
  failPayout(
    transactionId: string,
    body?: types.FailPayoutBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(failPayout, { path: [transactionId], body }, options);
  }

  /**
   * Report a failed refund. Records that the bank refused or returned the refund.
   *
   * `POST /v1/operator/transactions/{transactionId}/refund-failed`. Needs the scope `operator:payouts`.
   */
  failRefund(
    transactionId: string,
    body?: types.FailRefundBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(failRefund, { path: [transactionId], body }, options);
  }

  /**
   * Read a transaction of any customer. With the customer, who executed it, and who took each step of its timeline.
   *
   * `GET /v1/operator/transactions/{transactionId}`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  getAnyTransaction(transactionId: string, options?: CallOptions): Call<types.OperatorTransaction> {
    return this.invoke(getAnyTransaction, { path: [transactionId] }, options);
  }

  /**
   * List transactions of all customers, newest first. A search by amount, hold or value date needs a range of at most 92 days, unless `customerId`, `reference` or `clientReference` narrows it.
   *
   * `GET /v1/operator/transactions`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  listAllTransactions(
    query?: types.ListAllTransactionsQuery,
    options?: CallOptions,
  ): List<types.OperatorTransactionSummary> {
    return this.pages(listAllTransactions, { query }, options);
  }

  /**
   * List the holds of a transaction. Oldest first, with their reasons. Includes released holds.
   *
   * `GET /v1/operator/transactions/{transactionId}/holds`. Needs the scope `operator:holds` or `operator:transactions:read`.
   */
  listHolds(transactionId: string, options?: CallOptions): Call<types.ListHoldsAnswer> {
    return this.invoke(listHolds, { path: [transactionId] }, options);
  }

  /**
   * Place a hold. Keeps the payout waiting until the hold is released.
   *
   * `POST /v1/operator/transactions/{transactionId}/holds`. Needs the scope `operator:holds`.
   */
  placeHold(
    transactionId: string,
    body?: types.PlaceHoldBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction> {
    return this.invoke(placeHold, { path: [transactionId], body }, options);
  }

  /**
   * Preview the unwinding of a transaction. Shows what unwinding would book now, with the gain or loss at the market.
   *
   * `GET /v1/operator/transactions/{transactionId}/unwind-quote`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  quoteUnwinding(
    transactionId: string,
    query?: types.QuoteUnwindingQuery,
    options?: CallOptions,
  ): Call<types.UnwindQuote> {
    return this.invoke(quoteUnwinding, { path: [transactionId], query }, options);
  }

  /**
   * Redirect the payout. Pays out to the account that the customer has now instead of the original one.
   *
   * `POST /v1/operator/transactions/{transactionId}/redirect-payout`. Needs the scope `operator:payouts`.
   */
  redirectPayout(
    transactionId: string,
    body?: Record<never, never>,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(redirectPayout, { path: [transactionId], body }, options);
  }

  /**
   * Refund an overpayment. It goes back in the next settlement run.
   *
   * `POST /v1/operator/transactions/{transactionId}/refund-excess`. Needs the scope `operator:payouts`.
   */
  refundExcess(
    transactionId: string,
    body?: Record<never, never>,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(refundExcess, { path: [transactionId], body }, options);
  }

  /**
   * Release a hold. Once no hold is left, the payout goes at its time, or at once if that has passed. A released hold stays in the history.
   *
   * `DELETE /v1/operator/transactions/{transactionId}/holds/{holdId}`. Needs the scope `operator:holds`.
   */
  releaseHold(
    transactionId: string,
    holdId: string,
    body?: types.ReleaseHoldBody,
    options?: MatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(releaseHold, { path: [transactionId, holdId], body }, options);
  }

  /**
   * Release the payout. Pays out a funded transaction early.
   *
   * `POST /v1/operator/transactions/{transactionId}/settle`. Needs the scope `operator:payouts`.
   */
  releasePayout(
    transactionId: string,
    body?: Record<never, never>,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(releasePayout, { path: [transactionId], body }, options);
  }

  /**
   * Pay out again. Goes to the account that the customer has now.
   *
   * `POST /v1/operator/transactions/{transactionId}/retry-payout`. Needs the scope `operator:payouts`.
   */
  retryPayout(
    transactionId: string,
    body?: Record<never, never>,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(retryPayout, { path: [transactionId], body }, options);
  }

  /**
   * Refund again. Goes to the account that the customer has now.
   *
   * `POST /v1/operator/transactions/{transactionId}/retry-refund`. Needs the scope `operator:payouts`.
   */
  retryRefund(
    transactionId: string,
    body?: Record<never, never>,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(retryRefund, { path: [transactionId], body }, options);
  }

  /**
   * Roll the value date. Postpones the value date, and the funding cut-off with it.
   *
   * `POST /v1/operator/transactions/{transactionId}/roll-value-date`. Needs the scope `operator:transactions`.
   */
  rollValueDate(
    transactionId: string,
    body?: types.RollValueDateBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction> {
    return this.invoke(rollValueDate, { path: [transactionId], body }, options);
  }

  /**
   * Unwind a transaction. Cancels a transaction that is not paid out, or closes out an overdue one. A funded one needs a second operator's approval (202).
   *
   * `POST /v1/operator/transactions/{transactionId}/unwind`. Needs the scope `operator:transactions`.
   */
  unwindTransaction(
    transactionId: string,
    body?: types.UnwindTransactionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(unwindTransaction, { path: [transactionId], body }, options);
  }

  /**
   * Count waiting deposits by status and age. By hours since receipt, from 0, 24, 72 and 168. A count ends at 1,000 (`isMore`).
   *
   * `GET /v1/operator/deposits/counts`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  countDeposits(options?: CallOptions): Call<types.CountDepositsAnswer> {
    return this.invoke(countDeposits, {}, options);
  }

  /**
   * Read a deposit. Includes its allocations, returns and open exception.
   *
   * `GET /v1/operator/deposits/{depositId}`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getDeposit(depositId: string, options?: CallOptions): Call<types.Deposit> {
    return this.invoke(getDeposit, { path: [depositId] }, options);
  }

  /**
   * Read the history of a deposit, newest first. Who did what, when and why: the latest 500 steps.
   *
   * `GET /v1/operator/deposits/{depositId}/history`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getDepositHistory(depositId: string, options?: CallOptions): Call<types.GetDepositHistoryAnswer> {
    return this.invoke(getDepositHistory, { path: [depositId] }, options);
  }

  /**
   * List deposits, newest first. A search by parts of texts, amounts, account or dates needs a range of at most 92 days, unless `customerId`, `bankReference`, `reference`, `remitterAccount` or `amount` narrows it.
   *
   * `GET /v1/operator/deposits`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listDeposits(query?: types.ListDepositsQuery, options?: CallOptions): List<types.Deposit> {
    return this.pages(listDeposits, { query }, options);
  }

  /**
   * Record a deposit. Books and matches money that arrived. The same entry again (account and bank reference) returns 200 with the existing deposit.
   *
   * `POST /v1/operator/deposits`. Needs the scope `operator:funding`.
   */
  recordDeposit(body: types.RecordDepositBody, options?: KeyedOptions): Call<types.Deposit | types.Approval> {
    return this.invoke(recordDeposit, { body }, options);
  }

  /**
   * Add a note to a deposit. The note goes into its history. Rules no longer match the deposit automatically.
   *
   * `POST /v1/operator/deposits/{depositId}/note`. Needs the scope `operator:deposits`.
   */
  addDepositNote(
    depositId: string,
    body: types.AddDepositNoteBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit> {
    return this.invoke(addDepositNote, { path: [depositId], body }, options);
  }

  /**
   * Assign a deposit. Assigns its open exception; without one, 409 `invalid_state_transition`. Rules no longer match the deposit automatically.
   *
   * `POST /v1/operator/deposits/{depositId}/assign`. Needs the scope `operator:deposits`.
   */
  assignDeposit(
    depositId: string,
    body: types.AssignDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit> {
    return this.invoke(assignDeposit, { path: [depositId], body }, options);
  }

  /**
   * Book a deposit as money of the house. For a deposit that is wholly the house’s own, such as interest. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/book`. Needs the scope `operator:deposits`.
   */
  bookDeposit(
    depositId: string,
    body: types.BookDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(bookDeposit, { path: [depositId], body }, options);
  }

  /**
   * Cancel the return of a deposit. The money is not sent and returns to suspense.
   *
   * `POST /v1/operator/deposits/{depositId}/returns/{returnId}/cancel`. Needs the scope `operator:deposits`.
   */
  cancelDepositReturn(
    depositId: string,
    returnId: string,
    body: types.CancelDepositReturnBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit> {
    return this.invoke(cancelDepositReturn, { path: [depositId, returnId], body }, options);
  }

  /**
   * Run one command on many deposits. Each item runs in its own commit, like the command on one. The response is always 200; each item has its own outcome.
   *
   * `POST /v1/operator/deposits/commands`. Needs the scope `operator:deposits`.
   */
  commandDeposits(
    body: types.CommandDepositsBody,
    options?: KeyedOptions,
  ): Call<types.CommandDepositsAnswer> {
    return this.invoke(commandDeposits, { body }, options);
  }

  /**
   * Confirm the return of a deposit. For when no statement reports that the bank sent it back.
   *
   * `POST /v1/operator/deposits/{depositId}/returns/{returnId}/paid`. Needs the scope `operator:deposits`.
   */
  confirmDepositReturn(
    depositId: string,
    returnId: string,
    body: types.ConfirmDepositReturnBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(confirmDepositReturn, { path: [depositId, returnId], body }, options);
  }

  /**
   * Forgive the shortfall of a deposit. Completes a transaction that the deposit paid in part; the house bears what is missing. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/forgive`. Needs the scope `operator:deposits`.
   */
  forgiveShortfall(
    depositId: string,
    body: types.ForgiveShortfallBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(forgiveShortfall, { path: [depositId], body }, options);
  }

  /**
   * Set a deposit aside. Its money stays in suspense. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/ignore`. Needs the scope `operator:deposits`.
   */
  ignoreDeposit(
    depositId: string,
    body: types.IgnoreDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(ignoreDeposit, { path: [depositId], body }, options);
  }

  /**
   * Match a deposit by hand. Allocates it to one or more transactions, or to a balance. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/match`. Needs the scope `operator:deposits`.
   */
  matchDeposit(
    depositId: string,
    body: types.MatchDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(matchDeposit, { path: [depositId], body }, options);
  }

  /**
   * Release a deposit that somebody else paid. It is then matched, whoever paid it. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/release`. Needs the scope `operator:deposits`.
   */
  releaseDeposit(
    depositId: string,
    body: types.ReleaseDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(releaseDeposit, { path: [depositId], body }, options);
  }

  /**
   * Return a deposit to its remitter. Sends back what no transaction uses, or records that the remitter’s bank took all of it back. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/return`. Needs the scope `operator:deposits`.
   */
  returnDeposit(
    depositId: string,
    body: types.ReturnDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(returnDeposit, { path: [depositId], body }, options);
  }

  /**
   * Undo the match of a deposit. Undoes all its allocations, or one, until a payout begins. The money returns to suspense. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/unmatch`. Needs the scope `operator:deposits`.
   */
  unmatchDeposit(
    depositId: string,
    body: types.UnmatchDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(unmatchDeposit, { path: [depositId], body }, options);
  }

  /**
   * Read the matching rules. Each match names the version that it was made with.
   *
   * `GET /v1/operator/matching-rules`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getMatchingRules(options?: CallOptions): Call<types.MatchingRules> {
    return this.invoke(getMatchingRules, {}, options);
  }

  /**
   * Preview a draft of the matching rules. Runs it against the newest deposits and shows what would change. Nothing is saved.
   *
   * `POST /v1/operator/matching-rules/preview`. Needs the scope `operator:deposits`.
   */
  previewMatchingRules(
    body: types.PreviewMatchingRulesBody,
    options?: CallOptions,
  ): Call<types.MatchingRulesPreview> {
    return this.invoke(previewMatchingRules, { body }, options);
  }

  /**
   * Replace the matching rules. They apply from now on and undo no match. Every version is kept; the same rules again keep the version.
   *
   * `PUT /v1/operator/matching-rules`. Needs the scope `operator:deposits`.
   */
  replaceMatchingRules(
    body: types.MatchingRulesDocument,
    options: MustMatchOptions,
  ): Call<types.MatchingRules | types.Approval> {
    return this.invoke(replaceMatchingRules, { body }, options);
  }

  /**
   * Assign an exception. Rules no longer match its deposit automatically. A resolved exception is refused (`invalid_state_transition`).
   *
   * `POST /v1/operator/exceptions/{exceptionId}/assign`. Needs the scope `operator:deposits`.
   */
  assignException(
    exceptionId: string,
    body: types.AssignExceptionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.ReconciliationException> {
    return this.invoke(assignException, { path: [exceptionId], body }, options);
  }

  /**
   * Run one command on many exceptions. Each item runs in its own commit, like the command on one. The response is always 200; each item has its own outcome.
   *
   * `POST /v1/operator/exceptions/commands`. Needs the scope `operator:deposits`.
   */
  commandExceptions(
    body: types.CommandExceptionsBody,
    options?: KeyedOptions,
  ): Call<types.CommandExceptionsAnswer> {
    return this.invoke(commandExceptions, { body }, options);
  }

  /**
   * Count open exceptions by type and age. By hours since opening, from 0, 24, 72 and 168. A count ends at 1,000 (`isMore`).
   *
   * `GET /v1/operator/exceptions/counts`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  countExceptions(options?: CallOptions): Call<types.CountExceptionsAnswer> {
    return this.invoke(countExceptions, {}, options);
  }

  /**
   * Read an exception. Returns its history, what you can do about it, and the transactions that its deposit may be for.
   *
   * `GET /v1/operator/exceptions/{exceptionId}`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getException(exceptionId: string, options?: CallOptions): Call<types.ReconciliationExceptionDetail> {
    return this.invoke(getException, { path: [exceptionId] }, options);
  }

  /**
   * List exceptions, longest waiting first. Open ones, unless `status` says otherwise.
   *
   * `GET /v1/operator/exceptions`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listExceptions(
    query?: types.ListExceptionsQuery,
    options?: CallOptions,
  ): List<types.ReconciliationException> {
    return this.pages(listExceptions, { query }, options);
  }

  /**
   * Close an exception without moving money. Refused with `invalid_state_transition` while money is in suspense or its statement entry is not booked: decide about these first.
   *
   * `POST /v1/operator/exceptions/{exceptionId}/resolve`. Needs the scope `operator:deposits`.
   */
  resolveException(
    exceptionId: string,
    body: types.ResolveExceptionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.ReconciliationException> {
    return this.invoke(resolveException, { path: [exceptionId], body }, options);
  }

  /**
   * Retry now what could not be applied. For the type `not_applied`. The service retries by itself too, at most an hour apart, and closes the exception once it succeeds.
   *
   * `POST /v1/operator/exceptions/{exceptionId}/retry`. Needs the scope `operator:deposits`.
   */
  retryException(
    exceptionId: string,
    body: types.RetryExceptionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.ReconciliationException> {
    return this.invoke(retryException, { path: [exceptionId], body }, options);
  }

  /**
   * Cancel an unsent settlement run. Its payments become due again. Once its file was downloaded, a second operator must approve it (202).
   *
   * `POST /v1/operator/settlement-runs/{runId}/cancel`. Needs the scope `operator:payouts`.
   */
  cancelSettlementRun(
    runId: string,
    body?: types.CancelSettlementRunBody,
    options?: KeyedMatchedOptions,
  ): Call<types.SettlementRun | types.Approval> {
    return this.invoke(cancelSettlementRun, { path: [runId], body }, options);
  }

  /**
   * Create a settlement run. Makes a payment file of everything due and in no run yet.
   *
   * `POST /v1/operator/settlement-runs`. Needs the scope `operator:payouts`.
   */
  createSettlementRun(
    body: types.CreateSettlementRunBody,
    options?: KeyedOptions,
  ): Call<types.SettlementRun | types.Approval> {
    return this.invoke(createSettlementRun, { body }, options);
  }

  /**
   * Download the file of a settlement run. Byte for byte as it was made. `Repr-Digest` is its SHA-256 (RFC 9530). The run records who downloaded it. If the policy says so (`payment_file_out`), the run's creator cannot download it.
   *
   * `GET /v1/operator/settlement-runs/{runId}/files/{format}`. Needs the scope `operator:payouts`.
   */
  downloadSettlementRunFile(runId: string, format: string, options?: CallOptions): Call<Download> {
    return this.invoke(downloadSettlementRunFile, { path: [runId, format] }, options);
  }

  /**
   * Read a settlement run. With its files, their SHA-256 and who downloaded them. Its payments have a list of their own.
   *
   * `GET /v1/operator/settlement-runs/{runId}`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  getSettlementRun(runId: string, options?: CallOptions): Call<types.SettlementRun> {
    return this.invoke(getSettlementRun, { path: [runId] }, options);
  }

  /**
   * List the payments of a settlement run. With the progress of each.
   *
   * `GET /v1/operator/settlement-runs/{runId}/payments`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  listSettlementRunPayments(
    runId: string,
    query?: types.ListSettlementRunPaymentsQuery,
    options?: CallOptions,
  ): List<types.SettlementRunPayment> {
    return this.pages(listSettlementRunPayments, { path: [runId], query }, options);
  }

  /**
   * List settlement runs, newest first. Includes cancelled ones.
   *
   * `GET /v1/operator/settlement-runs`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  listSettlementRuns(
    query?: types.ListSettlementRunsQuery,
    options?: CallOptions,
  ): List<types.SettlementRun> {
    return this.pages(listSettlementRuns, { query }, options);
  }

  /**
   * Mark a settlement run as sent. Records that the file is at the bank. The run's creator cannot do this alone.
   *
   * `POST /v1/operator/settlement-runs/{runId}/mark-sent`. Needs the scope `operator:payouts`.
   */
  markSettlementRunSent(
    runId: string,
    options?: KeyedMatchedOptions,
  ): Call<types.SettlementRun | types.Approval> {
    return this.invoke(markSettlementRunSent, { path: [runId] }, options);
  }

  /**
   * Preview a settlement run. Shows what a run would hold now, and what is due but cannot be in it. Nothing is written.
   *
   * `GET /v1/operator/settlement-runs/preview`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  previewSettlementRun(
    query: types.PreviewSettlementRunQuery,
    options?: CallOptions,
  ): Call<types.SettlementRunPreview> {
    return this.invoke(previewSettlementRun, { query }, options);
  }

  /**
   * Accept a refused file whose figures do not agree. For files refused as `balance_mismatch`, `totals_mismatch` or `date_implausible`. A second operator must approve; the file is then imported anyway and keeps your reason.
   *
   * `POST /v1/operator/statements/{fileId}/accept`. Needs the scope `operator:statements`.
   */
  acceptStatementFile(
    fileId: string,
    body: types.AcceptStatementFileBody,
    options?: KeyedOptions,
  ): Call<types.Approval> {
    return this.invoke(acceptStatementFile, { path: [fileId], body }, options);
  }

  /**
   * Delete a refused or held statement file. Its bytes are deleted too. Withdraw an accepted file instead.
   *
   * `DELETE /v1/operator/statements/{fileId}`. Needs the scope `operator:statements`.
   */
  deleteStatementFile(fileId: string, options?: CallOptions): Call<void> {
    return this.invoke(deleteStatementFile, { path: [fileId] }, options);
  }

  /**
   * Delete a CSV mapping. Imported files stay. Further files that only it fits are refused with `mapping_missing`.
   *
   * `DELETE /v1/operator/statement-mappings/{name}`. Needs the scope `operator:statements`.
   */
  deleteStatementMapping(name: string, options?: CallOptions): Call<void> {
    return this.invoke(deleteStatementMapping, { path: [name] }, options);
  }

  /**
   * Download a statement file. Byte for byte as it was received.
   *
   * `GET /v1/operator/statements/{fileId}/file`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  downloadStatementFile(fileId: string, options?: CallOptions): Call<Download> {
    return this.invoke(downloadStatementFile, { path: [fileId] }, options);
  }

  /**
   * Read a statement file. Warnings are computed now: a gap disappears when the missing statement arrives.
   *
   * `GET /v1/operator/statements/{fileId}`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  getStatementFile(fileId: string, options?: CallOptions): Call<types.StatementFileReport> {
    return this.invoke(getStatementFile, { path: [fileId] }, options);
  }

  /**
   * Read a CSV mapping. It reads the files that name it, and those that match only its `fileNames`.
   *
   * `GET /v1/operator/statement-mappings/{name}`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  getStatementMapping(name: string, options?: CallOptions): Call<types.StatementMapping> {
    return this.invoke(getStatementMapping, { path: [name] }, options);
  }

  /**
   * Import a statement file. The body is the file: camt.052, camt.053, camt.054, pain.002, MT940, MT942, CSV or JSON, at most 256 MiB, with any content type. It is imported completely or not at all. Sending the same bytes again returns 200 with the existing file. Entries that another file reported are not booked again. Credits become deposits, debits confirm payouts. A file brought by hand may need a second person (`statement_import`): it is read, `held`, and imported once approved.
   *
   * `POST /v1/operator/statements`. Needs the scope `operator:statements`.
   */
  importStatementFile(
    body: Uint8Array | Blob | string,
    query?: types.ImportStatementFileQuery,
    options?: CallOptions,
  ): Call<types.StatementFileReport | types.Approval> {
    return this.invoke(importStatementFile, { body, query }, options);
  }

  /**
   * List the statements of an account by their last day, oldest first. Only statements that say which days they cover.
   *
   * `GET /v1/operator/account-statements`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listAccountStatements(
    query: types.ListAccountStatementsQuery,
    options?: CallOptions,
  ): List<types.BankStatement> {
    return this.pages(listAccountStatements, { query }, options);
  }

  /**
   * List the entries of a file, in file order. Payment by payment, each with the deposit that it became or the payments that it settled. `sameAs` names the entry that reported it before.
   *
   * `GET /v1/operator/statements/{fileId}/entries`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listEntriesOfFile(
    fileId: string,
    query?: types.ListEntriesOfFileQuery,
    options?: CallOptions,
  ): List<types.StatementEntry> {
    return this.pages(listEntriesOfFile, { path: [fileId], query }, options);
  }

  /**
   * List the payment statuses of a status report. In the order in which they take effect.
   *
   * `GET /v1/operator/statements/{fileId}/payment-statuses`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listPaymentStatusesOfFile(
    fileId: string,
    query?: types.ListPaymentStatusesOfFileQuery,
    options?: CallOptions,
  ): List<types.PaymentStatus> {
    return this.pages(listPaymentStatusesOfFile, { path: [fileId], query }, options);
  }

  /**
   * List statement files, newest first. Includes refused ones and those held for approval.
   *
   * `GET /v1/operator/statements`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listStatementFiles(
    query?: types.ListStatementFilesQuery,
    options?: CallOptions,
  ): List<types.StatementFile> {
    return this.pages(listStatementFiles, { query }, options);
  }

  /**
   * List CSV mappings. By name. A file whose name matches several is refused, unless its import names one.
   *
   * `GET /v1/operator/statement-mappings`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listStatementMappings(options?: CallOptions): Call<types.ListStatementMappingsAnswer> {
    return this.invoke(listStatementMappings, {}, options);
  }

  /**
   * List the statements of a file. In file order, each with the numbers missing before it.
   *
   * `GET /v1/operator/statements/{fileId}/statements`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listStatementsOfFile(
    fileId: string,
    query?: types.ListStatementsOfFileQuery,
    options?: CallOptions,
  ): List<types.BankStatement> {
    return this.pages(listStatementsOfFile, { path: [fileId], query }, options);
  }

  /**
   * Set a CSV mapping. Creates or replaces it, for files imported from now on. A file refused without it may be imported again.
   *
   * `PUT /v1/operator/statement-mappings/{name}`. Needs the scope `operator:statements`.
   */
  setStatementMapping(
    name: string,
    body: types.CsvMapping,
    options?: CallOptions,
  ): Call<types.StatementMapping | types.Approval> {
    return this.invoke(setStatementMapping, { path: [name], body }, options);
  }

  /**
   * Withdraw a statement file that was imported by mistake. What only this file reported is no longer booked. If this undoes deposits, a second operator must approve (202). Refused with `dependents` while something depends on it, such as a payout.
   *
   * `POST /v1/operator/statements/{fileId}/withdraw`. Needs the scope `operator:statements`.
   */
  withdrawStatementFile(
    fileId: string,
    body: types.WithdrawStatementFileBody,
    options?: KeyedOptions,
  ): Call<types.StatementFileReport | types.Approval> {
    return this.invoke(withdrawStatementFile, { path: [fileId], body }, options);
  }

  /**
   * Book an entry that is not a payment of the house. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/book`. Needs the scope `operator:entries`.
   */
  bookStatementEntry(
    entryId: string,
    body: types.BookStatementEntryBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(bookStatementEntry, { path: [entryId], body }, options);
  }

  /**
   * Read an entry. With what became of it. `sameAs` names the entry that carries the money if another reported it before.
   *
   * `GET /v1/operator/statement-entries/{entryId}`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  getStatementEntry(entryId: string, options?: CallOptions): Call<types.StatementEntry> {
    return this.invoke(getStatementEntry, { path: [entryId] }, options);
  }

  /**
   * List the entries of an account by booking date, oldest first. Each payment once, as the first file reported it.
   *
   * `GET /v1/operator/statement-entries`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listAccountEntries(
    query: types.ListAccountEntriesQuery,
    options?: CallOptions,
  ): List<types.StatementEntry> {
    return this.pages(listAccountEntries, { query }, options);
  }

  /**
   * Declare an entry a separate payment. It is not the payment that it was taken for. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/another`. Needs the scope `operator:entries`.
   */
  markStatementEntryDistinct(
    entryId: string,
    body: types.MarkStatementEntryDistinctBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(markStatementEntryDistinct, { path: [entryId], body }, options);
  }

  /**
   * Declare an entry the same as an earlier one. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/same`. Needs the scope `operator:entries`.
   */
  markStatementEntryDuplicate(
    entryId: string,
    body: types.MarkStatementEntryDuplicateBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(markStatementEntryDuplicate, { path: [entryId], body }, options);
  }

  /**
   * Declare that the bank never booked an entry that it reported. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/never-booked`. Needs the scope `operator:entries`.
   */
  markStatementEntryNeverBooked(
    entryId: string,
    body: types.MarkStatementEntryNeverBookedBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(markStatementEntryNeverBooked, { path: [entryId], body }, options);
  }

  /**
   * Match an entry to a payment of the house. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/match`. Needs the scope `operator:entries`.
   */
  matchStatementEntry(
    entryId: string,
    body: types.MatchStatementEntryBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(matchStatementEntry, { path: [entryId], body }, options);
  }

  /**
   * Check the books. Checks that balances match the journal and that debits equal credits.
   *
   * `GET /v1/operator/ledger/check`. Needs the scope `operator:ledger`.
   */
  checkBooks(options?: CallOptions): Call<types.BooksCheck> {
    return this.invoke(checkBooks, {}, options);
  }

  /**
   * Download the whole journal. A file for hledger, with balance assertions.
   *
   * `GET /v1/operator/ledger/export`. Needs the scope `operator:ledger`.
   */
  exportJournal(query?: types.ExportJournalQuery, options?: CallOptions): Call<Download> {
    return this.invoke(exportJournal, { query }, options);
  }

  /**
   * Read a journal entry. Entries are never changed or deleted: a correction is another entry.
   *
   * `GET /v1/operator/ledger/entries/{entryId}`. Needs the scope `operator:ledger`.
   */
  getJournalEntry(entryId: string, options?: CallOptions): Call<types.JournalEntry> {
    return this.invoke(getJournalEntry, { path: [entryId] }, options);
  }

  /**
   * Read the house's positions by pair with their results. Counts both legs of each trade together. Pair positions add up to currency positions.
   *
   * `GET /v1/operator/ledger/pair-positions`. Needs the scope `operator:ledger`.
   */
  getPairPositions(options?: CallOptions): Call<types.GetPairPositionsAnswer> {
    return this.invoke(getPairPositions, {}, options);
  }

  /**
   * Read currency positions with their results. Shows realised results, and unrealised ones at the current mid.
   *
   * `GET /v1/operator/ledger/positions`. Needs the scope `operator:ledger`.
   */
  getPositions(query?: types.GetPositionsQuery, options?: CallOptions): Call<types.GetPositionsAnswer> {
    return this.invoke(getPositions, { query }, options);
  }

  /**
   * Read the trial balance of the house or a customer. Shows balances now or at an earlier instant.
   *
   * `GET /v1/operator/ledger/trial-balance`. Needs the scope `operator:ledger`.
   */
  getTrialBalance(query?: types.GetTrialBalanceQuery, options?: CallOptions): Call<types.TrialBalance> {
    return this.invoke(getTrialBalance, { query }, options);
  }

  /**
   * Read the statement of an account. Returns its postings in time order, with the balance after each.
   *
   * `GET /v1/operator/ledger/accounts/{account}/postings`. Needs the scope `operator:ledger`.
   */
  listAccountPostings(
    account: string,
    query: types.ListAccountPostingsQuery,
    options?: CallOptions,
  ): List<types.LedgerStatementLine, types.ListAccountPostingsExtra> {
    return this.pages(listAccountPostings, { path: [account], query }, options);
  }

  /**
   * List journal entries, newest first. Of all customers and the house, unless `customerId` is given. Entries are never changed or deleted: a correction is another entry.
   *
   * `GET /v1/operator/ledger/entries`. Needs the scope `operator:ledger`.
   */
  listJournalEntries(query?: types.ListJournalEntriesQuery, options?: CallOptions): List<types.JournalEntry> {
    return this.pages(listJournalEntries, { query }, options);
  }

  /**
   * Read the chart of accounts. With what each means. Accounts are fixed; the trial balance has the amounts.
   *
   * `GET /v1/operator/ledger/accounts`. Needs the scope `operator:ledger`.
   */
  listLedgerAccounts(options?: CallOptions): Call<types.ListLedgerAccountsAnswer> {
    return this.invoke(listLedgerAccounts, {}, options);
  }

  /**
   * Reconcile the bank accounts of the house with the ledger. Compares what banks have reported with the ledger account `bank`, by currency. Open items explain the difference; `unexplained` is what they do not.
   *
   * `GET /v1/operator/ledger/bank-reconciliation`. Needs the scope `operator:ledger`.
   */
  getBankReconciliation(
    query?: types.GetBankReconciliationQuery,
    options?: CallOptions,
  ): Call<types.BankReconciliation> {
    return this.invoke(getBankReconciliation, { query }, options);
  }

  /**
   * List what only the bank or only the ledger has, oldest first. They explain the differences of the reconciliation.
   *
   * `GET /v1/operator/ledger/bank-reconciliation/items`. Needs the scope `operator:ledger`.
   */
  listBankReconciliationItems(
    query?: types.ListBankReconciliationItemsQuery,
    options?: CallOptions,
  ): List<types.BankReconciliationItem> {
    return this.pages(listBankReconciliationItems, { query }, options);
  }

  /**
   * Report trades made in a period. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/blotter`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getBlotterReport<Q extends types.GetBlotterReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetBlotterReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetBlotterReportAnswer
  > {
    return this.invoke(getBlotterReport, { query }, options);
  }

  /**
   * Report money to come in and to go out, by value date and currency. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/settlement-ladder`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getSettlementLadderReport<Q extends types.GetSettlementLadderReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetSettlementLadderReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetSettlementLadderReportAnswer
  > {
    return this.invoke(getSettlementLadderReport, { query }, options);
  }

  /**
   * Report position, result and claims in each currency now. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/exposure`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getExposureReport<Q extends types.GetExposureReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetExposureReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetExposureReportAnswer
  > {
    return this.invoke(getExposureReport, { query }, options);
  }

  /**
   * Report position and result in each pair now. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/pair-positions`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getPairPositionsReport<Q extends types.GetPairPositionsReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetPairPositionsReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetPairPositionsReportAnswer
  > {
    return this.invoke(getPairPositionsReport, { query }, options);
  }

  /**
   * Report markup earned in a period, by day, customer, pair and currency. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/spread-revenue`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getSpreadRevenueReport<Q extends types.GetSpreadRevenueReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetSpreadRevenueReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetSpreadRevenueReportAnswer
  > {
    return this.invoke(getSpreadRevenueReport, { query }, options);
  }

  /**
   * Report deposits of a period: received = matched + returned + in exceptions. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/reconciliation`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getReconciliationReport<Q extends types.GetReconciliationReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetReconciliationReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetReconciliationReportAnswer
  > {
    return this.invoke(getReconciliationReport, { query }, options);
  }

  /**
   * Report trades whose money is overdue now. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/overdue`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getOverdueReport<Q extends types.GetOverdueReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetOverdueReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetOverdueReportAnswer
  > {
    return this.invoke(getOverdueReport, { query }, options);
  }

  /**
   * Report money in suspense now, by currency and age, against the ledger. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/suspense`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getSuspenseReport<Q extends types.GetSuspenseReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetSuspenseReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetSuspenseReportAnswer
  > {
    return this.invoke(getSuspenseReport, { query }, options);
  }

  /**
   * Report exceptions that are open now. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/exceptions`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getExceptionsReport<Q extends types.GetExceptionsReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetExceptionsReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetExceptionsReportAnswer
  > {
    return this.invoke(getExceptionsReport, { query }, options);
  }

  /**
   * Report deposits received in a period, with their current state. Responds at once, as JSON or CSV. Refused if there are too many rows: narrow it, or request it in the background.
   *
   * `GET /v1/operator/reports/deposits`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getDepositsReport<Q extends types.GetDepositsReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetDepositsReportQuery['format'], 'json' | undefined> }
      ? Download
      : types.GetDepositsReportAnswer
  > {
    return this.invoke(getDepositsReport, { query }, options);
  }

  /**
   * Delete a report. Cancels it if it is being made.
   *
   * `DELETE /v1/operator/reports/{reportId}`. Needs the scope `operator:reports`.
   */
  deleteReport(reportId: string, options?: CallOptions): Call<void> {
    return this.invoke(deleteReport, { path: [reportId] }, options);
  }

  /**
   * Download the file of a complete report. Its SHA-256 is in `Repr-Digest` (RFC 9530) and in the status of the report.
   *
   * `GET /v1/operator/reports/{reportId}/content`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  downloadReport(reportId: string, options?: CallOptions): Call<Download> {
    return this.invoke(downloadReport, { path: [reportId] }, options);
  }

  /**
   * Read the progress of a report. Read it again after `Retry-After` until it is `completed`; the file is then at `contentUrl`. Reports are kept for 7 days.
   *
   * `GET /v1/operator/reports/{reportId}`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getReport(reportId: string, options?: CallOptions): Call<types.Report> {
    return this.invoke(getReport, { path: [reportId] }, options);
  }

  /**
   * List requested reports, newest first. In all states, and those that schedules made.
   *
   * `GET /v1/operator/reports`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  listReports(query?: types.ListReportsQuery, options?: CallOptions): List<types.Report> {
    return this.pages(listReports, { query }, options);
  }

  /**
   * Request a report in the background. For reports of any size. Responds at once; the resource at `Location` says when the file is complete.
   *
   * `POST /v1/operator/reports`. Needs the scope `operator:reports`.
   */
  requestReport(body: types.RequestReportBody, options?: KeyedOptions): Call<types.Report> {
    return this.invoke(requestReport, { body }, options);
  }

  /**
   * Schedule a report. Each run covers the days since the one before, in `zone`. Recent slots missed while the service was down are made up.
   *
   * `POST /v1/operator/report-schedules`. Needs the scope `operator:reports`.
   */
  createReportSchedule(body: types.ReportScheduleInput, options?: KeyedOptions): Call<types.ReportSchedule> {
    return this.invoke(createReportSchedule, { body }, options);
  }

  /**
   * Delete a report schedule. Its reports are kept until they expire.
   *
   * `DELETE /v1/operator/report-schedules/{scheduleId}`. Needs the scope `operator:reports`.
   */
  deleteReportSchedule(scheduleId: string, options?: CallOptions): Call<void> {
    return this.invoke(deleteReportSchedule, { path: [scheduleId] }, options);
  }

  /**
   * Read a report schedule. With the last and the next run. `leftOut` counts slots that were not made up after an outage.
   *
   * `GET /v1/operator/report-schedules/{scheduleId}`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getReportSchedule(scheduleId: string, options?: CallOptions): Call<types.ReportSchedule> {
    return this.invoke(getReportSchedule, { path: [scheduleId] }, options);
  }

  /**
   * List the runs of a report schedule, newest first. Each is kept for the `keepDays` of the schedule.
   *
   * `GET /v1/operator/report-schedules/{scheduleId}/runs`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  listReportScheduleRuns(
    scheduleId: string,
    query?: types.ListReportScheduleRunsQuery,
    options?: CallOptions,
  ): List<types.Report> {
    return this.pages(listReportScheduleRuns, { path: [scheduleId], query }, options);
  }

  /**
   * List report schedules, oldest first. With the last and the next run of each.
   *
   * `GET /v1/operator/report-schedules`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  listReportSchedules(options?: CallOptions): Call<types.ListReportSchedulesAnswer> {
    return this.invoke(listReportSchedules, {}, options);
  }

  /**
   * Change, pause or resume a report schedule. If the time or the pause changes, the next run is the next one from now.
   *
   * `PUT /v1/operator/report-schedules/{scheduleId}`. Needs the scope `operator:reports`.
   */
  replaceReportSchedule(
    scheduleId: string,
    body: types.ReportScheduleInput,
    options: MustMatchOptions,
  ): Call<types.ReportSchedule> {
    return this.invoke(replaceReportSchedule, { path: [scheduleId], body }, options);
  }

  /**
   * Approve a proposal and carry it out. Done in the same commit, with the rights that the proposer has now. Your own proposal is 403 `second_person_required`. If its effects would now differ, 409 `proposal_outdated` shows them: approve again with that `effectsDigest`, or reject.
   *
   * `POST /v1/operator/approvals/{approvalId}/approve`. Needs the scope `operator:approvals`.
   */
  approve(approvalId: string, body?: types.ApproveBody, options?: KeyedOptions): Call<types.Approval> {
    return this.invoke(approve, { path: [approvalId], body }, options);
  }

  /**
   * Read a proposal. `effects` shows values before and after, `deciding` whether you may decide, and if not, why.
   *
   * `GET /v1/operator/approvals/{approvalId}`. Needs the scope `operator:approvals` or `operator:approvals:read`.
   */
  getApproval(approvalId: string, options?: CallOptions): Call<types.Approval> {
    return this.invoke(getApproval, { path: [approvalId] }, options);
  }

  /**
   * List proposals, newest first. Includes those decided or expired.
   *
   * `GET /v1/operator/approvals`. Needs the scope `operator:approvals` or `operator:approvals:read`.
   */
  listApprovals(query?: types.ListApprovalsQuery, options?: CallOptions): List<types.Approval> {
    return this.pages(listApprovals, { query }, options);
  }

  /**
   * Reject a proposal, or withdraw one of your own. Nothing is done, for good; the command can be proposed again.
   *
   * `POST /v1/operator/approvals/{approvalId}/reject`. Needs the scope `operator:approvals`.
   */
  rejectApproval(
    approvalId: string,
    body?: types.RejectApprovalBody,
    options?: KeyedOptions,
  ): Call<types.Approval> {
    return this.invoke(rejectApproval, { path: [approvalId], body }, options);
  }

  /**
   * Preview what a command would do. Shows what would change, and whether and why it needs two people. Needs only the scope of the command; what the command would refuse is refused.
   *
   * `POST /v1/operator/four-eyes/dry-run`.
   */
  dryRunCommand(body: types.DryRunCommandBody, options?: CallOptions): Call<types.DryRun> {
    return this.invoke(dryRunCommand, { body }, options);
  }

  /**
   * Read which commands need two people. For each kind of command `never`, `always`, or more than an amount. Amounts that one person moved alone are added up over `rollingHours`.
   *
   * `GET /v1/operator/four-eyes`. Needs the scope `operator:approvals` or `operator:approvals:read`.
   */
  getFourEyesPolicy(options?: CallOptions): Call<types.FourEyesPolicy> {
    return this.invoke(getFourEyesPolicy, {}, options);
  }

  /**
   * Set which commands need two people. Needs two people itself. Existing proposals stay as they are.
   *
   * `PUT /v1/operator/four-eyes`. Needs the scope `operator:roles`.
   */
  setFourEyesPolicy(
    body: types.FourEyesPolicyDocument,
    options: MustMatchOptions,
  ): Call<types.FourEyesPolicy | types.Approval> {
    return this.invoke(setFourEyesPolicy, { body }, options);
  }

  /**
   * Download a log for offline verification. One JSON line per row, with seals in between and a signed head at the end. Ranges extend to whole seals, so a few more rows may be included.
   *
   * `GET /v1/operator/audit/export`. Needs the scope `operator:audit`.
   */
  exportLog(query?: types.ExportLogQuery, options?: CallOptions): Call<Download> {
    return this.invoke(exportLog, { query }, options);
  }

  /**
   * List who did what, newest first. Each change was recorded in its own commit. Secrets are never shown. Times are real, even in a sandbox whose clock was moved.
   *
   * `GET /v1/operator/audit`. Needs the scope `operator:audit`.
   */
  listAudit(query?: types.ListAuditQuery, options?: CallOptions): List<types.AuditEntry> {
    return this.pages(listAudit, { query }, options);
  }

  /**
   * List the signed heads of a log, newest first. Keep them elsewhere: they prove later that the log has only grown.
   *
   * `GET /v1/operator/audit/heads`. Needs the scope `operator:audit`.
   */
  listLogHeads(query?: types.ListLogHeadsQuery, options?: CallOptions): List<types.LogHead> {
    return this.pages(listLogHeads, { query }, options);
  }

  /**
   * Prove that a log has only grown. Returns a consistency proof between two signed heads (RFC 9162 §2.1.4).
   *
   * `GET /v1/operator/audit/consistency`. Needs the scope `operator:audit`.
   */
  proveLogGrowth(query: types.ProveLogGrowthQuery, options?: CallOptions): Call<types.LogProof> {
    return this.invoke(proveLogGrowth, { query }, options);
  }

  /**
   * Prove that a row is in a log. Returns an inclusion proof under a signed head (RFC 9162 §2.1.3).
   *
   * `GET /v1/operator/audit/inclusion`. Needs the scope `operator:audit`.
   */
  proveLogRow(query: types.ProveLogRowQuery, options?: CallOptions): Call<types.LogProof> {
    return this.invoke(proveLogRow, { query }, options);
  }

  /**
   * Sign the current head of a log. Rows of the last seconds wait for the next head. The service also signs one every day.
   *
   * `POST /v1/operator/audit/heads`. Needs the scope `operator:audit`.
   */
  signLogHead(query?: types.SignLogHeadQuery, options?: KeyedOptions): Call<types.LogHead> {
    return this.invoke(signLogHead, { query }, options);
  }

  /**
   * Read the confirmation of a customer's trade. The same as the customer sees.
   *
   * `GET /v1/operator/customers/{customerId}/transactions/{transactionId}/confirmation`. Needs the scope `operator:transactions:read`.
   */
  getAnyConfirmation<Q extends types.GetAnyConfirmationQuery = Record<never, never>>(
    customerId: string,
    transactionId: string,
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<types.GetAnyConfirmationQuery['format'], 'json' | undefined> }
      ? Download
      : types.TradeConfirmation
  > {
    return this.invoke(getAnyConfirmation, { path: [customerId, transactionId], query }, options);
  }
}
