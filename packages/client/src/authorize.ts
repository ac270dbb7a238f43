import type { Connection } from './connection.ts';
import { AuthenticationError, ConfigurationError } from './errors.ts';
import { createToken } from './generated/specs.ts';
import type { Token } from './generated/types.ts';
import type { ClientOptions } from './options.ts';
import { environment } from './runtime.ts';
import { GivenToken, type StoredToken, TokenCache, type TokenSource } from './token.ts';

export interface Authorization {
  /** None where only public operations can be called. */
  readonly tokens: TokenSource | undefined;
  /** Takes out of a text what must not be seen. */
  readonly conceal: (text: string) => string;
}

/** By how much a clock must have been wrong for a refused assertion to be tried again, ms. */
const WRONG_CLOCK_MS = 5_000;

/** How a connection gets its tokens, by its options. */
export function authorize(connection: Connection, options: ClientOptions): Authorization {
  const secrets = new Set<string>();
  const conceal = (text: string) => {
    let concealed = text;
    for (const secret of secrets) concealed = concealed.replaceAll(secret, '[secret]');
    return concealed;
  };
  const remember = <T extends string>(secret: T): T => {
    if (secret.length >= 8) secrets.add(secret);
    return secret;
  };
  const isGiven = options.clientId !== undefined || options.privateKey !== undefined;
  const token = options.token ?? (isGiven ? undefined : environment('FIRMQUOTE_TOKEN'));
  if (token !== undefined) {
    return {
      tokens: new GivenToken(
        typeof token === 'string' ? remember(token) : async (state) => remember(await token(state)),
      ),
      conceal,
    };
  }
  const clientId = options.clientId ?? environment('FIRMQUOTE_CLIENT_ID');
  if (clientId === undefined) return { tokens: undefined, conceal };
  const { settings, clock } = connection;
  const audience = options.audience ?? environment('FIRMQUOTE_AUDIENCE') ?? settings.baseUrl;
  const scope = options.scope?.join(' ');
  const request = {
    client_id: clientId,
    audience,
    grant_type: 'client_credentials' as const,
    ...(scope === undefined ? {} : { scope }),
  };
  const proof = proofOf(connection, clientId, options, remember);
  const ask = async (): Promise<StoredToken> => {
    const body = async () => ({ ...request, ...(await proof()) });
    const { data } = await connection.send<Token>(createToken, { body });
    (await connection.prover)?.requireBound(data.token_type);
    const lifetimeMs = data.expires_in * 1_000;
    return { accessToken: remember(data.access_token), expiresAt: clock.now() + lifetimeMs, lifetimeMs };
  };
  const shared = [settings.authUrl, clientId, audience, scope ?? ''].join(' ');
  const key = connection.prover?.then((prover) => prover.keyOf(shared)) ?? shared;
  const tokens = new TokenCache({
    ...{ runtime: settings.runtime, clock, store: options.tokenStore, marginMs: settings.refreshMarginMs },
    key,
    log: (message) => settings.log('warn', message, {}),
    fetchToken: () => twiceWithWrongClock(connection, options, ask),
  });
  return { tokens, conceal };
}

/** What shows who asks: a secret, or an assertion that is new for each attempt. */
function proofOf(
  { settings, clock }: Connection,
  clientId: string,
  { clientSecret, privateKey, keyId, assertionAudience }: ClientOptions,
  remember: (secret: string) => string,
): () => Promise<object> {
  if (privateKey !== undefined) {
    const audience = assertionAudience ?? `${settings.authUrl}/oauth/token`;
    // Most clients have a secret, and need none of it.
    const signing = import('./assertion.ts').then(
      ({ AssertionSigner }) => new AssertionSigner(privateKey, keyId),
    );
    signing.catch(() => undefined);
    return async () => {
      const proof = await (await signing).prove(clientId, audience, clock.now());
      remember(proof.client_assertion);
      return proof;
    };
  }
  const secret = clientSecret ?? environment('FIRMQUOTE_CLIENT_SECRET');
  if (secret === undefined) {
    throw new ConfigurationError('There is a clientId but no secret.', {
      code: 'credentials_missing',
      nextStep: 'Give clientSecret or privateKey, or set FIRMQUOTE_CLIENT_SECRET.',
    });
  }
  return async () => ({ client_secret: remember(typeof secret === 'string' ? secret : await secret()) });
}

/**
 * The refusal of an assertion whose times were by a wrong clock tells what the time is: the machine's own is wrong, or it has slept, for
 * which the clock that only goes forward stood still.
 */
async function twiceWithWrongClock(
  { clock }: Connection,
  { privateKey }: ClientOptions,
  ask: () => Promise<StoredToken>,
): Promise<StoredToken> {
  const { offsetMs } = clock;
  try {
    return await ask();
  } catch (error) {
    const wasWrong = Math.abs(clock.offsetMs - offsetMs) > WRONG_CLOCK_MS;
    if (privateKey === undefined || !wasWrong || !(error instanceof AuthenticationError)) throw error;
    return ask();
  }
}
