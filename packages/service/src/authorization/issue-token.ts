import { SignJWT } from 'jose';
import type { ProvenRequest } from '../http/access.ts';
import type { Quota, RateLimiter } from '../http/rate-limits.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../platform/clock.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { authenticateClient, type ClientAuthentication } from './authenticate-client.ts';
import { ProofRefusal, verifyProof } from './dpop.ts';
import type { LastUse } from './last-use.ts';
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import { type ClientKind, covers, parseScope, scopesOf } from './scopes.ts';
import type { TokenRequest } from './token-request.ts';
import { type AuthenticatingClient, useProof } from './token-store.ts';

/** Fixed by the interface specification. */
const TOKEN_LIFETIME_SECONDS = 86_400; // limit: Life of a token
export const TOKEN_LIFETIME_MS = TOKEN_LIFETIME_SECONDS * 1000;

export interface TokenIssuer extends ClientAuthentication {
  readonly realClock: Clock;
  readonly signingKeys: SigningKeys;
  /** Addresses at which the service is reached: what proofs may be for. */
  readonly bases: () => readonly string[];
  readonly lastUse: LastUse;
  readonly issuer: () => string;
  /** The audience that the service has for clients of the kind. */
  readonly audienceOf: (kind: ClientKind) => string;
  readonly limiter: RateLimiter;
  readonly perClient: Quota;
  /** Notified of each answer: `issued`, or the code of the error. */
  readonly onAnswer?: ((outcome: 'issued' | OAuthErrorCode) => void) | undefined;
}

interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
}

/**
 * The client credentials grant (RFC 6749 §4.4): authenticate, decide audience and scope, sign.
 * @throws OAuthError for everything that the client did wrong
 */
export async function issueToken(
  issuer: TokenIssuer,
  request: TokenRequest,
  address: string,
  proven: ProvenRequest,
): Promise<TokenAnswer> {
  const now = issuer.realClock.now();
  // The id carries the instant at which the request was judged, so that a revocation made since covers the token.
  const jti = newUuid(now);
  const client = await authenticateClient(issuer, request.credentials, address, now);
  // Counted after authentication: nobody can use up a client's rate without its secret.
  const rate = issuer.limiter.take(`token client ${client.id}`, 'token', issuer.perClient);
  if (!rate.allowed) throw tooManyRequests(rate.resetSeconds);
  const audience = decideAudience(client, request.audience, issuer.audienceOf(client.kind));
  const scopes = decideScopes(client, request.scope);
  const thumbprint = await boundTo(issuer, client, proven, now);
  const { kid, privateKey } = await issuer.signingKeys.signer();
  const clientId = typeId('cli', client.id);
  const issuedAt = Math.floor(now / 1000);
  // A token does not outlive its client.
  const lifetime = Math.min(
    TOKEN_LIFETIME_SECONDS,
    Math.floor((client.expiresAt ?? Infinity) / 1000) - issuedAt,
  );
  issuer.lastUse.note([client.id], now);
  const token = await new SignJWT({
    client_id: clientId,
    scope: scopes.join(' '),
    ...(thumbprint !== undefined && { cnf: { jkt: thumbprint } }),
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .setIssuer(issuer.issuer())
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .setJti(jti)
    .sign(privateKey);
  return {
    access_token: token,
    token_type: thumbprint === undefined ? 'Bearer' : 'DPoP',
    expires_in: lifetime,
  };
}

/** The key that the token is bound to: that of the proof, which some clients must send and any may. */
async function boundTo(
  { pool, bases }: TokenIssuer,
  { id, dpopBound }: AuthenticatingClient,
  request: ProvenRequest,
  now: number,
): Promise<string | undefined> {
  if (request.headers.dpop === undefined) {
    if (!dpopBound) return undefined;
    throw new OAuthError('invalid_dpop_proof', 'The client must use key-bound tokens: send a DPoP proof.');
  }
  try {
    const proof = await verifyProof(request, { bases: bases(), now });
    if (await useProof(pool, id, proof.jti, proof.usableUntil)) return proof.thumbprint;
    throw new ProofRefusal('The DPoP proof was used before.');
  } catch (error) {
    if (error instanceof ProofRefusal)
      throw new OAuthError('invalid_dpop_proof', error.message, { cause: error.cause });
    throw error;
  }
}

export function tooManyRequests(retryAfterSeconds: number, cause?: unknown): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'Too many token requests. Tokens live 24 hours: reuse them.',
    {
      status: 429,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      cause,
    },
  );
}

function decideAudience(client: AuthenticatingClient, audience: string, own: string): string {
  const allowed = client.audiences.length > 0 ? client.audiences : [own];
  if (!allowed.includes(audience)) {
    throw new OAuthError('invalid_target', 'The client may not have tokens for this audience.');
  }
  return audience;
}

function decideScopes(client: AuthenticatingClient, asked: string | undefined): readonly string[] {
  if (asked === undefined) return client.scopes;
  const scopes = parseScope(asked);
  if (scopes === undefined) throw new OAuthError('invalid_scope', 'scope is not a list of scopes.');
  const granted = new Set(client.scopes);
  for (const scope of scopes) {
    const known = (scopesOf(client.kind) as readonly string[]).includes(scope);
    if (!known || !covers(granted, scope)) {
      throw new OAuthError('invalid_scope', 'The client lacks one of the requested scopes.');
    }
  }
  return scopes;
}
