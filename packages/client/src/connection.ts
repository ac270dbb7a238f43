import { answerOf, type Reading } from './answers.ts';
import { attempt, cancelled, Failure, isAborted, late, type Received } from './attempt.ts';
import { authorize } from './authorize.ts';
import type { Answer } from './call.ts';
import { ServerClock } from './clock.ts';
import type { Proof, Prover } from './dpop.ts';
import {
  ApiError,
  type CallFacts,
  CancelledError,
  ConfigurationError,
  FirmquoteError,
  OutcomeUnknownError,
  type ResolveOptions,
} from './errors.ts';
import { said } from './headers.ts';
import type { Input, OperationSpec } from './operations.ts';
import type { AnyOptions, ClientOptions, SharedOptions } from './options.ts';
import { didNothing, isDecided, pauseBefore } from './retry.ts';
import { type Settings, settle } from './settings.ts';
import type { TokenSource } from './token.ts';

type Body = NonNullable<RequestInit['body']>;

/** What the parts of a client ask of a call, beside what users can. */
export interface SendOptions extends AnyOptions {
  /** No attempt begins after it, by monotonic time, ms. */
  readonly lastAttemptMs?: number | undefined;
  /** Asks what came of a write whose answer was lost. */
  readonly resolve?: ((options: ResolveOptions, facts: CallFacts) => Promise<unknown>) | undefined;
  /** `Accept`, where it is not JSON. */
  readonly accept?: string | undefined;
}

/** One call with everything that stays the same through its attempts. */
interface Logical {
  readonly spec: OperationSpec;
  readonly input: Input;
  readonly options: SendOptions;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly url: string;
  /** Sending it twice comes to the same. */
  readonly mayRepeat: boolean;
  readonly waitMs: number;
  readonly deadlineMs: number;
  attempts: number;
  retries: number;
  /** A token of this call was refused and replaced. */
  isRenewed: boolean;
  /** A proof of this call was refused, and another one may be taken. */
  isProvenAnew: boolean;
  /** An earlier attempt may have done the work. */
  mayBeDone: boolean;
}

/** Sends calls: with a token, again where that may help, and never twice where it may not. */
export class Connection {
  readonly settings: Settings;
  readonly clock: ServerClock;
  /** Where tokens are bound to a key. */
  readonly prover: Promise<Prover> | undefined;
  readonly #tokens: TokenSource | undefined;
  readonly #conceal: (text: string) => string;

  /** @param options of another connection: to the same service, with its token and clock */
  constructor(options: ClientOptions | Connection, more: SharedOptions = {}) {
    if (options instanceof Connection) {
      const { settings } = options;
      this.settings = {
        ...settings,
        timeoutMs: more.timeoutMs ?? settings.timeoutMs,
        deadlineMs: more.deadlineMs ?? settings.deadlineMs,
        maxRetries: more.maxRetries ?? settings.maxRetries,
        maxAnswerBytes: more.maxAnswerBytes ?? settings.maxAnswerBytes,
        headers: [...settings.headers, more.headers],
      };
      this.clock = options.clock;
      this.prover = options.prover;
      this.#tokens = options.#tokens;
      this.#conceal = options.#conceal;
      return;
    }
    this.settings = settle(options);
    this.clock = new ServerClock(this.settings.runtime);
    const { dpop } = options;
    // Most clients have no use for it.
    if (dpop !== undefined)
      this.prover = import('./dpop.ts').then(({ Prover }) => new Prover(dpop, this.clock));
    this.prover?.catch(() => undefined);
    const { tokens, conceal } = authorize(this, options);
    this.#tokens = tokens;
    this.#conceal = conceal;
  }

  /** The token for a connection that is not a call: a stream. */
  get tokens(): TokenSource | undefined {
    return this.#tokens;
  }

