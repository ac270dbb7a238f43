import type { Register } from '../kit.ts';

/** Groups for operators that are operations under shorter names. */

export const customers: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listCustomers',
    columns: ['customerId', 'name', 'groupName', 'status', 'externalReference', 'createdAt'],
  });
  kit.operation(group, 'get', { id: 'getCustomer' });
  kit.operation(group, 'create', { id: 'createCustomer' });
  kit.operation(group, 'update', { id: 'updateCustomer' });
  kit.operation(group, 'suspend', { id: 'suspendCustomer' });
  kit.operation(group, 'resume', { id: 'resumeCustomer' });
  kit.operation(group, 'limits', { id: 'getCustomerLimits' });
  kit.operation(group, 'set-limits', { id: 'setCustomerLimits' });
  kit.operation(group, 'usage', { id: 'getLimitUsage' });
  kit.operation(group, 'instructions', { id: 'listSettlementInstructions' });
  kit.operation(group, 'add-instruction', { id: 'addSettlementInstruction' });
  kit.operation(group, 'retire-instruction', { id: 'retireSettlementInstruction' });
  kit.operation(group, 'virtual-accounts', { id: 'listVirtualAccounts' });
  kit.operation(group, 'add-virtual-account', { id: 'addVirtualAccount' });
  kit.operation(group, 'balances', { id: 'getCustomerBalances' });
};

export const spreads: Register = (group, kit) => {
  const columns = [
    'ruleId',
    'customerId',
    'groupName',
    'pair',
    'tenor',
    'amountFrom',
    'spreadBps',
    'validFrom',
    'validTo',
  ];
  kit.operation(group, 'show', {
    id: 'getSpreadRules',
    summary: 'Show the spread rules in force',
    list: 'rules',
    columns,
  });
  kit.operation(group, 'draft', {
    id: 'getSpreadRuleDraft',
    summary: 'Show the draft',
    list: 'rules',
    columns,
  });
  kit.operation(group, 'propose', {
    id: 'setSpreadRuleDraft',
    summary: 'Write a draft of new rules',
    columns,
  });
  kit.operation(group, 'preview', {
    id: 'previewSpreadRules',
    summary: 'Price a request with the rules or with the draft',
  });
  kit.operation(group, 'approve', { id: 'activateSpreadRuleDraft', summary: 'Activate the draft' });
  kit.operation(group, 'discard', { id: 'discardSpreadRuleDraft', summary: 'Discard the draft' });
  kit.operation(group, 'set', {
    id: 'setSpreadRules',
    summary: 'Replace the rules in force, without a draft',
  });
  kit.operation(group, 'policy', { id: 'getPricingPolicy' });
};

export const market: Register = (group, kit) => {
  kit.operation(group, 'prices', {
    id: 'listPrices',
    columns: ['pair', 'status', 'bid', 'ask', 'source', 'ageMs', 'market.state'],
  });
  kit.operation(group, 'health', { id: 'getMarketHealth' });
  kit.operation(group, 'pairs', { id: 'listPairSettings' });
  kit.operation(group, 'halts', { id: 'listHalts' });
  kit.operation(group, 'halt', { id: 'haltMarket' });
  kit.operation(group, 'resume', { id: 'resumeMarket' });
  kit.operation(group, 'bars', { id: 'listBars' });
  kit.operation(group, 'push', { id: 'pushPrices' });
  kit.operation(group, 'withdraw', { id: 'withdrawPrices' });
};

export const exceptions: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listExceptions',
    columns: [
      'exceptionId',
      'type',
      'status',
      'ageHours',
      'assignee',
      'depositId',
      'transactionId',
      'reason',
    ],
    empty: 'There are no exceptions.',
  });
  kit.operation(group, 'get', { id: 'getException' });
  kit.operation(group, 'counts', { id: 'countExceptions' });
  kit.operation(group, 'assign', { id: 'assignException' });
  kit.operation(group, 'resolve', { id: 'resolveException' });
  kit.operation(group, 'retry', { id: 'retryException' });
};

export const approvals: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listApprovals',
    columns: ['approvalId', 'status', 'kind', 'subject', 'reason', 'proposedBy', 'proposedAt'],
    empty: 'Nothing waits for approval.',
  });
  kit.operation(group, 'get', { id: 'getApproval' });
  kit.operation(group, 'approve', { id: 'approve' });
  kit.operation(group, 'reject', { id: 'rejectApproval' });
};

