import { Failure, type Received } from './attempt.ts';
import type { Answer } from './call.ts';
import type { ServerClock } from './clock.ts';
import { Download } from './download.ts';
import { UnexpectedAnswerError } from './errors.ts';
import { problemError, problemOf } from './problems.ts';

/** Answers of proxies that pass by themselves. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** What belongs to the call whose answer is read. */
export interface Reading {
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number;
  /** A status besides those of success with which the service answers, and does not refuse. */
  readonly also: number | undefined;
  readonly clock: ServerClock;
  /** Takes secrets out of a text: what stands between may send back what it was sent. */
  readonly conceal: (text: string) => string;
}

/**
 * What a response says: data, or why there is none.
 * @param isOAuth it may say so in the words of OAuth
 */
export function answerOf<T>(received: Received, reading: Reading, isOAuth: boolean): Answer<T> | Failure {
  const { response } = received;
  const { status } = response;
  if (status >= 200 && status < 300) return goodAnswer<T>(received, reading);
  if (status === 304) return answer(undefined as T, received, reading);
  const problem = problemOf(parsed(reading.conceal(received.text ?? '')), status, isOAuth);
  const retryAfterMs = retryAfter(response.headers, reading.clock);
  if (problem !== undefined) return new Failure(problemError(problem, retryAfterMs), true);
  if (status === reading.also) return goodAnswer<T>(received, reading);
  const isRedirect = (status >= 300 && status < 400) || status === 0;
  return unexpected(
    isRedirect ? 'The answer redirects elsewhere.' : `The answer is ${status}, but not from the service.`,
    isRedirect
      ? 'If you trust the address that it redirects to, use it as baseUrl.'
      : 'Something between you and the service answers in its place: check proxies, gateways and baseUrl.',
    'answer_not_of_service',
    received,
    retryAfterMs,
  );
}

function goodAnswer<T>(received: Received, reading: Reading): Answer<T> | Failure {
  const { response, text } = received;
  if (text === undefined) return answer(new Download(response) as T, received, reading);
  if (response.status === 204) return answer(undefined as T, received, reading);
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/([\w.-]+\+)?json\b/.test(type)) {
    return unexpected(
      `The answer is ${/^[\w./+-]{1,60}/.exec(type)?.[0] ?? 'of no type'}, not JSON.`,
      'Check that baseUrl is the address of the service, and that no proxy asks for a login.',
      'answer_not_json',
      received,
    );
  }
  const data = parsed(text);
  if (data !== undefined) return answer(data as T, received, reading);
  return unexpected(
    'The answer is incomplete or not JSON.',
    'Make the call again; if it fails again, check what is between you and the service.',
    'answer_malformed',
    received,
  );
}

function answer<T>(data: T, { response, sentAtMs }: Received, reading: Reading): Answer<T> {
  const { headers, status } = response;
  return {
    ...{ data, status, headers, sentAtMs },
    etag: headers.get('etag') ?? undefined,
    requestId: headers.get('x-request-id') ?? reading.requestId,
    idempotencyKey: reading.idempotencyKey,
    isReplay: headers.get('idempotency-replayed') === 'true',
    attempts: reading.attempts,
  };
}

function unexpected(
  message: string,
  nextStep: string,
  code: string,
  { response: { status } }: Received,
  retryAfterMs?: number,
): Failure {
  const retryable = PASSING.has(status) || code === 'answer_malformed';
  return new Failure(
    new UnexpectedAnswerError(message, { code, retryAfterMs, retryable, nextStep, status }),
    true,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), or `retry-after-ms`. */
export function retryAfter(headers: Headers, clock: ServerClock): number | undefined {
  const ms = headers.get('retry-after-ms') ?? '';
  if (/^\d{1,9}$/.test(ms)) return Number.parseInt(ms, 10);
  const given = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(given)) return Number.parseInt(given, 10) * 1_000;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now());
}
