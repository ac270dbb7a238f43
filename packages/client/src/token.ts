import type { ServerClock } from './clock.ts';
import type { Runtime } from './runtime.ts';

/** A token with less time left is used no more: the call waits for the next one. */
const WAIT_BELOW_MS = 30_000;
/** A refresh in the background that failed is not tried again for so long. */
const PAUSE_AFTER_FAILURE_MS = 5_000;

export interface StoredToken {
  readonly accessToken: string;
  /** Milliseconds since 1970 by the service's clock. */
  readonly expiresAt: number;
  /** How long it lives from beginning to end, ms. */
  readonly lifetimeMs: number;
}

/** Shares tokens between processes, so that all of them together ask for one a day. Keep what it holds as safe as the secret. */
export interface TokenStore {
  get(key: string): Promise<StoredToken | null>;
  set(key: string, token: StoredToken): Promise<void>;
  /** Runs the function while nobody else runs one for the key. Without it, several processes may each fetch a token. */
  lock?<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Where tokens come from. */
export interface TokenSource {
  /** A token that is good now. */
  get(): Promise<string>;
  /** Another one than that which was refused; the same where there is no other. */
  replace(rejected: string): Promise<string>;
}

export interface TokenCacheOptions {
  readonly runtime: Runtime;
  readonly clock: ServerClock;
  readonly fetchToken: () => Promise<StoredToken>;
  readonly marginMs: number;
  readonly store: TokenStore | undefined;
  /** Told of faults that calls survive. */
  readonly log: (message: string) => void;
  /** Under which the store has it; holds no secret. */
  readonly key: string | Promise<string>;
}

/** Keeps one token, and gets the next one before it ends. */
export class TokenCache implements TokenSource {
  readonly #options: TokenCacheOptions;
  #token: StoredToken | undefined;
  #flight: Promise<StoredToken> | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
  }

  async get(): Promise<string> {
    this.#token ??= await this.#stored();
    const token = this.#token;
    if (token === undefined) return (await this.#refresh()).accessToken;
    const left = token.expiresAt - this.#options.clock.now();
    if (left > this.#marginOf(token)) return token.accessToken;
    if (left <= Math.min(WAIT_BELOW_MS, token.lifetimeMs / 10)) return this.#nextFor(token, left);
    this.#refreshBehind();
    return token.accessToken;
  }

  async replace(rejected: string): Promise<string> {
    // Another call has already done so.
    if (this.#token !== undefined && this.#token.accessToken !== rejected) return this.#token.accessToken;
    return (await this.#refresh(rejected)).accessToken;
  }

  /** The next one; the last moments of this one where there is none. */
  async #nextFor(token: StoredToken, leftMs: number): Promise<string> {
    try {
      return (await this.#refresh()).accessToken;
    } catch (error) {
      if (leftMs <= 0) throw error;
      return token.accessToken;
    }
  }

  /** Short tokens are not replaced from their first second on. */
  #marginOf({ lifetimeMs }: StoredToken): number {
    return Math.min(this.#options.marginMs, lifetimeMs / 4);
  }

  #refreshBehind(): void {
    const { runtime } = this.#options;
    if (this.#flight !== undefined || runtime.monotonicMs() < this.#notBefore) return;
    this.#refresh().catch(() => {
      this.#notBefore = runtime.monotonicMs() + PAUSE_AFTER_FAILURE_MS;
    });
  }

  /** Whoever needs a token while one is fetched gets that one. */
  #refresh(rejected?: string): Promise<StoredToken> {
    this.#flight ??= this.#locked(rejected).finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #locked(rejected: string | undefined): Promise<StoredToken> {
    const { store, key, log } = this.#options;
    let begun: Promise<StoredToken> | undefined;
    const work = () => {
      begun ??= this.#renew(rejected);
      return begun;
    };
    try {
      return await (store?.lock?.(await key, work) ?? work());
    } catch {
      // A lock that fails is as good as none: what it would have kept apart are tokens, of which one more does no harm.
      if (begun === undefined) log('the stored token could not be locked');
      return work();
    }
  }

  async #renew(rejected: string | undefined): Promise<StoredToken> {
    const kept = await this.#stored();
    const token = kept !== undefined && this.#isGood(kept, rejected) ? kept : await this.#fetch();
    this.#token = token;
    return token;
  }

  #isGood(token: StoredToken, rejected: string | undefined): boolean {
    const isOther = token.accessToken !== (rejected ?? this.#token?.accessToken);
    return isOther && token.expiresAt - this.#options.clock.now() > this.#marginOf(token);
  }

  async #fetch(): Promise<StoredToken> {
    const token = await this.#options.fetchToken();
    const { store, key, log } = this.#options;
    try {
      await store?.set(await key, token);
    } catch {
      log('the token could not be stored');
    }
    return token;
  }

  /** A store that fails is as good as none: calls go on. */
  async #stored(): Promise<StoredToken | undefined> {
    const { store, key, log } = this.#options;
    try {
      const token = await store?.get(await key);
      const isToken = typeof token?.accessToken === 'string' && Number.isFinite(token.expiresAt);
      return isToken && Number.isFinite(token.lifetimeMs) ? token : undefined;
    } catch {
      log('the stored token could not be read');
      return undefined;
    }
  }
}

/** A token from elsewhere. */
export class GivenToken implements TokenSource {
  readonly #given: string | ((state: { readonly wasRejected: boolean }) => string | Promise<string>);

  constructor(given: string | ((state: { readonly wasRejected: boolean }) => string | Promise<string>)) {
    this.#given = given;
  }

  async get(): Promise<string> {
    return typeof this.#given === 'string' ? this.#given : this.#given({ wasRejected: false });
  }

  async replace(): Promise<string> {
    return typeof this.#given === 'string' ? this.#given : this.#given({ wasRejected: true });
  }
}
