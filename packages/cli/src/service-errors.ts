import {
  ApiError,
  ConnectionError,
  FirmquoteError,
  OutcomeUnknownError,
  TimeoutError,
  UnexpectedAnswerError,
} from '@firmquote/client';
import { EXIT, type ExitCode, exitOfProblem } from './exit-codes.ts';
import type { Reported } from './report.ts';

/** What the SDK throws, as people are told of it; undefined for anything else. */
export function explainServiceError(error: unknown): Reported | undefined {
  if (!(error instanceof FirmquoteError)) return undefined;
  const exitCode = exitOf(error);
  const next = nextOf(error, exitCode);
  const { code, message, requestId, idempotencyKey, attempts } = error;
  const reported =
    error instanceof ApiError && error.title !== '' && error.title !== message
      ? `${error.title}: ${message}`
      : message;
  const facts = [
    code,
    error instanceof ApiError ? `status ${error.status}` : '',
    requestId === undefined ? '' : `request ${requestId}`,
    idempotencyKey === undefined ? '' : `key ${idempotencyKey}`,
    attempts > 1 ? `${attempts} attempts` : '',
  ].filter(Boolean);
  const fields =
    error instanceof ApiError
      ? // What the first line has said already is not said again at its field.
        error.errors.map(({ pointer, detail }) =>
          reported.endsWith(detail) ? pointer : `${pointer}: ${detail}`,
        )
      : [];
  return { exitCode, message: reported, code, next, facts, fields, json: jsonOf(error, exitCode, next) };
}

function exitOf(error: FirmquoteError): ExitCode {
  if (error instanceof OutcomeUnknownError) return EXIT.outcomeUnknown;
  if (error instanceof ApiError) {
    // The token endpoint refuses in the words of OAuth, partly with 400.
    if (/^(invalid_client|invalid_target|invalid_scope|unauthorized_client)$/.test(error.code))
      return EXIT.notAllowed;
    return exitOfProblem(error.status, error.code);
  }
  if (error.code === 'status_unreachable') return EXIT.refused;
  if (error.code === 'cancelled') return EXIT.interrupted;
  if (error instanceof ConnectionError || error instanceof UnexpectedAnswerError) return EXIT.unavailable;
  return /^(base_url|credentials|request_not_made)/.test(error.code) ? EXIT.usage : EXIT.unexpected;
}

/** In the words of somebody who types commands, where the SDK speaks to whoever writes programs. */
function nextOf(error: FirmquoteError, exitCode: ExitCode): string | undefined {
  if (error instanceof OutcomeUnknownError) {
    return `Check whether it was done before you do anything else. To repeat it without doing it twice, run the same command with --idempotency-key ${error.idempotencyKey ?? '<key>'}`;
  }
  if (error instanceof ApiError) {
    const { retry, docUrl, retryAfterMs, members } = error;
    const page = /^https?:/.test(docUrl) ? ` ${docUrl}` : '';
    if (error.status === 401 || error.code === 'invalid_client')
      return 'Check the credentials: firmquote whoami, then firmquote login.';
    if (error.code === 'invalid_target')
      return 'Name the audience that your operator gave you: firmquote login --audience …, or FIRMQUOTE_AUDIENCE. A sandbox on this machine has it in its file: firmquote login --sandbox.';
    if (error.code === 'insufficient_scope')
      return `It needs the scope ${String(members.requiredScope ?? '')}: sign in as somebody who has it (--profile), or ask the operator for it.`;
    if (exitCode === EXIT.tooLate || retry === 'new_quote')
      return `Ask for a new quote: firmquote quote …${page}`;
    if (retry === 'later')
      return `Try again ${retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1_000)} s`}.${page}`;
    if (retry === 'same_request')
      return `Repeat it${error.idempotencyKey === undefined ? '' : ` with --idempotency-key ${error.idempotencyKey}`}.${page}`;
    if (retry === 'after_fix') return `Change the request.${page}`;
    return page === '' ? undefined : `See${page}`;
  }
  if (error.code === 'request_not_made') return 'Check the arguments, and the secret or token that is set.';
  if (error.code === 'wait_timeout') return 'Wait again, for longer if you like: --at-most 30m.';
  if (error instanceof TimeoutError) return 'Try again, or give it more time: --timeout 60s.';
  if (error instanceof ConnectionError || error instanceof UnexpectedAnswerError)
    return 'Look for the cause: firmquote doctor.';
  return error.nextStep;
}

function jsonOf(error: FirmquoteError, exitCode: ExitCode, next: string | undefined): object {
  const { code, message, requestId, idempotencyKey, attempts } = error;
  const ours = {
    code,
    exitCode,
    ...(requestId === undefined ? {} : { requestId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    attempts,
    ...(next === undefined ? {} : { next }),
  };
  if (!(error instanceof ApiError)) return { title: message, ...ours };
  const { docUrl, title, status, detail, retry, errors, members } = error;
  return {
    type: docUrl,
    title,
    status,
    detail,
    retry,
    ...(errors.length === 0 ? {} : { errors }),
    ...members,
    ...ours,
  };
}
