import type { Problem, Quote, Transaction } from './generated/types.ts';

/** What can help, according to the service: see `docs/reference/problems.md`. */
export type Retry = 'none' | 'after_fix' | 'same_request' | 'new_quote' | 'later';

/** What is known about a failed call. None of it is secret. */
export interface CallFacts {
  /** `quotes.execute` is `executeQuote` here. */
  readonly operation?: string | undefined;
  /** The request's id, as in the service's logs. */
  readonly requestId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** How often the request was sent. */
  readonly attempts?: number | undefined;
}

interface ErrorFacts extends CallFacts {
  readonly code: string;
  readonly nextStep: string;
  readonly retryable?: boolean;
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** Every error of this package. It holds no header, no body and no secret: log it as it is. */
export class FirmquoteError extends Error {
  override name = 'FirmquoteError';
  /** Stable: programs can rely on it. */
  readonly code: string;
  /** What to do now, for people. */
  readonly nextStep: string;
  /** Whether the same call may succeed if it is made again later. */
  readonly retryable: boolean;
  /** How long the service, or a proxy in its place, asks to wait, ms. */
  readonly retryAfterMs: number | undefined;
  readonly operation: string | undefined;
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.nextStep = facts.nextStep;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs;
    this.operation = facts.operation;
    this.requestId = facts.requestId;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts ?? 0;
  }

  toJSON(): object {
    return { ...this, name: this.name, message: this.message };
  }
}

/** The client's configuration cannot work; nothing was sent. */
export class ConfigurationError extends FirmquoteError {
  override name = 'ConfigurationError';
}

/** No answer came: unreachable, reset, or cut off. */
export class ConnectionError extends FirmquoteError {
  override name = 'ConnectionError';
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

/** Your `signal` ended the call. */
export class CancelledError extends FirmquoteError {
  override name = 'CancelledError';
}

/** The answer is not one of the service: HTML of a proxy, half a body, or too large. */
export class UnexpectedAnswerError extends FirmquoteError {
  override name = 'UnexpectedAnswerError';
  readonly status: number;

  constructor(message: string, facts: ErrorFacts & { readonly status: number }) {
    super(message, facts);
    this.status = facts.status;
  }
}

/** How an {@link OutcomeUnknownError} may find out. */
export interface ResolveOptions {
  /**
   * Cancels the quote if it is still open, so that the answer is certain at once: it was traded, or never will be. Without it
   * the answer may have to wait until the quote expires.
   */
  readonly cancelIfOpen?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * A write was sent and its answer was lost: it may have happened. Never repeat it with another key. `resolve()` finds out.
 */
export class OutcomeUnknownError<T = unknown> extends FirmquoteError {
  override name = 'OutcomeUnknownError';
  readonly #resolve: ((options: ResolveOptions) => Promise<T | null>) | undefined;

  constructor(
    message: string,
    facts: Omit<ErrorFacts, 'code'>,
    resolve?: (options: ResolveOptions) => Promise<T | null>,
  ) {
    super(message, { ...facts, code: 'outcome_unknown', retryable: true });
    this.#resolve = resolve;
  }

  /** Whether `resolve()` can find out; if not, read the resource, or repeat the call with `idempotencyKey`. */
  get canResolve(): boolean {
    return this.#resolve !== undefined;
  }

  /**
   * Finds out, and never does it: a write is asked for under its key only where nothing can come of it any more.
   * @returns the result of the write, or null if it did not happen and cannot happen any more
   * @throws OutcomeUnknownError while that is uncertain, and whatever reading itself can throw
   */
  async resolve(options: ResolveOptions = {}): Promise<T | null> {
    if (this.#resolve === undefined) throw this;
    return this.#resolve(options);
  }
}

/** A new quote is worse than you permit. It is open: execute it, or let it expire. */
export class PriceMovedError extends FirmquoteError {
  override name = 'PriceMovedError';
  readonly quote: Quote;
  /** By how much its amount is worse than that of the first quote: `12.34`. */
  readonly worseBps: string;

