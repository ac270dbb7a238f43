import { createHash } from 'node:crypto';
import {
  type Answer,
  ApiError,
  type ClientOptions,
  CUSTOMER_OPERATIONS,
  Firmquote,
  type OperationSpec,
} from '@firmquote/client';
import type { Cli } from './cli.ts';
import type { Environment, Kind } from './config/profiles.ts';
import type { Settings } from './config/settings.ts';
import { TokenFile } from './config/token-file.ts';
import { curlLine } from './curl.ts';
import { CliError, Finished } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { write } from './io.ts';
import { type Filled, NOTHING } from './operations/flags.ts';
import { type Operation, operationOf } from './operations/table.ts';
import { safeText } from './output/safe-text.ts';
import { VERSION } from './version.ts';

interface Input {
  readonly path?: readonly string[];
  readonly query?: object | undefined;
  readonly body?: unknown;
}

export interface SendOptions {
  /** The answer is a file, or is to be treated as one. */
  readonly isFile?: boolean;
}

/** What the service is called with, of what the flags of every command say. */
export interface CommonOptions {
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
}

export function openService(cli: Cli, settings: Settings): Service {
  const tokens = new TokenFile(cli.io, fingerprintOf(settings));
  return new Service(cli, settings, new Firmquote(clientOptions(cli, settings, tokens)), tokens);
}

/** A token is kept for who got it: with another secret it has to be got anew. */
function fingerprintOf({ credentials }: Settings): string {
  if (credentials === undefined || credentials.of === 'token') return '';
  const proof = credentials.of === 'key' ? JSON.stringify(credentials.key) : credentials.secret;
  return createHash('sha256').update(proof).digest('hex').slice(0, 16);
}

/** Everything is said, so that no variable of the environment has a say of its own. */
function clientOptions(cli: Cli, settings: Settings, tokens: TokenFile): ClientOptions {
  const { credentials } = settings;
  const sign =
    credentials === undefined
      ? {}
      : credentials.of === 'token'
        ? { token: credentials.token }
        : credentials.of === 'key'
          ? { clientId: credentials.clientId, privateKey: credentials.key }
          : { clientId: credentials.clientId, clientSecret: credentials.secret };
  return {
    ...sign,
    baseUrl: settings.baseUrl,
    authUrl: settings.authUrl ?? settings.baseUrl,
    audience: settings.audience ?? settings.baseUrl,
    tokenStore: tokens,
    appInfo: `firmquote/${VERSION}`,
    logLevel: cli.options.debug === true ? 'debug' : 'off',
    logger: debugLogger(cli),
  };
}

/** A service, as somebody. Everything that is sent goes through here, so that `--dry-run` sends nothing. */
export class Service {
  /** For what anybody may ask. */
  readonly publicClient: Firmquote;
  readonly settings: Settings;
  readonly #cli: Cli;
  readonly #tokens: TokenFile;
  #environment: Promise<Environment> | undefined;

  constructor(cli: Cli, settings: Settings, client: Firmquote, tokens: TokenFile) {
    this.#cli = cli;
    this.#tokens = tokens;
    this.settings = settings;
    this.publicClient = client;
  }

  /** What is asked without credentials is refused in words about tokens, or not even refused where nobody answers. */
  get client(): Firmquote {
    this.#cli.requireCredentials(this.settings);
    return this.publicClient;
  }

  callOptions(): CommonOptions {
    const { timeoutMs, options } = this.#cli;
    return {
      ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
      // One attempt may take all of the time that somebody has.
      ...(timeoutMs === undefined ? {} : { timeoutMs, deadlineMs: timeoutMs }),
    };
  }

  async send(operation: Operation, filled: Filled, options: SendOptions = {}): Promise<Answer<unknown>> {
    await this.dryRun(operation, filled);
    const isPublic = operation.audience === undefined;
    if (!isPublic) this.#cli.requireCredentials(this.settings);
    const spec = await specOf(operation);
    const { path, query, body, headers } = filled;
    const input = { path, query, body };
    const isFile = options.isFile === true || spec.isFile === true;
    return this.request({ ...spec, isFile }, input, headers);
  }

