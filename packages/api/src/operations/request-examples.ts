import { ids } from './examples.ts';

/** Good requests, by id of the operation. Those on the way of a trade are in examples.ts, together with their answers. */

const IBAN = 'DE89370400440532013000';
const EXCEPTION_ID = 'exc_01jngx9b5h8q1w4y7a9n6d2e3f';
const ENTRY_ID = 'ste_01jngx9a2e5m8r1t4w6z9b3c5d';
const CREDENTIAL = { name: 'treasury', scopes: ['quotes:write', 'trades:execute', 'transactions:read'] };
const FEWER_SCOPES = { scopes: ['quotes:write', 'transactions:read'] };
const SECOND_SECRET = { othersExpireAt: '2026-03-11T00:00:00Z' };
const KEYS = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
const ALLOW_LIST = { ipAllowList: ['203.0.113.0/24'] };
const ONE_TOKEN = { jti: '0195617b-f16d-7a15-8493-d17ccb01c00a' };
const TOKEN = { token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' };
const SECRET_OVERLAP = { overlapHours: 24 };
const ENABLED = { status: 'enabled' };
const SCHEDULE = {
  name: 'Trades of the day',
  report: 'blotter',
  format: 'csv',
  every: 'day',
  on: null,
  at: '06:30',
  zone: 'Europe/Berlin',
  holidays: 'skip',
  calendar: 'EUR',
  customerId: null,
  currency: null,
  keepDays: 90,
};
const RULES = {
  toleranceUsd: '30.00',
  toleranceBps: 50,
  suggestOnly: ['reference_partial'],
  groupSizeMax: 5,
  fourEyesFromUsd: null,
};

export const REQUEST_EXAMPLES: Readonly<Record<string, object>> = {
  // Quotes and prices.
  quoteForCustomer: { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' },
  pushPrices: {
    source: 'push',
    pair: 'EURUSD',
    bid: '1.08488',
    ask: '1.08494',
    at: '2026-03-04T14:30:00.112Z',
  },
  withdrawPrices: { source: 'push', pairs: ['EURUSD'] },
  // Balances.
  createWithdrawal: { currency: 'EUR', amount: '5000.00', clientReference: 'WD-17' },
  reverseTopUp: { bankReference: '2026030500001234', reason: 'entered for the wrong customer' },
  topUpBalance: { currency: 'USD', amount: '100000.00', bankReference: '2026030500001234' },
  payDebtFromBalance: { currency: 'EUR', amount: '120.00', reason: 'loss of a close-out, as agreed' },
  writeOffDebt: { currency: 'EUR', amount: '1.20', reason: 'not worth a reminder' },
  withdrawForCustomer: { currency: 'EUR', amount: '5000.00', reason: 'asked for by phone' },
  confirmWithdrawal: { bankReference: '2026030600004711' },
  failWithdrawal: { detail: 'account closed' },
  cancelAnyWithdrawal: { detail: 'asked for by the customer' },
  // Webhooks.
  createWebhook: {
    url: 'https://example.com/webhooks',
    types: ['transaction.funded', 'transaction.settled'],
  },
  updateWebhook: ENABLED,
  rotateWebhookSecret: SECRET_OVERLAP,
  createOperatorWebhook: {
    url: 'https://example.com/webhooks',
    types: ['exception.opened', 'approval.requested'],
  },
  updateOperatorWebhook: ENABLED,
  rotateOperatorWebhookSecret: SECRET_OVERLAP,
  // Customers and accounts.
  createCustomer: {
    name: 'Acme Ltd',
    externalReference: 'CRM-1042',
    settings: { requireIdempotencyKey: true },
  },
  updateCustomer: { groupName: 'gold', settings: { permittedValidities: [10, 30, 60] } },
  suspendCustomer: { reason: 'documents have expired' },
  setCustomerLimits: {
    currency: 'USD',
    dailyVolume: '5000000.00',
    openPosition: '10000000.00',
    singleTrade: '1000000.00',
    maxOpenQuotes: 50,
  },
  addSettlementInstruction: { currency: 'EUR', accountHolder: 'Acme Ltd', iban: IBAN },
  setPostalAddress: {
    postalAddress: {
      streetName: 'Main Street',
      buildingNumber: '5',
      postalCode: '10115',
      townName: 'Berlin',
      country: 'DE',
    },
  },
  setCollectionAccount: {
    accountHolder: 'Example FX Client Money',
    bankName: 'Example Bank',
    bic: 'EXAMUS33XXX',
    accountNumber: '9876543210',
    routingNumber: '021000021',
    rails: ['fedwire', 'swift'],
  },
  addVirtualAccount: { currency: 'EUR', number: IBAN },
  // Clients, roles, keys and people.
  createCredential: CREDENTIAL,
  createOwnCredential: CREDENTIAL,
  createOperatorClient: { name: 'statement feed', scopes: ['operator:statements'] },
  updateCredential: FEWER_SCOPES,
  updateOwnCredential: FEWER_SCOPES,
  updateOperatorClient: { roles: ['operations'] },
  addCredentialSecret: SECOND_SECRET,
  addOwnCredentialSecret: SECOND_SECRET,
  addOperatorClientSecret: SECOND_SECRET,
  setCredentialKeys: KEYS,
  setOwnCredentialKeys: KEYS,
  setOperatorClientKeys: KEYS,
  setCredentialIpAllowList: ALLOW_LIST,
  setOwnCredentialIpAllowList: ALLOW_LIST,
  setOperatorClientIpAllowList: ALLOW_LIST,
  revokeCredentialTokens: ONE_TOKEN,
  revokeOwnCredentialTokens: ONE_TOKEN,
  revokeOperatorClientTokens: ONE_TOKEN,
  introspectToken: TOKEN,
  revokeToken: TOKEN,
  setRole: { description: 'Matches deposits', scopes: ['operator:deposits'] },
  rotateKey: { purpose: 'tokens', reason: 'somebody leaves' },
  revokeKey: { reason: 'a memory dump has left the house' },
  invitePerson: { email: 'ada@example.com', name: 'Ada', roles: ['dealer'] },
  setPersonRoles: { roles: ['operations', 'viewer'] },
  renamePasskey: { name: 'Laptop' },
  // Pricing.
  setSpreadRules: {
    rules: [{ spreadBps: '20.00' }, { groupName: 'gold', pair: 'EURUSD', spreadBps: '12.00' }],
  },
  setSpreadRuleDraft: { rules: [{ spreadBps: '18.00' }] },
  previewSpreadRules: {
    customerId: ids.customerId,
    sellCurrency: 'USD',
    buyCurrency: 'EUR',
    fixedSide: 'sell',
    amount: '100000.00',
  },
  setAmountLimits: {
    limits: [{ customerId: null, groupName: null, pair: null, minimum: '100.00', maximum: '1000000.00' }],
  },
  setExposureLimits: {
    total: '5000000.00',
    perCurrency: '2000000.00',
    currencies: [],
    hedges: [{ currency: 'EUR', amount: '-250000.00' }],
  },
  setPricingPolicy: {
    validityPremium: {
      method: 'table',
      table: [
        { upToSeconds: 30, bps: '0.00' },
        { upToSeconds: 300, bps: '5.00' },
      ],
      volatility: null,
    },
    marketHours: [],
  },
  setSwapPointPolicy: {
    withoutPoints: 'refuse',
    worseSideBpsPerDay: null,
    pointsMaxAgeSeconds: 3600,
    ratesMaxAgeDays: 7,
    interestRates: [],
  },
  setSwapPoints: {
    on: { bid: '0.50', ask: '0.60' },
    tn: { bid: '0.52', ask: '0.58' },
    source: 'Example Bank',
    reason: 'morning fixing',
  },
  pushSwapPoints: { source: 'bank-a', points: [{ pair: 'EURUSD', leg: 'tn', bid: '0.52', ask: '0.58' }] },
  // Market and calendars.
  acceptPrice: { price: '1.08491', reason: 'confirmed with two banks' },
  disableSource: { reason: 'prices look wrong' },
  enableSource: { reason: 'checked with the venue' },
  setPairSettings: {
    enabled: true,
    stalenessMs: 5000,
    composite: 'best',
    priority: [],
    lockedPrices: 'accept',
    outlierBps: '50.00',
    jumpTicks: 3,
    jumpMs: 2000,
    frozenMs: null,
    deviationBps: null,
    agreementMs: 1000,
  },
  haltMarket: { scope: 'pair', pair: 'EURUSD', reason: 'central bank announcement' },
  resumeMarket: { scope: 'pair', pair: 'EURUSD', reason: 'the market has calmed down' },
  resetSourceSequence: { reason: 'agreed with the venue', nextSent: 1, nextReceived: 1 },
  setCalendarYear: {
    complete: false,
    changes: [{ date: '2026-05-04', state: 'closed', reason: 'Special holiday', source: 'central bank' }],
    reason: 'announced today',
  },
  setCutOff: {
    time: '16:00',
    zone: 'Europe/Berlin',
    source: 'Example Bank',
    reason: 'new terms of the bank',
  },
  // Transactions and settlement.
  commandTransactions: {
    command: 'payout-confirmed',
    items: [{ transactionId: ids.transactionId, bankReference: '2026030600004711' }],
  },
  confirmPayout: { bankReference: '2026030600004711' },
  confirmRefund: { bankReference: '2026030600004712' },
  failPayout: { reason: 'payout_rejected', detail: 'AC04 account closed' },
  failRefund: { detail: 'AC04 account closed' },
  placeHold: { kind: 'screening', reason: 'name matches a list' },
  releaseHold: { reason: 'not the same person' },
  rollValueDate: { valueDate: '2026-03-09', reason: 'client_request' },
  unwindTransaction: { reason: 'client_request' },
  createSettlementRun: { currency: 'EUR', valueDate: '2026-03-06' },
  cancelSettlementRun: { reason: 'made for the wrong date' },
  // Deposits and exceptions.
  matchDeposit: { allocations: [{ transactionId: ids.transactionId }], reason: 'confirmed by phone' },
  replaceTopUp: {
    customerId: ids.customerId,
    bankReference: '2026030500001234',
    reason: 'the bank has kept its charges',
  },
  unmatchDeposit: { reason: 'meant for another trade' },
  returnDeposit: { account: { iban: IBAN }, reason: 'not ours' },
  releaseDeposit: { remember: true, reason: 'a subsidiary of the customer' },
  forgiveShortfall: { transactionId: ids.transactionId, amount: '25.00', reason: 'charges of the bank' },
  ignoreDeposit: { reason: 'waits for the bank' },
  bookDeposit: { as: 'interest', reason: 'interest for February' },
  assignDeposit: { assignee: 'payments team' },
  addDepositNote: { note: 'asked the bank who sent it' },
  confirmDepositReturn: { bankReference: '2026030600004713', reason: 'seen in online banking' },
  failDepositReturn: { reason: 'the bank called: the account is closed' },
  cancelDepositReturn: { reason: 'the customer has a trade for it' },
  commandDeposits: {
    command: 'assign',
    reason: 'shift ends',
    assignee: 'payments team',
    items: [{ depositId: ids.depositId }],
  },
  replaceMatchingRules: RULES,
  previewMatchingRules: { rules: { ...RULES, toleranceUsd: '50.00', suggestOnly: [] }, deposits: 50 },
  assignException: { assignee: 'payments team' },
  resolveException: { resolution: 'settled_outside', note: 'agreed with the customer' },
  retryException: { note: 'the account is registered now' },
  commandExceptions: {
    command: 'assign',
    note: 'shift ends',
    assignee: 'payments team',
    items: [{ exceptionId: EXCEPTION_ID }],
  },
  // Bank statements.
  acceptStatementFile: { reason: 'the bank has confirmed its correction' },
  withdrawStatementFile: { reason: 'sent by the bank by mistake' },
  setStatementMapping: {
    fileNames: ['umsatz-*.csv'],
    delimiter: ';',
    decimalMark: ',',
    groupMark: '.',
    dateFormat: 'DD.MM.YYYY',
    account: IBAN,
    currency: 'EUR',
    columns: {
      bookingDate: 'Buchung',
      valueDate: 'Wert',
      amount: 'Betrag',
      bankReference: 'Ref',
      counterpartyName: 'Name',
      remittance: ['Zweck'],
    },
  },
  bookStatementEntry: { as: 'bank_charges', reason: 'account fee for February' },
  matchStatementEntry: {
    transactionId: ids.transactionId,
    purpose: 'payout',
    reason: 'the bank left out the reference',
  },
  markStatementEntryDistinct: { reason: 'paid twice by the customer' },
  markStatementEntryDuplicate: { as: ENTRY_ID, reason: 'same payment in the notification' },
  markStatementEntryNeverBooked: { reason: 'the bank withdrew the notification' },
  // Reports.
  requestReport: {
    report: 'blotter',
    format: 'csv',
    from: '2026-03-01T00:00:00Z',
    to: '2026-04-01T00:00:00Z',
  },
  createReportSchedule: { ...SCHEDULE, paused: false },
  replaceReportSchedule: { ...SCHEDULE, paused: true },
  // Approvals.
  approve: { note: 'checked with the customer' },
  rejectApproval: { note: 'wrong account' },
  dryRunCommand: {
    operationId: 'addVirtualAccount',
    params: { customerId: ids.customerId },
    body: { currency: 'EUR', number: IBAN },
  },
  setFourEyesPolicy: {
    rules: [{ kind: 'withdrawal', needs: 'amount', fromUsd: '100000.00' }],
    rollingHours: 24,
    accountWaitHours: 24,
  },
  // Sandbox.
  setSandboxBank: { autoDeposit: false, settlement: 'calendar' },
  bookSandboxBankEntry: {
    currency: 'EUR',
    direction: 'debit',
    amount: '12.50',
    kind: 'charge',
    text: 'Account fee',
  },
  returnSandboxDeposit: { reason: 'FOCR' },
};
