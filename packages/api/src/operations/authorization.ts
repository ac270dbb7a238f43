import { operation } from '../operation.ts';
import { literals, named } from '../schema.ts';
import { Type } from '../typebox.ts';
import * as examples from './examples.ts';

/** Tokens by client credentials, and what anybody may know of them. */

/** The request as JSON. Forms have the same names. */
const TokenRequest = named(
  'TokenRequest',
  Type.Object({
    client_id: Type.String({ examples: ['cli_01jp0000000000000000000000'] }),
    client_secret: Type.String(),
    audience: Type.String({
      description: 'Address of the API that the token is for. Forms may send `resource` (RFC 8707) instead.',
    }),
    grant_type: literals(['client_credentials']),
    scope: Type.Optional(
      Type.String({ description: 'Separated by spaces. Default: all scopes of the client.' }),
    ),
  }),
);
const Token = named(
  'Token',
  Type.Object({
    access_token: Type.String({ description: 'JWT of type at+jwt (RFC 9068), signed with ES256.' }),
    token_type: literals(['Bearer', 'DPoP']),
    expires_in: Type.Integer({ description: 'Seconds.', examples: [86_400] }),
  }),
);
/** Error codes of RFC 6749 §5.2 and RFC 8707; the last two are registered for failures of the server. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'invalid_target',
  'unsupported_grant_type',
  'unauthorized_client',
  'invalid_dpop_proof',
  'temporarily_unavailable',
  'server_error',
] as const;
const OAuthError = named(
  'OAuthError',
  Type.Object(
    { error: literals(OAUTH_ERRORS), error_description: Type.String() },
    { description: 'An RFC 6749 error, not an RFC 9457 problem.' },
  ),
);
const keyMembers = {
  kid: Type.String(),
  kty: literals(['EC', 'OKP']),
  crv: literals(['P-256', 'Ed25519']),
  x: Type.String(),
  y: Type.Optional(Type.String({ description: 'With `kty` `EC`.' })),
  alg: literals(['ES256', 'EdDSA']),
  use: literals(['sig']),
};
const PublicKey = named(
  'JsonWebKey',
  Type.Object(keyMembers, { description: 'A public key (RFC 7517, RFC 8037).' }),
);
const RevokedKey = Type.Object({ ...keyMembers, revoked: Type.Object({ revoked_at: Type.Integer() }) });
const Jwks = named(
  'JsonWebKeySet',
  Type.Object({
    keys: Type.Array(PublicKey),
    revoked_keys: Type.Optional(
      Type.Array(RevokedKey, {
        description:
          'Compromised keys of signed terms: a signature counts only if you can prove that you had it before `revoked_at` (Unix seconds).',
      }),
    ),
  }),
);
const Metadata = named(
  'AuthorizationServerMetadata',
  Type.Object({
    issuer: Type.String(),
    token_endpoint: Type.String(),
    jwks_uri: Type.String(),
    grant_types_supported: Type.Array(Type.String()),
    response_types_supported: Type.Array(Type.String(), {
      description: 'Empty: there is no authorization page.',
    }),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    scopes_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    token_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    dpop_signing_alg_values_supported: Type.Array(Type.String()),
  }),
);

function refused(description: string) {
  return { description, content: { 'application/json': OAuthError } };
}
const RETRY_AFTER = { 'Retry-After': 'Seconds to wait.' };

const tag = 'Authorization';

/** What any endpoint of OAuth can answer beside its result. */
const REFUSALS = {
  400: refused('The request is invalid.'),
  401: refused('The client could not be authenticated.'),
  413: refused('The body is too large.'),
  415: refused('The body is neither JSON nor a form.'),
  429: { ...refused('Too many requests from the client or the address.'), headers: RETRY_AFTER },
  500: refused('The request failed because of a fault in the service.'),
  503: { ...refused('The service cannot reach its database.'), headers: RETRY_AFTER },
};

export const createToken = operation({
  id: 'createToken',
  audited: 'sign_in',
  method: 'POST',
  path: '/oauth/token',
  tag,
  summary: 'Get an access token',
  description:
    'Client credentials grant. A token lasts 24 hours: reuse it, and get the next one 300 seconds before it expires. Clients may also authenticate with HTTP Basic or `private_key_jwt`.',
  rate: 'unlimited',
  body: TokenRequest,
  bodyMedia: ['application/json', 'application/x-www-form-urlencoded'],
  answers: {
    200: Token,
    ...REFUSALS,
  },
  example: examples.token,
});

/** As JSON; forms have the same names. HTTP Basic and `private_key_jwt` work here too. */
const TokenQuestion = named(
  'TokenQuestion',
  Type.Object({
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
    token: Type.String(),
    token_type_hint: Type.Optional(Type.String({ description: 'Ignored: all tokens are access tokens.' })),
  }),
);
const asked = {
  rate: 'unlimited',
  body: TokenQuestion,
  bodyMedia: ['application/json', 'application/x-www-form-urlencoded'],
} as const;

export const revokeToken = operation({
  ...asked,
  id: 'revokeToken',
  method: 'POST',
  path: '/oauth/revoke',
  tag,
  summary: 'Revoke an access token (RFC 7009)',
  description:
    'You can revoke only your own tokens. They stop at once on this instance, and within 5 seconds on all. Unknown or expired tokens also get 200.',
  answers: { 200: { description: 'The token no longer works, or never did.' }, ...REFUSALS },
});

export const introspectToken = operation({
  ...asked,
  id: 'introspectToken',
  forHouse: true,
  audited: 'nothing',
  method: 'POST',
  path: '/oauth/introspect',
  tag,
  summary: 'Check whether an access token is valid (RFC 7662)',
  description:
    'For gateways: needs an operator client with the scope `operator:introspection`. For an invalid token the response contains only `active`, whatever the reason.',
  answers: {
    200: named(
      'Introspection',
      Type.Object({
        active: Type.Boolean(),
        scope: Type.Optional(Type.String({ description: 'What the token may do now.' })),
        client_id: Type.Optional(Type.String()),
        token_type: Type.Optional(Type.String()),
        exp: Type.Optional(Type.Integer()),
        iat: Type.Optional(Type.Integer()),
        sub: Type.Optional(Type.String()),
        aud: Type.Optional(Type.String()),
        iss: Type.Optional(Type.String()),
        jti: Type.Optional(Type.String()),
        cnf: Type.Optional(Type.Object({ jkt: Type.String() })),
      }),
    ),
    ...REFUSALS,
  },
});

export const getJwks = operation({
  id: 'getJwks',
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag,
  summary: 'Read the public keys of the service',
  description: 'They verify access tokens (ES256) and signed terms (EdDSA).',
  answers: { 200: Jwks },
});

export const getAuthorizationServerMetadata = operation({
  id: 'getAuthorizationServerMetadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag,
  summary: 'Read the metadata of the authorization server (RFC 8414)',
  description:
    'Libraries configure themselves with it. Only client credentials are supported, so it names no authorization endpoint.',
  answers: { 200: Metadata },
});
