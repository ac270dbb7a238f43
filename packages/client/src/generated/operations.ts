// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Call, List } from '../call.ts';
import type { Download } from '../download.ts';
import { Operations } from '../operations.ts';
import type {
  CallOptions,
  KeyedMatchedOptions,
  KeyedOptions,
  MatchedOptions,
  WaitOptions,
} from '../options.ts';
import type * as calls from './call-types.ts';
import * as specs from './specs.ts';
import type * as types from './types.ts';

/** `quotes` of a client. */
export class QuotesOperations extends Operations {
  /**
   * Cancel a quote. Cancelling twice is harmless: an `Idempotency-Key` is checked and not kept, and each answer tells of now, without `Idempotency-Replayed`. Takes no body.
   *
   * `POST /v1/customer/quotes/{quoteId}/cancel`. Needs the scope `quotes:write`.
   */
  cancel(quoteId: string, options?: KeyedMatchedOptions): Call<types.Quote> {
    return this.invoke(specs.cancelQuote, { path: [quoteId] }, options);
  }

  /**
   * Request a firm quote. Locks a rate for the validity. `requoteOf` requests the terms of an earlier quote again.
   *
   * `POST /v1/customer/quotes`. Needs the scope `quotes:write`.
   */
  create(body: types.QuoteRequest, options?: KeyedOptions): Call<types.Quote> {
    return this.invoke(specs.createQuote, { body }, options);
  }

  /**
   * Get an indicative price. An estimate: nothing is reserved and it cannot be executed. With `Accept: text/event-stream` it is a stream, with a `price` event whenever it changes.
   *
   * `POST /v1/customer/quotes/indicative`. Needs the scope `quotes:read`.
   */
  indicative(body: types.IndicativeRequest, options?: CallOptions): Call<types.IndicativePrice> {
    return this.invoke(specs.getIndicativePrice, { body }, options);
  }

  /**
   * Check the status of a quote. From `expiresAt` on an open quote reads as `expired`, before its event is sent. A quote that was not executed is deleted after its retention, seven years by default, and is then 404.
   *
   * `GET /v1/customer/quotes/{quoteId}`. Needs the scope `quotes:read`.
   */
  get(quoteId: string, options?: CallOptions): Call<types.Quote> {
    return this.invoke(specs.getQuote, { path: [quoteId] }, options);
  }

  /**
   * List quotes, newest first. With a filter, a page may hold fewer items than its limit: read on while `hasMore`.
   *
   * `GET /v1/customer/quotes`. Needs the scope `quotes:read`.
   */
  list(query?: calls.ListQuotesQuery, options?: CallOptions): List<types.Quote> {
    return this.pages(specs.listQuotes, { query }, options);
  }

  /**
   * Explain the price of a quote. Market, spread and every rounding, recomputed from what was kept with the quote. Shows what the pricing disclosure permits.
   *
   * `GET /v1/customer/quotes/{quoteId}/explain`. Needs the scope `quotes:read`.
   */
  explain(quoteId: string, options?: CallOptions): Call<types.QuoteExplanation> {
    return this.invoke(specs.explainQuote, { path: [quoteId] }, options);
  }
}

/** `transactions` of a client. */
export class TransactionsOperations extends Operations {
  /**
   * Read a transaction. For polling until settlement: `nextPollAfterSeconds` says when to look again, and `Prefer: wait` with `If-None-Match` holds the response until something changes.
   *
   * `GET /v1/customer/transactions/{transactionId}`. Needs the scope `transactions:read`.
   */
  get(transactionId: string, options?: WaitOptions): Call<types.Transaction> {
    return this.invoke(specs.getTransaction, { path: [transactionId] }, options);
  }

  /**
   * List transactions. A summary of each. To follow changes without loss, read events instead.
   *
   * `GET /v1/customer/transactions`. Needs the scope `transactions:read`.
   */
  list(query?: calls.ListTransactionsQuery, options?: CallOptions): List<types.TransactionSummary> {
    return this.pages(specs.listTransactions, { query }, options);
  }

