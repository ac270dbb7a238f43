import { customerNotFound } from '../customers/records.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import { allowListErrors } from './client-access.ts';
import { requireFuture, requireNoLonger, requireNoWider, requireRights } from './rights.ts';
import { requireGivableRoles } from './roles.ts';
import type { AuthorizationRoom } from './room.ts';
import { defaultScopes, scopesOf } from './scopes.ts';
import { generateSecret, hashSecret } from './secrets.ts';
import { countClients, insertClient, insertSecret, lockOwner } from './store.ts';

/** Far more than a customer's systems need; keeps lists short. */
export const CLIENTS_PER_CUSTOMER_MAX = 50; // limit: OAuth clients of a customer
/** One for each person and each system of the house. */
export const OPERATOR_CLIENTS_MAX = 200; // limit: OAuth clients of operators

export interface NewClient {
  /** `customerId` is the customer's UUID. */
  readonly owner: { readonly kind: 'customer'; readonly customerId: string } | { readonly kind: 'operator' };
  readonly name: string;
  /** Default: every customer scope, or `operator:*`; none for a client with roles. */
  readonly scopes?: readonly string[] | undefined;
  /** For clients of operators. */
  readonly roles?: readonly string[] | undefined;
  /** Default: whatever audience the service has for the kind. */
  readonly audiences?: readonly string[] | undefined;
  readonly ipAllowList?: readonly string[] | undefined;
  /** When it ends by itself: epoch milliseconds of real time. */
  readonly expiresAt?: number | undefined;
  /** Its tokens count only with a proof of the key that they were made for. Default: no. */
  readonly dpopBoundTokens?: boolean | undefined;
  /** UUID of the person who answers for it. Default: who orders it, for a client of operators. */
  readonly responsible?: string | undefined;
}

export interface CreatedClient {
  /** UUID, as in the database. */
  readonly id: string;
  /** `cli_…`, as OAuth clients use it. */
  readonly clientId: string;
  readonly secretId: string;
  /** Shown this once: only its hash is kept. */
  readonly clientSecret: string;
}

/**
 * Makes an OAuth client with one secret.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem validation_failed, customer_not_found, limit_exceeded, insufficient_scope
 */
export async function createClient(
  context: AuthorizationRoom,
  input: NewClient,
  inCommit?: (connection: Connection, created: CreatedClient) => Promise<void>,
): Promise<CreatedClient> {
  const { kind } = input.owner;
  const customerId = input.owner.kind === 'customer' ? input.owner.customerId : undefined;
  const roles = [...new Set(input.roles ?? [])];
  const scopes = input.scopes ?? (roles.length > 0 ? [] : defaultScopes(kind));
  const ipAllowList = input.ipAllowList ?? [];
  const errors = [...scopeErrors(scopes, roles, scopesOf(kind)), ...allowListErrors(ipAllowList)];
  if (errors.length > 0) throw validationProblem(errors);
  requireRights(context.actor, scopes);
  const clientSecret = generateSecret(context.isSandbox);
  const now = context.realClock.now();
  requireFuture(input.expiresAt, now);
  const id = newUuid(now);
  const secretId = newUuid(now);
  const created = { id, clientId: typeId('cli', id), secretId: typeId('key', secretId), clientSecret };
  await inTransaction(context.pool, async (connection) => {
    await requireGivableRoles(connection, context.actor, roles);
    await requireNoWider(context.actor, connection, kind, ipAllowList);
    await requireNoLonger(context.actor, connection, input.expiresAt, true);
    await makeRoom(connection, customerId);
    await insertClient(connection, {
      id,
      kind,
      customerId,
      name: input.name,
      scopes: [...new Set(scopes)],
      roles,
      audiences: input.audiences ?? [],
      ipAllowList,
      status: 'active',
      suspendedByHouse: false,
      responsible: kind === 'operator' ? (input.responsible ?? context.actor?.personId) : undefined,
      expiresAt: input.expiresAt,
      dpopBound: input.dpopBoundTokens ?? false,
      createdAt: now,
      updatedAt: now,
    });
    await insertSecret(connection, {
      id: secretId,
      clientId: id,
      hash: context.shownSecretHash ?? hashSecret(clientSecret),
      place: 1,
      createdAt: now,
      expiresAt: undefined,
    });
    await inCommit?.(connection, created);
  });
  return created;
}

/** Counted under a lock, so that clients of one owner are added one at a time. */
async function makeRoom(connection: Queryable, customerId: string | undefined): Promise<void> {
  if (!(await lockOwner(connection, customerId))) {
    throw customerNotFound();
  }
  const limit = customerId === undefined ? OPERATOR_CLIENTS_MAX : CLIENTS_PER_CUSTOMER_MAX;
  const used = await countClients(connection, customerId);
  if (used < limit) return;
  const whose = customerId === undefined ? 'There are already' : 'The customer has';
  throw new Problem('limit_exceeded', `${whose} ${limit} clients. Revoke one first.`, {
    members: { limitType: 'clients', limit, used },
  });
}

export function scopeErrors(
  scopes: readonly string[],
  roles: readonly string[],
  permitted: readonly string[],
): FieldError[] {
  if (scopes.length + roles.length === 0)
    return [{ pointer: '/scopes', code: 'min_items', detail: 'must not be empty' }];
  return scopes.flatMap((scope, at) =>
    permitted.includes(scope)
      ? []
      : [
          {
            pointer: `/scopes/${at}`,
            code: 'not_permitted',
            detail: `must be one of ${permitted.join(', ')}`,
          },
        ],
  );
}