  /** Any request, also one that nobody knows. */
  async request(
    spec: OperationSpec,
    input: Input,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<unknown>> {
    const { key, others } = keyIn(headers);
    const stop = new AbortController();
    let isLeaving = false;
    const forget = this.#cli.io.onInterrupt(() => {
      isLeaving = true;
      stop.abort();
    });
    try {
      return await this.publicClient
        .request<unknown>(spec, input, {
          ...heldTimes(headers.Prefer),
          // A client has a key for each call, and would write it over that of a header.
          ...(spec.isKeyed === true && key !== undefined && { idempotencyKey: key }),
          ...this.callOptions(),
          headers: spec.isKeyed === true ? others : headers,
          signal: stop.signal,
        })
        .withResponse();
    } catch (error) {
      if (isLeaving && spec.method === 'GET')
        throw new CliError(EXIT.interrupted, 'interrupted', 'Interrupted.');
      throw error;
    } finally {
      if (spec.isFile !== true) forget();
    }
  }

  /** What a read operation with nothing but a path answers. */
  async get(id: string, ...path: readonly string[]): Promise<unknown> {
    return (await this.send(operationOf(id), { ...NOTHING, path })).data;
  }

  /** The items of a list, page by page. */
  async *items(
    operation: Operation,
    filled: Filled,
    pageSize: number,
  ): AsyncGenerator<unknown, void, undefined> {
    let cursor: string | undefined;
    do {
      const query = { limit: pageSize, ...filled.query, ...(cursor === undefined ? {} : { cursor }) };
      const { data } = await this.send(operation, { ...filled, query });
      const page = data as { readonly items: readonly unknown[]; readonly nextCursor: string | null };
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Prices of pairs: each at once, and when it changes. What the stream says of itself goes to stderr. */
  async *prices(
    pairs: readonly string[],
    size: { readonly amount: string; readonly amountCurrency: string } | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly pair: string }, void, undefined> {
    await this.dryRun(operationOf('streamPrices'), { ...NOTHING, query: { pairs, ...size } });
    for await (const { event, data } of this.client.prices.stream({ pairs: [...pairs], ...size } as never, {
      signal,
    })) {
      if (event === 'price') yield data;
      else if (event === 'stale') await this.#cli.note('No price has come for a while: these may be old.');
      else if (event === 'reconnect')
        await this.#cli.note(`The stream has ended (${data.reason}); reconnecting …`);
    }
  }

  async *serverSentEvents(operation: Operation, { query }: Filled): AsyncGenerator<unknown, void, undefined> {
    await this.dryRun(operation, { ...NOTHING, query });
    this.#cli.requireCredentials(this.settings);
    const stop = new AbortController();
    const forget = this.#cli.io.onInterrupt(() => stop.abort());
    try {
      yield* await this.#stream(operation, query, stop.signal);
    } finally {
      forget();
      stop.abort();
    }
  }

  /** The market's own prices are a stream of operators, under an address of theirs. */
  async #stream(operation: Operation, query: object, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    if (operation.audience !== 'operator') return this.client.prices.stream(query as never, { signal });
    const { FirmquoteOperator } = await import('@firmquote/client/operator');
    const operator = new FirmquoteOperator(clientOptions(this.#cli, this.settings, this.#tokens));
    return operator.streamMarketPrices(query as never, { signal });
  }

  /** With `--dry-run`: prints the request, and ends the command. */
  async dryRun(operation: Operation, { path, query, body, headers }: Filled): Promise<void> {
    if (this.#cli.options.dryRun !== true) return;
    const values = [...path];
    const filledPath = operation.path.replaceAll(/\{\w+\}/g, (name) =>
      encodeURIComponent(values.shift() ?? name),
    );
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, Array.isArray(value) ? value.join(',') : String(value));
    }
    const text = search.toString();
    const { idempotencyKey } = this.callOptions();
    const { key, others } = keyIn(headers);
    const line = curlLine({
      method: operation.method,
      url: `${this.settings.baseUrl}${filledPath}${text === '' ? '' : `?${text}`}`,
      headers: {
        ...others,
        ...(operation.keyed === true
          ? { 'Idempotency-Key': idempotencyKey ?? key ?? crypto.randomUUID() }
          : key !== undefined && { 'Idempotency-Key': key }),
      },
      body: body === undefined ? undefined : body instanceof Uint8Array ? { file: 'file' } : { json: body },
      needsToken: operation.audience !== undefined,
    });
    await this.#cli.print.raw(line);
    throw new Finished();
  }

  async confirmWrite(what: string): Promise<void> {
    if (this.#cli.options.dryRun === true || this.#cli.options.yes === true) return;
    await this.#cli.confirmWrite(what, this.settings, await this.environment());
  }

  /** Only a sandbox has the routes of one; they are there for whoever has no token too. */
  environment(): Promise<Environment> {
    this.#environment ??=
      this.settings.environment === undefined
        ? environmentOf(this.publicClient)
        : Promise.resolve(this.settings.environment);
    return this.#environment;
  }

  /** By what a token permits. */
  async kind(): Promise<Kind> {
    return (await this.scopes()).some((scope) => scope.startsWith('operator:')) ? 'operator' : 'customer';
  }

  async scopes(): Promise<readonly string[]> {
    const { scope } = await this.claims();
    return typeof scope === 'string' ? scope.split(' ') : [];
  }

  /** What the token says of itself. The service alone can judge whether that is true. */
  async claims(): Promise<Readonly<Record<string, unknown>>> {
    const credentials = this.#cli.requireCredentials(this.settings);
    const token = credentials.of === 'token' ? credentials.token : await this.#token();
    try {
      return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    } catch {
      return {};
    }
  }

  /** A token that the service has just taken: who may not read limits is told so only with a good one. */
  async #token(): Promise<string> {
    try {
      await this.request({ ...CUSTOMER_OPERATIONS.getOwnLimits }, {});
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) throw error;
    }
    return this.#tokens.last?.accessToken ?? '';
  }
}