  /**
   * Read the confirmation of a trade. Shows the terms as agreed; what has changed since is in the fields that end in `Now`.
   *
   * `GET /v1/customer/transactions/{transactionId}/confirmation`. Needs the scope `transactions:read`.
   */
  confirmation<Q extends calls.GetConfirmationQuery = Record<never, never>>(
    transactionId: string,
    query?: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetConfirmationQuery['format'], 'json' | undefined> }
      ? Download
      : types.TradeConfirmation
  > {
    return this.invoke(specs.getConfirmation, { path: [transactionId], query }, options);
  }
}

/** `balances` of a client. */
export class BalancesOperations extends Operations {
  /**
   * Cancel a withdrawal. Possible until it is in a payment file. The money returns to the balance.
   *
   * `POST /v1/customer/balances/withdrawals/{withdrawalId}/cancel`. Needs the scope `withdrawals:write`.
   */
  cancelWithdrawal(withdrawalId: string, options?: KeyedMatchedOptions): Call<types.Withdrawal> {
    return this.invoke(specs.cancelWithdrawal, { path: [withdrawalId] }, options);
  }

  /**
   * Withdraw money from a balance. It is paid to your settlement instruction for the currency, in the house's next payment file. Needs an `Idempotency-Key`.
   *
   * `POST /v1/customer/balances/withdrawals`. Needs the scope `withdrawals:write`.
   */
  withdraw(body: calls.CreateWithdrawalBody, options?: KeyedOptions): Call<types.Withdrawal> {
    return this.invoke(specs.createWithdrawal, { body }, options);
  }

  /**
   * Read your balances. Money that you hold with the house to pay for trades.
   *
   * `GET /v1/customer/balances`. Needs the scope `transactions:read`.
   */
  get(options?: CallOptions): Call<types.Balances> {
    return this.invoke(specs.getBalances, {}, options);
  }

  /**
   * Read one of your withdrawals. `paid`, `failed` and `cancelled` are reported as events too; a paid withdrawal can still fail if the bank returns it.
   *
   * `GET /v1/customer/balances/withdrawals/{withdrawalId}`. Needs the scope `transactions:read`.
   */
  getWithdrawal(withdrawalId: string, options?: CallOptions): Call<types.Withdrawal> {
    return this.invoke(specs.getWithdrawal, { path: [withdrawalId] }, options);
  }

  /**
   * List your withdrawals, newest first. Includes those that operators made for you.
   *
   * `GET /v1/customer/balances/withdrawals`. Needs the scope `transactions:read`.
   */
  listWithdrawals(query?: calls.ListWithdrawalsQuery, options?: CallOptions): List<types.Withdrawal> {
    return this.pages(specs.listWithdrawals, { query }, options);
  }
}

/** `deposits` of a client. */
export class DepositsOperations extends Operations {
  /**
   * Read one of your deposits. Of a payment for several customers you see only your part, without its remittance text. A deposit of somebody else is 404.
   *
   * `GET /v1/customer/deposits/{depositId}`. Needs the scope `transactions:read`.
   */
  get(depositId: string, options?: CallOptions): Call<types.OwnDeposit> {
    return this.invoke(specs.getOwnDeposit, { path: [depositId] }, options);
  }

  /**
   * List your deposits and what became of them, newest first. Lists a deposit once it is known to come from you or to pay one of your transactions.
   *
   * `GET /v1/customer/deposits`. Needs the scope `transactions:read`.
   */
  list(query?: calls.ListOwnDepositsQuery, options?: CallOptions): List<types.OwnDeposit> {
    return this.pages(specs.listOwnDeposits, { query }, options);
  }
}

