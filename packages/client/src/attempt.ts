import {
  CancelledError,
  ConnectionError,
  FirmquoteError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
import type { Settings } from './settings.ts';

/** Codes that runtimes give to connections that never came about: nothing was sent. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/** One request on its way. */
export interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the body of an answer is left for the caller to read. */
  readonly isFile: (response: Response) => boolean;
}

export interface Received {
  readonly response: Response;
  /** The body; undefined where it is left. */
  readonly text: string | undefined;
  readonly sentAtMs: number;
}

/** An attempt that brought no answer. */
export class Failure {
  readonly error: FirmquoteError;
  /** Whether the service may have got the request. */
  readonly wasSent: boolean;

  constructor(error: FirmquoteError, wasSent: boolean) {
    this.error = error;
    this.wasSent = wasSent;
  }
}

type Observe = (date: string | null, sentMs: number, receivedMs: number) => void;

/** Sends a request once and reads its answer, within its time. */
export async function attempt(settings: Settings, sent: Sent, observe: Observe): Promise<Received | Failure> {
  const { runtime } = settings;
  const end = new AbortController();
  const stop = () => end.abort();
  const forget = () => sent.signal?.removeEventListener('abort', stop);
  const done = new AbortController();
  let isLate = false;
  let isLeft = false;
  if (isAborted(sent.signal)) return new Failure(cancelled(), false);
  sent.signal?.addEventListener('abort', stop);
  void runtime.sleep(sent.timeoutMs, done.signal).then(() => {
    if (done.signal.aborted) return;
    isLate = true;
    stop();
  });
  const faultOf = (error: unknown) => {
    if (isAborted(sent.signal)) return new Failure(cancelled(), true);
    if (isLate) return new Failure(late(sent.timeoutMs), true);
    return error instanceof FirmquoteError ? new Failure(error, true) : unreachable(error, sent.url);
  };
  try {
    const sentAtMs = runtime.monotonicMs();
    const response = await settings.fetch(sent.url, { ...sent.init, redirect: 'manual', signal: end.signal });
    observe(dateOf(response), sentAtMs, runtime.monotonicMs());
    if (sent.isFile(response)) {
      const { leftBody } = await import('./left-body.ts');
      isLeft = true;
      return { response: leftBody(response, forget, faultOf), text: undefined, sentAtMs };
    }
    return { response, text: await readText(response, settings.maxAnswerBytes), sentAtMs };
  } catch (error) {
    return faultOf(error);
  } finally {
    done.abort();
    // A file is still being read, and may be stopped.
    if (!isLeft) forget();
  }
}

/** When it was written. Null where a cache may have answered, which few browsers tell: then that was long ago. */
function dateOf({ headers }: Response): string | null {
  const cached = headers.has('age') || /max-age=[1-9]/.test(headers.get('cache-control') ?? '');
  return cached ? null : headers.get('date');
}

async function readText(response: Response, bytesMax: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel().catch(() => undefined);
      throw new UnexpectedAnswerError(`The answer is larger than ${bytesMax} bytes.`, {
        ...{ code: 'answer_too_large', status: response.status },
        nextStep: 'Ask for less at once (limit, from, to), or raise maxAnswerBytes.',
      });
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Asked anew each time: it changes while something is waited for. */
export function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

export function cancelled(): CancelledError {
  return new CancelledError('The call was cancelled.', {
    ...{ code: 'cancelled', nextStep: 'Nothing: your signal ended it.' },
  });
}

export function late(timeoutMs: number): TimeoutError {
  return new TimeoutError(`No answer within ${Math.round(timeoutMs)} ms.`, {
    code: 'timeout',
    retryable: true,
    nextStep: 'Make the call again later, or raise timeoutMs or deadlineMs.',
  });
}

function unreachable(error: unknown, url: string): Failure {
  const code = codeOf(error);
  const wasSent = code === undefined || !NEVER_SENT.test(code);
  const { host } = new URL(url);
  const what = wasSent ? `The connection to ${host} broke` : `${host} cannot be reached`;
  const failure = new ConnectionError(`${what}${code === undefined ? '' : ` (${code})`}.`, {
    code: wasSent ? 'connection_lost' : 'connection_failed',
    retryable: true,
    nextStep: wasSent
      ? 'Make the call again; if it fails again, check the network between you and the service.'
      : 'Check baseUrl, and that the service runs and can be reached from here.',
  });
  return new Failure(failure, wasSent);
}

/** Of the error or of what is behind it: `fetch` itself says nothing. Its text is left out, since it may say too much. */
function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code;
    at = cause;
  }
  return undefined;
}
