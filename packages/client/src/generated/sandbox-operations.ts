// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Call, List } from '../call.ts';
import type { Download } from '../download.ts';
import { type OperationSpec, Operations } from '../operations.ts';
import type { CallOptions, KeyedOptions } from '../options.ts';
import type * as types from './sandbox-types.ts';

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

/** What the sandbox can do, by the ids of the operations. */
export class SandboxOperations extends Operations {
  /**
   * Book an entry at the simulated bank. Such as a fee, or a payment of the house with a different amount. A camt.054 file reports it.
   *
   * `POST /v1/sandbox/bank/entries`. Needs the scope `operator:sandbox`.
   */
  bookSandboxBankEntry(
    body: types.BookSandboxBankEntryBody,
    options?: KeyedOptions,
  ): Call<types.SandboxBankEntry> {
    return this.invoke(bookSandboxBankEntry, { body }, options);
  }

  /**
   * Set or release a price, or close the market. Send `pair` with `bid` and `ask`, `pair` with `live`, or `state`. It lasts until it is changed or the service restarts.
   *
   * `POST /v1/sandbox/market`. Needs the scope `operator:sandbox`.
   */
  controlSandboxMarket(
    body: types.ControlSandboxMarketBody,
    options?: KeyedOptions,
  ): Call<types.ControlSandboxMarketAnswer> {
    return this.invoke(controlSandboxMarket, { body }, options);
  }

  /**
   * Download a file of the simulated bank. As the bank wrote it and the service imports it.
   *
   * `GET /v1/sandbox/bank/files/{fileId}`. Needs the scope `operator:sandbox`.
   */
  downloadSandboxBankFile(fileId: string, options?: CallOptions): Call<Download> {
    return this.invoke(downloadSandboxBankFile, { path: [fileId] }, options);
  }

  /**
   * End the simulated bank's day now. Writes a statement (camt.053) for every account with entries not yet in one. Happens automatically at midnight UTC of business time.
   *
   * `POST /v1/sandbox/bank/statements`. Needs the scope `operator:sandbox`.
   */
  endSandboxBankDay(options?: KeyedOptions): Call<types.EndSandboxBankDayAnswer> {
    return this.invoke(endSandboxBankDay, {}, options);
  }

  /**
   * Read how the simulated bank behaves. Its settings survive a restart.
   *
   * `GET /v1/sandbox/bank`. Needs the scope `operator:sandbox`.
   */
  getSandboxBank(options?: CallOptions): Call<types.SandboxBankSettings> {
    return this.invoke(getSandboxBank, {}, options);
  }

  /**
   * Read business time. Prices, expiry, cut-offs and value dates follow it; tokens and rate limits do not.
   *
   * `GET /v1/sandbox/clock`. Needs the scope `operator:sandbox`.
   */
  getSandboxClock(options?: CallOptions): Call<types.SandboxClock> {
    return this.invoke(getSandboxClock, {}, options);
  }

  /**
   * Read how the market is controlled. Pairs that are not listed follow their sources.
   *
   * `GET /v1/sandbox/market`. Needs the scope `operator:sandbox`.
   */
  getSandboxMarket(options?: CallOptions): Call<types.GetSandboxMarketAnswer> {
    return this.invoke(getSandboxMarket, {}, options);
  }

  /**
   * List the house's accounts at the simulated bank. One for each collection account of the house, by currency.
   *
   * `GET /v1/sandbox/bank/accounts`. Needs the scope `operator:sandbox`.
   */
  listSandboxBankAccounts(options?: CallOptions): Call<types.ListSandboxBankAccountsAnswer> {
    return this.invoke(listSandboxBankAccounts, {}, options);
  }

  /**
   * List the files of the simulated bank, newest first. The service imports each by itself; `toldAt` is null until then.
   *
   * `GET /v1/sandbox/bank/files`. Needs the scope `operator:sandbox`.
   */
  listSandboxBankFiles(
    query?: types.ListSandboxBankFilesQuery,
    options?: CallOptions,
  ): List<types.SandboxBankFile> {
    return this.pages(listSandboxBankFiles, { query }, options);
  }

  /**
   * Move business time. Drives expiry, cut-offs, value dates and settlement: everything due by then is done before the response. Tokens, rate limits and logs stay on real time.
   *
   * `POST /v1/sandbox/clock`. Needs the scope `operator:sandbox`.
   */
  moveSandboxClock(body: types.MoveSandboxClockBody, options?: KeyedOptions): Call<types.SandboxClock> {
    return this.invoke(moveSandboxClock, { body }, options);
  }

  /**
   * Simulate incoming money. The simulated bank books it and reports it in a camt.054 file; the response comes once the service has imported that. Each call simulates a new payment.
   *
   * `POST /v1/sandbox/deposits`. Needs the scope `operator:sandbox`.
   */
  receiveSandboxDeposit(body: types.ReceiveSandboxDepositBody, options?: KeyedOptions): Call<types.Deposit> {
    return this.invoke(receiveSandboxDeposit, { body }, options);
  }

  /**
   * Let the remitter's bank take a deposit back. A deposit can come back once, as a debit in a camt.054 file.
   *
   * `POST /v1/sandbox/deposits/{depositId}/return`. Needs the scope `operator:sandbox`.
   */
  returnSandboxDeposit(
    depositId: string,
    body?: types.ReturnSandboxDepositBody,
    options?: KeyedOptions,
  ): Call<types.SandboxBankEntry> {
    return this.invoke(returnSandboxDeposit, { path: [depositId], body }, options);
  }

  /**
   * Set how the simulated bank behaves. Omitted settings keep their values. Leaving `runs`, or changing to `fast`, affects trades that wait now as well.
   *
   * `POST /v1/sandbox/bank`. Needs the scope `operator:sandbox`.
   */
  setSandboxBank(body: types.SetSandboxBankBody, options?: KeyedOptions): Call<types.SandboxBankSettings> {
    return this.invoke(setSandboxBank, { body }, options);
  }

  /**
   * Trigger an event of a transaction now. The bank reports it in a file, and the response waits until that is imported. What the transaction's state or a hold forbids is 409 `invalid_state_transition`.
   *
   * `POST /v1/sandbox/transactions/{transactionId}/{event}`. Needs the scope `operator:sandbox`.
   */
  triggerSandboxEvent(
    transactionId: string,
    event: string,
    options?: KeyedOptions,
  ): Call<types.OperatorTransaction> {
    return this.invoke(triggerSandboxEvent, { path: [transactionId, event] }, options);
  }
}
