import { operation } from '../operation.ts';
import { id, type Parameters } from '../parameters.ts';
import type { Codes } from '../problem-groups.ts';
import { CLOSED, described, Instant, line, literals, named, nullable } from '../schema.ts';
import { CUSTOMER_SCOPES, OPERATOR_SCOPES } from '../scopes.ts';
import type { TagName } from '../tags.ts';
import { type TSchema, Type } from '../typebox.ts';

/** OAuth clients: those of customers, and those of the operators themselves. The same operations at two places. */

export const ALLOW_LIST_MAX = 50; // limit: Entries of a client's address list
export const KEYS_MAX = 5; // limit: Keys of a client

const ClientId = Type.String({ examples: ['cli_01jp0000000000000000000000'] });
const SecretId = Type.String({ examples: ['key_01jp0000000000000000000000'] });
const ClientSecret = Type.String({
  description:
    'Shown only once; only its hash is kept. `fqs_live_` (`fqs_test_` in the sandbox), then 49 letters and digits.',
});
const IpAllowList = named(
  'IpAllowList',
  Type.Array(Type.String({ minLength: 2, maxLength: 49 }), {
    maxItems: ALLOW_LIST_MAX,
    description: 'IPv4 and IPv6 addresses and CIDR ranges. Empty: any address.',
    examples: [['203.0.113.0/24']],
  }),
);
const Secret = named(
  'ClientSecret',
  Type.Object({ secretId: SecretId, createdAt: Instant, expiresAt: nullable(Instant) }, CLOSED),
);
const CreatedSecret = named(
  'CreatedClientSecret',
  Type.Object(
    { secretId: SecretId, clientSecret: ClientSecret, createdAt: Instant, expiresAt: nullable(Instant) },
    CLOSED,
  ),
);
const Key = named(
  'ClientKey',
  Type.Object({ kid: Type.String(), alg: Type.String(), createdAt: Instant }, CLOSED),
);

export const OperatorScope = named('OperatorClientScope', literals(Object.keys(OPERATOR_SCOPES)));

const AddSecret = Type.Object(
  {
    expiresAt: Type.Optional(described(Instant, 'Default: never. RFC 3339, in real time.')),
    othersExpireAt: Type.Optional(
      described(Instant, "When the client's existing secrets expire. Default: unchanged."),
    ),
  },
  CLOSED,
);
const PublicKey = Type.Object(
  {
    kty: Type.String(),
    ...Object.fromEntries(
      (['crv', 'x', 'y', 'n', 'e', 'kid', 'use', 'alg'] as const).map((member) => [
        member,
        Type.Optional(Type.String()),
      ]),
    ),
  },
  { additionalProperties: true },
);
const SetKeys = named(
  'ClientKeys',
  Type.Object(
    {
      keys: Type.Array(PublicKey, {
        maxItems: KEYS_MAX,
        description:
          'Public keys: EC P-256 (ES256), OKP Ed25519 (EdDSA) or RSA of 2048 bits or more (RS256). They replace all earlier ones.',
        // Of RFC 8037, appendix A.2.
        examples: [[{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }]],
      }),
    },
    CLOSED,
  ),
);
const SetIpAllowList = Type.Object({ ipAllowList: IpAllowList }, CLOSED);
const RevokeTokens = Type.Object(
  {
    jti: Type.Optional(
      // No longer, because the format takes `urn:uuid:` before it as well.
      Type.String({ format: 'uuid', maxLength: 36, description: 'Default: all tokens issued so far.' }),
    ),
  },
  CLOSED,
);

const RoleNames = named(
  'RoleNames',
  Type.Array(Type.String({ maxLength: 40 }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Each role grants its current scopes.',
    examples: [['operations']],
  }),
);
type OptionalRoles = ReturnType<typeof Type.Optional<typeof RoleNames>>;
type Scope = ReturnType<typeof literals<readonly string[]>>;

const DpopBound = named(
  'DpopBoundTokens',
  Type.Boolean({
    description: 'Whether tokens must be bound to a key (DPoP, RFC 9449). Default: no.',
  }),
);

