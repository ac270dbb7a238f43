// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Call, List } from '../call.ts';
import type { Download } from '../download.ts';
import { Operations } from '../operations.ts';
import type {
  CallOptions,
  KeyedMatchedOptions,
  KeyedOptions,
  MatchedOptions,
  MustMatchOptions,
} from '../options.ts';
import type * as calls from './operator-call-types.ts';
import * as specs from './operator-specs.ts';
import type * as types from './operator-types.ts';

/** What operators can do, by the ids of the operations. */
export class OperatorOperations extends Operations {
  /**
   * Explain the price of any quote in full. Ignores the pricing disclosure of the customer, and adds prices that operators had accepted. `verification` compares the recorded numbers with recomputed ones.
   *
   * `GET /v1/operator/quotes/{quoteId}/explain`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  explainAnyQuote(
    quoteId: string,
    query?: calls.ExplainAnyQuoteQuery,
    options?: CallOptions,
  ): Call<types.OperatorQuoteExplanation> {
    return this.invoke(specs.explainAnyQuote, { path: [quoteId], query }, options);
  }

  /**
   * Explain the price of a transaction in full. Explains the quote that it executed.
   *
   * `GET /v1/operator/transactions/{transactionId}/explain`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  explainTransaction(transactionId: string, options?: CallOptions): Call<types.OperatorQuoteExplanation> {
    return this.invoke(specs.explainTransaction, { path: [transactionId] }, options);
  }

  /**
   * Execute a quote for a customer. Trades at the quoted price, exactly once: repeating it with the same key gets the same response.
   *
   * `POST /v1/operator/customers/{customerId}/quotes/{quoteId}/execute`. Needs the scope `operator:trades`.
   */
  executeForCustomer(customerId: string, quoteId: string, options?: KeyedOptions): Call<types.Transaction> {
    return this.invoke(specs.executeForCustomer, { path: [customerId, quoteId] }, options);
  }

  /**
   * Read any quote. As the customer sees it, with the customer and who requested it.
   *
   * `GET /v1/operator/quotes/{quoteId}`. Needs the scope `operator:transactions:read`.
   */
  getAnyQuote(
    quoteId: string,
    query?: calls.GetAnyQuoteQuery,
    options?: CallOptions,
  ): Call<types.OperatorQuote> {
    return this.invoke(specs.getAnyQuote, { path: [quoteId], query }, options);
  }

  /**
   * List quotes of all customers, newest first. With a filter, a page may hold fewer items than its limit: read on while `hasMore`.
   *
   * `GET /v1/operator/quotes`. Needs the scope `operator:transactions:read`.
   */
  listAllQuotes(query?: calls.ListAllQuotesQuery, options?: CallOptions): List<types.OperatorQuote> {
    return this.pages(specs.listAllQuotes, { query }, options);
  }

  /**
   * List the prices of a customer. Current, indicative prices with the customer's spread.
   *
   * `GET /v1/operator/customers/{customerId}/prices`. Needs the scope `operator:trades`.
   */
  listCustomerPrices(
    customerId: string,
    query: calls.ListCustomerPricesQuery,
    options?: CallOptions,
  ): Call<calls.ListCustomerPricesAnswer> {
    return this.invoke(specs.listCustomerPrices, { path: [customerId], query }, options);
  }

  /**
   * Request a firm quote for a customer. For a dealer acting on behalf of a customer. The customer's own prices and limits apply.
   *
   * `POST /v1/operator/customers/{customerId}/quotes`. Needs the scope `operator:trades`.
   */
  quoteForCustomer(customerId: string, body: types.QuoteRequest, options?: KeyedOptions): Call<types.Quote> {
    return this.invoke(specs.quoteForCustomer, { path: [customerId], body }, options);
  }

  /**
   * List the price of each pair in this instance. With the price of each source, and any halts.
   *
   * `GET /v1/operator/prices`. Needs the scope `operator:prices` or `operator:pricing:read`.
   */
  listPrices(query?: calls.ListPricesQuery, options?: CallOptions): Call<calls.ListPricesAnswer> {
    return this.invoke(specs.listPrices, { query }, options);
  }

  /**
   * Push prices. A single price, or up to 500 in `prices`. Each is checked like one from a feed and has its own outcome. With an `Idempotency-Key`, repeating the request gets the first response and does not make an old price look new.
   *
   * `POST /v1/operator/prices`. Needs the scope `operator:prices`.
   */
  pushPrices(body: calls.PushPricesBody, options?: KeyedOptions): Call<calls.PushPricesAnswer> {
    return this.invoke(specs.pushPrices, { body }, options);
  }

  /**
   * Withdraw pushed prices. They are no longer used for quotes, whatever their age; existing firm quotes stay valid. A price made before the withdrawal is refused if it arrives later.
   *
   * `POST /v1/operator/prices/withdraw`. Needs the scope `operator:prices`.
   */
  withdrawPrices(body: calls.WithdrawPricesBody, options?: KeyedOptions): Call<calls.WithdrawPricesAnswer> {
    return this.invoke(specs.withdrawPrices, { body }, options);
  }