/** `accounts` of a client. */
export class AccountsOperations extends Operations {
  /**
   * List the accounts that you are paid to, newest first. Your operator sets them. Each transaction keeps the account that it was executed with.
   *
   * `GET /v1/customer/accounts`. Needs the scope `transactions:read`.
   */
  list(query?: calls.ListOwnAccountsQuery, options?: CallOptions): List<types.OwnAccount> {
    return this.pages(specs.listOwnAccounts, { query }, options);
  }
}

/** `webhooks` of a client. */
export class WebhooksOperations extends Operations {
  /**
   * Create a webhook. From now on events are sent to it, signed as in Standard Webhooks. Only this response shows the secret.
   *
   * `POST /v1/customer/webhooks`. Needs the scope `webhooks:manage`.
   */
  create(body: calls.CreateWebhookBody, options?: KeyedOptions): Call<types.WebhookWithSecret> {
    return this.invoke(specs.createWebhook, { body }, options);
  }

  /**
   * List webhooks, newest first. Includes disabled ones. Secrets are not shown.
   *
   * `GET /v1/customer/webhooks`. Needs the scope `webhooks:manage`.
   */
  list(query?: calls.ListWebhooksQuery, options?: CallOptions): List<types.Webhook> {
    return this.pages(specs.listWebhooks, { query }, options);
  }

  /**
   * Read a webhook. `disabledReason` says why nothing is sent to it. Its secret is not shown.
   *
   * `GET /v1/customer/webhooks/{webhookId}`. Needs the scope `webhooks:manage`.
   */
  get(webhookId: string, options?: CallOptions): Call<types.Webhook> {
    return this.invoke(specs.getWebhook, { path: [webhookId] }, options);
  }

  /**
   * Change a webhook. A webhook that is enabled again continues where it stopped, with the events since.
   *
   * `PATCH /v1/customer/webhooks/{webhookId}`. Needs the scope `webhooks:manage`.
   */
  update(webhookId: string, body: calls.UpdateWebhookBody, options?: MatchedOptions): Call<types.Webhook> {
    return this.invoke(specs.updateWebhook, { path: [webhookId], body }, options);
  }

  /**
   * Delete a webhook. Nothing more is sent, not even retries. To pause it, set its `status` to `disabled` instead.
   *
   * `DELETE /v1/customer/webhooks/{webhookId}`. Needs the scope `webhooks:manage`.
   */
  delete(webhookId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.deleteWebhook, { path: [webhookId] }, options);
  }

  /**
   * Replace the secret of a webhook. Both secrets sign for a while, so that receivers can switch over.
   *
   * `POST /v1/customer/webhooks/{webhookId}/rotate-secret`. Needs the scope `webhooks:manage`.
   */
  rotateSecret(
    webhookId: string,
    body?: calls.RotateWebhookSecretBody,
    options?: KeyedOptions,
  ): Call<types.WebhookWithSecret> {
    return this.invoke(specs.rotateWebhookSecret, { path: [webhookId], body }, options);
  }

  /**
   * Send a test event. Sends one `webhook.test` at once and returns the outcome.
   *
   * `POST /v1/customer/webhooks/{webhookId}/test`. Needs the scope `webhooks:manage`.
   */
  test(webhookId: string, options?: CallOptions): Call<types.WebhookDelivery> {
    return this.invoke(specs.testWebhook, { path: [webhookId] }, options);
  }

  /**
   * List deliveries, newest event first. Kept as long as the events: 30 days.
   *
   * `GET /v1/customer/webhooks/{webhookId}/deliveries`. Needs the scope `webhooks:manage`.
   */
  listDeliveries(
    webhookId: string,
    query?: calls.ListWebhookDeliveriesQuery,
    options?: CallOptions,
  ): List<types.WebhookDelivery> {
    return this.pages(specs.listWebhookDeliveries, { path: [webhookId], query }, options);
  }

  /**
   * Send an event again. Whether it was delivered or not, with a new series of attempts. Only events that were sent to this webhook before.
   *
   * `POST /v1/customer/webhooks/{webhookId}/deliveries/{eventId}/replay`. Needs the scope `webhooks:manage`.
   */
  replayDelivery(webhookId: string, eventId: string, options?: CallOptions): Call<types.WebhookDelivery> {
    return this.invoke(specs.replayWebhookDelivery, { path: [webhookId, eventId] }, options);
  }

  /**
   * Send the events of a period again, or those that failed. Up to 1,000 events in a call. Without `status`, also events that were never sent, such as those before the webhook was created.
   *
   * `POST /v1/customer/webhooks/{webhookId}/replay`. Needs the scope `webhooks:manage`.
   */
  replay(
    webhookId: string,
    query?: calls.ReplayWebhookQuery,
    options?: CallOptions,
  ): Call<types.WebhookReplay> {
    return this.invoke(specs.replayWebhook, { path: [webhookId], query }, options);
  }
}