  /** @throws FirmquoteError of some kind, and nothing else */
  async send<T>(spec: OperationSpec, input: Input, options: SendOptions = {}): Promise<Answer<T>> {
    const call = this.#begin(spec, input, options);
    for (;;) {
      const outcome = await this.#once<T>(call);
      if (!(outcome instanceof Failure)) return outcome;
      const { error, wasSent } = outcome;
      call.mayBeDone ||= wasSent && !didNothing(error);
      const pauseMs = this.#pause(call, error);
      if (pauseMs === undefined) throw this.#final(call, error);
      call.retries++;
      this.settings.log('info', 'again', { ...this.#facts(call), code: error.code, pauseMs });
      await this.settings.runtime.sleep(pauseMs, options.signal);
      // Before the next attempt: nothing is sent any more.
      if (isAborted(options.signal)) throw this.#final(call, cancelled());
    }
  }

  #begin(spec: OperationSpec, input: Input, options: SendOptions): Logical {
    const { runtime, deadlineMs, baseUrl, authUrl } = this.settings;
    const idempotencyKey =
      spec.isKeyed === true
        ? (said(options, 'idempotency-key', options.idempotencyKey) ?? crypto.randomUUID())
        : undefined;
    const waitMs = (options.waitSeconds ?? 0) * 1_000;
    const host = isOAuth(spec) ? authUrl : baseUrl;
    return {
      ...{ spec, input, options, idempotencyKey, waitMs },
      requestId: `req_${crypto.randomUUID()}`,
      url: `${host}${pathOf(spec.path, input.path ?? [])}${queryOf(input.query)}`,
      mayRepeat: spec.method === 'GET' || spec.isRepeatable === true || idempotencyKey !== undefined,
      deadlineMs: runtime.monotonicMs() + (options.deadlineMs ?? deadlineMs) + waitMs,
      ...{ attempts: 0, retries: 0, isRenewed: false, isProvenAnew: false, mayBeDone: false },
    };
  }

  /** @param renewed the token to use, where the usual one was refused */
  async #once<T>(call: Logical, renewed?: string): Promise<Answer<T> | Failure> {
    const { spec, options } = call;
    let token: string | undefined;
    let proof: Proof | undefined;
    let init: RequestInit;
    try {
      token =
        spec.isPublic === true ? undefined : (renewed ?? (await this.#inTime(call, this.#tokens?.get())));
      const body = await bodyOf(call.input.body, spec);
      if (token !== undefined || spec.id === 'createToken')
        proof = await (await this.prover)?.prove(spec.method, call.url, token);
      const headers = this.#headers(call, token, proof);
      // `undefined` is no body.
      init = { method: spec.method, headers, body } as RequestInit;
    } catch (error) {
      return new Failure(this.#ownFault(error), false);
    }
    const { runtime, timeoutMs } = this.settings;
    const left = call.deadlineMs - runtime.monotonicMs();
    const limit = Math.max(1, Math.min((options.timeoutMs ?? timeoutMs) + call.waitMs, left));
    call.attempts++;
    const received = await attempt(
      this.settings,
      {
        url: call.url,
        init,
        timeoutMs: limit,
        signal: options.signal,
        isFile: (response) => isFile(spec, response),
      },
      (...seen) => this.clock.observe(...seen),
    );
    if (received instanceof Failure) return received;
    this.#log(call, received);
    const reading: Reading = {
      ...this.#facts(call),
      also: spec.also,
      clock: this.clock,
      conceal: this.#conceal,
    };
    const answer = answerOf<T>(received, reading, isOAuth(spec));
    if (proof?.isOutdated(received.response) && !call.isProvenAnew) {
      call.isProvenAnew = true;
      return this.#once<T>(call, renewed);
    }
    const isRefused =
      answer instanceof Failure && answer.error instanceof ApiError && answer.error.status === 401;
    if (!isRefused || call.isRenewed || token === undefined) return answer;
    return this.#renewed<T>(call, token, answer);
  }

  /** One forced refresh: the token may have been revoked, or the service's keys replaced. */
  async #renewed<T>(call: Logical, token: string, refusal: Failure): Promise<Answer<T> | Failure> {
    call.isRenewed = true;
    let other: string | undefined;
    try {
      other = await this.#inTime(call, this.#tokens?.replace(token));
    } catch (error) {
      return new Failure(this.#ownFault(error), false);
    }
    return other === token ? refusal : this.#once<T>(call, other);
  }

  /** What is given to the client has failed: a function for a secret or a token, a store, a body that is no JSON. */
  #ownFault(error: unknown): FirmquoteError {
    if (error instanceof FirmquoteError) return error;
    return unsendable(this.#conceal(error instanceof Error ? error.message : String(error)));
  }

  /** A token is fetched for all calls that wait for one; each of them waits as long as it wants to. */
  async #inTime(call: Logical, work: Promise<string> | undefined): Promise<string | undefined> {
    if (work === undefined) return undefined;
    const end = new AbortController();
    const { runtime } = this.settings;
    const { signal } = call.options;
    const stop = () => end.abort();
    signal?.addEventListener('abort', stop);
    const leftMs = call.deadlineMs - runtime.monotonicMs();
    const over = runtime.sleep(leftMs, end.signal).then(() => undefined);
    try {
      const token = isAborted(signal) ? undefined : await Promise.race([work, over]);
      if (token !== undefined) return token;
      throw isAborted(signal) ? cancelled() : late(leftMs);
    } finally {
      work.catch(() => undefined);
      end.abort();
      signal?.removeEventListener('abort', stop);
    }
  }

  #headers(call: Logical, token: string | undefined, proof: Proof | undefined): Headers {
    try {
      const { spec, options, idempotencyKey, requestId } = call;
      const isJsonOnly = spec.isFile !== true && spec.mayBeFile !== true;
      const headers = new Headers({ accept: options.accept ?? (isJsonOnly ? 'application/json' : '*/*') });
      // One by one: names that differ in nothing but case would be one header with both values.
      for (const given of [...this.settings.headers, options.headers])
        for (const [name, value] of new Headers(given)) headers.set(name, value);
      headers.set('x-request-id', requestId);
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      for (const name in proof?.headers) headers.set(name, proof.headers[name] as string);
      if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
      if (options.reason !== undefined) headers.set('firmquote-reason', encodeURIComponent(options.reason));
      if (options.ifMatch !== undefined) headers.set('if-match', options.ifMatch);
      if (options.ifNoneMatch !== undefined) headers.set('if-none-match', options.ifNoneMatch);
      if (options.waitSeconds !== undefined) headers.set('prefer', `wait=${options.waitSeconds}`);
      if (call.input.body !== undefined) headers.set('content-type', spec.sends ?? 'application/json');
      return headers;
    } catch {
      // Runtimes tell the value that they refuse, which may be secret.
      throw unsendable('a header is not valid.');
    }
  }

  /** How long to wait before the next attempt; undefined where there is none. */
  #pause(call: Logical, error: FirmquoteError): number | undefined {
    const { runtime, maxRetries } = this.settings;
    const { options, retries } = call;
    // An error of another call, that for a token: it was sent again as often as that may help.
    if (error instanceof CancelledError || error.operation) return undefined;
    // What was not sent may be sent; what may have been done only where that comes to the same.
    if (retries >= (options.maxRetries ?? maxRetries) || (call.mayBeDone && !call.mayRepeat))
      return undefined;
    const pauseMs = pauseBefore(error, retries, runtime.random());
    if (pauseMs === undefined) return undefined;
    const at = runtime.monotonicMs() + pauseMs;
    const isInTime = at < call.deadlineMs && at <= (options.lastAttemptMs ?? Number.POSITIVE_INFINITY);
    return isInTime ? pauseMs : undefined;
  }

