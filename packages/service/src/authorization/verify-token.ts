import { type CryptoKey, errors, type JWTPayload, jwtVerify } from 'jose';
import { parseTypeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { PROOF_ALGORITHMS } from './dpop.ts';

/** A token whose signature and claims are right. Whether its client may still use it is asked on each call. */
export interface VerifiedToken {
  readonly clientId: string;
  readonly jti: string;
  readonly audiences: readonly string[];
  readonly scopes: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Of the key without whose proof the token does not count (`cnf`, RFC 9449); undefined for a bearer token. */
  readonly thumbprint: string | undefined;
}

const REALM = 'Bearer realm="firmquote"';

/** RFC 6750 §3.1: a request without a token learns only that one is needed. */
function tokenMissing(): Problem {
  return new Problem('token_missing', 'Send an access token: Authorization: Bearer <token>.', {
    headers: { 'WWW-Authenticate': REALM },
  });
}

export function tokenExpired(): Problem {
  return new Problem('token_expired', 'The access token has expired.', {
    headers: {
      'WWW-Authenticate': `${REALM}, error="invalid_token", error_description="The access token expired"`,
    },
  });
}

/** RFC 9449 §7.1: what is wrong with the proof is stated in a challenge of its own. */
export function proofInvalid(detail: string, cause?: unknown): Problem {
  const challenge = `DPoP realm="firmquote", error="invalid_dpop_proof", algs="${PROOF_ALGORITHMS.join(' ')}"`;
  return new Problem('token_invalid', detail, { headers: { 'WWW-Authenticate': challenge }, cause });
}

export function tokenInvalid(detail = 'The access token is not valid here.', cause?: unknown): Problem {
  return new Problem('token_invalid', detail, {
    headers: {
      'WWW-Authenticate': `${REALM}, error="invalid_token", error_description="The access token is not valid"`,
    },
    cause,
  });
}

/** Several times the longest token that this service makes. */
const HEADER_MAX_LENGTH = 4096; // limit: Characters of an `Authorization` header

/**
 * The token of an `Authorization` header (RFC 6750 §2.1); the scheme is case-insensitive. Runs on every call, hence no
 * regular expression: that the token has the form of one is found out when it is verified.
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw tokenMissing();
  if (authorization.length > HEADER_MAX_LENGTH) throw tokenInvalid();
  const known = authorization.startsWith('Bearer ') || authorization.slice(0, 7).toLowerCase() === 'bearer ';
  const token = known
    ? authorization.slice(7).trim()
    : isDpop(authorization)
      ? authorization.slice(5).trim()
      : '';
  if (token === '') throw tokenMissing();
  return token;
}

/** Whether a header shows a token with a proof (RFC 9449 §7.1). */
export function isDpop(authorization: string): boolean {
  return authorization.slice(0, 5).toLowerCase() === 'dpop ';
}

interface TokenVerification {
  readonly verificationKey: (kid: string) => Promise<CryptoKey | undefined>;
  readonly issuer: string;
  /** Real time, epoch milliseconds. */
  readonly now: number;
}

/**
 * Verifies signature (ES256 only), `typ`, `iss`, `exp` and that every claim of this service's tokens is there. The
 * audience is compared by the caller, because one token is used at several kinds of routes.
 * @throws Problem token_expired, token_invalid
 */
export async function verifyToken(token: string, options: TokenVerification): Promise<VerifiedToken> {
  let payload: JWTPayload;
  try {
    const verified = await jwtVerify(
      token,
      async (header) => {
        const key = header.kid === undefined ? undefined : await options.verificationKey(header.kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer: options.issuer,
        requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope'],
        currentDate: new Date(options.now),
      },
    );
    payload = verified.payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw tokenExpired();
    if (error instanceof errors.JOSEError) throw tokenInvalid(undefined, error);
    throw error;
  }
  return verifiedToken(payload);
}

function verifiedToken(payload: JWTPayload): VerifiedToken {
  const { client_id: clientId, scope, jti, aud, exp } = payload;
  const id = typeof clientId === 'string' ? parseTypeId('cli', clientId) : undefined;
  if (
    id === undefined ||
    typeof scope !== 'string' ||
    jti === undefined ||
    aud === undefined ||
    exp === undefined
  ) {
    throw tokenInvalid();
  }
  return {
    clientId: id,
    jti,
    audiences: Array.isArray(aud) ? aud : [aud],
    scopes: new Set(scope.split(' ').filter((each) => each !== '')),
    expiresAt: exp * 1000,
    thumbprint: thumbprintOf(payload),
  };
}

function thumbprintOf({ cnf }: JWTPayload): string | undefined {
  const { jkt } = (cnf ?? {}) as { readonly jkt?: unknown };
  return typeof jkt === 'string' ? jkt : undefined;
}
