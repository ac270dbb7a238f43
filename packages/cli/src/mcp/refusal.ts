import { ApiError, FirmquoteError, OutcomeUnknownError, QuoteAlreadyExecutedError } from '@firmquote/client';
import { CliError } from '../errors.ts';

/** A failure as an assistant is told of it. It holds no header, no body and no secret. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly nextStep: string;
  readonly retryable: boolean;
  readonly requestId?: string | undefined;
  readonly transactionId?: string | undefined;
  /** What is wrong with the request's fields. */
  readonly fields?: readonly string[] | undefined;
}

/** In words of tools: an assistant has neither the client's `resolve()` nor the key of the call. */
const UNKNOWN_EXECUTION =
  'Do not trade again. Call get_quote with the id of the quote: if transactionId is set, it was executed; if it is cancelled, or expired for 20 seconds, it was not. While it is open, look again.';
const UNKNOWN = 'Check whether it was done (list_quotes, get_sandbox_clock) before you do anything else.';

export function refusalOf(error: unknown): Refusal {
  if (error instanceof CliError) {
    const { code, message, next = 'Tell the person who started this server.' } = error;
    return { code, message, nextStep: next, retryable: false };
  }
  if (error instanceof FirmquoteError) {
    const { code, message, requestId, retryable } = error;
    const isUnknown = error instanceof OutcomeUnknownError;
    const fields =
      error instanceof ApiError ? error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`) : [];
    return {
      ...{ code, message, requestId },
      nextStep: isUnknown
        ? error.operation === 'executeQuote'
          ? UNKNOWN_EXECUTION
          : UNKNOWN
        : error.nextStep,
      retryable: !isUnknown && retryable,
      transactionId: error instanceof QuoteAlreadyExecutedError ? error.transactionId : undefined,
      fields: fields.length > 0 ? fields : undefined,
    };
  }
  return {
    code: 'unexpected',
    message: `Unexpected: ${error instanceof Error ? error.message : String(error)}`,
    nextStep: 'Tell the person who started this server.',
    retryable: false,
  };
}