  /** What the caller learns. A write that may have been done is neither a success nor a failure. */
  #final(call: Logical, error: FirmquoteError): FirmquoteError {
    const { spec, mayBeDone } = call;
    const { resolve } = call.options;
    const facts = this.#facts(call);
    const changes = spec.method !== 'GET' && spec.isRepeatable !== true;
    const isUnknown = changes && mayBeDone && !isDecided(error);
    // What the program itself ends is no fault: a feed, a wait.
    const level = error instanceof CancelledError && !isUnknown ? 'info' : 'warn';
    this.settings.log(level, 'failed', { ...facts, code: error.code });
    const told = withFacts(error, facts);
    if (!isUnknown) return told;
    const keyed =
      call.idempotencyKey === undefined ? '' : ' or make the same call again with the same idempotencyKey,';
    return new OutcomeUnknownError(
      `The answer to ${spec.id} was lost: it may have been done.`,
      {
        ...facts,
        cause: told,
        nextStep: resolve
          ? 'Call resolve() to find out.'
          : `Read what it would have changed,${keyed} before anything else.`,
      },
      resolve && ((given) => resolve(given, facts)),
    );
  }

  #facts({ spec, requestId, idempotencyKey, attempts }: Logical) {
    return { operation: spec.id, requestId, idempotencyKey, attempts };
  }

  #log(call: Logical, { response, sentAtMs }: Received): void {
    const ms = Math.round(this.settings.runtime.monotonicMs() - sentAtMs);
    this.settings.log('debug', 'answered', { ...this.#facts(call), status: response.status, ms });
  }
}

function isFile({ isFile, mayBeFile }: OperationSpec, response: Response): boolean {
  if (!response.ok) return false;
  return (
    isFile === true ||
    (mayBeFile === true &&
      !/^application\/([\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? ''))
  );
}

/** Tokens are given out there: it may be on a host of its own, and answers in words of its own. */
function isOAuth({ path }: OperationSpec): boolean {
  return path.startsWith('/oauth/');
}

/** The error of an attempt, with what is known of the call. */
function withFacts(error: FirmquoteError, facts: object): FirmquoteError {
  const { operation, requestId } = error;
  // Of another call: that for a token.
  if (operation !== undefined) return error;
  return Object.assign(error, facts, requestId === undefined ? {} : { requestId });
}

function pathOf(path: string, values: readonly string[]): string {
  let index = 0;
  return path.replaceAll(/\{\w+\}/g, (name) => {
    const value = values[index++];
    // `.` and `..` would lead elsewhere: URLs take them out before they are sent.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw unsendable(`${name} is not a valid path value.`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: object | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    search.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

async function bodyOf(given: unknown, spec: OperationSpec): Promise<Body | undefined> {
  const body = typeof given === 'function' ? await given() : given;
  if (body === undefined) return undefined;
  return spec.sends === undefined ? JSON.stringify(body) : (body as Body);
}

function unsendable(said: string): ConfigurationError {
  return new ConfigurationError(`The request could not be made: ${said}`, {
    code: 'request_not_made',
    nextStep: 'Check what you pass: clientSecret, token, tokenStore, headers, path, body.',
  });
}
