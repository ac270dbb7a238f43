import { validationProblem } from '../problems/problem.ts';
import { changeClient } from './client-context.ts';
import { scopeErrors } from './create-client.ts';
import { requireFuture, requireNoLonger, requireNoWider, requireOther, requireRights } from './rights.ts';
import { requireGivableRoles, scopesOfRoles } from './roles.ts';
import type { AuthorizationRoom } from './room.ts';
import { covers, MANAGES, scopesOf } from './scopes.ts';
import { type ClientReference, updateClient as writeClient } from './store.ts';

/** What of a client is to be another; the rest stays. */
interface ClientChange {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** For clients of operators. */
  readonly roles?: readonly string[] | undefined;
  /** Epoch milliseconds of real time; null: never. */
  readonly expiresAt?: number | null | undefined;
  readonly dpopBoundTokens?: boolean | undefined;
}

/**
 * Changes what a client is called, may do, and when it ends.
 * @throws Problem validation_failed, client_not_found, insufficient_scope; own_client for one that would lock itself out
 */
export async function updateClient(
  context: AuthorizationRoom,
  reference: ClientReference,
  change: ClientChange,
): Promise<void> {
  await changeClient(context, reference, async (db, client, now) => {
    await requireNoWider(context.actor, db, client.kind, client.ipAllowList);
    const scopes = [...new Set(change.scopes ?? client.scopes)];
    const roles = [...new Set(change.roles ?? client.roles)];
    // What it has is asked only where it changes: a client whose roles are gone has nothing left, and can still be renamed.
    const given = change.scopes ?? change.roles;
    const errors = given === undefined ? [] : scopeErrors(scopes, roles, scopesOf(client.kind));
    if (errors.length > 0) throw validationProblem(errors);
    requireRights(context.actor, scopes);
    await requireGivableRoles(db, context.actor, roles, client.roles);
    requireFuture(change.expiresAt ?? undefined, now);
    const rights = new Set([...scopes, ...(await scopesOfRoles(db, roles))]);
    if (change.expiresAt !== undefined || !covers(rights, MANAGES[client.kind]))
      requireOther(context.actor, client.id);
    const expiresAt = change.expiresAt === undefined ? client.expiresAt : (change.expiresAt ?? undefined);
    await requireNoLonger(context.actor, db, expiresAt, change.expiresAt !== undefined);
    const { name = client.name, dpopBoundTokens: dpopBound = client.dpopBound } = change;
    await writeClient(db, { ...client, name, scopes, roles, expiresAt, dpopBound }, now);
  });
}
