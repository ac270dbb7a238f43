import type { CallOptions, ClientKeys, CredentialScope, KeyedOptions } from '@firmquote/client';
import type { Credential, OperatorClient } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import type { Asked, Given } from '../parts/action.tsx';
import { endAfter } from '../parts/end-after.ts';
import { type PageCommand, text } from '../parts/page-command.ts';
import { instantText } from '../parts/words.ts';
import { check, INSTANT, readInstant } from '../parts/written-forms.ts';
import { namesOf, ROLES_ASKED } from './roles-asked.ts';

/** What is done about a program that has credentials, of a customer or of the house. */

export type Client = Credential | OperatorClient;

/** The operations of one kind of program. The ids are those of the path, the program's last. */
interface Kind {
  readonly scope: string;
  readonly why: 'customer_client' | 'operator_client';
  readonly rights: (of: Client) => Asked;
  /** What was said of rights, when it is not what there is. */
  readonly rightsOf: (given: Given, of: Client) => object;
  readonly update: (ids: Ids, body: object, options: CallOptions) => PromiseLike<unknown>;
  readonly addSecret: (
    ids: Ids,
    body: { readonly othersExpireAt?: string | undefined },
    options: KeyedOptions,
  ) => PromiseLike<unknown>;
  readonly revokeSecret: (ids: Ids) => PromiseLike<unknown>;
  readonly setKeys: (ids: Ids, body: ClientKeys, options: CallOptions) => PromiseLike<unknown>;
  readonly setAddresses: (
    ids: Ids,
    body: { readonly ipAllowList: readonly string[] },
    options: CallOptions,
  ) => PromiseLike<unknown>;
  readonly suspend: (ids: Ids) => PromiseLike<unknown>;
  readonly resume: (ids: Ids, options: CallOptions) => PromiseLike<unknown>;
  readonly revokeTokens: (ids: Ids) => PromiseLike<unknown>;
  readonly revoke: (ids: Ids) => PromiseLike<unknown>;
}

type Ids = readonly string[];

/** For so long both secrets work, so that a program is moved without an outage. */
const OVERLAPS: Asked = {
  name: 'overlap',
  label: 'Current secrets expire',
  initial: '24',
  isOptional: true,
  options: [
    ['24', 'in a day'],
    ['1', 'in an hour'],
    ['168', 'in a week'],
    ['', 'as already set'],
  ],
};

const SCOPES: readonly (readonly [value: string, text: string])[] = [
  ['quotes:read quotes:write trades:execute transactions:read', 'Quotes and trades'],
  ['quotes:read transactions:read', 'Read only'],
];

/** What a customer's program may do. @param none what nothing chosen means */
export function scopesAsked(none: string): Asked {
  return { name: 'scopes', label: 'Access', options: [['', none], ...SCOPES], isOptional: true };
}

export function scopesOf({ scopes = '' }: Given): { readonly scopes?: readonly CredentialScope[] } {
  return scopes === '' ? {} : { scopes: scopes.split(' ') as readonly CredentialScope[] };
}

const OF_CUSTOMERS: Kind = {
  scope: 'operator:credentials',
  why: 'customer_client',
  rights: () => scopesAsked('As it is'),
  rightsOf: (given) => scopesOf(given),
  update: ([customerId = '', clientId = ''], body, options) =>
    operator.updateCredential(customerId, clientId, body, options),
  addSecret: ([customerId = '', clientId = ''], body, options) =>
    operator.addCredentialSecret(customerId, clientId, body, options),
  revokeSecret: ([customerId = '', clientId = '', secretId = '']) =>
    operator.revokeCredentialSecret(customerId, clientId, secretId),
  setKeys: ([customerId = '', clientId = ''], body, options) =>
    operator.setCredentialKeys(customerId, clientId, body, options),
  setAddresses: ([customerId = '', clientId = ''], body, options) =>
    operator.setCredentialIpAllowList(customerId, clientId, body, options),
  suspend: ([customerId = '', clientId = '']) => operator.suspendCredential(customerId, clientId),
  resume: ([customerId = '', clientId = ''], options) =>
    operator.resumeCredential(customerId, clientId, options),
  revokeTokens: ([customerId = '', clientId = '']) => operator.revokeCredentialTokens(customerId, clientId),
  revoke: ([customerId = '', clientId = '']) => operator.revokeCredential(customerId, clientId),
};

