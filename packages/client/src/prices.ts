import type { Connection } from './connection.ts';
import type { StreamPricesQuery } from './generated/call-types.ts';
import { getIndicativePrice, streamPrices } from './generated/specs.ts';
import type { IndicativeEvent, IndicativeRequest, PriceStreamEvent } from './generated/types.ts';
import type { Input, OperationSpec } from './operations.ts';
import type { PriceSocket, SocketOptions } from './socket.ts';

/** What the client itself says in a stream. */
export type StreamNotice =
  /** Nothing has come for a while: do not deal on these prices until the next event. */
  | { readonly event: 'stale'; readonly data: { readonly silentMs: number } }
  /** Prices were lost on the way; the stream is reopened, which sends them all. */
  | { readonly event: 'gap'; readonly data: { readonly lastId: string } }
  /** The stream has ended and is reopened after the pause. */
  | { readonly event: 'reconnect'; readonly data: { readonly reason: string; readonly pauseMs: number } };

export type PriceUpdate = Exclude<PriceStreamEvent, { readonly event: 'bye' }> | StreamNotice;
export type IndicativeUpdate = Exclude<IndicativeEvent, { readonly event: 'bye' }> | StreamNotice;

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** Id of the last price that you have seen, from before a restart. */
  readonly lastEventId?: string | undefined;
  /** Default: 10,000. */
  readonly staleAfterMs?: number | undefined;
  /** Default: 15,000. */
  readonly lostAfterMs?: number | undefined;
}

/** Streams of live prices. */
export class Prices {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Your live prices, spread included, for as long as you read them. The stream reopens by itself when it breaks, falls silent or loses
   * prices; then every pair is sent again at its current price. A slow reader gets only the newest price of each pair.
   *
   * `GET /v1/customer/prices/stream`. Needs the scope `quotes:read`.
   * @throws ApiError when reopening cannot help
   */
  stream(
    query: StreamPricesQuery,
    options: StreamOptions = {},
  ): AsyncGenerator<PriceUpdate, void, undefined> {
    return this.#follow<PriceUpdate>(streamPrices, { query }, options);
  }

  /** One indicative price whenever it changes: the stream of `quotes.indicative`. */
  streamIndicative(
    request: IndicativeRequest,
    options: StreamOptions = {},
  ): AsyncGenerator<IndicativeUpdate, void, undefined> {
    return this.#follow<IndicativeUpdate>(getIndicativePrice, { body: request }, options);
  }

  /**
   * A connection whose pairs can be changed while it is open. Not for browsers, which cannot send a token with a WebSocket.
   *
   * `GET /v1/customer/prices/ws`. Needs the scope `quotes:read`.
   */
  async socket(options: SocketOptions = {}): Promise<PriceSocket> {
    const { PriceSocket } = await import('./socket.ts');
    return PriceSocket.open(this.#connection, options);
  }

  /** What reads streams is loaded by those who do. */
  async *#follow<T>(
    spec: OperationSpec,
    input: Input,
    options: StreamOptions,
  ): AsyncGenerator<T, void, undefined> {
    const { PriceStreams } = await import('./price-stream.ts');
    yield* new PriceStreams(this.#connection).follow<T>(spec, input, options);
  }
}