interface Kind {
  readonly noun: string;
  readonly Scope: Scope;
  readonly withoutScopes: string;
  /** Member of the list's answer. */
  readonly member: 'credentials' | 'clients';
  /** Who answers for one, where somebody has to. */
  readonly answered: Readonly<Record<string, TSchema>>;
  readonly haveRoles: boolean;
}

interface Owners<OwnerParams extends Parameters> {
  readonly tag: TagName;
  /** In operation ids after the verb. */
  readonly noun: string;
  readonly schemas: ReturnType<typeof schemasOf>;
  readonly audience: 'customer' | 'operator';
  /** In summaries: after "an OAuth client of", and all of them. */
  readonly whose: string;
  readonly all: string;
  readonly path: string;
  readonly scope: string;
  /** Which tell in the path whose they are. */
  readonly ownerParams: OwnerParams;
  /** Problems with who owns them. */
  readonly ofOwner: Codes;
  /** Problems of what would lock out who calls. */
  readonly ofOneself: Codes;
  /** Problems of what somebody else has suspended. */
  readonly ofResuming: Codes;
}

function schemasOf({ noun, Scope, withoutScopes, member, answered, haveRoles }: Kind) {
  const members = {
    clientId: ClientId,
    name: Type.String(),
    status: literals(['active', 'suspended']),
    scopes: Type.Array(Scope),
    audiences: Type.Array(Type.String()),
    ipAllowList: IpAllowList,
    ...answered,
    ...(haveRoles && { roles: RoleNames }),
    secrets: Type.Array(Secret),
    keys: Type.Array(Key),
    expiresAt: nullable(described(Instant, 'When the client and its tokens expire; null: never.')),
    dpopBoundTokens: DpopBound,
    lastUsedAt: nullable(described(Instant, 'Noted at most once a minute; null: never.')),
    createdAt: Instant,
    updatedAt: Instant,
  };
  const Client = named(noun, Type.Object(members, CLOSED));
  return {
    Client,
    CreateClient: Type.Object(
      {
        name: line(200),
        scopes: Type.Optional(
          Type.Array(Scope, { minItems: 1, uniqueItems: true, description: `Default: ${withoutScopes}.` }),
        ),
        ...((haveRoles ? { roles: Type.Optional(RoleNames) } : {}) as { roles: OptionalRoles }),
        expiresAt: Type.Optional(described(Instant, 'Default: never.')),
        dpopBoundTokens: Type.Optional(DpopBound),
        ipAllowList: Type.Optional(IpAllowList),
      },
      CLOSED,
    ),
    UpdateClient: Type.Object(
      {
        name: Type.Optional(line(200)),
        scopes: Type.Optional(Type.Array(Scope, { uniqueItems: true })),
        ...((haveRoles ? { roles: Type.Optional(RoleNames) } : {}) as { roles: OptionalRoles }),
        expiresAt: Type.Optional(nullable(Instant)),
        dpopBoundTokens: Type.Optional(DpopBound),
      },
      { ...CLOSED, minProperties: 1 },
    ),
    CreatedClient: named(
      `Created${noun}`,
      Type.Object({ ...members, secretId: SecretId, clientSecret: ClientSecret }, CLOSED),
    ),
    Clients: Type.Object({ [member]: Type.Array(Client) }, CLOSED),
  };
}

function clientOperations<const OwnerParams extends Parameters>(owners: Owners<OwnerParams>) {
  return {
    ...managementOperations(owners),
    ...authenticationOperations(owners),
    ...accessOperations(owners),
  };
}

/** What the operations on clients have in common. */
function commonOf<const OwnerParams extends Parameters>(owners: Owners<OwnerParams>) {
  const { tag, audience, scope, path, ownerParams } = owners;
  const base = {
    tag,
    access: { audience, scope },
    rate: audience === 'operator' ? 'unlimited' : 'reads',
  } as const;
  // They let somebody in, or widen what it may do; what stops somebody is possible at any time.
  const fresh: { readonly fresh?: true } = audience === 'operator' ? { fresh: true } : {};
  return {
    base,
    letting: { ...base, access: { ...base.access, ...fresh } } as const,
    params: { ...ownerParams, clientId: id('cli') },
    problems: ['client_not_found'] as const,
    one: `${path}/{clientId}`,
  };
}

