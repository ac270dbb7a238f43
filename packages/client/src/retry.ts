import { ApiError, type FirmquoteError } from './errors.ts';

const PAUSE_BASE_MS = 250;
const PAUSE_MAX_MS = 5_000;

/**
 * How long to wait before the next attempt; undefined where none helps. The service says by `retry` what can help: only where it says
 * so, or where no answer of it came, is anything sent again.
 * @param chance from 0 up to 1
 */
export function pauseBefore(error: FirmquoteError, retries: number, chance: number): number | undefined {
  if (!mayHelp(error)) return undefined;
  const jitter = chance * Math.min(PAUSE_MAX_MS, PAUSE_BASE_MS * 2 ** (retries + 1));
  const { retryAfterMs } = error;
  return retryAfterMs === undefined ? jitter : retryAfterMs + chance * PAUSE_BASE_MS;
}

function mayHelp(error: FirmquoteError): boolean {
  if (!(error instanceof ApiError)) return error.retryable;
  if (error.retry === 'same_request') return true;
  // Of what is said to help later, only what lasts for seconds: a market may stay closed for days.
  return error.retry === 'later' && (error.status === 429 || error.status === 503);
}

/** Whether the service says that this attempt has done nothing. Only `same_request` leaves that open. */
export function didNothing(error: FirmquoteError): boolean {
  return error instanceof ApiError && error.retry !== 'same_request';
}

/**
 * Whether the service has looked at the request itself: then it is also certain that no earlier attempt has done it. What is said of another
 * call, that for a token, decides nothing about this one.
 */
export function isDecided(error: FirmquoteError): boolean {
  if (!(error instanceof ApiError) || error.operation || !didNothing(error)) return false;
  const { status } = error;
  // Others are refused before anybody looks at what they are about.
  return status < 500 && status !== 401 && status !== 403 && status !== 408 && status !== 429;
}

/** Whether a fault that a call has ended with may be over when it is made again later. */
export function isPassing(error: unknown): error is FirmquoteError {
  return (error as { readonly retryable?: boolean }).retryable === true;
}
