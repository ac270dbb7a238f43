// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Call, List } from '../call.ts';
import type { Download } from '../download.ts';
import { Operations } from '../operations.ts';
import type { CallOptions, KeyedOptions } from '../options.ts';
import type * as calls from './sandbox-call-types.ts';
import * as specs from './sandbox-specs.ts';
import type * as types from './sandbox-types.ts';

/** What the sandbox can do, by the ids of the operations. */
export class SandboxOperations extends Operations {
  /**
   * Book an entry at the simulated bank. Such as a fee, or a payment of the house with a different amount. A camt.054 file reports it.
   *
   * `POST /v1/sandbox/bank/entries`. Needs the scope `operator:sandbox`.
   */
  bookSandboxBankEntry(
    body: calls.BookSandboxBankEntryBody,
    options?: KeyedOptions,
  ): Call<types.SandboxBankEntry> {
    return this.invoke(specs.bookSandboxBankEntry, { body }, options);
  }

  /**
   * Set or release a price, or close the market. Send `pair` with `bid` and `ask`, `pair` with `live`, or `state`. It lasts until it is changed or the service restarts.
   *
   * `POST /v1/sandbox/market`. Needs the scope `operator:sandbox`.
   */
  controlSandboxMarket(
    body: calls.ControlSandboxMarketBody,
    options?: KeyedOptions,
  ): Call<calls.ControlSandboxMarketAnswer> {
    return this.invoke(specs.controlSandboxMarket, { body }, options);
  }

  /**
   * Download a file of the simulated bank. As the bank wrote it and the service imports it.
   *
   * `GET /v1/sandbox/bank/files/{fileId}`. Needs the scope `operator:sandbox`.
   */
  downloadSandboxBankFile(fileId: string, options?: CallOptions): Call<Download> {
    return this.invoke(specs.downloadSandboxBankFile, { path: [fileId] }, options);
  }

  /**
   * End the simulated bank's day now. Writes a statement (camt.053) for every account with entries not yet in one. Happens automatically at midnight UTC of business time.
   *
   * `POST /v1/sandbox/bank/statements`. Needs the scope `operator:sandbox`.
   */
  endSandboxBankDay(options?: KeyedOptions): Call<calls.EndSandboxBankDayAnswer> {
    return this.invoke(specs.endSandboxBankDay, {}, options);
  }

  /**
   * Read how the simulated bank behaves. Its settings survive a restart.
   *
   * `GET /v1/sandbox/bank`. Needs the scope `operator:sandbox`.
   */
  getSandboxBank(options?: CallOptions): Call<types.SandboxBankSettings> {
    return this.invoke(specs.getSandboxBank, {}, options);
  }

  /**
   * Read business time. Prices, expiry, cut-offs and value dates follow it; tokens and rate limits do not.
   *
   * `GET /v1/sandbox/clock`. Needs the scope `operator:sandbox`.
   */
  getSandboxClock(options?: CallOptions): Call<types.SandboxClock> {
    return this.invoke(specs.getSandboxClock, {}, options);
  }

  /**
   * Read how the market is controlled. Pairs that are not listed follow their sources.
   *
   * `GET /v1/sandbox/market`. Needs the scope `operator:sandbox`.
   */
  getSandboxMarket(options?: CallOptions): Call<calls.GetSandboxMarketAnswer> {
    return this.invoke(specs.getSandboxMarket, {}, options);
  }

  /**
   * List the house's accounts at the simulated bank. One for each collection account of the house, by currency.
   *
   * `GET /v1/sandbox/bank/accounts`. Needs the scope `operator:sandbox`.
   */
  listSandboxBankAccounts(options?: CallOptions): Call<calls.ListSandboxBankAccountsAnswer> {
    return this.invoke(specs.listSandboxBankAccounts, {}, options);
  }

  /**
   * List the files of the simulated bank, newest first. The service imports each by itself; `toldAt` is null until then.
   *
   * `GET /v1/sandbox/bank/files`. Needs the scope `operator:sandbox`.
   */
  listSandboxBankFiles(
    query?: calls.ListSandboxBankFilesQuery,
    options?: CallOptions,
  ): List<types.SandboxBankFile> {
    return this.pages(specs.listSandboxBankFiles, { query }, options);
  }

  /**
   * Move business time. Drives expiry, cut-offs, value dates and settlement: everything due by then is done before the response. Tokens, rate limits and logs stay on real time.
   *
   * `POST /v1/sandbox/clock`. Needs the scope `operator:sandbox`.
   */
  moveSandboxClock(body: calls.MoveSandboxClockBody, options?: KeyedOptions): Call<types.SandboxClock> {
    return this.invoke(specs.moveSandboxClock, { body }, options);
  }

  /**
   * Simulate incoming money. The simulated bank books it and reports it in a camt.054 file; the response comes once the service has imported that. Each call simulates a new payment.
   *
   * `POST /v1/sandbox/deposits`. Needs the scope `operator:sandbox`.
   */
  receiveSandboxDeposit(body: calls.ReceiveSandboxDepositBody, options?: KeyedOptions): Call<types.Deposit> {
    return this.invoke(specs.receiveSandboxDeposit, { body }, options);
  }

  /**
   * Let the remitter's bank take a deposit back. A deposit can come back once, as a debit in a camt.054 file.
   *
   * `POST /v1/sandbox/deposits/{depositId}/return`. Needs the scope `operator:sandbox`.
   */
  returnSandboxDeposit(
    depositId: string,
    body?: calls.ReturnSandboxDepositBody,
    options?: KeyedOptions,
  ): Call<types.SandboxBankEntry> {
    return this.invoke(specs.returnSandboxDeposit, { path: [depositId], body }, options);
  }

  /**
   * Set how the simulated bank behaves. Omitted settings keep their values. Leaving `runs`, or changing to `fast`, affects trades that wait now as well.
   *
   * `POST /v1/sandbox/bank`. Needs the scope `operator:sandbox`.
   */
  setSandboxBank(body: calls.SetSandboxBankBody, options?: KeyedOptions): Call<types.SandboxBankSettings> {
    return this.invoke(specs.setSandboxBank, { body }, options);
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
    return this.invoke(specs.triggerSandboxEvent, { path: [transactionId, event] }, options);
  }
}
