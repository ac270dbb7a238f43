import { ConfigurationError } from './errors.ts';

/** The service takes none that lives longer than five minutes. */
const LIFETIME_SECONDS = 120;

/** Types that browsers' and Node's libraries call differently. */
type SignParameters = Parameters<typeof crypto.subtle.sign>[0];
type ImportParameters = Parameters<typeof crypto.subtle.importKey>[2];
type JwkData = Parameters<typeof crypto.subtle.importKey>[1] & { readonly kty?: string };
export type WebKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A private key as JSON (RFC 7517). */
export interface PrivateJwk {
  readonly kty: string;
  readonly crv?: string;
  readonly kid?: string;
  readonly [member: string]: unknown;
}
/** Of WebCrypto, with the usage `sign`, or as JSON. */
export type PrivateKey = WebKey | PrivateJwk;

interface Signer {
  readonly algorithm: string;
  readonly parameters: SignParameters;
  readonly key: WebKey;
  readonly keyId: string | undefined;
}

/** Reads a private key once, and signs assertions with it (RFC 7523). The key stays with WebCrypto. */
export class AssertionSigner {
  readonly #signer: Promise<Signer>;

  constructor(key: PrivateKey, keyId: string | undefined) {
    this.#signer = readKey(key, keyId);
    // Told to whoever asks for the first token.
    this.#signer.catch(() => undefined);
  }

  /**
   * The members of a request for a token that show who asks.
   * @param nowMs by the service's clock
   */
  async prove(clientId: string, audience: string, nowMs: number) {
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await this.#sign(clientId, audience, nowMs),
    };
  }

  async #sign(clientId: string, audience: string, nowMs: number): Promise<string> {
    const { algorithm, parameters, key, keyId } = await this.#signer;
    const now = Math.floor(nowMs / 1_000);
    const header = { alg: algorithm, typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) };
    const payload = {
      ...{ iss: clientId, sub: clientId, aud: audience, jti: crypto.randomUUID() },
      ...{ iat: now, exp: now + LIFETIME_SECONDS },
    };
    const signed = `${encoded(JSON.stringify(header))}.${encoded(JSON.stringify(payload))}`;
    const signature = await crypto.subtle.sign(parameters, key, new TextEncoder().encode(signed));
    return `${signed}.${base64url(new Uint8Array(signature))}`;
  }
}

async function readKey(given: PrivateKey, keyId: string | undefined): Promise<Signer> {
  if (isWebKey(given)) return { ...algorithmOf(given.algorithm), key: given, keyId };
  const imported = importOf(given);
  const key = await crypto.subtle
    .importKey('jwk', given as unknown as JwkData, imported, false, ['sign'])
    .catch(() => {
      throw wrongKey();
    });
  return { ...algorithmOf(key.algorithm), key, keyId: keyId ?? given.kid };
}

function isWebKey(given: PrivateKey): given is WebKey {
  return 'algorithm' in given && 'usages' in given;
}

function importOf({ kty, crv }: PrivateJwk): ImportParameters {
  if (kty === 'OKP' && crv === 'Ed25519') return { name: 'Ed25519' };
  if (kty === 'EC' && crv === 'P-256') return { name: 'ECDSA', namedCurve: 'P-256' };
  if (kty === 'RSA') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  throw wrongKey();
}

export function algorithmOf({ name }: { readonly name: string }): Pick<Signer, 'algorithm' | 'parameters'> {
  if (name === 'Ed25519') return { algorithm: 'EdDSA', parameters: { name } };
  if (name === 'ECDSA')
    return { algorithm: 'ES256', parameters: { name, hash: 'SHA-256' } as SignParameters };
  if (name === 'RSASSA-PKCS1-v1_5') return { algorithm: 'RS256', parameters: { name } };
  throw wrongKey();
}

function wrongKey(): ConfigurationError {
  return new ConfigurationError('The private key cannot be used to sign.', {
    code: 'private_key_invalid',
    nextStep: 'Give a private Ed25519, P-256 or RSA key, as JWK or as CryptoKey with the usage "sign".',
  });
}

export function encoded(text: string): string {
  return base64url(new TextEncoder().encode(text));
}

export function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