const rolesIn = (of: Client): string => ('roles' in of ? of.roles.join(', ') : '');

const OF_HOUSE: Kind = {
  scope: 'operator:clients',
  why: 'operator_client',
  rights: (of) => ({ ...ROLES_ASKED(rolesIn(of)), isOptional: true }),
  rightsOf: ({ roles = '' }, of) =>
    roles.trim() === rolesIn(of) ? {} : { roles: roles.trim() === '' ? [] : namesOf(roles) },
  update: ([clientId = ''], body, options) => operator.updateOperatorClient(clientId, body, options),
  addSecret: ([clientId = ''], body, options) => operator.addOperatorClientSecret(clientId, body, options),
  revokeSecret: ([clientId = '', secretId = '']) => operator.revokeOperatorClientSecret(clientId, secretId),
  setKeys: ([clientId = ''], body, options) => operator.setOperatorClientKeys(clientId, body, options),
  setAddresses: ([clientId = ''], body, options) =>
    operator.setOperatorClientIpAllowList(clientId, body, options),
  suspend: ([clientId = '']) => operator.suspendOperatorClient(clientId),
  resume: ([clientId = ''], options) => operator.resumeOperatorClient(clientId, options),
  revokeTokens: ([clientId = '']) => operator.revokeOperatorClientTokens(clientId),
  revoke: ([clientId = '']) => operator.revokeOperatorClient(clientId),
};

export interface ClientCommands extends ReturnType<typeof commandsOf> {
  /** What it is called, may do, and until when. */
  readonly change: (of: Client) => PageCommand<Client>;
}
/** Of customers' programs: ids of customer and client. */
export const CREDENTIAL_COMMANDS: ClientCommands = {
  ...commandsOf(OF_CUSTOMERS),
  change: (of) => changeOf(OF_CUSTOMERS, of),
};
/** Of the house's: the client's id. */
export const PROGRAM_COMMANDS: ClientCommands = {
  ...commandsOf(OF_HOUSE),
  change: (of) => changeOf(OF_HOUSE, of),
};

function commandsOf(kind: Kind) {
  const { scope, why } = kind;
  const letting = { scope, why } as const;
  const stopping = { scope, why: 'none' } as const;
  return {
    replaceSecret: {
      ...letting,
      label: 'Replace secret',
      about: 'The program gets a second secret, and the current one goes on for as long as you say.',
      done: 'The new secret is active.',
      asks: () => [OVERLAPS],
      send: (ids, { overlap }, { idempotencyKey, begunAt, reason }) =>
        kind.addSecret(ids, { othersExpireAt: endAfter(overlap, begunAt) }, { idempotencyKey, reason }),
    },
    revokeSecret: {
      ...stopping,
      label: 'Revoke secret',
      about: 'Nobody gets tokens with it any more. Tokens issued so far go on until they expire.',
      done: 'The secret is revoked.',
      asks: ({ secrets }) => [{ name: 'secretId', label: 'Secret', options: secrets.map(secretInWords) }],
      send: (ids, { secretId = '' }) => kind.revokeSecret([...ids, secretId]),
    },
    ...waysInOf(kind, letting),
    suspend: {
      ...stopping,
      label: 'Suspend',
      about: 'Its tokens stop working. You can resume it later.',
      done: 'The program is suspended.',
      send: (ids) => kind.suspend(ids),
    },
    resume: {
      ...letting,
      label: 'Resume',
      about: 'It can get tokens again.',
      done: 'The program is active again.',
      send: (ids, _, { reason }) => kind.resume(ids, { reason }),
    },
    revokeTokens: {
      ...stopping,
      label: 'Revoke tokens',
      about:
        'All tokens issued so far stop working within seconds. The program gets new ones with its secret: if somebody else may have that, replace it first.',
      done: 'Its tokens are revoked.',
      send: (ids) => kind.revokeTokens(ids),
    },
    revoke: {
      ...stopping,
      label: 'Revoke',
      about: 'Its secrets and tokens stop working for good. The program needs a new credential.',
      done: 'The program is revoked.',
      send: (ids) => kind.revoke(ids),
    },
  } satisfies Readonly<Record<string, PageCommand<Client>>>;
}

