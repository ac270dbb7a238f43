import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { invalidClient, OAuthError } from './oauth-error.ts';

/** `Ed25519` is the newer name of what `EdDSA` means here (RFC 9864); libraries send either. */
export const ASSERTION_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256'] as const;

/** An assertion that could be used for longer would have to be remembered for longer. */
const ASSERTION_LIFETIME_MAX_SECONDS = 300; // limit: Life of a client assertion
/** Clocks of clients run a little fast or slow. */
const CLOCK_TOLERANCE_SECONDS = 10; // limit: Clock tolerance of a client assertion
const JTI_MAX_LENGTH = 256; // limit: Characters of the `jti` of a client assertion

/** The client that an assertion says it is from. Not verified yet: it only says whose keys to try. */
export function assertedClientId(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt(assertion);
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

interface VerifiedAssertion {
  readonly jti: string;
  /** Epoch milliseconds until which the assertion could be used again. */
  readonly usableUntil: number;
}

/**
 * Verifies a client assertion (RFC 7523 §3): signed with one of the client's keys, `iss` and `sub` the client, `aud`
 * this server and nobody else, `exp` at most five minutes ahead, with a `jti`. That the `jti` is new is for the caller
 * to establish.
 * @param audiences issuer and token endpoint
 * @throws OAuthError invalid_client
 */
export async function verifyAssertion(
  assertion: string,
  client: { readonly clientId: string; readonly keys: readonly JWK[] },
  audiences: readonly string[],
  now: number,
): Promise<VerifiedAssertion> {
  const payload = await verifySignature(assertion, client, audiences, now);
  const given = Array.isArray(payload.aud) ? payload.aud : [payload.aud];
  // An assertion that another server accepts too could be replayed from there.
  if (!given.every((audience) => audience !== undefined && audiences.includes(audience))) {
    throw assertionRefused(AUD_RULE);
  }
  const expiresAt = payload.exp;
  if (expiresAt === undefined || expiresAt > now / 1000 + ASSERTION_LIFETIME_MAX_SECONDS) {
    throw assertionRefused(EXP_RULE);
  }
  if (typeof payload.jti !== 'string' || payload.jti === '' || payload.jti.length > JTI_MAX_LENGTH) {
    throw assertionRefused(JTI_RULE);
  }
  return { jti: payload.jti, usableUntil: (expiresAt + CLOCK_TOLERANCE_SECONDS) * 1000 };
}

/** Stated only of assertions whose signature is right: their author is the client. */
function assertionRefused(reason: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', `Client assertion refused: ${reason}.`, { cause });
}

async function verifySignature(
  assertion: string,
  client: { readonly clientId: string; readonly keys: readonly JWK[] },
  audiences: readonly string[],
  now: number,
): Promise<JWTPayload> {
  let failure: unknown;
  for (const jwk of keysThatFit(assertion, client.keys)) {
    try {
      const { alg } = decodeProtectedHeader(assertion);
      const key = await importJWK(withoutAlgorithm(jwk), alg);
      const { payload } = await jwtVerify(assertion, key, {
        algorithms: [...ASSERTION_ALGORITHMS],
        issuer: client.clientId,
        subject: client.clientId,
        audience: [...audiences],
        requiredClaims: ['exp', 'jti'],
        currentDate: new Date(now),
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return payload;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== undefined) throw assertionRefused(reason, error);
      failure = error;
    }
  }
  throw invalidClient(failure);
}

const CLOCK_HINT = 'compare your clock with the Date of this answer';
const EXP_RULE = `exp must be at most ${ASSERTION_LIFETIME_MAX_SECONDS} seconds ahead`;
const AUD_RULE = 'aud must name this server only';
const JTI_RULE = `jti must be a string of 1 to ${JTI_MAX_LENGTH} characters`;

const CLAIM_RULES: Readonly<Record<string, string>> = {
  iss: 'iss must be the client',
  aud: AUD_RULE,
  exp: EXP_RULE,
  nbf: `nbf lies ahead; ${CLOCK_HINT}`,
  jti: JTI_RULE,
};

/** Claims are looked at once the signature is right, by a key that this tells to be the right one. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof errors.JWTExpired) return `it has expired; ${CLOCK_HINT}`;
  return error instanceof errors.JWTClaimValidationFailed ? CLAIM_RULES[error.claim] : undefined;
}

/** The stored name is `EdDSA`; the header may say `Ed25519`. The key's own type still has to fit. */
function withoutAlgorithm(jwk: JWK): JWK {
  const { alg: _, ...rest } = jwk;
  return rest;
}

/** The client's keys that fit the header: by `kid` when it names one, and always by the kind of key. */
function keysThatFit(assertion: string, keys: readonly JWK[]): JWK[] {
  let header: { alg?: string | undefined; kid?: unknown };
  try {
    header = decodeProtectedHeader(assertion);
  } catch {
    return [];
  }
  const alg = header.alg === 'Ed25519' ? 'EdDSA' : header.alg;
  return keys.filter((key) => key.alg === alg && (header.kid === undefined || header.kid === key.kid));
}