const done = (description: string) => ({ 204: { description } });

function managementOperations<const OwnerParams extends Parameters>(owners: Owners<OwnerParams>) {
  const { noun, whose, all, path, ownerParams, ofOwner, ofOneself } = owners;
  const { Client, CreateClient, UpdateClient, CreatedClient, Clients } = owners.schemas;
  const { base, letting, params, problems, one } = commonOf(owners);
  return {
    create: operation({
      ...letting,
      id: `create${noun}`,
      method: 'POST',
      path,
      summary: `Create an OAuth client of ${whose}`,
      description: 'Only this response shows the secret.',
      params: ownerParams,
      body: CreateClient,
      key: 'secret',
      answers: { 201: CreatedClient },
      problems: ['limit_exceeded', ...ofOwner],
    }),
    list: operation({
      ...base,
      id: `list${noun}s`,
      method: 'GET',
      path,
      summary: `List ${all}`,
      description: 'Secrets are not shown.',
      params: ownerParams,
      answers: { 200: Clients },
      problems: ofOwner,
    }),
    update: operation({
      ...letting,
      id: `update${noun}`,
      method: 'PATCH',
      path: one,
      summary: `Change an OAuth client of ${whose}`,
      description:
        'Omitted members keep their values. Removed rights end at once; added ones apply to new tokens.',
      params,
      body: UpdateClient,
      answers: { 200: Client },
      problems: [...problems, ...ofOneself],
    }),
    revoke: operation({
      ...base,
      id: `revoke${noun}`,
      method: 'DELETE',
      path: one,
      summary: `Revoke an OAuth client of ${whose}`,
      description: 'Ends it for good, with its secrets, keys and tokens.',
      params,
      answers: done('Revoked.'),
      problems: [...problems, ...ofOneself],
    }),
  };
}

/** How a client shows that it is the one. */
function authenticationOperations<const OwnerParams extends Parameters>(owners: Owners<OwnerParams>) {
  const { noun, whose, ofOneself } = owners;
  const { Client } = owners.schemas;
  const { base, letting, params, problems, one } = commonOf(owners);
  return {
    addSecret: operation({
      ...letting,
      id: `add${noun}Secret`,
      method: 'POST',
      path: `${one}/secrets`,
      summary: `Add a second secret to an OAuth client of ${whose}`,
      description: 'Lets you replace the first without an outage.',
      params,
      body: AddSecret,
      optionalBody: true,
      key: 'secret',
      unlocated: true,
      answers: { 201: CreatedSecret },
      problems: [...problems, 'limit_exceeded'],
    }),
    revokeSecret: operation({
      ...base,
      id: `revoke${noun}Secret`,
      method: 'DELETE',
      path: `${one}/secrets/{secretId}`,
      summary: `Revoke a secret of an OAuth client of ${whose}`,
      description: 'Tokens issued with it stay valid until they expire or you revoke them.',
      params: { ...params, secretId: id('key') },
      answers: done('Revoked.'),
      problems: [...problems, ...ofOneself],
    }),
    setKeys: operation({
      ...letting,
      id: `set${noun}Keys`,
      method: 'PUT',
      path: `${one}/keys`,
      summary: `Set the public keys of an OAuth client of ${whose}`,
      description: 'Used for `private_key_jwt`.',
      params,
      body: SetKeys,
      answers: { 200: Client },
      problems: [...problems, ...ofOneself],
    }),
    setIpAllowList: operation({
      ...letting,
      id: `set${noun}IpAllowList`,
      method: 'PUT',
      path: `${one}/ip-allow-list`,
      summary: `Set the IP allow-list of an OAuth client of ${whose}`,
      description:
        'Replaces the list. Takes effect on every instance within 5 seconds, also for tokens already issued.',
      params,
      body: SetIpAllowList,
      answers: { 200: Client },
      problems: [...problems, ...ofOneself],
    }),
  };
}

