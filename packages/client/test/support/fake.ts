import type { webcrypto } from 'node:crypto';
import type { ClientOptions, Runtime } from '@firmquote/client';

/** Time that stands still until it is moved, and chance that is always the same. */
export class FakeRuntime implements Runtime {
  /** By which the machine's clock is wrong, ms. */
  wrongMs = 0;
  chance = 0.5;
  #now = 1_000;
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  /** Lengths of the sleeps that ended by themselves, ms. */
  readonly slept: number[] = [];

  monotonicMs(): number {
    return this.#now;
  }

  wallMs(): number {
    return EPOCH + this.#now + this.wrongMs;
  }

  random(): number {
    return this.chance;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const end = () => {
        this.slept.push(ms);
        wake();
      };
      const sleeper = { at: this.#now + ms, wake: end };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  /** Moves time on; whoever sleeps until then wakes in order. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
    await settle();
  }

  /** Lets work come to its end: time goes on whenever nothing else is left to do. */
  async run<T>(work: PromiseLike<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    for (let turns = 0; turns < 10_000; turns++) {
      do await settle();
      while (cryptography.underWay > 0);
      if (isOver) break;
      const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined) continue;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    if (!isOver) throw new Error('the work never ends');
    return work;
  }
}

/** The service's clock when the machine's is right. */
export const EPOCH = Date.UTC(2026, 2, 4, 14, 30);

/** What WebCrypto does in other threads, for which time must not go on. */
const cryptography = { underWay: 0 };
for (const name of ['sign', 'importKey', 'exportKey', 'generateKey', 'digest'] as const) {
  const done = SubtleCrypto.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  SubtleCrypto.prototype[name] = async function (this: webcrypto.SubtleCrypto, ...args: unknown[]) {
    cryptography.underWay++;
    try {
      return await done.apply(this, args);
    } finally {
      cryptography.underWay--;
    }
  } as never;
}

/** Until everything has run that waits for nothing. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal | null | undefined;
}

/** What the next request gets: an answer, an error instead of one, or never anything. */
export type Reply = Response | Error | 'never' | ((seen: Seen) => Response | Error | Promise<Response>);

/** A service that answers as it is told, in order, and gives out tokens beside that. */
export class FakeService {
  readonly runtime = new FakeRuntime();
  readonly seen: Seen[] = [];
  readonly replies: (Reply | TokenReply)[] = [];
  tokens = 0;
  /** Of the tokens that it gives out, s. */
  tokenSeconds = 86_400;

  options(more: ClientOptions = {}): ClientOptions {
    return {
      ...{
        baseUrl: 'https://fx.example.com',
        clientId: 'cli_1',
        clientSecret: SECRET,
        runtime: this.runtime,
      },
      fetch: (input, init) => this.#answer(String(input), init ?? {}),
      ...more,
    };
  }

  /** Requests for anything but tokens. */
  get asked(): string[] {
    return this.seen
      .filter(({ path }) => path !== '/oauth/token')
      .map(({ method, path }) => `${method} ${path}`);
  }

  async #answer(url: string, init: RequestInit): Promise<Response> {
    const { pathname, search } = new URL(url);
    const headers = new Headers(init.headers);
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : init.body;
    const seen: Seen = {
      method: init.method ?? 'GET',
      path: pathname + search,
      headers,
      body,
      signal: init.signal,
    };
    this.seen.push(seen);
    const isToken = pathname === '/oauth/token';
    const index = this.replies.findIndex((each) => each instanceof TokenReply === isToken);
    const [planned] = index < 0 ? [] : this.replies.splice(index, 1);
    if (isToken && planned === undefined) {
      this.tokens++;
      return json(200, {
        access_token: `${TOKEN}${this.tokens}`,
        token_type: 'Bearer',
        expires_in: this.tokenSeconds,
      });
    }
    const reply = planned instanceof TokenReply ? planned.reply : planned;
    const given = typeof reply === 'function' ? await reply(seen) : reply;
    if (given instanceof Error) throw given;
    if (given instanceof Response) return given;
    return new Promise((_, reject) => {
      const stop = () => reject(new DOMException('stopped', 'AbortError'));
      if (seen.signal?.aborted === true) stop();
      seen.signal?.addEventListener('abort', stop);
    });
  }
}

/** For the token endpoint instead. */
export class TokenReply {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

export const SECRET = 'secret-that-nobody-may-see';
export const TOKEN = 'token-that-nobody-may-see-';

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = status >= 400 ? 'application/problem+json' : 'application/json; charset=utf-8';
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': type, ...headers } });
}

export function problem(
  code: string,
  status: number,
  retry: string,
  { headers = {}, ...members }: { headers?: Record<string, string>; [member: string]: unknown } = {},
): Response {
  const type = `https://fx.example.com/problems/${code.replaceAll('_', '-')}`;
  const body = {
    type,
    title: code,
    status,
    detail: `It is ${code}.`,
    instance: '/',
    code,
    retry,
    requestId: 'req_1',
    ...members,
  };
  return json(status, body, headers);
}

/** An error as `fetch` of Node throws it. */
export function networkError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code} somewhere`), { code }) });
}
