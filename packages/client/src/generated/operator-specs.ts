// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { OperationSpec } from '../operations.ts';

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
export const listTopUps = {
  id: 'listTopUps',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/balances/top-ups',
} as const;
export const payDebtFromBalance = {
  id: 'payDebtFromBalance',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/balances/debt-payments',
  isKeyed: true,
} as const;
export const redirectWithdrawal = {
  id: 'redirectWithdrawal',
  method: 'POST',
  path: '/v1/operator/withdrawals/{withdrawalId}/redirect',
  isKeyed: true,
} as const;
export const reverseTopUp = {
  id: 'reverseTopUp',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/balances/top-up-reversals',
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
export const writeOffDebt = {
  id: 'writeOffDebt',
  method: 'POST',
  path: '/v1/operator/customers/{customerId}/balances/debt-write-offs',
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
export const listAmountLimitVersions = {
  id: 'listAmountLimitVersions',
  method: 'GET',
  path: '/v1/operator/amount-limits/versions',
} as const;
export const listExposureLimitVersions = {
  id: 'listExposureLimitVersions',
  method: 'GET',
  path: '/v1/operator/exposure-limits/versions',
} as const;
export const listPricingPolicyVersions = {
  id: 'listPricingPolicyVersions',
  method: 'GET',
  path: '/v1/operator/pricing-policy/versions',
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
export const listSwapPointPolicyVersions = {
  id: 'listSwapPointPolicyVersions',
  method: 'GET',
  path: '/v1/operator/swap-point-policy/versions',
} as const;
export const listSwapPointVersions = {
  id: 'listSwapPointVersions',
  method: 'GET',
  path: '/v1/operator/swap-points/{pair}/versions',
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
export const listHalts = { id: 'listHalts', method: 'GET', path: '/v1/operator/market/halts' } as const;
export const listPairSettings = {
  id: 'listPairSettings',
  method: 'GET',
  path: '/v1/operator/pairs',
} as const;
export const listPairSettingsVersions = {
  id: 'listPairSettingsVersions',
  method: 'GET',
  path: '/v1/operator/pairs/{pair}/versions',
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
export const listBars = { id: 'listBars', method: 'GET', path: '/v1/operator/market/bars' } as const;
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
export const failDepositReturn = {
  id: 'failDepositReturn',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/returns/{returnId}/failed',
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
export const replaceTopUp = {
  id: 'replaceTopUp',
  method: 'POST',
  path: '/v1/operator/deposits/{depositId}/replace-top-up',
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
export const listMatchingRuleVersions = {
  id: 'listMatchingRuleVersions',
  method: 'GET',
  path: '/v1/operator/matching-rules/versions',
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
} as const;
export const withdrawStatementFile = {
  id: 'withdrawStatementFile',
  method: 'POST',
  path: '/v1/operator/statements/{fileId}/withdraw',
  isKeyed: true,
} as const;
export const previewStatementFile = {
  id: 'previewStatementFile',
  method: 'POST',
  path: '/v1/operator/statements/preview',
  isRepeatable: true,
  sends: 'application/octet-stream',
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
export const listAccountBalances = {
  id: 'listAccountBalances',
  method: 'GET',
  path: '/v1/operator/ledger/accounts/{account}/balances',
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
export const getJournalReport = {
  id: 'getJournalReport',
  method: 'GET',
  path: '/v1/operator/reports/journal',
  mayBeFile: true,
} as const;
export const getTrialBalanceReport = {
  id: 'getTrialBalanceReport',
  method: 'GET',
  path: '/v1/operator/reports/trial-balance',
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
  isRepeatable: true,
} as const;
export const getFourEyesPolicy = {
  id: 'getFourEyesPolicy',
  method: 'GET',
  path: '/v1/operator/four-eyes',
} as const;
export const listFourEyesPolicyVersions = {
  id: 'listFourEyesPolicyVersions',
  method: 'GET',
  path: '/v1/operator/four-eyes/versions',
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
export const getCustomerStatement = {
  id: 'getCustomerStatement',
  method: 'GET',
  path: '/v1/operator/customers/{customerId}/statements',
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
  failDepositReturn,
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
  getCustomerStatement,
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
  getJournalReport,
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
  getTrialBalanceReport,
  haltMarket,
  ignoreDeposit,
  importStatementFile,
  invitePerson,
  listAcceptedPrices,
  listAccountBalances,
  listAccountEntries,
  listAccountPostings,
  listAccountStatements,
  listActors,
  listAllQuotes,
  listAllTransactions,
  listAllWithdrawals,
  listAmountLimitVersions,
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
  listExposureLimitVersions,
  listFourEyesPolicyVersions,
  listHalts,
  listHolds,
  listJournalEntries,
  listKeys,
  listLedgerAccounts,
  listLogHeads,
  listMatchingRuleVersions,
  listOperatorClients,
  listOperatorWebhookDeliveries,
  listOperatorWebhooks,
  listOwnSessions,
  listPairSettings,
  listPairSettingsVersions,
  listPasskeys,
  listPaymentStatusesOfFile,
  listPersons,
  listPrices,
  listPricingPolicyVersions,
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
  listSwapPointPolicyVersions,
  listSwapPointVersions,
  listSwapPoints,
  listTopUps,
  listVirtualAccounts,
  markSettlementRunSent,
  markStatementEntryDistinct,
  markStatementEntryDuplicate,
  markStatementEntryNeverBooked,
  matchDeposit,
  matchStatementEntry,
  payDebtFromBalance,
  placeHold,
  previewMatchingRules,
  previewSettlementRun,
  previewSpreadRules,
  previewStatementFile,
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
  replaceTopUp,
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
  reverseTopUp,
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
  writeOffDebt,
} as const satisfies Record<string, OperationSpec>;