/** `limits` of a client. */
export class LimitsOperations extends Operations {
  /**
   * Read your limits and how much of them is used. In US dollars at the mid. Quotes reserve nothing: what counts is the usage when you execute.
   *
   * `GET /v1/customer/limits`. Needs the scope `transactions:read`.
   */
  get(options?: CallOptions): Call<types.OwnLimits> {
    return this.invoke(specs.getOwnLimits, {}, options);
  }
}

/** `credentials` of a client. */
export class CredentialsOperations extends Operations {
  /**
   * Create an OAuth client of your own. Only this response shows the secret.
   *
   * `POST /v1/customer/credentials`. Needs the scope `credentials:write`.
   */
  create(body: calls.CreateOwnCredentialBody, options?: KeyedOptions): Call<types.CreatedCredential> {
    return this.invoke(specs.createOwnCredential, { body }, options);
  }

  /**
   * List your OAuth clients. Secrets are not shown.
   *
   * `GET /v1/customer/credentials`. Needs the scope `credentials:write`.
   */
  list(options?: CallOptions): Call<calls.ListOwnCredentialsAnswer> {
    return this.invoke(specs.listOwnCredentials, {}, options);
  }

  /**
   * Change an OAuth client of your own. Omitted members keep their values. Removed rights end at once; added ones apply to new tokens.
   *
   * `PATCH /v1/customer/credentials/{clientId}`. Needs the scope `credentials:write`.
   */
  update(
    clientId: string,
    body: calls.UpdateOwnCredentialBody,
    options?: CallOptions,
  ): Call<types.Credential> {
    return this.invoke(specs.updateOwnCredential, { path: [clientId], body }, options);
  }