/** Where a program may come from, and what it signs with. */
function waysInOf(kind: Kind, letting: Pick<Kind, 'scope' | 'why'>) {
  return {
    setAddresses: {
      ...letting,
      label: 'Set addresses',
      about: 'Within 5 seconds its calls are refused from anywhere else, also with tokens that it has.',
      done: 'The addresses are set.',
      asks: ({ ipAllowList }) => [
        {
          name: 'ipAllowList',
          label: 'IP addresses and ranges, one to a line',
          hint: 'Such as 203.0.113.7 or 203.0.113.0/24. Empty: any address.',
          initial: ipAllowList.join('\n'),
          rows: 4,
          isOptional: true,
        },
      ],
      send: (ids, given, { reason }) =>
        kind.setAddresses(ids, { ipAllowList: wordsOf(given.ipAllowList) }, { reason }),
    },
    setKeys: {
      ...letting,
      label: 'Set public keys',
      about:
        'The program signs with them instead of sending a secret (private_key_jwt). They replace all earlier ones.',
      done: 'The keys are set.',
      asks: () => [
        {
          name: 'keys',
          label: 'Public keys, as JSON',
          hint: 'A JWK, several of them in brackets, or a JWK set.',
          rows: 6,
          check: (written) => (keysIn(written) === undefined ? 'Enter a JWK or a JWK set.' : undefined),
        },
      ],
      send: (ids, given, { reason }) => kind.setKeys(ids, { keys: keysIn(given.keys) ?? [] }, { reason }),
    },
    removeKeys: {
      ...letting,
      label: 'Remove keys',
      about: 'The program gets tokens with its secret alone.',
      done: 'The keys are removed.',
      send: (ids, _, { reason }) => kind.setKeys(ids, { keys: [] }, { reason }),
    },
  } satisfies Readonly<Record<string, PageCommand<Client>>>;
}

function changeOf({ scope, why, rights, rightsOf, update }: Kind, of: Client): PageCommand<Client> {
  const expiry = of.expiresAt ?? '';
  return {
    ...{ scope, why },
    label: 'Change',
    about: 'Rights that you take away end at once; those that you add are in new tokens.',
    done: 'The program is changed.',
    asks: () => [
      { name: 'name', label: 'Name', initial: of.name },
      rights(of),
      {
        name: 'expiresAt',
        label: 'Expires (UTC)',
        hint: 'Such as 2027-03-02 or 2027-03-02T14:30Z. Empty: never.',
        initial: expiry,
        isOptional: true,
        read: readInstant,
        check: check(INSTANT.pattern, INSTANT.wants),
      },
    ],
    send: (ids, given, { reason }) => {
      const expiresAt = text(given.expiresAt);
      return update(
        ids,
        {
          name: text(given.name),
          ...rightsOf(given, of),
          // What nobody has touched stays as it is, also where somebody else has set it meanwhile.
          ...(expiresAt === expiry ? {} : { expiresAt: expiresAt === '' ? null : expiresAt }),
        },
        { reason },
      );
    },
  };
}

function secretInWords({ secretId, createdAt, expiresAt }: Client['secrets'][number]) {
  const until = expiresAt === null ? '' : `, until ${instantText(expiresAt)}`;
  return [secretId, `From ${instantText(createdAt)}${until} (${secretId.slice(-4)})`] as const;
}

function wordsOf(written = ''): readonly string[] {
  return written.split(/[\s,]+/).filter((word) => word !== '');
}

/** The keys of a JWK, of several in brackets, or of a set; undefined: it is none of these. */
function keysIn(written = ''): ClientKeys['keys'] | undefined {
  let said: unknown;
  try {
    said = JSON.parse(written);
  } catch {
    return undefined;
  }
  const isSet = typeof said === 'object' && said !== null && Object.hasOwn(said, 'keys');
  const keys: readonly unknown[] = [isSet ? (said as { readonly keys: unknown }).keys : said].flat();
  return keys.length > 0 && keys.every(isKey) ? keys : undefined;
}

function isKey(said: unknown): said is ClientKeys['keys'][number] {
  return typeof said === 'object' && said !== null && 'kty' in said && typeof said.kty === 'string';
}
