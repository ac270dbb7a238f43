import { type Answer, Call } from './call.ts';
import type { Connection, SendOptions } from './connection.ts';
import { QuotesOperations } from './generated/operations.ts';
import { executeQuote, getQuote } from './generated/specs.ts';
import type { ExecuteRequest, Quote, Transaction } from './generated/types.ts';
import { said } from './headers.ts';
import type { Input, OperationSpec } from './operations.ts';
import type { CallOptions, KeyedOptions } from './options.ts';
import type { Validity } from './validity.ts';

/** No attempt begins with less time left: it would arrive too late. */
const LAST_ATTEMPT_BEFORE_MS = 250;
export interface ExecuteOptions extends KeyedOptions {
  readonly clientReference?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /**
   * What the quote's amounts must be; otherwise nothing happens. Default: those of the quote that you give; none where you give
   * its id.
   */
  readonly expect?: ExecuteRequest['expect'];
  /** Reads the quote first and executes that version only. Default: true. */
  readonly checkStatus?: boolean | undefined;
  /** Instead of the version that was read. */
  readonly ifMatch?: string | undefined;
}

export interface RequoteOptions extends ExecuteOptions {
  /** Basis points by which the amount of a new quote may be worse for you; `'2.5'` and 2.5 are the same. Default: 0. */
  readonly maxWorseBps?: number | string | undefined;
  /** New quotes at most. Default: 1. */
  readonly maxRequotes?: number | undefined;
}

/** Prices, firm quotes, and trading at them. */
export class Quotes extends QuotesOperations {
  readonly #connection: Connection;
  readonly #validity: Validity;

  constructor(connection: Connection, validity: Validity) {
    super(connection);
    this.#connection = connection;
    this.#validity = validity;
  }

  /**
   * Trades at the quoted price, exactly once. Reads the quote first and executes the version that was read; if you pass a quote, its
   * amounts must be unchanged. If an answer is lost, sends the same key again until shortly before the quote expires. With a key of
   * your own that was sent before, you get the first answer again.
   *
   * `POST /v1/customer/quotes/{quoteId}/execute`. Needs the scopes `trades:execute` and `quotes:read`.
   * @throws QuoteExpiredError, QuoteEndedError, QuoteAlreadyExecutedError, TermsMismatchError, LimitExceededError, MarketClosedError
   * @throws OutcomeUnknownError when the answer is lost: `resolve()` finds out
   */
  execute(quote: string | Quote, options: ExecuteOptions = {}): Call<Transaction> {
    return new Call(this.#execute(quote, options));
  }

  /**
   * Executes the quote; if it has ended, requests the same again and executes that, as long as its amount is no worse than
   * you permit. Made again under a key of your own, it is the same trade, of whichever quote that was.
   * @throws PriceMovedError with the new quote, if it is worse
   */
  executeOrRequote(quote: string | Quote, options: RequoteOptions = {}): Call<Transaction> {
    return new Call(this.#executeOrRequote(quote, options));
  }

  /**
   * Seconds until the quote expires, 0 afterwards, by the service's clock: this machine's may be wrong. It is never more than
   * the time really left, for a quote that came from this client.
   */
  secondsLeft(quote: Quote): number {
    return this.#validity.leftMs(quote) / 1_000;
  }

  protected override async send<T>(
    spec: OperationSpec,
    input: Input,
    options?: CallOptions,
  ): Promise<Answer<T>> {
    const answer = await super.send<T>(spec, input, options);
    this.#validity.note(answer);
    return answer;
  }

  async #execute(given: string | Quote, options: ExecuteOptions): Promise<Answer<Transaction>> {
    const { expect, clientReference, metadata, checkStatus, ...rest } = options;
    const quoteId = typeof given === 'string' ? given : given.quoteId;
    const terms = expect ?? (typeof given === 'string' ? undefined : amountsOf(given));
    let known = typeof given === 'string' ? undefined : given;
    let ifMatch = said(options, 'if-match', options.ifMatch);
    if (checkStatus !== false) {
      const { signal, timeoutMs, deadlineMs, maxRetries } = options;
      const own = { signal, timeoutMs, deadlineMs, maxRetries };
      const read = await this.send<Quote>(getQuote, { path: [quoteId] }, own);
      known = read.data;
      ifMatch ??= read.etag;
      // A key that you name may be one that was sent before: then the service alone knows its answer.
      const key = said(options, 'idempotency-key', options.idempotencyKey);
      if (known.status !== 'open' && key === undefined) {
        const { notOpen } = await import('./not-open.ts');
        throw notOpen(known);
      }
    }
    const leftMs = known === undefined ? undefined : this.#validity.leftMs(known);
    const { runtime } = this.#connection.settings;
    const input = { path: [quoteId] as const, body: { clientReference, metadata, expect: terms } };
    const sent: SendOptions = {
      ...rest,
      ifMatch,
      lastAttemptMs:
        leftMs === undefined ? undefined : runtime.monotonicMs() + leftMs - LAST_ATTEMPT_BEFORE_MS,
      resolve: async (resolving, facts) => {
        const { findOut } = await import('./outcome.ts');
        return findOut(this.#connection, [input, sent], resolving, facts);
      },
    };
    return this.#connection.send<Transaction>(executeQuote, input, sent);
  }

  async #executeOrRequote(given: string | Quote, options: RequoteOptions): Promise<Answer<Transaction>> {
    const { executeOrRequote } = await import('./requote.ts');
    return executeOrRequote(this, (quote, more) => this.#execute(quote, more), given, options);
  }
}

function amountsOf({ sellAmount, buyAmount }: Quote) {
  return { sellAmount, buyAmount };
}
