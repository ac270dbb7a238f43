import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../problems/problem.ts';
import { ASSERTION_ALGORITHMS } from './client-assertion.ts';
import { JwksBody, MetadataBody } from './schema.ts';
import { CUSTOMER_SCOPES, OPERATOR_SCOPES } from './scopes.ts';
import { JWKS_MAX_AGE_SECONDS, type SigningKeys } from './signing-keys.ts';
import { TOKEN_PATH } from './token-routes.ts';

const JWKS_PATH = '/.well-known/jwks.json';
const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** Authorization server metadata (RFC 8414). `response_types_supported` is empty: there is no authorization page. */
export function metadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    token_endpoint: `${issuer}${TOKEN_PATH}`,
    jwks_uri: `${issuer}${JWKS_PATH}`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: [...CUSTOMER_SCOPES, ...OPERATOR_SCOPES],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  };
}

/** What anyone may know: the public keys and where everything is. */
export function registerMetadataRoutes(
  app: FastifyInstance,
  { keys, issuer }: { readonly keys: readonly SigningKeys[]; readonly issuer: () => string },
): void {
  const tags = ['Authorization'];
  const cached = (reply: FastifyReply) =>
    reply.header('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`);
  app.get(
    JWKS_PATH,
    {
      schema: {
        tags,
        operationId: 'getJwks',
        summary: 'Public keys of access tokens (ES256) and of signed terms (EdDSA)',
        security: [],
        response: { 200: JwksBody },
      },
    },
    async (_request, reply) => {
      const sets = await Promise.all(keys.map((each) => each.jwks()));
      cached(reply);
      return { keys: sets.flatMap((set) => set.keys) };
    },
  );
  app.get(
    METADATA_PATH,
    {
      schema: {
        tags,
        operationId: 'getAuthorizationServerMetadata',
        summary: 'Authorization server metadata (RFC 8414)',
        security: [],
        response: { 200: MetadataBody },
      },
    },
    (_request, reply) => cached(reply).send(metadata(issuer())),
  );
  // An issuer with a path has it after the well-known part (RFC 8414 §3.1).
  app.get<{ Params: { '*': string } }>(`${METADATA_PATH}/*`, { schema: { hide: true } }, (request, reply) => {
    const path = new URL(issuer()).pathname;
    if (path === '/' || path !== `/${request.params['*']}`) {
      throw new Problem('route_not_found', 'There is no issuer at this path.');
    }
    return cached(reply).send(metadata(issuer()));
  });
}
