import * as api from '@firmquote/api/operations/authorization';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { serveRaw } from '../http/serve.ts';
import { JWKS_MAX_AGE_SECONDS, type SigningKeys } from '../keys/signing-keys.ts';
import { Problem } from '../problems/problem.ts';
import { ASSERTION_ALGORITHMS } from './client-assertion.ts';
import { PROOF_ALGORITHMS } from './dpop.ts';
import { CUSTOMER_SCOPES, OPERATOR_SCOPES } from './scopes.ts';

const METADATA_PATH = api.getAuthorizationServerMetadata.path;

/** Authorization server metadata (RFC 8414). `response_types_supported` is empty: there is no authorization page. */
export function metadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    token_endpoint: `${issuer}${api.createToken.path}`,
    jwks_uri: `${issuer}${api.getJwks.path}`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    revocation_endpoint: `${issuer}${api.revokeToken.path}`,
    introspection_endpoint: `${issuer}${api.introspectToken.path}`,
    scopes_supported: [...CUSTOMER_SCOPES, ...OPERATOR_SCOPES],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
    dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS],
  };
}

/** What anyone may know: the public keys and where everything is. */
export function registerMetadataRoutes(
  app: FastifyInstance,
  { keys, issuer }: { readonly keys: readonly SigningKeys[]; readonly issuer: () => string },
): void {
  const cached = (reply: FastifyReply) =>
    reply.header('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`);
  serveRaw(app, api.getJwks, async (_request, reply) => {
    const sets = await Promise.all(keys.map((each) => each.jwks()));
    cached(reply);
    const revoked = sets.flatMap((set) => set.revoked);
    return {
      keys: sets.flatMap((set) => set.keys),
      ...(revoked.length > 0 && { revoked_keys: revoked }),
    };
  });
  serveRaw(app, api.getAuthorizationServerMetadata, (_request, reply) =>
    cached(reply).send(metadata(issuer())),
  );
  // An issuer with a path has it after the well-known part (RFC 8414 §3.1).
  app.get<{ Params: { '*': string } }>(`${METADATA_PATH}/*`, (request, reply) => {
    const path = new URL(issuer()).pathname;
    if (path === '/' || path !== `/${request.params['*']}`) {
      throw new Problem('route_not_found', 'There is no issuer at this path.');
    }
    return cached(reply).send(metadata(issuer()));
  });
}
