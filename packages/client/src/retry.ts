import { ApiError, ConnectionError, type FirmquoteError, UnexpectedAnswerError } from './errors.ts';

const PAUSE_BASE_MS = 250;
const PAUSE_MAX_MS = 5_000;
/** Answers of proxies that pass by themselves. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * How long to wait before the next attempt; undefined where none helps. The service says by `retry` what can help: only where it says
 * so, or where no answer of it came, is anything sent again.
 * @param chance from 0 up to 1
 */
export function pauseBefore(error: FirmquoteError, attempts: number, chance: number): number | undefined {
  if (!mayHelp(error)) return undefined;
  const jitter = chance * Math.min(PAUSE_MAX_MS, PAUSE_BASE_MS * 2 ** attempts);
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  return asked === undefined ? jitter : asked + chance * PAUSE_BASE_MS;
}

function mayHelp(error: FirmquoteError): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof UnexpectedAnswerError) {
    return PASSING.has(error.status) || error.code === 'answer_malformed';
  }
  if (!(error instanceof ApiError)) return false;
  if (error.retry === 'same_request') return true;
  // Of what is said to help later, only what lasts for seconds: a market may stay closed for days.
  return error.retry === 'later' && (error.status === 429 || error.status === 503);
}

/** Whether the service has said what became of the request: after this answer it is certain that it did nothing more. */
export function isDecided(error: FirmquoteError): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status, code } = error;
  if (code === 'outcome_unknown' || code === 'internal_error' || code === 'request_in_progress') return false;
  if (status >= 500) return code === 'price_unavailable';
  // Refused before anybody looked whether an earlier attempt has done it.
  return status !== 401 && status !== 403 && status !== 408 && status !== 429;
}
