import { decodeJwt } from 'jose';
import type { Quota } from '../http/rate-limits.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { authenticateClient } from './authenticate-client.ts';
import type { TokenAuthenticator } from './authenticator.ts';
import { revokeTokens } from './client-access.ts';
import { type TokenIssuer, tooManyRequests } from './issue-token.ts';
import { OAuthError } from './oauth-error.ts';
import type { AuthorizationRoom } from './room.ts';
import { covers } from './scopes.ts';
import type { TokenQuestion } from './token-request.ts';

/** Gateways ask for each request that they let through. */
export const INTROSPECTION_RATE: Quota = { perMinute: 12_000 }; // limit: {a minute} Questions about tokens of a client or an address

/** After which a client that has revoked too many tokens may try again. */
const FULL_FOR_SECONDS = 600;

export interface TokenInspector {
  readonly context: AuthorizationRoom;
  readonly authenticator: TokenAuthenticator;
}

/**
 * Revokes a token of the client that asks (RFC 7009). One that is none, or has ended, is as good as revoked.
 * @throws OAuthError invalid_client; unauthorized_client for a token of somebody else
 */
export async function revokeOwnToken(
  issuer: TokenIssuer & TokenInspector,
  { credentials, token }: TokenQuestion,
  address: string,
): Promise<void> {
  const client = await authenticateClient(issuer, credentials, address, issuer.realClock.now());
  const rate = issuer.limiter.take(`token client ${client.id}`, 'token', issuer.perClient);
  if (!rate.allowed) throw tooManyRequests(rate.resetSeconds);
  const verified = await issuer.authenticator.verified(token);
  if (verified === undefined) return;
  if (verified.clientId !== client.id)
    throw new OAuthError('unauthorized_client', 'The token belongs to another client.');
  // The client itself does it, whatever it may do to others.
  const context = { ...issuer.context, actor: undefined };
  try {
    await revokeTokens(context, { id: client.id, customerId: client.customerId }, verified.jti);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'limit_exceeded') throw error;
    // RFC 7009, section 2.2.1: the client knows that the token still counts. There is room again as tokens expire.
    throw tooManyRequests(FULL_FOR_SECONDS, error);
  }
}

/**
 * Says what a token is good for (RFC 7662).
 * @throws OAuthError invalid_client, unauthorized_client
 */
export async function introspect(
  issuer: TokenIssuer & TokenInspector,
  { credentials, token }: TokenQuestion,
  address: string,
): Promise<Readonly<Record<string, unknown>>> {
  const client = await authenticateClient(issuer, credentials, address, issuer.realClock.now());
  const rate = issuer.limiter.take(`token client ${client.id}`, 'introspection', INTROSPECTION_RATE);
  if (!rate.allowed) throw tooManyRequests(rate.resetSeconds);
  if (client.kind !== 'operator' || !covers(new Set(client.scopes), 'operator:introspection')) {
    throw new OAuthError('unauthorized_client', 'The client lacks the scope operator:introspection.');
  }
  const good = await issuer.authenticator.inspect(token);
  if (good === undefined) return { active: false };
  const { exp, iat, aud, iss, jti } = decodeJwt(token);
  const clientId = typeId('cli', good.clientId);
  const scope = [...good.scopes].join(' ');
  const { thumbprint: bound } = good;
  return {
    active: true,
    ...(bound !== undefined && { cnf: { jkt: bound } }),
    scope,
    client_id: clientId,
    token_type: bound === undefined ? 'Bearer' : 'DPoP',
    exp,
    iat,
    sub: clientId,
    aud,
    iss,
    jti,
  };
}
