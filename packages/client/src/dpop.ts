import { algorithmOf, base64url, encoded, type WebKey } from './assertion.ts';
import type { ServerClock } from './clock.ts';
import { ConfigurationError } from './errors.ts';

/** A clock that was wrong by so much made the proof that was refused, ms. */
const WRONG_CLOCK_MS = 5_000;

/** Of WebCrypto: the private half may be one that cannot be read. */
export interface KeyPair {
  readonly privateKey: WebKey;
  readonly publicKey: WebKey;
}

/** What a request is sent with. */
export interface Proof {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Takes in what the answer says of proofs.
   * @returns whether another proof may be taken where this one was refused: one with the nonce that the server wants, or by its clock
   */
  isOutdated(answer: Response): boolean;
}

/** Proves for each request that whoever shows a token has its key (RFC 9449). */
export class Prover {
  readonly #keys: Promise<KeyPair>;
  readonly #jwk: Promise<object>;
  readonly #clock: ServerClock;
  /** What servers want in proofs, by origin. */
  readonly #nonces = new Map<string, string>();

  /** @param given `true` makes a key that nobody can read, and that ends with this client */
  constructor(given: KeyPair | true, clock: ServerClock) {
    this.#clock = clock;
    this.#keys = given === true ? makeKeys() : Promise.resolve(given);
    this.#jwk = this.#keys.then(publicJwk);
    // Told to whoever sends the first request.
    this.#jwk.catch(() => undefined);
  }

  /** Under which a store has tokens of this key (RFC 7638): of no use with another one. */
  async keyOf(shared: string): Promise<string> {
    return `${shared} ${await sha256(JSON.stringify(await this.#jwk))}`;
  }

  /** @throws ConfigurationError where the service has bound the token to no key: whoever steals it could use it */
  requireBound(type: string): void {
    if (type.toLowerCase() === 'dpop') return;
    throw new ConfigurationError('The service does not bind tokens to a key.', {
      code: 'token_not_bound',
      nextStep: 'Use a service that supports DPoP, or leave dpop out.',
    });
  }

  /** @param token none where one is asked for */
  async prove(method: string, url: string, token: string | undefined): Promise<Proof> {
    const { origin, pathname } = new URL(url);
    const nonce = this.#nonces.get(origin);
    const { offsetMs } = this.#clock;
    const dpop = await this.#sign({
      ...{ jti: crypto.randomUUID(), htm: method, htu: origin + pathname },
      iat: Math.floor(this.#clock.now() / 1_000),
      ...(token !== undefined && { ath: await sha256(token) }),
      ...(nonce !== undefined && { nonce }),
    });
    return {
      headers: token === undefined ? { dpop } : { dpop, authorization: `DPoP ${token}` },
      isOutdated: ({ status, headers }) => {
        const wanted = headers.get('dpop-nonce');
        if (wanted !== null) this.#nonces.set(origin, wanted);
        const isRefused = status === 401 || (status === 400 && token === undefined);
        const isOtherNonce = wanted !== null && wanted !== nonce;
        return isRefused && (isOtherNonce || Math.abs(this.#clock.offsetMs - offsetMs) > WRONG_CLOCK_MS);
      },
    };
  }

  async #sign(claims: object): Promise<string> {
    const [{ privateKey }, jwk] = [await this.#keys, await this.#jwk];
    const { algorithm, parameters } = algorithmOf(privateKey.algorithm);
    const head = encoded(JSON.stringify({ typ: 'dpop+jwt', alg: algorithm, jwk }));
    const signed = `${head}.${encoded(JSON.stringify(claims))}`;
    const signature = await crypto.subtle.sign(parameters, privateKey, new TextEncoder().encode(signed));
    return `${signed}.${base64url(new Uint8Array(signature))}`;
  }
}

async function makeKeys(): Promise<KeyPair> {
  const made = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'sign',
    'verify',
  ]);
  return made as KeyPair;
}

/** The members that make the key, in the order in which they are hashed. */
async function publicJwk({ publicKey }: KeyPair): Promise<object> {
  algorithmOf(publicKey.algorithm);
  const { crv, e, kty, n, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  if (kty === 'RSA') return { e, kty, n };
  return kty === 'OKP' ? { crv, kty, x } : { crv, kty, x, y };
}

async function sha256(text: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}