/** A key that somebody has written as a header (`-H`), and the headers beside it. */
function keyIn(headers: Readonly<Record<string, string>>) {
  const isKey = (name: string) => name.toLowerCase() === 'idempotency-key';
  const [key] = Object.entries(headers).flatMap(([name, value]) => (isKey(name) ? [value] : []));
  return { key, others: Object.fromEntries(Object.entries(headers).filter(([name]) => !isKey(name))) };
}

/** The usual times of the client, ms, where nothing is said. */
const ATTEMPT_MS = 10_000;
const CALL_MS = 30_000;

/** An answer that is to be held (`--prefer wait=30`) is waited for beside the usual time. */
function heldTimes(prefer: string | undefined): CommonOptions {
  const seconds = /(?:^|,)\s*wait\s*=\s*"?(\d{1,4})/i.exec(prefer ?? '')?.[1];
  if (seconds === undefined) return {};
  const heldMs = Number.parseInt(seconds, 10) * 1_000;
  return { timeoutMs: ATTEMPT_MS + heldMs, deadlineMs: CALL_MS + heldMs };
}

/** What the client must know to send an operation. */
async function specOf(operation: Operation): Promise<OperationSpec> {
  const { id, method, path, audience } = operation;
  const tables: Readonly<Record<string, Partial<OperationSpec>>> = path.startsWith('/v1/sandbox/')
    ? (await import('@firmquote/client/sandbox')).SANDBOX_OPERATIONS
    : audience === 'operator'
      ? (await import('@firmquote/client/operator')).OPERATOR_OPERATIONS
      : CUSTOMER_OPERATIONS;
  // The path may be filled in already, and the operation may be one that the client does not know.
  return { isKeyed: operation.keyed === true, ...tables[id], id, method, path };
}

/** Whether the routes of a sandbox are there: without a token they answer 401, and 404 where there are none. */
async function environmentOf(client: Firmquote): Promise<Environment> {
  try {
    await client.request({
      id: 'getSandboxClock',
      method: 'GET',
      path: '/v1/sandbox/clock',
      isPublic: true,
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return 'sandbox';
    if (error instanceof ApiError && error.status === 404) return 'production';
    throw error;
  }
  return 'sandbox';
}

/** The client's messages hold no header, no body and no secret. */
function debugLogger(cli: Cli): NonNullable<ClientOptions['logger']> {
  const line = (message: string, fields: object = {}) => {
    const said = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    void write(cli.io.stderr, `debug: ${safeText([message, ...said].join(' '))}\n`);
  };
  return { error: line, warn: line, info: line, debug: line };
}
