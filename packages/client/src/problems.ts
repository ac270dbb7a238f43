import * as errors from './errors.ts';
import type { Problem } from './generated/types.ts';

type ErrorClass = new (...given: ConstructorParameters<typeof errors.ApiError>) => errors.ApiError;

/** By meaning, where a code has one of its own. */
const CLASSES: Readonly<Record<string, ErrorClass>> = {
  quote_expired: errors.QuoteExpiredError,
  quote_cancelled: errors.QuoteEndedError,
  quote_withdrawn: errors.QuoteEndedError,
  quote_already_executed: errors.QuoteAlreadyExecutedError,
  quote_terms_mismatch: errors.TermsMismatchError,
  version_mismatch: errors.VersionMismatchError,
  precondition_required: errors.VersionMismatchError,
  idempotency_key_reused: errors.IdempotencyError,
  idempotency_key_invalid: errors.IdempotencyError,
  idempotency_key_required: errors.IdempotencyError,
  request_in_progress: errors.IdempotencyError,
  limit_exceeded: errors.LimitExceededError,
  too_many_open_quotes: errors.LimitExceededError,
  market_closed: errors.MarketClosedError,
  price_unavailable: errors.PriceUnavailableError,
  // Of the token endpoint, with 400.
  invalid_target: errors.AuthenticationError,
  invalid_scope: errors.AuthenticationError,
};

/** Of codes that nobody knew when this was written. */
function classOf(status: number): ErrorClass {
  if (status >= 500) return errors.ServerError;
  switch (status) {
    case 401:
      return errors.AuthenticationError;
    case 403:
      return errors.PermissionError;
    case 404:
      return errors.NotFoundError;
    case 409:
      return errors.ConflictError;
    case 412:
    case 428:
      return errors.VersionMismatchError;
    case 429:
      return errors.RateLimitError;
    default:
      return errors.InvalidRequestError;
  }
}

const NEXT_STEPS: Readonly<Record<errors.Retry, string>> = {
  none: 'Repeating the request cannot help; see docUrl.',
  after_fix: 'Change the request; see docUrl.',
  same_request: 'Make the same call again, with the same idempotencyKey.',
  new_quote: 'Ask for a new quote: quotes.create(error.requote).',
  later: 'Make the call again later.',
};

const WRONG_CREDENTIALS = 'Check clientId, clientSecret (or privateKey), audience and scope.';

/** The error for a problem, also for one with a code that nobody knew when this was written. */
export function problemError(problem: Problem, retryAfterMs?: number): errors.ApiError {
  const { code, status } = problem;
  const retry = problem.retry as errors.Retry;
  const Class = CLASSES[code] ?? classOf(status);
  const isAuthentication = Class === errors.AuthenticationError;
  return new Class(problem, {
    code,
    retryAfterMs,
    retryable: retry === 'same_request' || retry === 'later',
    nextStep: isAuthentication ? WRONG_CREDENTIALS : (NEXT_STEPS[retry] ?? NEXT_STEPS.none),
    requestId: problem.requestId,
  });
}

/**
 * A problem of what an error answer holds; undefined where it is neither a problem nor an OAuth error. What stands between answers in
 * JSON too, say that it has waited too long: only what says by `retry` what can help is the service's word for what was done.
 * @param isOAuth the token endpoint was asked, which answers in the words of OAuth
 */
export function problemOf(body: unknown, status: number, isOAuth: boolean): Problem | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const given = body as Partial<Problem> & { readonly error?: unknown; readonly error_description?: unknown };
  if (typeof given.code === 'string' && typeof given.retry === 'string') {
    return { ...blank(given.code, status), ...given, status, code: given.code, errors: given.errors ?? [] };
  }
  // A gateway may look at tokens and rates itself; it refuses so before it hands anything on.
  if (typeof given.error !== 'string' || !(isOAuth || /401|403|429/.test(`${status}`))) return undefined;
  const detail = typeof given.error_description === 'string' ? given.error_description : given.error;
  const isTransient = status === 429 || status >= 500;
  return { ...blank(given.error, status), detail, retry: isTransient ? 'later' : 'after_fix' };
}

/** A problem that the client finds itself, in the words of the service. */
export function blank(code: string, status: number): Problem {
  return {
    type: '',
    title: code.replaceAll('_', ' '),
    status,
    detail: '',
    instance: '',
    code,
    retry: 'none',
    requestId: undefined as unknown as string,
  };
}