  constructor(quote: Quote, worseBps: string, cause: unknown) {
    super(`The new quote is ${worseBps} basis points worse.`, {
      ...{ code: 'price_moved', cause },
      nextStep: 'Decide: execute error.quote, or let it expire.',
    });
    this.quote = quote;
    this.worseBps = worseBps;
  }
}

/** A field that is wrong. */
export interface FieldError {
  /** JSON pointer: `/amount`, `/query/limit`, `/header/If-Match`. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** The service refused: an RFC 9457 problem, or an OAuth error of the token endpoint. */
export class ApiError extends FirmquoteError {
  override name = 'ApiError';
  readonly status: number;
  readonly retry: Retry;
  readonly title: string;
  readonly detail: string;
  /** Page about the code, with what to do about it. */
  readonly docUrl: string;
  /** Everything that is wrong with the request's fields. */
  readonly errors: readonly FieldError[];
  /** Further members of the problem, such as `limit` or `nextValueDate`. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(problem: Problem, facts: ErrorFacts) {
    super(problem.detail || problem.title, facts);
    const {
      type,
      title,
      status,
      detail,
      instance: _,
      code: __,
      retry,
      requestId: ___,
      errors,
      ...rest
    } = problem;
    this.status = status;
    this.retry = retry as Retry;
    this.title = title;
    this.detail = detail;
    this.docUrl = type;
    this.errors = errors ?? [];
    this.members = rest;
  }

  /** Fields by their names: `amount` for `/amount`. */
  get fields(): readonly string[] {
    return this.errors.map(({ pointer }) => pointer.slice(1).replaceAll('/', '.'));
  }

  /** A member of the problem as text. */
  protected text(name: string): string | undefined {
    const value = this.members[name];
    return typeof value === 'string' ? value : undefined;
  }
}

/** The request is wrong and must be changed. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}
/** Credentials or token are not accepted. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}
/** You are known, but may not do this. */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
  get requiredScope(): string | undefined {
    return this.text('requiredScope');
  }
}
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
/** The current state does not allow it. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** What was read has changed since, or must be read first. */
export class VersionMismatchError extends ConflictError {
  override name = 'VersionMismatchError';
}
/** The key was used for something else, or is not valid. */
export class IdempotencyError extends ConflictError {
  override name = 'IdempotencyError';
}
/** The quote has ended: expired, cancelled or withdrawn. Ask for a new one. */
export class QuoteEndedError extends ConflictError {
  override name = 'QuoteEndedError';
  /** The body that asks for the same again: `quotes.create(error.requote)`. */
  get requote(): { readonly requoteOf: string } | undefined {
    return this.members.requote as { readonly requoteOf: string } | undefined;
  }
}
export class QuoteExpiredError extends QuoteEndedError {
  override name = 'QuoteExpiredError';
  get expiresAt(): string | undefined {
    return this.text('expiresAt');
  }
}
export class QuoteAlreadyExecutedError extends ConflictError {
  override name = 'QuoteAlreadyExecutedError';
  /** The transaction that the quote became. */
  get transactionId(): string | undefined {
    return this.text('transactionId');
  }
}
/** The quote's amounts are not those that you expected; it stays open. */
export class TermsMismatchError extends ConflictError {
  override name = 'TermsMismatchError';
}
export class LimitExceededError extends ApiError {
  override name = 'LimitExceededError';
  get limitType(): string | undefined {
    return this.text('limitType');
  }
  get resetsAt(): string | undefined {
    return this.text('resetsAt');
  }
}
export class MarketClosedError extends ApiError {
  override name = 'MarketClosedError';
  get reason(): string | undefined {
    return this.text('reason');
  }
  get reopensAt(): string | undefined {
    return this.text('reopensAt');
  }
}
/** There is no price good enough for a firm quote just now. */
export class PriceUnavailableError extends ApiError {
  override name = 'PriceUnavailableError';
}
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}
/** The service failed, is overloaded, or is not available. */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

/** The transaction can no longer reach the status that you wait for. */
export class StatusUnreachableError extends FirmquoteError {
  override name = 'StatusUnreachableError';
  readonly transaction: Transaction;

  constructor(transaction: Transaction, wanted: readonly string[]) {
    const { status, statusReason } = transaction;
    super(
      `The transaction is ${status}${statusReason === null ? '' : ` (${statusReason})`} and cannot become ${wanted.join(' or ')}.`,
      {
        code: 'status_unreachable',
        nextStep: 'See statusReason and timeline, or ask the operator.',
      },
    );
    this.transaction = transaction;
  }
}
