import { Call } from './call.ts';
import type { ServerClock } from './clock.ts';
import { Connection } from './connection.ts';
import { ServiceOperations } from './generated/operations.ts';
import type { StreamMarketPricesQuery } from './generated/operator-call-types.ts';
import { OperatorOperations } from './generated/operator-operations.ts';
import { streamMarketPrices } from './generated/operator-specs.ts';
import { type Input, type OperationSpec, Operations } from './operations.ts';
import type { AnyOptions, ClientOptions } from './options.ts';
import type { PriceUpdate, StreamOptions } from './prices.ts';

export type * from './generated/operator-call-types.ts';
export { OPERATOR_OPERATIONS } from './generated/operator-specs.ts';
export type * from './generated/operator-types.ts';

/**
 * What operators can do: one method for each operation, with its name. Needs the credentials of an operator's client; in
 * production also its own `audience`.
 */
export class FirmquoteOperator extends OperatorOperations {
  /** What needs no token: health, error codes, keys. */
  readonly service: ServiceOperations;
  /** The service's clock. */
  readonly clock: ServerClock;

  constructor(options: ClientOptions = {}) {
    const connection = new Connection(options);
    super(connection);
    this.service = new ServiceOperations(connection);
    this.clock = connection.clock;
  }

  /**
   * Sends any request, also one that this version has no method for. Token, key, retries and errors work as in every call; your
   * description of the operation decides what is retried.
   */
  request<T>(operation: OperationSpec, input: Input = {}, options: AnyOptions = {}): Call<T> {
    return new Call(Operations.connectionOf(this).send<T>(operation, input, options));
  }

  /**
   * The market's prices, without spread, for as long as you read them. The stream reopens by itself when it breaks, falls silent or
   * loses prices; then every pair is sent again at its current price.
   *
   * `GET /v1/operator/prices/stream`. Needs the scope `operator:pricing:read`.
   * @throws ApiError when reopening cannot help
   */
  async *streamMarketPrices(
    query: StreamMarketPricesQuery,
    options: StreamOptions = {},
  ): AsyncGenerator<PriceUpdate, void, undefined> {
    const { PriceStreams } = await import('./price-stream.ts');
    const streams = new PriceStreams(Operations.connectionOf(this));
    yield* streams.follow<PriceUpdate>(streamMarketPrices, { query }, options);
  }

  /** The current token, for requests made outside of this client. It is a secret. */
  async accessToken(): Promise<string | undefined> {
    return Operations.connectionOf(this).tokens?.get();
  }
}