/** What stops a client, and lets it go on. */
function accessOperations<const OwnerParams extends Parameters>(owners: Owners<OwnerParams>) {
  const { noun, whose, ofOneself, ofResuming } = owners;
  const { Client } = owners.schemas;
  const { base, letting, params, problems, one } = commonOf(owners);
  return {
    suspend: operation({
      ...base,
      id: `suspend${noun}`,
      method: 'POST',
      path: `${one}/suspend`,
      summary: `Suspend an OAuth client of ${whose}`,
      description: 'Its tokens stop working at once.',
      params,
      answers: { 200: Client },
      problems: [...problems, ...ofOneself],
    }),
    resume: operation({
      ...letting,
      id: `resume${noun}`,
      method: 'POST',
      path: `${one}/resume`,
      summary: `Resume a suspended OAuth client of ${whose}`,
      description:
        ofResuming.length === 0
          ? 'Tokens neither revoked nor expired work again.'
          : 'Tokens neither revoked nor expired work again. What the operator has suspended, only the operator resumes.',
      params,
      answers: { 200: Client },
      problems: [...problems, ...ofResuming],
    }),
    revokeTokens: operation({
      ...base,
      id: `revoke${noun}Tokens`,
      method: 'POST',
      path: `${one}/revoke-tokens`,
      summary: `Revoke the tokens of an OAuth client of ${whose}`,
      description: 'All those issued so far, or one. The client can still get new ones.',
      params,
      body: RevokeTokens,
      optionalBody: true,
      answers: done('Revoked.'),
      problems: [...problems, 'limit_exceeded'],
    }),
  };
}

const Credentials = schemasOf({
  noun: 'Credential',
  Scope: named('CredentialScope', literals(Object.keys(CUSTOMER_SCOPES))),
  withoutScopes: 'all but `credentials:write`',
  member: 'credentials',
  answered: {},
  haveRoles: false,
});

export const CREDENTIALS = clientOperations({
  tag: 'Operator: credentials',
  noun: 'Credential',
  schemas: Credentials,
  whose: 'a customer',
  all: "a customer's OAuth clients",
  path: '/v1/operator/customers/{customerId}/credentials',
  audience: 'operator',
  scope: 'operator:credentials',
  ownerParams: { customerId: id('cus') },
  ofOwner: ['customer_not_found'],
  ofOneself: [],
  ofResuming: [],
});

export const OWN_CREDENTIALS = clientOperations({
  tag: 'Customer',
  noun: 'OwnCredential',
  schemas: Credentials,
  whose: 'your own',
  all: 'your OAuth clients',
  path: '/v1/customer/credentials',
  audience: 'customer',
  scope: 'credentials:write',
  ownerParams: {},
  ofOwner: [],
  ofOneself: ['own_client'],
  ofResuming: ['invalid_state_transition'],
});

export const OPERATOR_CLIENTS = clientOperations({
  tag: 'Operator: operator clients',
  noun: 'OperatorClient',
  schemas: schemasOf({
    noun: 'OperatorClient',
    Scope: OperatorScope,
    withoutScopes: '`operator:*`, or none with roles',
    member: 'clients',
    answered: {
      responsible: nullable(
        named(
          'Responsible',
          Type.Object(
            { personId: Type.String(), name: Type.String(), email: Type.String() },
            { ...CLOSED, description: 'Responsible for the client; it counts as this person for approvals.' },
          ),
        ),
      ),
    },
    haveRoles: true,
  }),
  whose: 'the operators',
  all: "the operators' OAuth clients",
  path: '/v1/operator/clients',
  audience: 'operator',
  scope: 'operator:clients',
  ownerParams: {},
  ofOwner: [],
  ofOneself: ['own_client'],
  ofResuming: [],
});

export type ClientOperations = typeof CREDENTIALS | typeof OWN_CREDENTIALS | typeof OPERATOR_CLIENTS;