  /**
   * Revoke an OAuth client of your own. Ends it for good, with its secrets, keys and tokens.
   *
   * `DELETE /v1/customer/credentials/{clientId}`. Needs the scope `credentials:write`.
   */
  revoke(clientId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.revokeOwnCredential, { path: [clientId] }, options);
  }

  /**
   * Add a second secret to an OAuth client of your own. Lets you replace the first without an outage.
   *
   * `POST /v1/customer/credentials/{clientId}/secrets`. Needs the scope `credentials:write`.
   */
  addSecret(
    clientId: string,
    body?: calls.AddOwnCredentialSecretBody,
    options?: KeyedOptions,
  ): Call<types.CreatedClientSecret> {
    return this.invoke(specs.addOwnCredentialSecret, { path: [clientId], body }, options);
  }

  /**
   * Revoke a secret of an OAuth client of your own. Tokens issued with it stay valid until they expire or you revoke them.
   *
   * `DELETE /v1/customer/credentials/{clientId}/secrets/{secretId}`. Needs the scope `credentials:write`.
   */
  revokeSecret(clientId: string, secretId: string, options?: CallOptions): Call<void> {
    return this.invoke(specs.revokeOwnCredentialSecret, { path: [clientId, secretId] }, options);
  }

  /**
   * Set the public keys of an OAuth client of your own. Used for `private_key_jwt`.
   *
   * `PUT /v1/customer/credentials/{clientId}/keys`. Needs the scope `credentials:write`.
   */
  setKeys(clientId: string, body: types.ClientKeys, options?: CallOptions): Call<types.Credential> {
    return this.invoke(specs.setOwnCredentialKeys, { path: [clientId], body }, options);
  }

  /**
   * Set the IP allow-list of an OAuth client of your own. Replaces the list. Takes effect on every instance within 5 seconds, also for tokens already issued.
   *
   * `PUT /v1/customer/credentials/{clientId}/ip-allow-list`. Needs the scope `credentials:write`.
   */
  setIpAllowList(
    clientId: string,
    body: calls.SetOwnCredentialIpAllowListBody,
    options?: CallOptions,
  ): Call<types.Credential> {
    return this.invoke(specs.setOwnCredentialIpAllowList, { path: [clientId], body }, options);
  }

  /**
   * Suspend an OAuth client of your own. Its tokens stop working at once.
   *
   * `POST /v1/customer/credentials/{clientId}/suspend`. Needs the scope `credentials:write`.
   */
  suspend(clientId: string, options?: CallOptions): Call<types.Credential> {
    return this.invoke(specs.suspendOwnCredential, { path: [clientId] }, options);
  }

  /**
   * Resume a suspended OAuth client of your own. Tokens neither revoked nor expired work again. What the operator has suspended, only the operator resumes.
   *
   * `POST /v1/customer/credentials/{clientId}/resume`. Needs the scope `credentials:write`.
   */
  resume(clientId: string, options?: CallOptions): Call<types.Credential> {
    return this.invoke(specs.resumeOwnCredential, { path: [clientId] }, options);
  }

  /**
   * Revoke the tokens of an OAuth client of your own. All those issued so far, or one. The client can still get new ones.
   *
   * `POST /v1/customer/credentials/{clientId}/revoke-tokens`. Needs the scope `credentials:write`.
   */
  revokeTokens(
    clientId: string,
    body?: calls.RevokeOwnCredentialTokensBody,
    options?: CallOptions,
  ): Call<void> {
    return this.invoke(specs.revokeOwnCredentialTokens, { path: [clientId], body }, options);
  }
}

/** `reference` of a client. */
export class ReferenceOperations extends Operations {
  /**
   * Explain why a pair settles when it does. At the current time, at `at`, or at the start of `tradeDate`; never for the past, when calendars may have differed.
   *
   * `GET /v1/customer/reference/value-dates`. Needs the scope `quotes:read`.
   */
  valueDates(query?: calls.ExplainValueDatesQuery, options?: CallOptions): Call<types.ValueDateExplanation> {
    return this.invoke(specs.explainValueDates, { query }, options);
  }

  /**
   * Read how quotes are made and executed. The disclosures that the FX Global Code asks for, as the service applies them.
   *
   * `GET /v1/customer/reference/execution-policy`. Needs the scope `quotes:read`.
   */
  executionPolicy(options?: CallOptions): Call<types.ExecutionPolicy> {
    return this.invoke(specs.getExecutionPolicy, {}, options);
  }

  /**
   * Read whether the market is open. With the current trade date, and pairs that cannot be traded although the market is open.
   *
   * `GET /v1/customer/reference/market-status`. Needs the scope `quotes:read`.
   */
  marketStatus(options?: CallOptions): Call<types.MarketStatus> {
    return this.invoke(specs.getMarketStatus, {}, options);
  }

  /**
   * List the currencies. Includes withdrawn ones.
   *
   * `GET /v1/customer/reference/currencies`. Needs the scope `quotes:read`.
   */
  currencies(options?: CallOptions): Call<calls.ListCurrenciesAnswer> {
    return this.invoke(specs.listCurrencies, {}, options);
  }

  /**
   * List the pairs and what you may trade. By code, as they are for you now: the dates that can be priced, the directions you may trade and what blocks the others, amounts, and whether a firm quote is possible.
   *
   * `GET /v1/customer/reference/pairs`. Needs the scope `quotes:read`.
   */
  pairs(query?: calls.ListPairsQuery, options?: CallOptions): List<types.Pair> {
    return this.pages(specs.listPairs, { query }, options);
  }
}