  /**
   * Cancel a withdrawal of any customer. Possible until the bank has it. The money returns to the balance.
   *
   * `POST /v1/operator/withdrawals/{withdrawalId}/cancel`. Needs the scope `operator:payouts`.
   */
  cancelAnyWithdrawal(
    withdrawalId: string,
    body?: calls.CancelAnyWithdrawalBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorWithdrawal> {
    return this.invoke(specs.cancelAnyWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Confirm a withdrawal. Records that the bank has paid it.
   *
   * `POST /v1/operator/withdrawals/{withdrawalId}/paid`. Needs the scope `operator:payouts`.
   */
  confirmWithdrawal(
    withdrawalId: string,
    body?: calls.ConfirmWithdrawalBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorWithdrawal | types.Approval> {
    return this.invoke(specs.confirmWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Report a failed withdrawal. The bank rejected or returned it. The money returns to the balance.
   *
   * `POST /v1/operator/withdrawals/{withdrawalId}/failed`. Needs the scope `operator:payouts`.
   */
  failWithdrawal(
    withdrawalId: string,
    body?: calls.FailWithdrawalBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorWithdrawal | types.Approval> {
    return this.invoke(specs.failWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Read a withdrawal of any customer. Adds what the customer does not see: who requested and approved it, why, and the `detail` of a failure.
   *
   * `GET /v1/operator/withdrawals/{withdrawalId}`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  getAnyWithdrawal(withdrawalId: string, options?: CallOptions): Call<types.OperatorWithdrawal> {
    return this.invoke(specs.getAnyWithdrawal, { path: [withdrawalId] }, options);
  }

  /**
   * Read the balances of a customer. What is available now: trades and pending withdrawals are already taken off. A payment that names `topUpReference` is credited here.
   *
   * `GET /v1/operator/customers/{customerId}/balances`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  getCustomerBalances(customerId: string, options?: CallOptions): Call<types.Balances> {
    return this.invoke(specs.getCustomerBalances, { path: [customerId] }, options);
  }

  /**
   * List withdrawals of all customers, newest first. Includes finished ones.
   *
   * `GET /v1/operator/withdrawals`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  listAllWithdrawals(
    query?: calls.ListAllWithdrawalsQuery,
    options?: CallOptions,
  ): List<types.OperatorWithdrawal> {
    return this.pages(specs.listAllWithdrawals, { query }, options);
  }

  /**
   * List the top-ups of a customer by hand, newest first. With what became of them. Payments that the bank told of by itself are deposits.
   *
   * `GET /v1/operator/customers/{customerId}/balances/top-ups`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  listTopUps(customerId: string, query?: calls.ListTopUpsQuery, options?: CallOptions): List<types.TopUp> {
    return this.pages(specs.listTopUps, { path: [customerId], query }, options);
  }

  /**
   * Pay a customer's debt from its balance. At most what the customer owes apart from open trades, and what its balance has. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/customers/{customerId}/balances/debt-payments`. Needs the scope `operator:funding`.
   */
  payDebtFromBalance(
    customerId: string,
    body: calls.PayDebtFromBalanceBody,
    options?: KeyedOptions,
  ): Call<types.Balances | types.Approval> {
    return this.invoke(specs.payDebtFromBalance, { path: [customerId], body }, options);
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
    return this.invoke(specs.redirectWithdrawal, { path: [withdrawalId], body }, options);
  }

  /**
   * Reverse a top-up by hand. For one that was wrong, or whose money never came. The balance must cover it, unless the customer is to owe the rest. The bank reference is free again.
   *
   * `POST /v1/operator/customers/{customerId}/balances/top-up-reversals`. Needs the scope `operator:funding`.
   */
  reverseTopUp(
    customerId: string,
    body: calls.ReverseTopUpBody,
    options?: KeyedOptions,
  ): Call<types.TopUp | types.Approval> {
    return this.invoke(specs.reverseTopUp, { path: [customerId], body }, options);
  }

  /**
   * Top up a balance by hand. Credits money that arrived at the bank.
   *
   * `POST /v1/operator/customers/{customerId}/balances/top-ups`. Needs the scope `operator:funding`.
   */
  topUpBalance(
    customerId: string,
    body: calls.TopUpBalanceBody,
    options?: KeyedOptions,
  ): Call<types.Balances | types.Approval> {
    return this.invoke(specs.topUpBalance, { path: [customerId], body }, options);
  }

  /**
   * Withdraw money from a customer's balance. It is paid to the customer's settlement instruction for the currency. Above the approval limit, a second operator must approve it (202). Needs an `Idempotency-Key`.
   *
   * `POST /v1/operator/customers/{customerId}/balances/withdrawals`. Needs the scope `operator:payouts`.
   */
  withdrawForCustomer(
    customerId: string,
    body: calls.WithdrawForCustomerBody,
    options?: KeyedOptions,
  ): Call<types.OperatorWithdrawal | types.Approval> {
    return this.invoke(specs.withdrawForCustomer, { path: [customerId], body }, options);
  }

  /**
   * Write off what a customer owes. The house bears it, in the account `charges`. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/customers/{customerId}/balances/debt-write-offs`. Needs the scope `operator:funding`.
   */
  writeOffDebt(
    customerId: string,
    body: calls.WriteOffDebtBody,
    options?: KeyedOptions,
  ): Call<types.Balances | types.Approval> {
    return this.invoke(specs.writeOffDebt, { path: [customerId], body }, options);
  }

  /**
   * Create a webhook. From now on events are sent to it, signed as in Standard Webhooks. Only this response shows the secret.
   *
   * `POST /v1/operator/webhooks`. Needs the scope `operator:webhooks`.
   */
  createOperatorWebhook(
    body: calls.CreateOperatorWebhookBody,
    options?: KeyedOptions,
  ): Call<types.OperatorWebhookWithSecret> {
    return this.invoke(specs.createOperatorWebhook, { body }, options);
  }

  /**
   * List webhooks, newest first. Includes disabled ones. Secrets are not shown.
   *
   * `GET /v1/operator/webhooks`. Needs the scope `operator:webhooks`.
   */
  listOperatorWebhooks(
    query?: calls.ListOperatorWebhooksQuery,
    options?: CallOptions,
  ): List<types.OperatorWebhook> {
    return this.pages(specs.listOperatorWebhooks, { query }, options);
  }

  /**
   * Read a webhook. `disabledReason` says why nothing is sent to it. Its secret is not shown.
   *
   * `GET /v1/operator/webhooks/{webhookId}`. Needs the scope `operator:webhooks`.
   */
  getOperatorWebhook(webhookId: string, options?: CallOptions): Call<types.OperatorWebhook> {
    return this.invoke(specs.getOperatorWebhook, { path: [webhookId] }, options);
  }

  /**
   * Change a webhook. A webhook that is enabled again continues where it stopped, with the events since.
   *
   * `PATCH /v1/operator/webhooks/{webhookId}`. Needs the scope `operator:webhooks`.
   */
  updateOperatorWebhook(
    webhookId: string,
    body: calls.UpdateOperatorWebhookBody,
    options?: MatchedOptions,
  ): Call<types.OperatorWebhook> {
    return this.invoke(specs.updateOperatorWebhook, { path: [webhookId], body }, options);
  }

  /**
   * Delete a webhook. Nothing more is sent, not even retries. To pause it, set its `status` to `disabled` instead.
   *
   * `DELETE /v1/operator/webhooks/{webhookId}`. Needs the scope `operator:webhooks`.
   */
  deleteOperatorWebhook(webhookId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.deleteOperatorWebhook, { path: [webhookId] }, options);
  }

  /**
   * Replace the secret of a webhook. Both secrets sign for a while, so that receivers can switch over.
   *
   * `POST /v1/operator/webhooks/{webhookId}/rotate-secret`. Needs the scope `operator:webhooks`.
   */
  rotateOperatorWebhookSecret(
    webhookId: string,
    body?: calls.RotateOperatorWebhookSecretBody,
    options?: KeyedOptions,
  ): Call<types.OperatorWebhookWithSecret> {
    return this.invoke(specs.rotateOperatorWebhookSecret, { path: [webhookId], body }, options);
  }

  /**
   * Send a test event. Sends one `webhook.test` at once and returns the outcome.
   *
   * `POST /v1/operator/webhooks/{webhookId}/test`. Needs the scope `operator:webhooks`.
   */
  testOperatorWebhook(webhookId: string, options?: CallOptions): Call<types.OperatorWebhookDelivery> {
    return this.invoke(specs.testOperatorWebhook, { path: [webhookId] }, options);
  }

  /**
   * List deliveries, newest event first. Kept as long as the events: 30 days.
   *
   * `GET /v1/operator/webhooks/{webhookId}/deliveries`. Needs the scope `operator:webhooks`.
   */
  listOperatorWebhookDeliveries(
    webhookId: string,
    query?: calls.ListOperatorWebhookDeliveriesQuery,
    options?: CallOptions,
  ): List<types.OperatorWebhookDelivery> {
    return this.pages(specs.listOperatorWebhookDeliveries, { path: [webhookId], query }, options);
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
    return this.invoke(specs.replayOperatorWebhookDelivery, { path: [webhookId, eventId] }, options);
  }

  /**
   * Send the events of a period again, or those that failed. Up to 1,000 events in a call. Without `status`, also events that were never sent, such as those before the webhook was created.
   *
   * `POST /v1/operator/webhooks/{webhookId}/replay`. Needs the scope `operator:webhooks`.
   */
  replayOperatorWebhook(
    webhookId: string,
    query?: calls.ReplayOperatorWebhookQuery,
    options?: CallOptions,
  ): Call<types.WebhookReplay> {
    return this.invoke(specs.replayOperatorWebhook, { path: [webhookId], query }, options);
  }

  /**
   * Create a customer. It is active at once, with the default limits.
   *
   * `POST /v1/operator/customers`. Needs the scope `operator:customers`.
   */
  createCustomer(body: calls.CreateCustomerBody, options?: KeyedOptions): Call<types.Customer> {
    return this.invoke(specs.createCustomer, { body }, options);
  }

  /**
   * Read a customer. With all settings. Limits and accounts are separate resources.
   *
   * `GET /v1/operator/customers/{customerId}`. Needs the scope `operator:customers` or `operator:customers:read`.
   */
  getCustomer(customerId: string, options?: CallOptions): Call<types.Customer> {
    return this.invoke(specs.getCustomer, { path: [customerId] }, options);
  }

  /**
   * Read the limits of a customer. In US dollars at the mid, with the number of open quotes and the rate limits. A policy missing from `rates` follows the default.
   *
   * `GET /v1/operator/customers/{customerId}/limits`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getCustomerLimits(customerId: string, options?: CallOptions): Call<types.CustomerLimits> {
    return this.invoke(specs.getCustomerLimits, { path: [customerId] }, options);
  }

  /**
   * Read how much of its limits a customer has used. Exact: this is what the next execution is checked against.
   *
   * `GET /v1/operator/customers/{customerId}/limits/usage`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getLimitUsage(customerId: string, options?: CallOptions): Call<types.LimitUsage> {
    return this.invoke(specs.getLimitUsage, { path: [customerId] }, options);
  }

  /**
   * List customers, newest first. Includes suspended ones.
   *
   * `GET /v1/operator/customers`. Needs the scope `operator:customers` or `operator:customers:read`.
   */
  listCustomers(query?: calls.ListCustomersQuery, options?: CallOptions): List<types.Customer> {
    return this.pages(specs.listCustomers, { query }, options);
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
    return this.invoke(specs.resumeCustomer, { path: [customerId], body }, options);
  }

  /**
   * Set the limits of a customer. Replaces them all; policies left out of `rates` follow the defaults. Daily volume and open position bind existing quotes too: executing one beyond them is 422 `limit_exceeded`.
   *
   * `PUT /v1/operator/customers/{customerId}/limits`. Needs the scope `operator:limits`.
   */
  setCustomerLimits(
    customerId: string,
    body: calls.SetCustomerLimitsBody,
    options?: MatchedOptions,
  ): Call<types.CustomerLimits | types.Approval> {
    return this.invoke(specs.setCustomerLimits, { path: [customerId], body }, options);
  }

  /**
   * Suspend a customer. It can neither quote nor execute, and its open quotes are withdrawn.
   *
   * `POST /v1/operator/customers/{customerId}/suspend`. Needs the scope `operator:customers`.
   */
  suspendCustomer(
    customerId: string,
    body?: calls.SuspendCustomerBody,
    options?: KeyedOptions,
  ): Call<types.Customer> {
    return this.invoke(specs.suspendCustomer, { path: [customerId], body }, options);
  }

  /**
   * Change a customer. Omitted members and settings keep their values; null clears `groupName` and `externalReference`. Existing quotes keep their terms.
   *
   * `PATCH /v1/operator/customers/{customerId}`. Needs the scope `operator:customers`.
   */
  updateCustomer(
    customerId: string,
    body: calls.UpdateCustomerBody,
    options?: MatchedOptions,
  ): Call<types.Customer | types.Approval> {
    return this.invoke(specs.updateCustomer, { path: [customerId], body }, options);
  }

  /**
   * Add an account that the customer is paid to. It replaces the active one of its currency.
   *
   * `POST /v1/operator/customers/{customerId}/settlement-instructions`. Needs the scope `operator:settlement-instructions`.
   */
  addSettlementInstruction(
    customerId: string,
    body: calls.AddSettlementInstructionBody,
    options?: KeyedOptions,
  ): Call<types.SettlementInstruction | types.Approval> {
    return this.invoke(specs.addSettlementInstruction, { path: [customerId], body }, options);
  }

  /**
   * Read the postal address of a customer. The creditor's address in payment files; null if none is set.
   *
   * `GET /v1/operator/customers/{customerId}/postal-address`. Needs the scope `operator:settlement-instructions` or `operator:customers:read`.
   */
  getPostalAddress(customerId: string, options?: CallOptions): Call<calls.GetPostalAddressAnswer> {
    return this.invoke(specs.getPostalAddress, { path: [customerId] }, options);
  }

  /**
   * List the house's collection accounts. Customers pay into them; there is one for each currency.
   *
   * `GET /v1/operator/collection-accounts`. Needs the scope `operator:house-accounts` or `operator:customers:read`.
   */
  listCollectionAccounts(options?: CallOptions): Call<calls.ListCollectionAccountsAnswer> {
    return this.invoke(specs.listCollectionAccounts, {}, options);
  }

  /**
   * List the accounts that the customer is paid to, newest first. Includes retired ones. At most one for each currency is active; before `usableFrom` nothing is paid to it.
   *
   * `GET /v1/operator/customers/{customerId}/settlement-instructions`. Needs the scope `operator:settlement-instructions` or `operator:customers:read`.
   */
  listSettlementInstructions(
    customerId: string,
    query?: calls.ListSettlementInstructionsQuery,
    options?: CallOptions,
  ): List<types.SettlementInstruction> {
    return this.pages(specs.listSettlementInstructions, { path: [customerId], query }, options);
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
    return this.invoke(specs.releaseCollectionAccount, { path: [currency] }, options);
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
    return this.invoke(specs.releaseSettlementInstruction, { path: [customerId, ssiId] }, options);
  }

  /**
   * Retire an account that the customer is paid to. Trades executed with it keep it.
   *
   * `DELETE /v1/operator/customers/{customerId}/settlement-instructions/{ssiId}`. Needs the scope `operator:settlement-instructions`.
   */
  retireSettlementInstruction(customerId: string, ssiId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.retireSettlementInstruction, { path: [customerId, ssiId] }, options);
  }

  /**
   * Set the collection account of a currency. A different account first waits as `next`. Existing transactions keep the account that they were executed with.
   *
   * `PUT /v1/operator/collection-accounts/{currency}`. Needs the scope `operator:house-accounts`.
   */
  setCollectionAccount(
    currency: string,
    body: calls.SetCollectionAccountBody,
    options?: CallOptions,
  ): Call<types.CollectionAccount | types.Approval> {
    return this.invoke(specs.setCollectionAccount, { path: [currency], body }, options);
  }

  /**
   * Set the postal address of a customer. Payment files show it as the creditor's address.
   *
   * `PUT /v1/operator/customers/{customerId}/postal-address`. Needs the scope `operator:settlement-instructions`.
   */
  setPostalAddress(
    customerId: string,
    body: calls.SetPostalAddressBody,
    options?: CallOptions,
  ): Call<calls.SetPostalAddressAnswer> {
    return this.invoke(specs.setPostalAddress, { path: [customerId], body }, options);
  }

  /**
   * Register a virtual account. Money that arrives on it from now on belongs to the customer.
   *
   * `POST /v1/operator/customers/{customerId}/virtual-accounts`. Needs the scope `operator:deposits`.
   */
  addVirtualAccount(
    customerId: string,
    body: calls.AddVirtualAccountBody,
    options?: KeyedOptions,
  ): Call<types.VirtualAccount | types.Approval> {
    return this.invoke(specs.addVirtualAccount, { path: [customerId], body }, options);
  }

  /**
   * Close a virtual account. Later payments to it are not assigned to a customer.
   *
   * `DELETE /v1/operator/customers/{customerId}/virtual-accounts/{virtualAccountId}`. Needs the scope `operator:deposits`.
   */
  closeVirtualAccount(customerId: string, virtualAccountId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.closeVirtualAccount, { path: [customerId, virtualAccountId] }, options);
  }

  /**
   * Forget an account that a customer has paid from. Deposits from it are no longer suggested for this customer, and may count as a third party's. Existing matches stay.
   *
   * `DELETE /v1/operator/customers/{customerId}/remitters/{remitterId}`. Needs the scope `operator:deposits`.
   */
  forgetRemitter(customerId: string, remitterId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.forgetRemitter, { path: [customerId, remitterId] }, options);
  }

  /**
   * List the accounts that a customer is known to pay from. Newest first, at most 200.
   *
   * `GET /v1/operator/customers/{customerId}/remitters`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listRemitters(customerId: string, options?: CallOptions): Call<calls.ListRemittersAnswer> {
    return this.invoke(specs.listRemitters, { path: [customerId] }, options);
  }

  /**
   * List the virtual accounts of a customer, newest first. Includes closed ones. New trades name the newest open one that has reached its `usableFrom`.
   *
   * `GET /v1/operator/customers/{customerId}/virtual-accounts`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listVirtualAccounts(
    customerId: string,
    query?: calls.ListVirtualAccountsQuery,
    options?: CallOptions,
  ): List<types.VirtualAccount> {
    return this.pages(specs.listVirtualAccounts, { path: [customerId], query }, options);
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
    return this.invoke(specs.releaseVirtualAccount, { path: [customerId, virtualAccountId] }, options);
  }

  /**
   * Create an OAuth client of a customer. Only this response shows the secret.
   *
   * `POST /v1/operator/customers/{customerId}/credentials`. Needs the scope `operator:credentials`.
   */
  createCredential(
    customerId: string,
    body: calls.CreateCredentialBody,
    options?: KeyedOptions,
  ): Call<types.CreatedCredential | types.Approval> {
    return this.invoke(specs.createCredential, { path: [customerId], body }, options);
  }

  /**
   * List a customer's OAuth clients. Secrets are not shown.
   *
   * `GET /v1/operator/customers/{customerId}/credentials`. Needs the scope `operator:credentials` or `operator:customers:read`.
   */
  listCredentials(customerId: string, options?: CallOptions): Call<calls.ListCredentialsAnswer> {
    return this.invoke(specs.listCredentials, { path: [customerId] }, options);
  }

  /**
   * Change an OAuth client of a customer. Omitted members keep their values. Removed rights end at once; added ones apply to new tokens.
   *
   * `PATCH /v1/operator/customers/{customerId}/credentials/{clientId}`. Needs the scope `operator:credentials`.
   */
  updateCredential(
    customerId: string,
    clientId: string,
    body: calls.UpdateCredentialBody,
    options?: CallOptions,
  ): Call<types.Credential | types.Approval> {
    return this.invoke(specs.updateCredential, { path: [customerId, clientId], body }, options);
  }

  /**
   * Revoke an OAuth client of a customer. Ends it for good, with its secrets, keys and tokens.
   *
   * `DELETE /v1/operator/customers/{customerId}/credentials/{clientId}`. Needs the scope `operator:credentials`.
   */
  revokeCredential(customerId: string, clientId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.revokeCredential, { path: [customerId, clientId] }, options);
  }

  /**
   * Add a second secret to an OAuth client of a customer. Lets you replace the first without an outage.
   *
   * `POST /v1/operator/customers/{customerId}/credentials/{clientId}/secrets`. Needs the scope `operator:credentials`.
   */
  addCredentialSecret(
    customerId: string,
    clientId: string,
    body?: calls.AddCredentialSecretBody,
    options?: KeyedOptions,
  ): Call<types.CreatedClientSecret | types.Approval> {
    return this.invoke(specs.addCredentialSecret, { path: [customerId, clientId], body }, options);
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
    return this.invoke(specs.revokeCredentialSecret, { path: [customerId, clientId, secretId] }, options);
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
    return this.invoke(specs.setCredentialKeys, { path: [customerId, clientId], body }, options);
  }

  /**
   * Set the IP allow-list of an OAuth client of a customer. Replaces the list. Takes effect on every instance within 5 seconds, also for tokens already issued.
   *
   * `PUT /v1/operator/customers/{customerId}/credentials/{clientId}/ip-allow-list`. Needs the scope `operator:credentials`.
   */
  setCredentialIpAllowList(
    customerId: string,
    clientId: string,
    body: calls.SetCredentialIpAllowListBody,
    options?: CallOptions,
  ): Call<types.Credential | types.Approval> {
    return this.invoke(specs.setCredentialIpAllowList, { path: [customerId, clientId], body }, options);
  }

  /**
   * Suspend an OAuth client of a customer. Its tokens stop working at once.
   *
   * `POST /v1/operator/customers/{customerId}/credentials/{clientId}/suspend`. Needs the scope `operator:credentials`.
   */
  suspendCredential(customerId: string, clientId: string, options?: CallOptions): Call<types.Credential> {
    return this.invoke(specs.suspendCredential, { path: [customerId, clientId] }, options);
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
    return this.invoke(specs.resumeCredential, { path: [customerId, clientId] }, options);
  }

  /**
   * Revoke the tokens of an OAuth client of a customer. All those issued so far, or one. The client can still get new ones.
   *
   * `POST /v1/operator/customers/{customerId}/credentials/{clientId}/revoke-tokens`. Needs the scope `operator:credentials`.
   */
  revokeCredentialTokens(
    customerId: string,
    clientId: string,
    body?: calls.RevokeCredentialTokensBody,
    options?: CallOptions,
  ): Call<void> {
    return this.invoke(specs.revokeCredentialTokens, { path: [customerId, clientId], body }, options);
  }

  /**
   * Create an OAuth client of the operators. Only this response shows the secret.
   *
   * `POST /v1/operator/clients`. Needs the scope `operator:clients`.
   */
  createOperatorClient(
    body: calls.CreateOperatorClientBody,
    options?: KeyedOptions,
  ): Call<types.CreatedOperatorClient | types.Approval> {
    return this.invoke(specs.createOperatorClient, { body }, options);
  }

  /**
   * List the operators' OAuth clients. Secrets are not shown.
   *
   * `GET /v1/operator/clients`. Needs the scope `operator:clients` or `operator:clients:read`.
   */
  listOperatorClients(options?: CallOptions): Call<calls.ListOperatorClientsAnswer> {
    return this.invoke(specs.listOperatorClients, {}, options);
  }

  /**
   * Change an OAuth client of the operators. Omitted members keep their values. Removed rights end at once; added ones apply to new tokens.
   *
   * `PATCH /v1/operator/clients/{clientId}`. Needs the scope `operator:clients`.
   */
  updateOperatorClient(
    clientId: string,
    body: calls.UpdateOperatorClientBody,
    options?: CallOptions,
  ): Call<types.OperatorClient | types.Approval> {
    return this.invoke(specs.updateOperatorClient, { path: [clientId], body }, options);
  }

  /**
   * Revoke an OAuth client of the operators. Ends it for good, with its secrets, keys and tokens.
   *
   * `DELETE /v1/operator/clients/{clientId}`. Needs the scope `operator:clients`.
   */
  revokeOperatorClient(clientId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.revokeOperatorClient, { path: [clientId] }, options);
  }

  /**
   * Add a second secret to an OAuth client of the operators. Lets you replace the first without an outage.
   *
   * `POST /v1/operator/clients/{clientId}/secrets`. Needs the scope `operator:clients`.
   */
  addOperatorClientSecret(
    clientId: string,
    body?: calls.AddOperatorClientSecretBody,
    options?: KeyedOptions,
  ): Call<types.CreatedClientSecret | types.Approval> {
    return this.invoke(specs.addOperatorClientSecret, { path: [clientId], body }, options);
  }

  /**
   * Revoke a secret of an OAuth client of the operators. Tokens issued with it stay valid until they expire or you revoke them.
   *
   * `DELETE /v1/operator/clients/{clientId}/secrets/{secretId}`. Needs the scope `operator:clients`.
   */
  revokeOperatorClientSecret(clientId: string, secretId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.revokeOperatorClientSecret, { path: [clientId, secretId] }, options);
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
    return this.invoke(specs.setOperatorClientKeys, { path: [clientId], body }, options);
  }

  /**
   * Set the IP allow-list of an OAuth client of the operators. Replaces the list. Takes effect on every instance within 5 seconds, also for tokens already issued.
   *
   * `PUT /v1/operator/clients/{clientId}/ip-allow-list`. Needs the scope `operator:clients`.
   */
  setOperatorClientIpAllowList(
    clientId: string,
    body: calls.SetOperatorClientIpAllowListBody,
    options?: CallOptions,
  ): Call<types.OperatorClient | types.Approval> {
    return this.invoke(specs.setOperatorClientIpAllowList, { path: [clientId], body }, options);
  }

  /**
   * Suspend an OAuth client of the operators. Its tokens stop working at once.
   *
   * `POST /v1/operator/clients/{clientId}/suspend`. Needs the scope `operator:clients`.
   */
  suspendOperatorClient(clientId: string, options?: CallOptions): Call<types.OperatorClient> {
    return this.invoke(specs.suspendOperatorClient, { path: [clientId] }, options);
  }

  /**
   * Resume a suspended OAuth client of the operators. Tokens neither revoked nor expired work again.
   *
   * `POST /v1/operator/clients/{clientId}/resume`. Needs the scope `operator:clients`.
   */
  resumeOperatorClient(clientId: string, options?: CallOptions): Call<types.OperatorClient | types.Approval> {
    return this.invoke(specs.resumeOperatorClient, { path: [clientId] }, options);
  }

  /**
   * Revoke the tokens of an OAuth client of the operators. All those issued so far, or one. The client can still get new ones.
   *
   * `POST /v1/operator/clients/{clientId}/revoke-tokens`. Needs the scope `operator:clients`.
   */
  revokeOperatorClientTokens(
    clientId: string,
    body?: calls.RevokeOperatorClientTokensBody,
    options?: CallOptions,
  ): Call<void> {
    return this.invoke(specs.revokeOperatorClientTokens, { path: [clientId], body }, options);
  }

  /**
   * Delete a role. Everyone who has it loses it at once.
   *
   * `DELETE /v1/operator/roles/{role}`. Needs the scope `operator:roles`.
   */
  deleteRole(role: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.deleteRole, { path: [role] }, options);
  }

  /**
   * List roles, built-in ones first. With the scopes that each grants now. Built-in ones cannot be changed.
   *
   * `GET /v1/operator/roles`. Needs the scope `operator:roles` or `operator:clients:read`.
   */
  listRoles(options?: CallOptions): Call<calls.ListRolesAnswer> {
    return this.invoke(specs.listRoles, {}, options);
  }

  /**
   * Create or change a role. Applies at once to everyone with the role. You can give only scopes that you have.
   *
   * `PUT /v1/operator/roles/{role}`. Needs the scope `operator:roles`.
   */
  setRole(
    role: string,
    body: calls.SetRoleBody,
    options?: MatchedOptions,
  ): Call<types.Role | types.Approval> {
    return this.invoke(specs.setRole, { path: [role], body }, options);
  }

  /**
   * List the keys that the service signs with. Includes retired and revoked ones. Private keys are never shown.
   *
   * `GET /v1/operator/keys`. Needs the scope `operator:keys`.
   */
  listKeys(options?: CallOptions): Call<calls.ListKeysAnswer> {
    return this.invoke(specs.listKeys, {}, options);
  }

  /**
   * Revoke a compromised key. It no longer verifies anything: tokens signed with it are refused, and the public keys list it as revoked. The next key signs at once.
   *
   * `POST /v1/operator/keys/{kid}/revoke`. Needs the scope `operator:keys`.
   */
  revokeKey(
    kid: string,
    body: calls.RevokeKeyBody,
    options?: CallOptions,
  ): Call<types.ServiceKey | types.Approval> {
    return this.invoke(specs.revokeKey, { path: [kid], body }, options);
  }

  /**
   * Rotate to the next key now. The previous key still verifies what it signed. Returns the key that signs from now on.
   *
   * `POST /v1/operator/keys/rotate`. Needs the scope `operator:keys`.
   */
  rotateKey(body: calls.RotateKeyBody, options?: CallOptions): Call<types.ServiceKey | types.Approval> {
    return this.invoke(specs.rotateKey, { body }, options);
  }

  /**
   * End one of your sessions. Requests with it are refused at once on this instance, and within 5 seconds on all.
   *
   * `DELETE /auth/sessions/{sessionId}`. Needs the scope `operator:self`.
   */
  endOwnSession(sessionId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.endOwnSession, { path: [sessionId] }, options);
  }

