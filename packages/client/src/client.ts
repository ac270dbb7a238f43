import { Call } from './call.ts';
import type { ServerClock } from './clock.ts';
import { Connection } from './connection.ts';
import { Events } from './events.ts';
import * as generated from './generated/operations.ts';
import type { Input, OperationSpec } from './operations.ts';
import type { AnyOptions, ClientOptions, SharedOptions } from './options.ts';
import { Prices } from './prices.ts';
import { Quotes } from './quotes.ts';
import { Transactions } from './transactions.ts';
import { Validity } from './validity.ts';

/**
 * A customer's client. Create one and keep it: it holds the token, which is valid for a day, and knows the service's clock.
 *
 * @example
 * const firmquote = new Firmquote({ baseUrl, clientId, clientSecret });
 * const quote = await firmquote.quotes.create({ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' });
 * const transaction = await firmquote.quotes.execute(quote);
 * @throws ConfigurationError when the options cannot work
 */
export class Firmquote {
  readonly quotes: Quotes;
  readonly prices: Prices;
  readonly transactions: Transactions;
  readonly events: Events;
  readonly balances: generated.BalancesOperations;
  readonly webhooks: generated.WebhooksOperations;
  readonly deposits: generated.DepositsOperations;
  readonly accounts: generated.AccountsOperations;
  readonly limits: generated.LimitsOperations;
  /** Your own OAuth clients. */
  readonly credentials: generated.CredentialsOperations;
  readonly reference: generated.ReferenceOperations;
  readonly statements: generated.StatementsOperations;
  /** What needs no token: health, error codes, keys. */
  readonly service: generated.ServiceOperations;
  /** The service's clock. */
  readonly clock: ServerClock;
  readonly #connection: Connection;

  constructor(options: ClientOptions = {}) {
    const connection = options instanceof Connection ? options : new Connection(options);
    this.#connection = connection;
    this.clock = connection.clock;
    this.quotes = new Quotes(connection, new Validity(connection.settings.runtime, connection.clock));
    this.prices = new Prices(connection);
    this.transactions = new Transactions(connection);
    this.events = new Events(connection);
    this.balances = new generated.BalancesOperations(connection);
    this.webhooks = new generated.WebhooksOperations(connection);
    this.deposits = new generated.DepositsOperations(connection);
    this.accounts = new generated.AccountsOperations(connection);
    this.credentials = new generated.CredentialsOperations(connection);
    this.limits = new generated.LimitsOperations(connection);
    this.reference = new generated.ReferenceOperations(connection);
    this.statements = new generated.StatementsOperations(connection);
    this.service = new generated.ServiceOperations(connection);
  }

  /**
   * A client with these options changed, which shares the token and the clock.
   * @example const patient = firmquote.withOptions({ timeoutMs: 60_000, maxRetries: 5 });
   */
  withOptions(options: SharedOptions): Firmquote {
    const connection: object = new Connection(this.#connection, options);
    return new Firmquote(connection);
  }

  /**
   * Sends any request, also one that this version has no method for. Token, key, retries and errors work as in every call; your
   * description of the operation decides what is retried.
   * @example client.request({ id: 'new', method: 'GET', path: '/v1/customer/news/{newsId}' }, { path: [newsId] })
   */
  request<T>(operation: OperationSpec, input: Input = {}, options: AnyOptions = {}): Call<T> {
    return new Call(this.#connection.send<T>(operation, input, options));
  }

  /** The current token, for requests made outside of this client. It is a secret. */
  async accessToken(): Promise<string | undefined> {
    return this.#connection.tokens?.get();
  }
}