export const settlementRuns: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listSettlementRuns',
    columns: ['runId', 'status', 'valueDate', 'paymentCount', 'total=total currency', 'createdAt'],
  });
  kit.operation(group, 'get', { id: 'getSettlementRun' });
  kit.operation(group, 'preview', { id: 'previewSettlementRun' });
  kit.operation(group, 'create', { id: 'createSettlementRun' });
  kit.operation(group, 'payments', { id: 'listSettlementRunPayments' });
  kit.operation(group, 'download', { id: 'downloadSettlementRunFile' });
  kit.operation(group, 'mark-sent', { id: 'markSettlementRunSent' });
  kit.operation(group, 'cancel', { id: 'cancelSettlementRun' });
};

export const positions: Register = (group, kit) => {
  const columns = [
    'currency',
    'position',
    'averageBoughtUsd',
    'averageSoldUsd',
    'valueUsd',
    'realisedUsd',
    'unrealisedUsd',
  ];
  kit.operation(group, 'show', {
    id: 'getPositions',
    summary: 'Show positions and their results by currency',
    list: 'positions',
    columns,
  });
  kit.operation(group, 'exposure', { id: 'getExposure', summary: 'Show positions against the limits' });
  kit.operation(group, 'limits', { id: 'getExposureLimits' });
  kit.operation(group, 'set-limits', { id: 'setExposureLimits' });
  kit.operation(group, 'trial-balance', { id: 'getTrialBalance' });
};

export const ledger: Register = (group, kit) => {
  kit.operation(group, 'trial-balance', { id: 'getTrialBalance' });
  kit.operation(group, 'balances', {
    id: 'listAccountBalances',
    columns: ['customerId', 'debit', 'credit'],
    empty: 'Nobody has anything on this account.',
  });
  kit.operation(group, 'postings', {
    id: 'listAccountPostings',
    columns: ['at', 'kind', 'transactionId', 'depositId', 'debit', 'credit', 'balance'],
    empty: 'Nothing was booked on it.',
  });
  kit.operation(group, 'entries', {
    id: 'listJournalEntries',
    columns: ['entryId', 'at', 'kind', 'customerId', 'transactionId', 'depositId'],
    empty: 'Nothing is booked.',
  });
  kit.operation(group, 'entry', { id: 'getJournalEntry' });
  kit.operation(group, 'accounts', {
    id: 'listLedgerAccounts',
    list: 'items',
    columns: ['account', 'type', 'title'],
  });
  kit.operation(group, 'check', { id: 'checkBooks' });
};

export const health: Register = (group, kit) => {
  kit.operation(group, 'live', { id: 'getLiveness', summary: 'Is the process alive?' });
  kit.operation(group, 'ready', { id: 'getReadiness', summary: 'Can it serve?' });
  kit.operation(group, 'prices', { id: 'getPricingReadiness', summary: 'Can it price?' });
  kit.operation(group, 'market', {
    id: 'getMarketHealth',
    summary: 'Are sources and pairs healthy? (operators)',
  });
};

export const sandbox: Register = (group, kit) => {
  kit.operation(group, 'clock', { id: 'getSandboxClock', summary: 'Show business time' });
  kit.operation(group, 'move-clock', { id: 'moveSandboxClock', summary: 'Move business time' });
  kit.operation(group, 'market', {
    id: 'getSandboxMarket',
    summary: 'Show frozen prices and the state of the market',
  });
  kit.operation(group, 'set-market', {
    id: 'controlSandboxMarket',
    summary: 'Freeze or release a price, open or close the market',
  });
  kit.operation(group, 'bank', { id: 'getSandboxBank', summary: 'Show what the bank does by itself' });
  kit.operation(group, 'set-bank', { id: 'setSandboxBank', summary: 'Set what the bank does by itself' });
  kit.operation(group, 'accounts', { id: 'listSandboxBankAccounts', summary: "Show the bank's accounts" });
  kit.operation(group, 'files', { id: 'listSandboxBankFiles', summary: "List the bank's files" });
  kit.operation(group, 'file', { id: 'downloadSandboxBankFile', summary: "Get one of the bank's files" });
  kit.operation(group, 'end-day', { id: 'endSandboxBankDay', summary: "End the bank's day now" });
  kit.operation(group, 'entry', {
    id: 'bookSandboxBankEntry',
    summary: 'Book an entry at the bank: a fee, interest, a payment',
  });
  kit.operation(group, 'deposit', { id: 'receiveSandboxDeposit', summary: 'Let money arrive now' });
  kit.operation(group, 'return-deposit', {
    id: 'returnSandboxDeposit',
    summary: "Let the remitter's bank take a deposit back",
  });
  kit.operation(group, 'trigger', {
    id: 'triggerSandboxEvent',
    summary: 'Trigger an event on a transaction: deposit, settle, payout-failed, payout-returned',
  });
};
