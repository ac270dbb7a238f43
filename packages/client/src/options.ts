import type { PrivateKey } from './assertion.ts';
import type { KeyPair } from './dpop.ts';
import type { ListEventsQuery } from './generated/call-types.ts';
import type { Transaction } from './generated/types.ts';
import type { Runtime } from './runtime.ts';
import type { TokenStore } from './token.ts';

export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** `console` is one. Messages and fields never hold a header, a body or a secret. */
export interface Logger {
  error(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  debug(message: string, fields?: object): void;
}

export interface ClientOptions {
  /** Address of the service: `https://fx.example.com`. Default: `FIRMQUOTE_BASE_URL`. */
  readonly baseUrl?: string | undefined;
  /** Address that issues tokens, if not `baseUrl`. Default: `FIRMQUOTE_AUTH_URL`. */
  readonly authUrl?: string | undefined;
  /** Default: `FIRMQUOTE_CLIENT_ID`. */
  readonly clientId?: string | undefined;
  /** A function is called each time a token is fetched, once a day. Default: `FIRMQUOTE_CLIENT_SECRET`. */
  readonly clientSecret?: string | (() => string | Promise<string>) | undefined;
  /** Instead of a secret: `private_key_jwt` (RFC 7523) with Ed25519, P-256 or RSA. */
  readonly privateKey?: PrivateKey | undefined;
  /** `kid` of the private key, where the service knows several. Default: that of the JWK. */
  readonly keyId?: string | undefined;
  /** `aud` of assertions. Default: the token endpoint's address; the service also accepts its issuer. */
  readonly assertionAudience?: string | undefined;
  /** Audience of tokens. Default: `FIRMQUOTE_AUDIENCE`, else `baseUrl`. */
  readonly audience?: string | undefined;
  /** Default: all scopes of the client. */
  readonly scope?: readonly string[] | undefined;
  /** A token of your own instead of credentials. A function is called for every call. Default: `FIRMQUOTE_TOKEN`. */
  readonly token?:
    | string
    | ((state: { readonly wasRejected: boolean }) => string | Promise<string>)
    | undefined;
  /** Binds tokens to a key (DPoP, RFC 9449): a key pair of WebCrypto with the usage `sign`, or `true` for one that this client creates and nobody can read. */
  readonly dpop?: KeyPair | true | undefined;
  /** Shares tokens between processes. Default: memory. */
  readonly tokenStore?: TokenStore | undefined;
  /** A token with less time left is replaced in the background, ms. Default: 300,000, as the API asks. */
  readonly refreshMarginMs?: number | undefined;
  /** Time limit of one attempt, ms. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Time limit of a call with all its attempts, ms. Default: 30,000. */
  readonly deadlineMs?: number | undefined;
  /** Attempts after the first. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** Largest JSON answer that is accepted, bytes. Default: 16 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Names your program in `User-Agent`: `treasury/1.4`. */
  readonly appInfo?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Default: `warn`. */
  readonly logLevel?: LogLevel | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Permits `http:` to other hosts than this machine. Tokens and secrets can then be read on the way. */
  readonly allowInsecure?: boolean | undefined;
  /** For tests: time and chance. */
  readonly runtime?: Runtime | undefined;
}

/** What may differ between clients that share their token. */
export type SharedOptions = Pick<
  ClientOptions,
  'timeoutMs' | 'deadlineMs' | 'maxRetries' | 'maxAnswerBytes' | 'headers'
>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one attempt, ms. */
  readonly timeoutMs?: number | undefined;
  /** Time limit of the call with all its attempts, ms. */
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Reason for the second person, if an operator's command needs one. */
  readonly reason?: string | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** 1 to 128 printable ASCII characters without `"`. Default: a new one for each call, kept through its attempts. */
  readonly idempotencyKey?: string | undefined;
}

export interface MatchedOptions extends CallOptions {
  /** The `etag` of what was read: the change is refused when it has changed since. */
  readonly ifMatch?: string | undefined;
}

export interface KeyedMatchedOptions extends KeyedOptions, MatchedOptions {}

export interface MustMatchOptions extends CallOptions {
  /** The `etag` of what was read, or `*`. */
  readonly ifMatch: string;
}

export interface WaitOptions extends CallOptions {
  /** Holds the answer for up to this many seconds, at most 30, until there is something new. */
  readonly waitSeconds?: number | undefined;
  /** The `etag` of what is known, with `waitSeconds`. */
  readonly ifNoneMatch?: string | undefined;
}

/** All options of a call; each method takes those of its operation. */
export interface AnyOptions extends KeyedOptions, WaitOptions {
  readonly ifMatch?: string | undefined;
}

export interface WaitForOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: 5 minutes. */
  readonly timeoutMs?: number | undefined;
  /** Called for every change that is seen meanwhile. */
  readonly onChange?: ((transaction: Transaction) => void) | undefined;
}

export interface FollowOptions {
  /** Id of the last event that you have processed, or `latest`: only what happens from now on. Default: from the oldest one kept. */
  readonly after?: string | undefined;
  readonly types?: ListEventsQuery['types'];
  readonly signal?: AbortSignal | undefined;
  /** Called when events that you have not read are gone: `after` is older than 30 days. Check your transactions instead. */
  readonly onMissed?: ((count: number) => void) | undefined;
}
