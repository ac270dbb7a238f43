import { Instant, literals, nullable } from '../http/schema.ts';
import { type Static, type TObject, Type } from '../platform/typebox.ts';

const strict = { additionalProperties: false } as const;

/** No body is validated as null. A union would report the errors of both branches. */
function optionalBody<T extends TObject>(schema: T) {
  return Type.Unsafe<Static<T> | undefined | null>({ ...schema, type: ['object', 'null'] });
}

/** The token request as JSON. Forms have the same names. */
export const TokenRequestBody = Type.Object({
  client_id: Type.String({ examples: ['cli_01jp0000000000000000000000'] }),
  client_secret: Type.String(),
  audience: Type.String({
    description:
      'Whom the token is for: the address of the API. In a form, `resource` (RFC 8707) says the same.',
  }),
  grant_type: literals(['client_credentials']),
  scope: Type.Optional(
    Type.String({ description: 'Separated by blanks. Default: everything that the client may do.' }),
  ),
});
export const TokenAnswerBody = Type.Object({
  access_token: Type.String({ description: 'JWT of type at+jwt (RFC 9068), signed with ES256.' }),
  token_type: literals(['Bearer']),
  expires_in: Type.Integer({ description: 'Seconds.', examples: [86_400] }),
});
export const OAuthErrorBody = Type.Object({ error: Type.String(), error_description: Type.String() });
export const JwksBody = Type.Object({
  keys: Type.Array(Type.Record(Type.String(), Type.String())),
});
export const MetadataBody = Type.Object({
  issuer: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
  grant_types_supported: Type.Array(Type.String()),
  response_types_supported: Type.Array(Type.String()),
  scopes_supported: Type.Array(Type.String()),
  token_endpoint_auth_methods_supported: Type.Array(Type.String()),
  token_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
});

const ClientId = Type.String({ examples: ['cli_01jp0000000000000000000000'] });
const SecretId = Type.String({ examples: ['key_01jp0000000000000000000000'] });
const IpAllowList = Type.Array(Type.String({ minLength: 2, maxLength: 49 }), {
  maxItems: 50,
  description: 'IPv4 and IPv6 addresses and CIDR ranges. Empty: from anywhere.',
  examples: [['203.0.113.0/24']],
});

export const CustomerParams = Type.Object({ customerId: Type.String() });
export const ClientParams = Type.Object({ customerId: Type.String(), clientId: Type.String() });
export const SecretParams = Type.Object({
  customerId: Type.String(),
  clientId: Type.String(),
  secretId: Type.String(),
});

export const NoParams = Type.Object({});
export const OperatorClientParams = Type.Object({ clientId: Type.String() });
export const OperatorSecretParams = Type.Object({ clientId: Type.String(), secretId: Type.String() });

const newCredentialBody = (Scope: ScopeSchema, without: string) =>
  Type.Object(
    {
      // A text that comes back as it was given: PostgreSQL holds no NUL, UTF-8 no half of a surrogate pair.
      name: Type.String({ minLength: 1, maxLength: 200, pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$' }),
      scopes: Type.Optional(
        Type.Array(Scope, { minItems: 1, uniqueItems: true, description: `Default: ${without}.` }),
      ),
      ipAllowList: Type.Optional(IpAllowList),
    },
    strict,
  );
export const NewSecretBody = optionalBody(
  Type.Object(
    { expiresAt: Type.Optional({ ...Instant, description: 'Default: never. RFC 3339, real time.' }) },
    strict,
  ),
);
export const KeysBody = Type.Object(
  {
    keys: Type.Array(Type.Object({ kty: Type.String() }, { additionalProperties: true }), {
      maxItems: 5,
      description:
        'Public keys: EC P-256 (ES256), OKP Ed25519 (EdDSA) or RSA of 2048 bits and more (RS256). They replace all earlier ones.',
    }),
  },
  strict,
);
export const IpAllowListBody = Type.Object({ ipAllowList: IpAllowList }, strict);
export const RevokeTokensBody = optionalBody(
  Type.Object(
    { jti: Type.Optional(Type.String({ format: 'uuid', description: 'Default: every token so far.' })) },
    strict,
  ),
);

/** Bodies and answers around OAuth clients that may have `scopes`, listed under `member`. */
export function credentialSchemas(scopes: readonly string[], member: 'credentials' | 'clients') {
  const scope = literals(scopes);
  const members = {
    clientId: ClientId,
    name: Type.String(),
    status: literals(['active', 'suspended']),
    scopes: Type.Array(scope),
    audiences: Type.Array(Type.String()),
    ipAllowList: IpAllowList,
    secrets: Type.Array(
      Type.Object({ secretId: SecretId, createdAt: Instant, expiresAt: nullable(Instant) }, strict),
    ),
    keys: Type.Array(Type.Object({ kid: Type.String(), alg: Type.String(), createdAt: Instant }, strict)),
    createdAt: Instant,
    updatedAt: Instant,
  };
  const view = Type.Object(members, strict);
  return {
    view,
    newBody: newCredentialBody(scope, scopes.includes('operator:*') ? '`operator:*`' : 'all of them'),
    listView: Type.Object({ [member]: Type.Array(view) }, strict),
    newView: Type.Object(
      {
        ...members,
        secretId: SecretId,
        clientSecret: Type.String({ description: 'Shown this once; only its hash is kept.' }),
      },
      strict,
    ),
  };
}
export type CredentialSchemas = ReturnType<typeof credentialSchemas>;
type ScopeSchema = ReturnType<typeof literals>;

export const NewSecretView = Type.Object(
  {
    secretId: SecretId,
    clientSecret: Type.String({ description: 'Shown this once; only its hash is kept.' }),
    createdAt: Instant,
    expiresAt: nullable(Instant),
  },
  strict,
);

export const Nothing = Type.Null({ description: 'No body.' });