/** `service` of a client. */
export class ServiceOperations extends Operations {
  /**
   * List the error codes. With the status of each, whether repeating helps (`retry`), and what to do.
   *
   * `GET /v1/problems`.
   */
  problems(options?: CallOptions): Call<calls.ListErrorCodesAnswer> {
    return this.invoke(specs.listErrorCodes, {}, options);
  }

  /**
   * Check that the process is alive. Checks nothing else: neither the database nor prices. Restart a process that does not answer.
   *
   * `GET /healthz`.
   */
  liveness(options?: CallOptions): Call<calls.GetLivenessAnswer> {
    return this.invoke(specs.getLiveness, {}, options);
  }

  /**
   * Check that the service can price. For alarms. Without prices, everything but quoting works.
   *
   * `GET /readyz/prices`.
   */
  pricingReadiness(options?: CallOptions): Call<types.PricingReadiness> {
    return this.invoke(specs.getPricingReadiness, {}, options);
  }

  /**
   * Check that the service is ready. For load balancers. Prices are not checked: see `/readyz/prices`.
   *
   * `GET /readyz`.
   */
  readiness(options?: CallOptions): Call<types.Readiness> {
    return this.invoke(specs.getReadiness, {}, options);
  }

  /**
   * Get an access token. Client credentials grant. A token lasts 24 hours: reuse it, and get the next one 300 seconds before it expires. Clients may also authenticate with HTTP Basic or `private_key_jwt`.
   *
   * `POST /oauth/token`.
   */
  createToken(body: types.TokenRequest, options?: CallOptions): Call<types.Token> {
    return this.invoke(specs.createToken, { body }, options);
  }

  /**
   * Read the metadata of the authorization server (RFC 8414). Libraries configure themselves with it. Only client credentials are supported, so it names no authorization endpoint.
   *
   * `GET /.well-known/oauth-authorization-server`.
   */
  authorizationServer(options?: CallOptions): Call<types.AuthorizationServerMetadata> {
    return this.invoke(specs.getAuthorizationServerMetadata, {}, options);
  }

  /**
   * Read the public keys of the service. They verify access tokens (ES256) and signed terms (EdDSA).
   *
   * `GET /.well-known/jwks.json`.
   */
  jwks(options?: CallOptions): Call<types.JsonWebKeySet> {
    return this.invoke(specs.getJwks, {}, options);
  }

  /**
   * Check whether an access token is valid (RFC 7662). For gateways: needs an operator client with the scope `operator:introspection`. For an invalid token the response contains only `active`, whatever the reason.
   *
   * `POST /oauth/introspect`.
   */
  introspectToken(body: types.TokenQuestion, options?: CallOptions): Call<types.Introspection> {
    return this.invoke(specs.introspectToken, { body }, options);
  }

  /**
   * Revoke an access token (RFC 7009). You can revoke only your own tokens. They stop at once on this instance, and within 5 seconds on all. Unknown or expired tokens also get 200.
   *
   * `POST /oauth/revoke`.
   */
  revokeToken(body: types.TokenQuestion, options?: CallOptions): Call<void> {
    return this.invoke(specs.revokeToken, { body }, options);
  }
}

/** `statements` of a client. */
export class StatementsOperations extends Operations {
  /**
   * Read the statement of a period. Shows trades, payments in and out, balances and debts, by currency.
   *
   * `GET /v1/customer/statements`. Needs the scope `transactions:read`.
   */
  get<Q extends calls.GetStatementQuery>(
    query: Q,
    options?: CallOptions,
  ): Call<
    Q extends { readonly format: Exclude<calls.GetStatementQuery['format'], 'json' | undefined> }
      ? Download
      : types.CustomerStatement
  > {
    return this.invoke(specs.getStatement, { query }, options);
  }
}