  /**
   * Remove a person for good. What the person did stays on record.
   *
   * `DELETE /v1/operator/persons/{personId}`. Needs the scope `operator:people`.
   */
  endPerson(personId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.endPerson, { path: [personId] }, options);
  }

  /**
   * End a session. Refused at once on this instance, and within 5 seconds on all. The person can sign in again: suspend the person to prevent that.
   *
   * `DELETE /v1/operator/sessions/{sessionId}`. Needs the scope `operator:people`.
   */
  endSession(sessionId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.endSession, { path: [sessionId] }, options);
  }

  /**
   * Read your session. Has the `csrfToken` that each change must send as `X-CSRF-Token`, and your scopes. After `freshUntil`, moving money needs another sign-in.
   *
   * `GET /auth/session`. Needs the scope `operator:self`.
   */
  getOwnSession(options?: CallOptions): Call<calls.GetOwnSessionAnswer> {
    return this.invoke(specs.getOwnSession, {}, options);
  }

  /**
   * Read a person. Persons who have ended stay readable.
   *
   * `GET /v1/operator/persons/{personId}`. Needs the scope `operator:people` or `operator:people:read`.
   */
  getPerson(personId: string, options?: CallOptions): Call<types.Person> {
    return this.invoke(specs.getPerson, { path: [personId] }, options);
  }

  /**
   * Invite a person. Give the link to the person and nobody else. You can give only roles with scopes that you have.
   *
   * `POST /v1/operator/persons`. Needs the scope `operator:people`.
   */
  invitePerson(
    body: calls.InvitePersonBody,
    options?: KeyedOptions,
  ): Call<types.InvitedPerson | types.Approval> {
    return this.invoke(specs.invitePerson, { body }, options);
  }

  /**
   * List your sessions. Newest first, at most 100. `isThisOne` marks the one that asks.
   *
   * `GET /auth/sessions`. Needs the scope `operator:self`.
   */
  listOwnSessions(options?: CallOptions): Call<calls.ListOwnSessionsAnswer> {
    return this.invoke(specs.listOwnSessions, {}, options);
  }

  /**
   * List your passkeys. Oldest first, with the number of unused recovery codes.
   *
   * `GET /auth/passkeys`. Needs the scope `operator:self`.
   */
  listPasskeys(options?: CallOptions): Call<calls.ListPasskeysAnswer> {
    return this.invoke(specs.listPasskeys, {}, options);
  }

  /**
   * List persons, newest first. Includes suspended and ended ones.
   *
   * `GET /v1/operator/persons`. Needs the scope `operator:people` or `operator:people:read`.
   */
  listPersons(query?: calls.ListPersonsQuery, options?: CallOptions): List<types.Person> {
    return this.pages(specs.listPersons, { query }, options);
  }

  /**
   * List active sessions, newest first. Those that still work: not ended, expired or idle for too long.
   *
   * `GET /v1/operator/sessions`. Needs the scope `operator:people` or `operator:people:read`.
   */
  listSessions(query?: calls.ListSessionsQuery, options?: CallOptions): List<types.Session> {
    return this.pages(specs.listSessions, { query }, options);
  }

  /**
   * Remove one of your passkeys. Ends your other sessions. You cannot remove your only way to sign in.
   *
   * `DELETE /auth/passkeys/{passkeyId}`. Needs the scope `operator:self`.
   */
  removePasskey(passkeyId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.removePasskey, { path: [passkeyId] }, options);
  }

  /**
   * Rename one of your passkeys. The name is only for you to tell your passkeys apart.
   *
   * `PATCH /auth/passkeys/{passkeyId}`. Needs the scope `operator:self`.
   */
  renamePasskey(
    passkeyId: string,
    body: calls.RenamePasskeyBody,
    options?: CallOptions,
  ): Call<types.Passkey> {
    return this.invoke(specs.renamePasskey, { path: [passkeyId], body }, options);
  }

  /**
   * Give a person a new link. The previous link stops working. A person who lost all passkeys can recover with it: using it removes them and ends all sessions.
   *
   * `POST /v1/operator/persons/{personId}/invitation`. Needs the scope `operator:people`.
   */
  renewInvitation(personId: string, options?: KeyedOptions): Call<types.InvitedPerson | types.Approval> {
    return this.invoke(specs.renewInvitation, { path: [personId] }, options);
  }

  /**
   * Create recovery codes. Replaces the previous codes. Shown only once.
   *
   * `POST /auth/recovery-codes`. Needs the scope `operator:self`.
   */
  renewRecoveryCodes(options?: CallOptions): Call<calls.RenewRecoveryCodesAnswer> {
    return this.invoke(specs.renewRecoveryCodes, {}, options);
  }

  /**
   * Resume a suspended person. The person has the same roles and must sign in again.
   *
   * `POST /v1/operator/persons/{personId}/resume`. Needs the scope `operator:people`.
   */
  resumePerson(personId: string, options?: CallOptions): Call<types.Person | types.Approval> {
    return this.invoke(specs.resumePerson, { path: [personId] }, options);
  }

  /**
   * Set the roles of a person. Ends the person's sessions, and withdraws an open invitation if the roles permit more. You can give or take only scopes that you have.
   *
   * `PUT /v1/operator/persons/{personId}/roles`. Needs the scope `operator:people`.
   */
  setPersonRoles(
    personId: string,
    body: calls.SetPersonRolesBody,
    options?: CallOptions,
  ): Call<types.Person | types.Approval> {
    return this.invoke(specs.setPersonRoles, { path: [personId], body }, options);
  }

  /**
   * Sign out. Ends this session only, and clears its cookie.
   *
   * `DELETE /auth/session`. Needs the scope `operator:self`.
   */
  signOut(options?: CallOptions): Call<void> {
    return this.invoke(specs.signOut, {}, options);
  }

  /**
   * Suspend a person. Ends the person's sessions at once. Clients that the person answers for keep working but cannot approve.
   *
   * `POST /v1/operator/persons/{personId}/suspend`. Needs the scope `operator:people`.
   */
  suspendPerson(personId: string, options?: CallOptions): Call<types.Person> {
    return this.invoke(specs.suspendPerson, { path: [personId] }, options);
  }

  /**
   * Withdraw a person's link. The person stays, and can be sent another link.
   *
   * `DELETE /v1/operator/persons/{personId}/invitation`. Needs the scope `operator:people`.
   */
  withdrawInvitation(personId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.withdrawInvitation, { path: [personId] }, options);
  }

  /**
   * Look up the names of people and clients. For ids in other responses, such as `proposedBy` or `executedBy`. Whoever sees an id may read its name. Names stay readable after a person leaves or a client is revoked; unknown ids are left out.
   *
   * `GET /v1/operator/actors`.
   */
  listActors(query: calls.ListActorsQuery, options?: CallOptions): Call<calls.ListActorsAnswer> {
    return this.invoke(specs.listActors, { query }, options);
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
    return this.invoke(specs.activateSpreadRuleDraft, { body }, options);
  }

  /**
   * Discard the draft of the spread rules. The rules in force stay as they are. Without a draft, nothing changes.
   *
   * `DELETE /v1/operator/spread-rules/draft`. Needs the scope `operator:spreads`.
   */
  discardSpreadRuleDraft(options: MustMatchOptions): Call<types.SpreadRuleDraft> {
    return this.invoke(specs.discardSpreadRuleDraft, {}, options);
  }

  /**
   * Read the draft of the next spread rules. If other rules than those of `basedOn` are in force by now, store the draft again before you activate it.
   *
   * `GET /v1/operator/spread-rules/draft`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSpreadRuleDraft(options?: CallOptions): Call<types.SpreadRuleDraft> {
    return this.invoke(specs.getSpreadRuleDraft, {}, options);
  }

  /**
   * Read a version of the spread rules, and how it differs from another one. Rules are compared by what they are for: a rule that was removed and added again unchanged is no difference.
   *
   * `GET /v1/operator/spread-rules/versions/{version}`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSpreadRuleVersion(
    version: string,
    query?: calls.GetSpreadRuleVersionQuery,
    options?: CallOptions,
  ): Call<types.SpreadRuleVersionDetail> {
    return this.invoke(specs.getSpreadRuleVersion, { path: [version], query }, options);
  }

  /**
   * Read the spread rules in force. With the version of the set.
   *
   * `GET /v1/operator/spread-rules`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSpreadRules(options?: CallOptions): Call<types.SpreadRules> {
    return this.invoke(specs.getSpreadRules, {}, options);
  }

  /**
   * List the versions of the spread rules, newest first. What was in force when, and who changed and approved it.
   *
   * `GET /v1/operator/spread-rules/versions`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  listSpreadRuleVersions(
    query?: calls.ListSpreadRuleVersionsQuery,
    options?: CallOptions,
  ): List<types.SpreadRuleVersion> {
    return this.pages(specs.listSpreadRuleVersions, { query }, options);
  }

  /**
   * Price a sample request by the rules in force and by a draft. Side by side, with the rule that decides each and why the others do not. Nothing is kept or reserved.
   *
   * `POST /v1/operator/spread-rules/preview`. Needs the scope `operator:spreads`.
   */
  previewSpreadRules(body: calls.PreviewSpreadRulesBody, options?: CallOptions): Call<types.SpreadPreview> {
    return this.invoke(specs.previewSpreadRules, { body }, options);
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
    return this.invoke(specs.restoreSpreadRules, { path: [version], body }, options);
  }

  /**
   * Save a draft of the next spread rules. Checked like rules that take effect, but prices nothing.
   *
   * `PUT /v1/operator/spread-rules/draft`. Needs the scope `operator:spreads`.
   */
  setSpreadRuleDraft(
    body: calls.SetSpreadRuleDraftBody,
    options: MustMatchOptions,
  ): Call<types.SpreadRuleDraft> {
    return this.invoke(specs.setSpreadRuleDraft, { body }, options);
  }

  /**
   * Replace the spread rules. Former versions of a rule are kept, because quotes refer to them.
   *
   * `PUT /v1/operator/spread-rules`. Needs the scope `operator:spreads`.
   */
  setSpreadRules(
    body: calls.SetSpreadRulesBody,
    options: MustMatchOptions,
  ): Call<types.SpreadRules | types.Approval> {
    return this.invoke(specs.setSpreadRules, { body }, options);
  }

  /**
   * Read the smallest and largest amounts of trades. In US dollars at the mid. Minimum and maximum each come from the most specific limit that names one.
   *
   * `GET /v1/operator/amount-limits`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getAmountLimits(options?: CallOptions): Call<types.AmountLimits> {
    return this.invoke(specs.getAmountLimits, {}, options);
  }

  /**
   * Read the house's position in each currency. With what open quotes may add, and the limits.
   *
   * `GET /v1/operator/exposure`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getExposure(options?: CallOptions): Call<types.Exposure> {
    return this.invoke(specs.getExposure, {}, options);
  }

  /**
   * Read the limits of the house's exposure. In US dollars at the mid, for each currency and in total. `hedges` count with the position.
   *
   * `GET /v1/operator/exposure-limits`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  getExposureLimits(options?: CallOptions): Call<types.ExposureLimits> {
    return this.invoke(specs.getExposureLimits, {}, options);
  }

  /**
   * Read the pricing policy. How prices are widened beyond the spread rules: for long validities and in thin hours.
   *
   * `GET /v1/operator/pricing-policy`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getPricingPolicy(options?: CallOptions): Call<types.PricingPolicy> {
    return this.invoke(specs.getPricingPolicy, {}, options);
  }

  /**
   * List the versions of the smallest and largest amounts of trades, newest first. Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.
   *
   * `GET /v1/operator/amount-limits/versions`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  listAmountLimitVersions(
    query?: calls.ListAmountLimitVersionsQuery,
    options?: CallOptions,
  ): List<types.AmountLimitsVersion> {
    return this.pages(specs.listAmountLimitVersions, { query }, options);
  }

  /**
   * List the versions of the limits of the house's exposure, newest first. Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.
   *
   * `GET /v1/operator/exposure-limits/versions`. Needs the scope `operator:limits` or `operator:pricing:read`.
   */
  listExposureLimitVersions(
    query?: calls.ListExposureLimitVersionsQuery,
    options?: CallOptions,
  ): List<types.ExposureLimitsVersion> {
    return this.pages(specs.listExposureLimitVersions, { query }, options);
  }

  /**
   * List the versions of the pricing policy, newest first. Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.
   *
   * `GET /v1/operator/pricing-policy/versions`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  listPricingPolicyVersions(
    query?: calls.ListPricingPolicyVersionsQuery,
    options?: CallOptions,
  ): List<types.PricingPolicyVersion> {
    return this.pages(specs.listPricingPolicyVersions, { query }, options);
  }

  /**
   * Replace the smallest and largest amounts of trades. Apply to new estimates and quotes, not to executions. Every version is kept.
   *
   * `PUT /v1/operator/amount-limits`. Needs the scope `operator:limits`.
   */
  setAmountLimits(
    body: calls.SetAmountLimitsBody,
    options: MustMatchOptions,
  ): Call<types.AmountLimits | types.Approval> {
    return this.invoke(specs.setAmountLimits, { body }, options);
  }

  /**
   * Replace the limits of the house's exposure. In force from this commit on, on every instance. A position beyond a limit stays: only trades that increase it are refused.
   *
   * `PUT /v1/operator/exposure-limits`. Needs the scope `operator:limits`.
   */
  setExposureLimits(
    body: calls.SetExposureLimitsBody,
    options: MustMatchOptions,
  ): Call<types.ExposureLimits | types.Approval> {
    return this.invoke(specs.setExposureLimits, { body }, options);
  }

  /**
   * Replace the pricing policy. Every version is kept, and each quote names the one that it was priced with. Existing quotes keep their price.
   *
   * `PUT /v1/operator/pricing-policy`. Needs the scope `operator:spreads`.
   */
  setPricingPolicy(
    body: calls.SetPricingPolicyBody,
    options: MustMatchOptions,
  ): Call<types.PricingPolicy | types.Approval> {
    return this.invoke(specs.setPricingPolicy, { body }, options);
  }

  /**
   * Read the swap point policy. Interest rates, and the rule for dates before spot without points.
   *
   * `GET /v1/operator/swap-point-policy`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  getSwapPointPolicy(options?: CallOptions): Call<types.SwapPointPolicy> {
    return this.invoke(specs.getSwapPointPolicy, {}, options);
  }

  /**
   * Read the swap points of a pair. With the prices before spot that follow from them.
   *
   * `GET /v1/operator/swap-points/{pair}`. Needs the scope `operator:prices` or `operator:pricing:read`.
   */
  getSwapPoints(pair: string, options?: CallOptions): Call<types.SwapPoints> {
    return this.invoke(specs.getSwapPoints, { path: [pair] }, options);
  }

  /**
   * List the versions of the swap point policy, newest first. Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.
   *
   * `GET /v1/operator/swap-point-policy/versions`. Needs the scope `operator:spreads` or `operator:pricing:read`.
   */
  listSwapPointPolicyVersions(
    query?: calls.ListSwapPointPolicyVersionsQuery,
    options?: CallOptions,
  ): List<types.SwapPointPolicyVersion> {
    return this.pages(specs.listSwapPointPolicyVersions, { query }, options);
  }

  /**
   * List the versions of a pair's swap points, newest first. Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.
   *
   * `GET /v1/operator/swap-points/{pair}/versions`. Needs the scope `operator:prices` or `operator:pricing:read`.
   */
  listSwapPointVersions(
    pair: string,
    query?: calls.ListSwapPointVersionsQuery,
    options?: CallOptions,
  ): List<types.SwapPointsVersion> {
    return this.pages(specs.listSwapPointVersions, { path: [pair], query }, options);
  }

  /**
   * List the swap points given on this trade date. Those of operators and sources, by pair, with the prices that follow. They lapse with the trade date.
   *
   * `GET /v1/operator/swap-points`. Needs the scope `operator:prices` or `operator:pricing:read`.
   */
  listSwapPoints(options?: CallOptions): Call<calls.ListSwapPointsAnswer> {
    return this.invoke(specs.listSwapPoints, {}, options);
  }

  /**
   * Push swap points. Up to 500; each has its own outcome. New points replace those that the source gave for the leg before.
   *
   * `POST /v1/operator/swap-points`. Needs the scope `operator:prices`.
   */
  pushSwapPoints(body: calls.PushSwapPointsBody, options?: KeyedOptions): Call<types.PushedSwapPoints> {
    return this.invoke(specs.pushSwapPoints, { body }, options);
  }

  /**
   * Replace the swap point policy. Applies on every instance within a second. Every version is kept; existing quotes keep their price.
   *
   * `PUT /v1/operator/swap-point-policy`. Needs the scope `operator:spreads`.
   */
  setSwapPointPolicy(
    body: calls.SetSwapPointPolicyBody,
    options: MustMatchOptions,
  ): Call<types.SwapPointPolicy | types.Approval> {
    return this.invoke(specs.setSwapPointPolicy, { body }, options);
  }

  /**
   * Set a pair's swap points for this trade date. Every version is kept.
   *
   * `PUT /v1/operator/swap-points/{pair}`. Needs the scope `operator:prices`.
   */
  setSwapPoints(
    pair: string,
    body: calls.SetSwapPointsBody,
    options: MustMatchOptions,
  ): Call<types.SwapPoints | types.Approval> {
    return this.invoke(specs.setSwapPoints, { path: [pair], body }, options);
  }

  /**
   * Accept a price that moved too far to be trusted automatically. Sets the correct price: from now on only prices within its band are trusted. It replaces the reference rate until rates of a later day arrive. Sources that were set aside and agree with it are used again. Every instance follows within a second.
   *
   * `POST /v1/operator/pairs/{pair}/accepted-prices`. Needs the scope `operator:market`.
   */
  acceptPrice(
    pair: string,
    body: calls.AcceptPriceBody,
    options?: KeyedOptions,
  ): Call<types.AcceptedPrice | types.Approval> {
    return this.invoke(specs.acceptPrice, { path: [pair], body }, options);
  }

  /**
   * Switch off a price source. Its prices are no longer used.
   *
   * `POST /v1/operator/market/sources/{source}/disable`. Needs the scope `operator:market`.
   */
  disableSource(
    source: string,
    body: calls.DisableSourceBody,
    options?: KeyedOptions,
  ): Call<types.PriceSourceHealth> {
    return this.invoke(specs.disableSource, { path: [source], body }, options);
  }

  /**
   * Switch a price source back on. Its prices are used again on every instance within a second. If it is on already, nothing changes.
   *
   * `POST /v1/operator/market/sources/{source}/enable`. Needs the scope `operator:market`.
   */
  enableSource(
    source: string,
    body: calls.EnableSourceBody,
    options?: KeyedOptions,
  ): Call<types.PriceSourceHealth | types.Approval> {
    return this.invoke(specs.enableSource, { path: [source], body }, options);
  }

  /**
   * Read the health of market data in this instance. Shows sources, their ticks by outcome, and how many of the listed pairs have a price.
   *
   * `GET /v1/operator/market/health`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  getMarketHealth(options?: CallOptions): Call<types.MarketHealth> {
    return this.invoke(specs.getMarketHealth, {}, options);
  }

  /**
   * Read the settings of a pair. The defaults, where nothing was set.
   *
   * `GET /v1/operator/pairs/{pair}`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  getPairSettings(pair: string, options?: CallOptions): Call<types.PairSettings> {
    return this.invoke(specs.getPairSettings, { path: [pair] }, options);
  }

  /**
   * Halt trading: everything, one pair or one customer. Firm quotes are refused with 409 `market_closed` and the reason `halt`; indicative prices are not tradable. Affected open quotes are withdrawn or, with `openQuotes` `keep`, stay valid until they expire. Takes effect on this instance at once, on others within a second. Repeating it withdraws open quotes again.
   *
   * `POST /v1/operator/market/halt`. Needs the scope `operator:market`.
   */
  haltMarket(body: calls.HaltMarketBody, options?: KeyedOptions): Call<calls.HaltMarketAnswer> {
    return this.invoke(specs.haltMarket, { body }, options);
  }

  /**
   * List the accepted prices of a pair, newest first. Shows who accepted each, and why.
   *
   * `GET /v1/operator/pairs/{pair}/accepted-prices`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listAcceptedPrices(
    pair: string,
    query?: calls.ListAcceptedPricesQuery,
    options?: CallOptions,
  ): List<types.AcceptedPrice> {
    return this.pages(specs.listAcceptedPrices, { path: [pair], query }, options);
  }

  /**
   * List halts, newest first. Shows who ordered and lifted each, and the automatic halts of this instance.
   *
   * `GET /v1/operator/market/halts`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listHalts(query?: calls.ListHaltsQuery, options?: CallOptions): List<types.Halt, calls.ListHaltsExtra> {
    return this.pages(specs.listHalts, { query }, options);
  }

  /**
   * List the settings of pairs. Lists pairs that have sources or settings of their own.
   *
   * `GET /v1/operator/pairs`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listPairSettings(options?: CallOptions): Call<calls.ListPairSettingsAnswer> {
    return this.invoke(specs.listPairSettings, {}, options);
  }

  /**
   * List the versions of the settings of a pair, newest first. Shows who set each, and when. Empty if nobody has. Limits that are not the pair's own are those of its class today.
   *
   * `GET /v1/operator/pairs/{pair}/versions`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listPairSettingsVersions(
    pair: string,
    query?: calls.ListPairSettingsVersionsQuery,
    options?: CallOptions,
  ): List<types.PairSettings> {
    return this.pages(specs.listPairSettingsVersions, { path: [pair], query }, options);
  }

  /**
   * Set the sequence numbers of a FIX session and log on with them. For when the two sides disagree; agree on the numbers with the venue first. The session logs out first, so its prices end. Affects only the process that answers. The health of the source shows the last reset as `sequenceReset`.
   *
   * `POST /v1/operator/market/sources/{source}/reset-sequence`. Needs the scope `operator:market`.
   */
  resetSourceSequence(
    source: string,
    body: calls.ResetSourceSequenceBody,
    options?: KeyedOptions,
  ): Call<types.PriceSourceHealth> {
    return this.invoke(specs.resetSourceSequence, { path: [source], body }, options);
  }

  /**
   * Lift a halt. Other halts that affect the same pair or customer stay in force. Withdrawn quotes stay withdrawn.
   *
   * `POST /v1/operator/market/resume`. Needs the scope `operator:market`.
   */
  resumeMarket(body: calls.ResumeMarketBody, options?: KeyedOptions): Call<types.Halt | types.Approval> {
    return this.invoke(specs.resumeMarket, { body }, options);
  }

  /**
   * Change the settings of a pair. Age limit, composite, filters, and whether it is enabled. Every instance follows within a second. A disabled pair is not quoted; its open quotes stay valid, unlike under a halt. A limit that is left out is that of the pair's class; one that is sent as it is shown stays whose it is.
   *
   * `PUT /v1/operator/pairs/{pair}`. Needs the scope `operator:market`.
   */
  setPairSettings(
    pair: string,
    body: calls.SetPairSettingsBody,
    options: MustMatchOptions,
  ): Call<types.PairSettings | types.Approval> {
    return this.invoke(specs.setPairSettings, { path: [pair], body }, options);
  }

  /**
   * List bars of a pair, newest first. Shows what its own price did in each second or minute.
   *
   * `GET /v1/operator/market/bars`. Needs the scope `operator:market` or `operator:pricing:read`.
   */
  listBars(query: calls.ListBarsQuery, options?: CallOptions): List<types.Bar, calls.ListBarsExtra> {
    return this.pages(specs.listBars, { query }, options);
  }

  /**
   * Read an import of holidays. Returns the proposed changes and their approval.
   *
   * `GET /v1/operator/calendar-imports/{importId}`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  getCalendarImport(importId: string, options?: CallOptions): Call<types.CalendarImport> {
    return this.invoke(specs.getCalendarImport, { path: [importId] }, options);
  }

  /**
   * Read a year of a currency's calendar. Returns the built-in days, the operator's changes, and the result.
   *
   * `GET /v1/operator/calendars/{currency}/{year}`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  getCalendarYear(currency: string, year: string, options?: CallOptions): Call<types.CalendarYear> {
    return this.invoke(specs.getCalendarYear, { path: [currency, year] }, options);
  }

  /**
   * Read the same-day cut-off of a currency. The operator's, or else the built-in one. `cutOffAt` is that of the current trade date.
   *
   * `GET /v1/operator/cutoffs/{currency}`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  getCutOff(currency: string, options?: CallOptions): Call<types.CutOff> {
    return this.invoke(specs.getCutOff, { path: [currency] }, options);
  }

  /**
   * List the versions of the operator's changes to a year, newest first. Empty if only the built-in days apply.
   *
   * `GET /v1/operator/calendars/{currency}/{year}/versions`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCalendarYearVersions(
    currency: string,
    year: string,
    query?: calls.ListCalendarYearVersionsQuery,
    options?: CallOptions,
  ): List<types.CalendarYearVersion> {
    return this.pages(specs.listCalendarYearVersions, { path: [currency, year], query }, options);
  }

  /**
   * List the calendars of all currencies. Shows how far each calendar goes, and which run short.
   *
   * `GET /v1/operator/calendars`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCalendars(options?: CallOptions): Call<calls.ListCalendarsAnswer> {
    return this.invoke(specs.listCalendars, {}, options);
  }

  /**
   * List the versions of a currency's cut-off, newest first. Empty if the built-in cut-off applies.
   *
   * `GET /v1/operator/cutoffs/{currency}/versions`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCutOffVersions(
    currency: string,
    query?: calls.ListCutOffVersionsQuery,
    options?: CallOptions,
  ): List<types.CutOffVersion> {
    return this.pages(specs.listCutOffVersions, { path: [currency], query }, options);
  }

  /**
   * List the same-day cut-offs of all currencies. Of each, the operator's or else the built-in one (`origin`). Only currencies that can be traded.
   *
   * `GET /v1/operator/cutoffs`. Needs the scope `operator:calendars` or `operator:pricing:read`.
   */
  listCutOffs(options?: CallOptions): Call<calls.ListCutOffsAnswer> {
    return this.invoke(specs.listCutOffs, {}, options);
  }

  /**
   * Propose a vendor's holidays for whole years. The body is a CSV file in UTF-8, at most 2 MiB and 20,000 days: headings `currency` (or `centre`), `date` and `name`, then a line for each closing day. Nothing changes until another operator approves it; the approval is of kind `calendar_import`.
   *
   * `POST /v1/operator/calendar-imports`. Needs the scope `operator:calendars`.
   */
  proposeCalendarImport(
    body: Uint8Array | Blob | string,
    query: calls.ProposeCalendarImportQuery,
    options?: KeyedOptions,
  ): Call<types.CalendarImport> {
    return this.invoke(specs.proposeCalendarImport, { body, query }, options);
  }

  /**
   * Replace the operator's changes to a year. They take effect at once. Existing quotes and transactions keep their dates.
   *
   * `PUT /v1/operator/calendars/{currency}/{year}`. Needs the scope `operator:calendars`.
   */
  setCalendarYear(
    currency: string,
    year: string,
    body: calls.SetCalendarYearBody,
    options: MustMatchOptions,
  ): Call<types.ChangedCalendarYear | types.Approval> {
    return this.invoke(specs.setCalendarYear, { path: [currency, year], body }, options);
  }

  /**
   * Set the same-day cut-off of a currency. Existing quotes and transactions keep their cut-offs.
   *
   * `PUT /v1/operator/cutoffs/{currency}`. Needs the scope `operator:calendars`.
   */
  setCutOff(
    currency: string,
    body: calls.SetCutOffBody,
    options: MustMatchOptions,
  ): Call<types.CutOff | types.Approval> {
    return this.invoke(specs.setCutOff, { path: [currency], body }, options);
  }

  /**
   * Run one command on many transactions. Each item runs in its own commit, like the command on one. The response is always 200; each item has its own outcome.
   *
   * `POST /v1/operator/transactions/commands`. Needs the scope `operator:payouts`.
   */
  commandTransactions(
    body: calls.CommandTransactionsBody,
    options?: KeyedOptions,
  ): Call<calls.CommandTransactionsAnswer | types.Approval> {
    return this.invoke(specs.commandTransactions, { body }, options);
  }

  /**
   * Confirm the payout. Records that the bank has paid out.
   *
   * `POST /v1/operator/transactions/{transactionId}/payout-confirmed`. Needs the scope `operator:payouts`.
   */
  confirmPayout(
    transactionId: string,
    body?: calls.ConfirmPayoutBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(specs.confirmPayout, { path: [transactionId], body }, options);
  }

  /**
   * Confirm the refund. Records that the bank has paid the refund.
   *
   * `POST /v1/operator/transactions/{transactionId}/refund-paid`. Needs the scope `operator:payouts`.
   */
  confirmRefund(
    transactionId: string,
    body?: calls.ConfirmRefundBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(specs.confirmRefund, { path: [transactionId], body }, options);
  }

  /**
   * Count the pending work. Transactions, refunds and withdrawals, by what they wait for.
   *
   * `GET /v1/operator/transactions/counts`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  countTransactionWork(options?: CallOptions): Call<calls.CountTransactionWorkAnswer> {
    return this.invoke(specs.countTransactionWork, {}, options);
  }

  /**
   * Report a failed payout. Records that the bank refused or returned the payout.
   *
   * `POST /v1/operator/transactions/{transactionId}/payout-failed`. Needs the scope `operator:payouts`.
   */
  failPayout(
    transactionId: string,
    body?: calls.FailPayoutBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(specs.failPayout, { path: [transactionId], body }, options);
  }

  /**
   * Report a failed refund. Records that the bank refused or returned the refund.
   *
   * `POST /v1/operator/transactions/{transactionId}/refund-failed`. Needs the scope `operator:payouts`.
   */
  failRefund(
    transactionId: string,
    body?: calls.FailRefundBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(specs.failRefund, { path: [transactionId], body }, options);
  }

  /**
   * Read a transaction of any customer. With the customer, who executed it, and who took each step of its timeline.
   *
   * `GET /v1/operator/transactions/{transactionId}`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  getAnyTransaction(transactionId: string, options?: CallOptions): Call<types.OperatorTransaction> {
    return this.invoke(specs.getAnyTransaction, { path: [transactionId] }, options);
  }

  /**
   * List transactions of all customers, newest first. A search by amount, hold or value date needs a range of at most 92 days, unless `customerId`, `reference` or `clientReference` narrows it.
   *
   * `GET /v1/operator/transactions`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  listAllTransactions(
    query?: calls.ListAllTransactionsQuery,
    options?: CallOptions,
  ): List<types.OperatorTransactionSummary> {
    return this.pages(specs.listAllTransactions, { query }, options);
  }

  /**
   * List the holds of a transaction. Oldest first, with their reasons. Includes released holds.
   *
   * `GET /v1/operator/transactions/{transactionId}/holds`. Needs the scope `operator:holds` or `operator:transactions:read`.
   */
  listHolds(transactionId: string, options?: CallOptions): Call<calls.ListHoldsAnswer> {
    return this.invoke(specs.listHolds, { path: [transactionId] }, options);
  }

  /**
   * Place a hold. Keeps the payout waiting until the hold is released.
   *
   * `POST /v1/operator/transactions/{transactionId}/holds`. Needs the scope `operator:holds`.
   */
  placeHold(
    transactionId: string,
    body?: calls.PlaceHoldBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction> {
    return this.invoke(specs.placeHold, { path: [transactionId], body }, options);
  }

  /**
   * Preview the unwinding of a transaction. Shows what unwinding would book now, with the gain or loss at the market.
   *
   * `GET /v1/operator/transactions/{transactionId}/unwind-quote`. Needs the scope `operator:transactions` or `operator:transactions:read`.
   */
  quoteUnwinding(
    transactionId: string,
    query?: calls.QuoteUnwindingQuery,
    options?: CallOptions,
  ): Call<types.UnwindQuote> {
    return this.invoke(specs.quoteUnwinding, { path: [transactionId], query }, options);
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
    return this.invoke(specs.redirectPayout, { path: [transactionId], body }, options);
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
    return this.invoke(specs.refundExcess, { path: [transactionId], body }, options);
  }

  /**
   * Release a hold. Once no hold is left, the payout goes at its time, or at once if that has passed. A released hold stays in the history.
   *
   * `DELETE /v1/operator/transactions/{transactionId}/holds/{holdId}`. Needs the scope `operator:holds`.
   */
  releaseHold(
    transactionId: string,
    holdId: string,
    body?: calls.ReleaseHoldBody,
    options?: MatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(specs.releaseHold, { path: [transactionId, holdId], body }, options);
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
    return this.invoke(specs.releasePayout, { path: [transactionId], body }, options);
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
    return this.invoke(specs.retryPayout, { path: [transactionId], body }, options);
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
    return this.invoke(specs.retryRefund, { path: [transactionId], body }, options);
  }

  /**
   * Roll the value date. Postpones the value date, and the funding cut-off with it. An overdue one waits for its money again.
   *
   * `POST /v1/operator/transactions/{transactionId}/roll-value-date`. Needs the scope `operator:transactions`.
   */
  rollValueDate(
    transactionId: string,
    body?: calls.RollValueDateBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction> {
    return this.invoke(specs.rollValueDate, { path: [transactionId], body }, options);
  }

  /**
   * Unwind a transaction. Cancels a transaction that is not paid out, or closes out an overdue one. A funded one needs a second operator's approval (202).
   *
   * `POST /v1/operator/transactions/{transactionId}/unwind`. Needs the scope `operator:transactions`.
   */
  unwindTransaction(
    transactionId: string,
    body?: calls.UnwindTransactionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.OperatorTransaction | types.Approval> {
    return this.invoke(specs.unwindTransaction, { path: [transactionId], body }, options);
  }

  /**
   * Count waiting deposits by status and age. By hours since receipt, from 0, 24, 72 and 168. A count ends at 1,000 (`isMore`).
   *
   * `GET /v1/operator/deposits/counts`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  countDeposits(options?: CallOptions): Call<calls.CountDepositsAnswer> {
    return this.invoke(specs.countDeposits, {}, options);
  }

  /**
   * Read a deposit. Includes its allocations, returns and open exception.
   *
   * `GET /v1/operator/deposits/{depositId}`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getDeposit(depositId: string, options?: CallOptions): Call<types.Deposit> {
    return this.invoke(specs.getDeposit, { path: [depositId] }, options);
  }

  /**
   * Read the history of a deposit, newest first. Who did what, when and why: the latest 500 steps.
   *
   * `GET /v1/operator/deposits/{depositId}/history`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getDepositHistory(depositId: string, options?: CallOptions): Call<calls.GetDepositHistoryAnswer> {
    return this.invoke(specs.getDepositHistory, { path: [depositId] }, options);
  }

  /**
   * List deposits, newest first. A search by parts of texts, amounts, account or dates needs a range of at most 92 days, unless `customerId`, `bankReference`, `reference`, `remitterAccount` or `amount` narrows it.
   *
   * `GET /v1/operator/deposits`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listDeposits(query?: calls.ListDepositsQuery, options?: CallOptions): List<types.Deposit> {
    return this.pages(specs.listDeposits, { query }, options);
  }

  /**
   * Record a deposit. Books and matches money that arrived. The same entry again (account and bank reference) returns 200 with the existing deposit.
   *
   * `POST /v1/operator/deposits`. Needs the scope `operator:funding`.
   */
  recordDeposit(body: calls.RecordDepositBody, options?: KeyedOptions): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.recordDeposit, { body }, options);
  }

  /**
   * Add a note to a deposit. The note goes into its history. Rules no longer match the deposit automatically.
   *
   * `POST /v1/operator/deposits/{depositId}/note`. Needs the scope `operator:deposits`.
   */
  addDepositNote(
    depositId: string,
    body: calls.AddDepositNoteBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit> {
    return this.invoke(specs.addDepositNote, { path: [depositId], body }, options);
  }

  /**
   * Assign a deposit. Assigns its open exception; without one, 409 `invalid_state_transition`. Rules no longer match the deposit automatically.
   *
   * `POST /v1/operator/deposits/{depositId}/assign`. Needs the scope `operator:deposits`.
   */
  assignDeposit(
    depositId: string,
    body: calls.AssignDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit> {
    return this.invoke(specs.assignDeposit, { path: [depositId], body }, options);
  }

  /**
   * Book a deposit as money of the house. For a deposit that is wholly the house’s own, such as interest. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/book`. Needs the scope `operator:deposits`.
   */
  bookDeposit(
    depositId: string,
    body: calls.BookDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.bookDeposit, { path: [depositId], body }, options);
  }

  /**
   * Cancel the return of a deposit. The money is not sent and returns to suspense.
   *
   * `POST /v1/operator/deposits/{depositId}/returns/{returnId}/cancel`. Needs the scope `operator:deposits`.
   */
  cancelDepositReturn(
    depositId: string,
    returnId: string,
    body: calls.CancelDepositReturnBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit> {
    return this.invoke(specs.cancelDepositReturn, { path: [depositId, returnId], body }, options);
  }

  /**
   * Run one command on many deposits. Each item runs in its own commit, like the command on one. The response is always 200; each item has its own outcome.
   *
   * `POST /v1/operator/deposits/commands`. Needs the scope `operator:deposits`.
   */
  commandDeposits(
    body: calls.CommandDepositsBody,
    options?: KeyedOptions,
  ): Call<calls.CommandDepositsAnswer> {
    return this.invoke(specs.commandDeposits, { body }, options);
  }

  /**
   * Confirm the return of a deposit. For when no statement reports that the bank sent it back.
   *
   * `POST /v1/operator/deposits/{depositId}/returns/{returnId}/paid`. Needs the scope `operator:deposits`.
   */
  confirmDepositReturn(
    depositId: string,
    returnId: string,
    body: calls.ConfirmDepositReturnBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.confirmDepositReturn, { path: [depositId, returnId], body }, options);
  }

  /**
   * Report the failed return of a deposit. For when the bank rejected it or sent it back and no file reports that. The money returns to suspense.
   *
   * `POST /v1/operator/deposits/{depositId}/returns/{returnId}/failed`. Needs the scope `operator:deposits`.
   */
  failDepositReturn(
    depositId: string,
    returnId: string,
    body: calls.FailDepositReturnBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.failDepositReturn, { path: [depositId, returnId], body }, options);
  }

  /**
   * Forgive the shortfall of a deposit. Completes a transaction that the deposit paid in part; the house bears what is missing. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/forgive`. Needs the scope `operator:deposits`.
   */
  forgiveShortfall(
    depositId: string,
    body: calls.ForgiveShortfallBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.forgiveShortfall, { path: [depositId], body }, options);
  }

  /**
   * Set a deposit aside. Its money stays in suspense. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/ignore`. Needs the scope `operator:deposits`.
   */
  ignoreDeposit(
    depositId: string,
    body: calls.IgnoreDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.ignoreDeposit, { path: [depositId], body }, options);
  }

  /**
   * Match a deposit by hand. Allocates it to one or more transactions, or to a balance. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/match`. Needs the scope `operator:deposits`.
   */
  matchDeposit(
    depositId: string,
    body: calls.MatchDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.matchDeposit, { path: [depositId], body }, options);
  }

  /**
   * Release a deposit that somebody else paid. It is then matched, whoever paid it. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/release`. Needs the scope `operator:deposits`.
   */
  releaseDeposit(
    depositId: string,
    body: calls.ReleaseDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.releaseDeposit, { path: [depositId], body }, options);
  }

  /**
   * Give a deposit the place of a top-up by hand. For a deposit that is the money of a top-up booked by hand, under another bank reference or with another amount. The balance keeps what the deposit has; only the difference is credited or debited. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/replace-top-up`. Needs the scope `operator:deposits`.
   */
  replaceTopUp(
    depositId: string,
    body: calls.ReplaceTopUpBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.replaceTopUp, { path: [depositId], body }, options);
  }

  /**
   * Return a deposit to its remitter. Sends back what no transaction uses, or records that the remitter’s bank took all of it back. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/return`. Needs the scope `operator:deposits`.
   */
  returnDeposit(
    depositId: string,
    body: calls.ReturnDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.returnDeposit, { path: [depositId], body }, options);
  }

  /**
   * Undo the match of a deposit. Undoes all its allocations, or one, until a payout begins. The money returns to suspense. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/deposits/{depositId}/unmatch`. Needs the scope `operator:deposits`.
   */
  unmatchDeposit(
    depositId: string,
    body: calls.UnmatchDepositBody,
    options?: KeyedMatchedOptions,
  ): Call<types.Deposit | types.Approval> {
    return this.invoke(specs.unmatchDeposit, { path: [depositId], body }, options);
  }

  /**
   * Read the matching rules. Each match names the version that it was made with.
   *
   * `GET /v1/operator/matching-rules`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getMatchingRules(options?: CallOptions): Call<types.MatchingRules> {
    return this.invoke(specs.getMatchingRules, {}, options);
  }

  /**
   * List the versions of the matching rules, newest first. Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.
   *
   * `GET /v1/operator/matching-rules/versions`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listMatchingRuleVersions(
    query?: calls.ListMatchingRuleVersionsQuery,
    options?: CallOptions,
  ): List<types.MatchingRulesVersion> {
    return this.pages(specs.listMatchingRuleVersions, { query }, options);
  }

  /**
   * Preview a draft of the matching rules. Runs it against the newest deposits and shows what would change. Nothing is saved.
   *
   * `POST /v1/operator/matching-rules/preview`. Needs the scope `operator:deposits`.
   */
  previewMatchingRules(
    body: calls.PreviewMatchingRulesBody,
    options?: CallOptions,
  ): Call<types.MatchingRulesPreview> {
    return this.invoke(specs.previewMatchingRules, { body }, options);
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
    return this.invoke(specs.replaceMatchingRules, { body }, options);
  }

  /**
   * Assign an exception. Rules no longer match its deposit automatically. A resolved exception is refused (`invalid_state_transition`).
   *
   * `POST /v1/operator/exceptions/{exceptionId}/assign`. Needs the scope `operator:deposits`.
   */
  assignException(
    exceptionId: string,
    body: calls.AssignExceptionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.ReconciliationException> {
    return this.invoke(specs.assignException, { path: [exceptionId], body }, options);
  }

  /**
   * Run one command on many exceptions. Each item runs in its own commit, like the command on one. The response is always 200; each item has its own outcome.
   *
   * `POST /v1/operator/exceptions/commands`. Needs the scope `operator:deposits`.
   */
  commandExceptions(
    body: calls.CommandExceptionsBody,
    options?: KeyedOptions,
  ): Call<calls.CommandExceptionsAnswer> {
    return this.invoke(specs.commandExceptions, { body }, options);
  }

  /**
   * Count open exceptions by type and age. By hours since opening, from 0, 24, 72 and 168. A count ends at 1,000 (`isMore`).
   *
   * `GET /v1/operator/exceptions/counts`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  countExceptions(options?: CallOptions): Call<calls.CountExceptionsAnswer> {
    return this.invoke(specs.countExceptions, {}, options);
  }

  /**
   * Read an exception. Returns its history, what you can do about it, and the transactions that its deposit may be for.
   *
   * `GET /v1/operator/exceptions/{exceptionId}`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  getException(exceptionId: string, options?: CallOptions): Call<types.ReconciliationExceptionDetail> {
    return this.invoke(specs.getException, { path: [exceptionId] }, options);
  }

  /**
   * List exceptions, longest waiting first. Open ones, unless `status` says otherwise.
   *
   * `GET /v1/operator/exceptions`. Needs the scope `operator:deposits` or `operator:deposits:read`.
   */
  listExceptions(
    query?: calls.ListExceptionsQuery,
    options?: CallOptions,
  ): List<types.ReconciliationException> {
    return this.pages(specs.listExceptions, { query }, options);
  }

  /**
   * Close an exception without moving money. Refused with `invalid_state_transition` while money is in suspense or its statement entry is not booked: decide about these first.
   *
   * `POST /v1/operator/exceptions/{exceptionId}/resolve`. Needs the scope `operator:deposits`.
   */
  resolveException(
    exceptionId: string,
    body: calls.ResolveExceptionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.ReconciliationException> {
    return this.invoke(specs.resolveException, { path: [exceptionId], body }, options);
  }

  /**
   * Retry now what could not be applied. For the type `not_applied`. The service retries by itself too, at most an hour apart, and closes the exception once it succeeds.
   *
   * `POST /v1/operator/exceptions/{exceptionId}/retry`. Needs the scope `operator:deposits`.
   */
  retryException(
    exceptionId: string,
    body: calls.RetryExceptionBody,
    options?: KeyedMatchedOptions,
  ): Call<types.ReconciliationException> {
    return this.invoke(specs.retryException, { path: [exceptionId], body }, options);
  }

  /**
   * Cancel an unsent settlement run. Its payments become due again. Once its file was downloaded, a second operator must approve it (202).
   *
   * `POST /v1/operator/settlement-runs/{runId}/cancel`. Needs the scope `operator:payouts`.
   */
  cancelSettlementRun(
    runId: string,
    body?: calls.CancelSettlementRunBody,
    options?: KeyedMatchedOptions,
  ): Call<types.SettlementRun | types.Approval> {
    return this.invoke(specs.cancelSettlementRun, { path: [runId], body }, options);
  }

  /**
   * Create a settlement run. Makes a payment file of everything due and in no run yet.
   *
   * `POST /v1/operator/settlement-runs`. Needs the scope `operator:payouts`.
   */
  createSettlementRun(
    body: calls.CreateSettlementRunBody,
    options?: KeyedOptions,
  ): Call<types.SettlementRun | types.Approval> {
    return this.invoke(specs.createSettlementRun, { body }, options);
  }

  /**
   * Download the file of a settlement run. Byte for byte as it was made. `Repr-Digest` is its SHA-256 (RFC 9530). The run records who downloaded it. If the policy says so (`payment_file_out`), the run's creator cannot download it. Until the run is sent: refused after `sendBefore`, or if a payment may no longer be made.
   *
   * `GET /v1/operator/settlement-runs/{runId}/files/{format}`. Needs the scope `operator:payouts`.
   */
  downloadSettlementRunFile(runId: string, format: string, options?: CallOptions): Call<Download> {
    return this.invoke(specs.downloadSettlementRunFile, { path: [runId, format] }, options);
  }

  /**
   * Read a settlement run. With its files, their SHA-256 and who downloaded them.
   *
   * `GET /v1/operator/settlement-runs/{runId}`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  getSettlementRun(runId: string, options?: CallOptions): Call<types.SettlementRun> {
    return this.invoke(specs.getSettlementRun, { path: [runId] }, options);
  }

  /**
   * List the payments of a settlement run. With the progress of each.
   *
   * `GET /v1/operator/settlement-runs/{runId}/payments`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  listSettlementRunPayments(
    runId: string,
    query?: calls.ListSettlementRunPaymentsQuery,
    options?: CallOptions,
  ): List<types.SettlementRunPayment> {
    return this.pages(specs.listSettlementRunPayments, { path: [runId], query }, options);
  }

  /**
   * List settlement runs, newest first. Includes cancelled ones.
   *
   * `GET /v1/operator/settlement-runs`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  listSettlementRuns(
    query?: calls.ListSettlementRunsQuery,
    options?: CallOptions,
  ): List<types.SettlementRun> {
    return this.pages(specs.listSettlementRuns, { query }, options);
  }

  /**
   * Mark a settlement run as sent. Records that the file is at the bank. The run's creator cannot do this alone. Refused after `sendBefore` if nobody had the file.
   *
   * `POST /v1/operator/settlement-runs/{runId}/mark-sent`. Needs the scope `operator:payouts`.
   */
  markSettlementRunSent(
    runId: string,
    options?: KeyedMatchedOptions,
  ): Call<types.SettlementRun | types.Approval> {
    return this.invoke(specs.markSettlementRunSent, { path: [runId] }, options);
  }

  /**
   * Preview a settlement run. Shows what a run would hold now, and what is due but cannot be in it.
   *
   * `GET /v1/operator/settlement-runs/preview`. Needs the scope `operator:payouts` or `operator:transactions:read`.
   */
  previewSettlementRun(
    query: calls.PreviewSettlementRunQuery,
    options?: CallOptions,
  ): Call<types.SettlementRunPreview> {
    return this.invoke(specs.previewSettlementRun, { query }, options);
  }

  /**
   * Accept a refused file whose figures do not agree. For files refused as `balance_mismatch`, `totals_mismatch` or `date_implausible`. A second operator must approve; the file is then imported anyway and keeps your reason.
   *
   * `POST /v1/operator/statements/{fileId}/accept`. Needs the scope `operator:statements`.
   */
  acceptStatementFile(
    fileId: string,
    body: calls.AcceptStatementFileBody,
    options?: KeyedOptions,
  ): Call<types.Approval> {
    return this.invoke(specs.acceptStatementFile, { path: [fileId], body }, options);
  }

  /**
   * Delete a refused or held statement file. Its bytes are deleted too. Withdraw an accepted file instead.
   *
   * `DELETE /v1/operator/statements/{fileId}`. Needs the scope `operator:statements`.
   */
  deleteStatementFile(fileId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.deleteStatementFile, { path: [fileId] }, options);
  }

  /**
   * Delete a CSV mapping. Imported files stay. Further files that only it fits are refused with `mapping_missing`.
   *
   * `DELETE /v1/operator/statement-mappings/{name}`. Needs the scope `operator:statements`.
   */
  deleteStatementMapping(name: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.deleteStatementMapping, { path: [name] }, options);
  }

  /**
   * Download a statement file. Byte for byte as it was received.
   *
   * `GET /v1/operator/statements/{fileId}/file`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  downloadStatementFile(fileId: string, options?: CallOptions): Call<Download> {
    return this.invoke(specs.downloadStatementFile, { path: [fileId] }, options);
  }

  /**
   * Read a statement file. Warnings are computed now: a gap disappears when the missing statement arrives.
   *
   * `GET /v1/operator/statements/{fileId}`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  getStatementFile(fileId: string, options?: CallOptions): Call<types.StatementFileReport> {
    return this.invoke(specs.getStatementFile, { path: [fileId] }, options);
  }

  /**
   * Read a CSV mapping. It reads the files that name it, and those that match only its `fileNames`.
   *
   * `GET /v1/operator/statement-mappings/{name}`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  getStatementMapping(name: string, options?: CallOptions): Call<types.StatementMapping> {
    return this.invoke(specs.getStatementMapping, { path: [name] }, options);
  }

  /**
   * Import a statement file. The body is the file: camt.052, camt.053, camt.054, pain.002, MT940, MT942, CSV or JSON, at most 256 MiB, with any content type. It is imported completely or not at all. Sending the same bytes again returns 200 with the existing file. Entries that another file reported are not booked again. Credits become deposits, debits confirm payouts. A file brought by hand may need a second person (`statement_import`): it is read, `held`, and imported once approved.
   *
   * `POST /v1/operator/statements`. Needs the scope `operator:statements`.
   */
  importStatementFile(
    body: Uint8Array | Blob | string,
    query?: calls.ImportStatementFileQuery,
    options?: CallOptions,
  ): Call<types.StatementFileReport | types.Approval> {
    return this.invoke(specs.importStatementFile, { body, query }, options);
  }

  /**
   * List the statements of an account by their last day, oldest first. Only statements that say which days they cover.
   *
   * `GET /v1/operator/account-statements`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listAccountStatements(
    query: calls.ListAccountStatementsQuery,
    options?: CallOptions,
  ): List<types.BankStatement> {
    return this.pages(specs.listAccountStatements, { query }, options);
  }

  /**
   * List the entries of a file, in file order. Payment by payment, each with the deposit that it became or the payments that it settled. `sameAs` names the entry that reported it before.
   *
   * `GET /v1/operator/statements/{fileId}/entries`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listEntriesOfFile(
    fileId: string,
    query?: calls.ListEntriesOfFileQuery,
    options?: CallOptions,
  ): List<types.StatementEntry> {
    return this.pages(specs.listEntriesOfFile, { path: [fileId], query }, options);
  }

  /**
   * List the payment statuses of a status report. In the order in which they take effect.
   *
   * `GET /v1/operator/statements/{fileId}/payment-statuses`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listPaymentStatusesOfFile(
    fileId: string,
    query?: calls.ListPaymentStatusesOfFileQuery,
    options?: CallOptions,
  ): List<types.PaymentStatus> {
    return this.pages(specs.listPaymentStatusesOfFile, { path: [fileId], query }, options);
  }

  /**
   * List statement files, newest first. Includes refused ones and those held for approval.
   *
   * `GET /v1/operator/statements`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listStatementFiles(
    query?: calls.ListStatementFilesQuery,
    options?: CallOptions,
  ): List<types.StatementFile> {
    return this.pages(specs.listStatementFiles, { query }, options);
  }

  /**
   * List CSV mappings. By name. A file whose name matches several is refused, unless its import names one.
   *
   * `GET /v1/operator/statement-mappings`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listStatementMappings(options?: CallOptions): Call<calls.ListStatementMappingsAnswer> {
    return this.invoke(specs.listStatementMappings, {}, options);
  }

  /**
   * List the statements of a file. In file order, each with the numbers missing before it.
   *
   * `GET /v1/operator/statements/{fileId}/statements`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listStatementsOfFile(
    fileId: string,
    query?: calls.ListStatementsOfFileQuery,
    options?: CallOptions,
  ): List<types.BankStatement> {
    return this.pages(specs.listStatementsOfFile, { path: [fileId], query }, options);
  }

  /**
   * Set a CSV mapping. Creates or replaces it, for files imported from now on. A file refused without it may be imported again.
   *
   * `PUT /v1/operator/statement-mappings/{name}`. Needs the scope `operator:statements`.
   */
  setStatementMapping(
    name: string,
    body: types.CsvMapping,
    options?: MatchedOptions,
  ): Call<types.StatementMapping | types.Approval> {
    return this.invoke(specs.setStatementMapping, { path: [name], body }, options);
  }

  /**
   * Withdraw a statement file that was imported by mistake. What only this file reported is no longer booked. If this undoes deposits, a second operator must approve (202). Refused with `dependents` while something depends on it, such as a payout.
   *
   * `POST /v1/operator/statements/{fileId}/withdraw`. Needs the scope `operator:statements`.
   */
  withdrawStatementFile(
    fileId: string,
    body: calls.WithdrawStatementFileBody,
    options?: KeyedOptions,
  ): Call<types.StatementFileReport | types.Approval> {
    return this.invoke(specs.withdrawStatementFile, { path: [fileId], body }, options);
  }

  /**
   * Preview a statement file. Shows what an import would read, or why it would refuse the file. Nothing is kept or booked.
   *
   * `POST /v1/operator/statements/preview`. Needs the scope `operator:statements`.
   */
  previewStatementFile(
    body: Uint8Array | Blob | string,
    query?: calls.PreviewStatementFileQuery,
    options?: CallOptions,
  ): Call<types.StatementFilePreview> {
    return this.invoke(specs.previewStatementFile, { body, query }, options);
  }

  /**
   * Book an entry that is not a payment of the house. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/book`. Needs the scope `operator:entries`.
   */
  bookStatementEntry(
    entryId: string,
    body: calls.BookStatementEntryBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(specs.bookStatementEntry, { path: [entryId], body }, options);
  }

  /**
   * Read an entry. With what became of it. `sameAs` names the entry that carries the money if another reported it before.
   *
   * `GET /v1/operator/statement-entries/{entryId}`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  getStatementEntry(entryId: string, options?: CallOptions): Call<types.StatementEntry> {
    return this.invoke(specs.getStatementEntry, { path: [entryId] }, options);
  }

  /**
   * List the entries of an account by booking date, oldest first. Each payment once, as the first file reported it.
   *
   * `GET /v1/operator/statement-entries`. Needs the scope `operator:statements` or `operator:deposits:read`.
   */
  listAccountEntries(
    query: calls.ListAccountEntriesQuery,
    options?: CallOptions,
  ): List<types.StatementEntry> {
    return this.pages(specs.listAccountEntries, { query }, options);
  }

  /**
   * Declare an entry a separate payment. It is not the payment that it was taken for. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/another`. Needs the scope `operator:entries`.
   */
  markStatementEntryDistinct(
    entryId: string,
    body: calls.MarkStatementEntryDistinctBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(specs.markStatementEntryDistinct, { path: [entryId], body }, options);
  }

  /**
   * Declare an entry the same as an earlier one. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/same`. Needs the scope `operator:entries`.
   */
  markStatementEntryDuplicate(
    entryId: string,
    body: calls.MarkStatementEntryDuplicateBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(specs.markStatementEntryDuplicate, { path: [entryId], body }, options);
  }

  /**
   * Declare that the bank never booked an entry that it reported. What it booked is undone. What was paid with it and has left stays paid, and `as` says who bears the loss. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/never-booked`. Needs the scope `operator:entries`.
   */
  markStatementEntryNeverBooked(
    entryId: string,
    body: calls.MarkStatementEntryNeverBookedBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(specs.markStatementEntryNeverBooked, { path: [entryId], body }, options);
  }

  /**
   * Match an entry to a payment of the house. Above the approval limit, a second operator must approve it (202).
   *
   * `POST /v1/operator/statement-entries/{entryId}/match`. Needs the scope `operator:entries`.
   */
  matchStatementEntry(
    entryId: string,
    body: calls.MatchStatementEntryBody,
    options?: KeyedOptions,
  ): Call<types.StatementEntry | types.Approval> {
    return this.invoke(specs.matchStatementEntry, { path: [entryId], body }, options);
  }

  /**
   * Check the books. Checks that balances match the journal and that debits equal credits.
   *
   * `GET /v1/operator/ledger/check`. Needs the scope `operator:ledger`.
   */
  checkBooks(options?: CallOptions): Call<types.BooksCheck> {
    return this.invoke(specs.checkBooks, {}, options);
  }

  /**
   * Download the whole journal. A file for hledger, with balance assertions.
   *
   * `GET /v1/operator/ledger/export`. Needs the scope `operator:ledger`.
   */
  exportJournal(query?: calls.ExportJournalQuery, options?: CallOptions): Call<Download> {
    return this.invoke(specs.exportJournal, { query }, options);
  }

  /**
   * Read a journal entry. Entries are never changed or deleted: a correction is another entry.
   *
   * `GET /v1/operator/ledger/entries/{entryId}`. Needs the scope `operator:ledger`.
   */
  getJournalEntry(entryId: string, options?: CallOptions): Call<types.JournalEntry> {
    return this.invoke(specs.getJournalEntry, { path: [entryId] }, options);
  }

  /**
   * Read the house's positions by pair with their results. Counts both legs of each trade together. Pair positions add up to currency positions.
   *
   * `GET /v1/operator/ledger/pair-positions`. Needs the scope `operator:ledger`.
   */
  getPairPositions(options?: CallOptions): Call<calls.GetPairPositionsAnswer> {
    return this.invoke(specs.getPairPositions, {}, options);
  }

  /**
   * Read currency positions with their results. Shows realised results, and unrealised ones at the mid.
   *
   * `GET /v1/operator/ledger/positions`. Needs the scope `operator:ledger`.
   */
  getPositions(query?: calls.GetPositionsQuery, options?: CallOptions): Call<calls.GetPositionsAnswer> {
    return this.invoke(specs.getPositions, { query }, options);
  }

  /**
   * Read the trial balance of the house or a customer. Shows balances now or at an earlier instant.
   *
   * `GET /v1/operator/ledger/trial-balance`. Needs the scope `operator:ledger`.
   */
  getTrialBalance(query?: calls.GetTrialBalanceQuery, options?: CallOptions): Call<types.TrialBalance> {
    return this.invoke(specs.getTrialBalance, { query }, options);
  }

  /**
   * List who has what on an account. The parts of a total of the trial balance, by owner; without those who have nothing there.
   *
   * `GET /v1/operator/ledger/accounts/{account}/balances`. Needs the scope `operator:ledger`.
   */
  listAccountBalances(
    account: string,
    query: calls.ListAccountBalancesQuery,
    options?: CallOptions,
  ): List<types.OwnerBalance> {
    return this.pages(specs.listAccountBalances, { path: [account], query }, options);
  }

  /**
   * Read the statement of an account. Returns its postings in time order, with the balance after each.
   *
   * `GET /v1/operator/ledger/accounts/{account}/postings`. Needs the scope `operator:ledger`.
   */
  listAccountPostings(
    account: string,
    query: calls.ListAccountPostingsQuery,
    options?: CallOptions,
  ): List<types.LedgerStatementLine, calls.ListAccountPostingsExtra> {
    return this.pages(specs.listAccountPostings, { path: [account], query }, options);
  }

  /**
   * List journal entries, newest first. Of all customers and the house, unless `customerId` is given. Entries are never changed or deleted: a correction is another entry.
   *
   * `GET /v1/operator/ledger/entries`. Needs the scope `operator:ledger`.
   */
  listJournalEntries(query?: calls.ListJournalEntriesQuery, options?: CallOptions): List<types.JournalEntry> {
    return this.pages(specs.listJournalEntries, { query }, options);
  }

  /**
   * Read the chart of accounts. With what each means. Accounts are fixed; the trial balance has the amounts.
   *
   * `GET /v1/operator/ledger/accounts`. Needs the scope `operator:ledger`.
   */
  listLedgerAccounts(options?: CallOptions): Call<calls.ListLedgerAccountsAnswer> {
    return this.invoke(specs.listLedgerAccounts, {}, options);
  }

  /**
   * Reconcile the bank accounts of the house with the ledger. Compares what banks have reported with the ledger account `bank`, by currency. Open items explain the difference; `unexplained` is what they do not.
   *
   * `GET /v1/operator/ledger/bank-reconciliation`. Needs the scope `operator:ledger`.
   */
  getBankReconciliation(
    query?: calls.GetBankReconciliationQuery,
    options?: CallOptions,
  ): Call<types.BankReconciliation> {
    return this.invoke(specs.getBankReconciliation, { query }, options);
  }

  /**
   * List what only the bank or only the ledger has, oldest first. They explain the differences of the reconciliation.
   *
   * `GET /v1/operator/ledger/bank-reconciliation/items`. Needs the scope `operator:ledger`.
   */
  listBankReconciliationItems(
    query?: calls.ListBankReconciliationItemsQuery,
    options?: CallOptions,
  ): List<types.BankReconciliationItem> {
    return this.pages(specs.listBankReconciliationItems, { query }, options);
  }

  /**
   * Report trades made in a period. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/blotter`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getBlotterReport<Q extends calls.GetBlotterReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetBlotterReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetBlotterReportAnswer
  > {
    return this.invoke(specs.getBlotterReport, { query }, options);
  }

  /**
   * Report money to come in and to go out, by value date and currency. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/settlement-ladder`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getSettlementLadderReport<Q extends calls.GetSettlementLadderReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetSettlementLadderReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetSettlementLadderReportAnswer
  > {
    return this.invoke(specs.getSettlementLadderReport, { query }, options);
  }

  /**
   * Report position, result and claims in each currency, now or at an instant. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/exposure`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getExposureReport<Q extends calls.GetExposureReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetExposureReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetExposureReportAnswer
  > {
    return this.invoke(specs.getExposureReport, { query }, options);
  }

  /**
   * Report position and result in each pair now. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/pair-positions`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getPairPositionsReport<Q extends calls.GetPairPositionsReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetPairPositionsReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetPairPositionsReportAnswer
  > {
    return this.invoke(specs.getPairPositionsReport, { query }, options);
  }

  /**
   * Report markup earned in a period, by day, customer, pair and currency. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/spread-revenue`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getSpreadRevenueReport<Q extends calls.GetSpreadRevenueReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetSpreadRevenueReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetSpreadRevenueReportAnswer
  > {
    return this.invoke(specs.getSpreadRevenueReport, { query }, options);
  }

  /**
   * Report deposits of a period: received = matched + returned + in exceptions. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/reconciliation`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getReconciliationReport<Q extends calls.GetReconciliationReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetReconciliationReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetReconciliationReportAnswer
  > {
    return this.invoke(specs.getReconciliationReport, { query }, options);
  }

  /**
   * Report trades whose money is overdue now. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/overdue`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getOverdueReport<Q extends calls.GetOverdueReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetOverdueReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetOverdueReportAnswer
  > {
    return this.invoke(specs.getOverdueReport, { query }, options);
  }

  /**
   * Report money in suspense now, by currency and age, against the ledger. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/suspense`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getSuspenseReport<Q extends calls.GetSuspenseReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetSuspenseReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetSuspenseReportAnswer
  > {
    return this.invoke(specs.getSuspenseReport, { query }, options);
  }

  /**
   * Report exceptions that are open now. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/exceptions`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getExceptionsReport<Q extends calls.GetExceptionsReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetExceptionsReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetExceptionsReportAnswer
  > {
    return this.invoke(specs.getExceptionsReport, { query }, options);
  }

  /**
   * Report deposits received in a period, with their current state. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/deposits`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getDepositsReport<Q extends calls.GetDepositsReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetDepositsReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetDepositsReportAnswer
  > {
    return this.invoke(specs.getDepositsReport, { query }, options);
  }

  /**
   * Report journal entries of a period, a row for each posting. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/journal`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getJournalReport<Q extends calls.GetJournalReportQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetJournalReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetJournalReportAnswer
  > {
    return this.invoke(specs.getJournalReport, { query }, options);
  }

  /**
   * Report balance of every account of the ledger, now or at an instant. Responds at once, as JSON or CSV. Request one of too many rows in the background.
   *
   * `GET /v1/operator/reports/trial-balance`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getTrialBalanceReport<Q extends calls.GetTrialBalanceReportQuery = Record<never, never>>(
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetTrialBalanceReportQuery['format'], 'json' | undefined> }
      ? Download
      : calls.GetTrialBalanceReportAnswer
  > {
    return this.invoke(specs.getTrialBalanceReport, { query }, options);
  }

  /**
   * Delete a report. Cancels it if it is being made.
   *
   * `DELETE /v1/operator/reports/{reportId}`. Needs the scope `operator:reports`.
   */
  deleteReport(reportId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.deleteReport, { path: [reportId] }, options);
  }

  /**
   * Download the file of a complete report. Its SHA-256 is in `Repr-Digest` (RFC 9530) and in the status of the report.
   *
   * `GET /v1/operator/reports/{reportId}/content`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  downloadReport(reportId: string, options?: CallOptions): Call<Download> {
    return this.invoke(specs.downloadReport, { path: [reportId] }, options);
  }

  /**
   * Read the progress of a report. Read it again after `Retry-After` until it is `completed`; the file is then at `contentUrl`. Reports are kept for 7 days, those of a schedule for its `keepDays`.
   *
   * `GET /v1/operator/reports/{reportId}`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getReport(reportId: string, options?: CallOptions): Call<types.Report> {
    return this.invoke(specs.getReport, { path: [reportId] }, options);
  }

  /**
   * List requested reports, newest first. In all states, and those that schedules made.
   *
   * `GET /v1/operator/reports`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  listReports(query?: calls.ListReportsQuery, options?: CallOptions): List<types.Report> {
    return this.pages(specs.listReports, { query }, options);
  }

  /**
   * Request a report in the background. For reports of any size. Responds at once; the resource at `Location` says when the file is complete.
   *
   * `POST /v1/operator/reports`. Needs the scope `operator:reports`.
   */
  requestReport(body: calls.RequestReportBody, options?: KeyedOptions): Call<types.Report> {
    return this.invoke(specs.requestReport, { body }, options);
  }

  /**
   * Schedule a report. Each run covers the days since the one before, in `zone`. Recent slots missed while the service was down are made up.
   *
   * `POST /v1/operator/report-schedules`. Needs the scope `operator:reports`.
   */
  createReportSchedule(body: types.ReportScheduleInput, options?: KeyedOptions): Call<types.ReportSchedule> {
    return this.invoke(specs.createReportSchedule, { body }, options);
  }

  /**
   * Delete a report schedule. Its reports are kept until they expire.
   *
   * `DELETE /v1/operator/report-schedules/{scheduleId}`. Needs the scope `operator:reports`.
   */
  deleteReportSchedule(scheduleId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.deleteReportSchedule, { path: [scheduleId] }, options);
  }

  /**
   * Read a report schedule. With the last and the next run. `leftOut` counts slots that were not made up after an outage.
   *
   * `GET /v1/operator/report-schedules/{scheduleId}`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  getReportSchedule(scheduleId: string, options?: CallOptions): Call<types.ReportSchedule> {
    return this.invoke(specs.getReportSchedule, { path: [scheduleId] }, options);
  }

  /**
   * List the runs of a report schedule, newest first. Each is kept for the `keepDays` of the schedule.
   *
   * `GET /v1/operator/report-schedules/{scheduleId}/runs`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  listReportScheduleRuns(
    scheduleId: string,
    query?: calls.ListReportScheduleRunsQuery,
    options?: CallOptions,
  ): List<types.Report> {
    return this.pages(specs.listReportScheduleRuns, { path: [scheduleId], query }, options);
  }

  /**
   * List report schedules, oldest first. With the last and the next run of each.
   *
   * `GET /v1/operator/report-schedules`. Needs the scope `operator:reports` or `operator:reports:read`.
   */
  listReportSchedules(options?: CallOptions): Call<calls.ListReportSchedulesAnswer> {
    return this.invoke(specs.listReportSchedules, {}, options);
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
    return this.invoke(specs.replaceReportSchedule, { path: [scheduleId], body }, options);
  }

  /**
   * Approve a proposal and carry it out. Done in the same commit, with the rights that the proposer has now. Your own proposal is 403 `second_person_required`. If its effects would now differ, 409 `proposal_outdated` shows them: approve again with that `effectsDigest`, or reject.
   *
   * `POST /v1/operator/approvals/{approvalId}/approve`. Needs the scope `operator:approvals`.
   */
  approve(approvalId: string, body?: calls.ApproveBody, options?: KeyedOptions): Call<types.Approval> {
    return this.invoke(specs.approve, { path: [approvalId], body }, options);
  }

  /**
   * Read a proposal. `effects` shows values before and after, `deciding` whether you may decide, and if not, why.
   *
   * `GET /v1/operator/approvals/{approvalId}`. Needs the scope `operator:approvals` or `operator:approvals:read`.
   */
  getApproval(approvalId: string, options?: CallOptions): Call<types.Approval> {
    return this.invoke(specs.getApproval, { path: [approvalId] }, options);
  }

  /**
   * List proposals, newest first. Includes those decided or expired.
   *
   * `GET /v1/operator/approvals`. Needs the scope `operator:approvals` or `operator:approvals:read`.
   */
  listApprovals(query?: calls.ListApprovalsQuery, options?: CallOptions): List<types.Approval> {
    return this.pages(specs.listApprovals, { query }, options);
  }

  /**
   * Reject a proposal, or withdraw one of your own. Nothing is done, for good; the command can be proposed again.
   *
   * `POST /v1/operator/approvals/{approvalId}/reject`. Needs the scope `operator:approvals`.
   */
  rejectApproval(
    approvalId: string,
    body?: calls.RejectApprovalBody,
    options?: KeyedOptions,
  ): Call<types.Approval> {
    return this.invoke(specs.rejectApproval, { path: [approvalId], body }, options);
  }

  /**
   * Preview what a command would do. Shows what would change, and whether and why it needs two people. Needs only the scope of the command; what the command would refuse is refused.
   *
   * `POST /v1/operator/four-eyes/dry-run`.
   */
  dryRunCommand(body: calls.DryRunCommandBody, options?: CallOptions): Call<types.DryRun> {
    return this.invoke(specs.dryRunCommand, { body }, options);
  }

  /**
   * Read which commands need two people. For each kind of command `never`, `always`, or more than an amount. Amounts that one person moved alone are added up over `rollingHours`.
   *
   * `GET /v1/operator/four-eyes`. Needs the scope `operator:approvals` or `operator:approvals:read`.
   */
  getFourEyesPolicy(options?: CallOptions): Call<types.FourEyesPolicy> {
    return this.invoke(specs.getFourEyesPolicy, {}, options);
  }

  /**
   * List the versions of the policy, newest first. Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.
   *
   * `GET /v1/operator/four-eyes/versions`. Needs the scope `operator:approvals` or `operator:approvals:read`.
   */
  listFourEyesPolicyVersions(
    query?: calls.ListFourEyesPolicyVersionsQuery,
    options?: CallOptions,
  ): List<types.FourEyesPolicyVersion> {
    return this.pages(specs.listFourEyesPolicyVersions, { query }, options);
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
    return this.invoke(specs.setFourEyesPolicy, { body }, options);
  }

  /**
   * Download a log for offline verification. One JSON line per row, with seals in between and a signed head at the end. Ranges extend to whole seals, so a few more rows may be included.
   *
   * `GET /v1/operator/audit/export`. Needs the scope `operator:audit`.
   */
  exportLog(query?: calls.ExportLogQuery, options?: CallOptions): Call<Download> {
    return this.invoke(specs.exportLog, { query }, options);
  }

  /**
   * List who did what, newest first. Each change was recorded in its own commit. Secrets are never shown. Times are real, even in a sandbox whose clock was moved.
   *
   * `GET /v1/operator/audit`. Needs the scope `operator:audit`.
   */
  listAudit(query?: calls.ListAuditQuery, options?: CallOptions): List<types.AuditEntry> {
    return this.pages(specs.listAudit, { query }, options);
  }

  /**
   * List the signed heads of a log, newest first. Keep them elsewhere: they prove later that the log has only grown.
   *
   * `GET /v1/operator/audit/heads`. Needs the scope `operator:audit`.
   */
  listLogHeads(query?: calls.ListLogHeadsQuery, options?: CallOptions): List<types.LogHead> {
    return this.pages(specs.listLogHeads, { query }, options);
  }

  /**
   * Prove that a log has only grown. Returns a consistency proof between two signed heads (RFC 9162 §2.1.4).
   *
   * `GET /v1/operator/audit/consistency`. Needs the scope `operator:audit`.
   */
  proveLogGrowth(query: calls.ProveLogGrowthQuery, options?: CallOptions): Call<types.LogProof> {
    return this.invoke(specs.proveLogGrowth, { query }, options);
  }

  /**
   * Prove that a row is in a log. Returns an inclusion proof under a signed head (RFC 9162 §2.1.3).
   *
   * `GET /v1/operator/audit/inclusion`. Needs the scope `operator:audit`.
   */
  proveLogRow(query: calls.ProveLogRowQuery, options?: CallOptions): Call<types.LogProof> {
    return this.invoke(specs.proveLogRow, { query }, options);
  }

  /**
   * Sign the current head of a log. Rows of the last seconds wait for the next head. The service also signs one every day.
   *
   * `POST /v1/operator/audit/heads`. Needs the scope `operator:audit`.
   */
  signLogHead(query?: calls.SignLogHeadQuery, options?: KeyedOptions): Call<types.LogHead> {
    return this.invoke(specs.signLogHead, { query }, options);
  }

  /**
   * Read the confirmation of a customer's trade. The same as the customer sees.
   *
   * `GET /v1/operator/customers/{customerId}/transactions/{transactionId}/confirmation`. Needs the scope `operator:transactions:read`.
   */
  getAnyConfirmation<Q extends calls.GetAnyConfirmationQuery = Record<never, never>>(
    customerId: string,
    transactionId: string,
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetAnyConfirmationQuery['format'], 'json' | undefined> }
      ? Download
      : types.TradeConfirmation
  > {
    return this.invoke(specs.getAnyConfirmation, { path: [customerId, transactionId], query }, options);
  }

  /**
   * Read a customer's statement of a period. The same as the customer sees.
   *
   * `GET /v1/operator/customers/{customerId}/statements`. Needs the scope `operator:transactions:read`.
   */
  getCustomerStatement<Q extends calls.GetCustomerStatementQuery>(
    customerId: string,
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetCustomerStatementQuery['format'], 'json' | undefined> }
      ? Download
      : types.CustomerStatement
  > {
    return this.invoke(specs.getCustomerStatement, { path: [customerId], query }, options);
  }
}
