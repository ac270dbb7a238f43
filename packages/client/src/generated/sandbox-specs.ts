// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { OperationSpec } from '../operations.ts';

export const bookSandboxBankEntry = {
  id: 'bookSandboxBankEntry',
  method: 'POST',
  path: '/v1/sandbox/bank/entries',
  isKeyed: true,
} as const;
export const controlSandboxMarket = {
  id: 'controlSandboxMarket',
  method: 'POST',
  path: '/v1/sandbox/market',
  isKeyed: true,
} as const;
export const downloadSandboxBankFile = {
  id: 'downloadSandboxBankFile',
  method: 'GET',
  path: '/v1/sandbox/bank/files/{fileId}',
  isFile: true,
} as const;
export const endSandboxBankDay = {
  id: 'endSandboxBankDay',
  method: 'POST',
  path: '/v1/sandbox/bank/statements',
  isKeyed: true,
} as const;
export const getSandboxBank = { id: 'getSandboxBank', method: 'GET', path: '/v1/sandbox/bank' } as const;
export const getSandboxClock = { id: 'getSandboxClock', method: 'GET', path: '/v1/sandbox/clock' } as const;
export const getSandboxMarket = {
  id: 'getSandboxMarket',
  method: 'GET',
  path: '/v1/sandbox/market',
} as const;
export const listSandboxBankAccounts = {
  id: 'listSandboxBankAccounts',
  method: 'GET',
  path: '/v1/sandbox/bank/accounts',
} as const;
export const listSandboxBankFiles = {
  id: 'listSandboxBankFiles',
  method: 'GET',
  path: '/v1/sandbox/bank/files',
} as const;
export const moveSandboxClock = {
  id: 'moveSandboxClock',
  method: 'POST',
  path: '/v1/sandbox/clock',
  isKeyed: true,
} as const;
export const receiveSandboxDeposit = {
  id: 'receiveSandboxDeposit',
  method: 'POST',
  path: '/v1/sandbox/deposits',
  isKeyed: true,
} as const;
export const returnSandboxDeposit = {
  id: 'returnSandboxDeposit',
  method: 'POST',
  path: '/v1/sandbox/deposits/{depositId}/return',
  isKeyed: true,
} as const;
export const setSandboxBank = {
  id: 'setSandboxBank',
  method: 'POST',
  path: '/v1/sandbox/bank',
  isKeyed: true,
} as const;
export const triggerSandboxEvent = {
  id: 'triggerSandboxEvent',
  method: 'POST',
  path: '/v1/sandbox/transactions/{transactionId}/{event}',
  isKeyed: true,
} as const;

/** Every operation of this entry, by its id. */
export const SANDBOX_OPERATIONS = {
  bookSandboxBankEntry,
  controlSandboxMarket,
  downloadSandboxBankFile,
  endSandboxBankDay,
  getSandboxBank,
  getSandboxClock,
  getSandboxMarket,
  listSandboxBankAccounts,
  listSandboxBankFiles,
  moveSandboxClock,
  receiveSandboxDeposit,
  returnSandboxDeposit,
  setSandboxBank,
  triggerSandboxEvent,
} as const satisfies Record<string, OperationSpec>;
