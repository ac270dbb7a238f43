import * as openid from 'openid-client';
import type { ProviderSettings } from '../config.ts';

/** What is kept of a sign-in until its answer comes. */
export interface ExpectedAnswer {
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly fresh: boolean;
  /** Epoch milliseconds. */
  readonly begunAt: number;
  /** The session that the browser held; on its way back from another site it does not show it. */
  readonly held?: { readonly id: string; readonly personId: string; readonly hash: string } | undefined;
}

/** Somebody as the provider knows it. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly groups: readonly string[];
  /** When it was asked who it is, epoch milliseconds; undefined where the provider does not say. */
  readonly authenticatedAt: number | undefined;
}

/** How long what the provider says of itself is used. */
const DISCOVERED_FOR_MS = 3_600_000;
const TIMEOUT_SECONDS = 10; // limit: Seconds that a provider of sign-ins may take to answer
/** What a provider says of an address that is somebody's. Some say nothing about addresses, and some write it as a text. */
const VOUCHED_FOR: ReadonlySet<unknown> = new Set([undefined, true, 'true']);
/** Clocks of two machines. */
const SKEW_MS = 60_000;

/** The company's OpenID Connect provider: code flow with PKCE, state and nonce; every signature is verified. */
export class Provider {
  readonly #settings: ProviderSettings;
  readonly #redirectUri: () => string;
  readonly #now: () => number;
  #found: { readonly config: Promise<openid.Configuration>; readonly at: number } | undefined;

  constructor(settings: ProviderSettings, redirectUri: () => string, now: () => number) {
    this.#settings = settings;
    this.#redirectUri = redirectUri;
    this.#now = now;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Roles of somebody in these groups; undefined where groups decide nothing. */
  rolesOf(groups: readonly string[]): readonly string[] | undefined {
    const { roles } = this.#settings;
    if (roles === undefined) return undefined;
    return [...new Set(groups.flatMap((group) => roles.get(group) ?? []))].sort();
  }

  /**
   * Where the browser goes.
   * @param fresh whoever it is shows it anew, even where the provider knows it still
   * @param sessionSeconds how old what the provider knows may be otherwise
   */
  async begin(
    fresh: boolean,
    sessionSeconds: number,
  ): Promise<{
    readonly url: URL;
    readonly state: string;
    readonly nonce: string;
    readonly verifier: string;
  }> {
    const config = await this.#discovered();
    const [state, nonce, verifier] = [
      openid.randomState(),
      openid.randomNonce(),
      openid.randomPKCECodeVerifier(),
    ];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUri(),
      scope: this.#settings.scopes,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // Asked for a largest age, a provider says when it was.
      ...(fresh ? { prompt: 'login', max_age: '0' } : { max_age: String(sessionSeconds) }),
    });
    return { url, state, nonce, verifier };
  }

  /**
   * Who has come back.
   * @param search of the address that the provider sent the browser to
   * @throws whatever is wrong with the answer
   */
  async end(search: string, state: string, expected: ExpectedAnswer): Promise<Claims> {
    const config = await this.#discovered();
    const address = new URL(`${this.#redirectUri()}${search}`);
    const tokens = await openid.authorizationCodeGrant(config, address, {
      pkceCodeVerifier: expected.verifier,
      expectedState: state,
      expectedNonce: expected.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the provider sent no id_token');
    const { iss: issuer, sub: subject, auth_time: authTime } = claims;
    const authenticatedAt = typeof authTime === 'number' ? authTime * 1000 : undefined;
    if (expected.fresh && (authenticatedAt === undefined || authenticatedAt < expected.begunAt - SKEW_MS))
      throw new Error('the provider did not ask the person to sign in again');
    // A provider may leave them out of the token and give them where it is asked with the token.
    const reported = this.#isWhole(claims)
      ? claims
      : { ...(await openid.fetchUserInfo(config, tokens.access_token, subject)), ...claims };
    const { email, email_verified: isVerified, name } = reported;
    return {
      issuer,
      subject,
      email: typeof email === 'string' && VOUCHED_FOR.has(isVerified) ? email : undefined,
      name: typeof name === 'string' ? name : undefined,
      groups: textsOf(reported[this.#settings.groupsClaim]),
      authenticatedAt,
    };
  }

  #isWhole(claims: Readonly<Record<string, unknown>>): boolean {
    const { roles, groupsClaim } = this.#settings;
    return claims.email !== undefined && (roles === undefined || claims[groupsClaim] !== undefined);
  }

  /** A failure is not kept: the next sign-in tries again. */
  #discovered(): Promise<openid.Configuration> {
    const now = this.#now();
    if (this.#found !== undefined && now - this.#found.at < DISCOVERED_FOR_MS) return this.#found.config;
    const found = { config: this.#discover(), at: now };
    this.#found = found;
    found.config.catch(() => {
      if (this.#found === found) this.#found = undefined;
    });
    return found.config;
  }

  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    return openid.discovery(url, clientId, undefined, openid.ClientSecretBasic(clientSecret()), {
      timeout: TIMEOUT_SECONDS,
      execute: [
        openid.enableNonRepudiationChecks,
        // The setting allows http to this machine alone.
        ...(url.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
      ],
    });
  }
}

function textsOf(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((each) => typeof each === 'string');
}
