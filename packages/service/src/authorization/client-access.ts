import { ALLOW_LIST_MAX } from '@firmquote/api/operations/clients';
import type { Queryable } from '../database/pool.ts';
import { instantOf } from '../platform/ids.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import { changeClient } from './client-context.ts';
import { IpAllowList, parseRange } from './ip-allow-list.ts';
import { TOKEN_LIFETIME_MS } from './issue-token.ts';
import { requireHold, requireNoWider, requireOther } from './rights.ts';
import type { AuthorizationRoom } from './room.ts';
import {
  type ClientRecord,
  type ClientReference,
  replaceKeys,
  revokeSecrets,
  updateClient,
} from './store.ts';
import { CLOCK_MARGIN_MS, countRevokedTokens, revokeAllTokens, revokeToken } from './token-store.ts';

/** They are read with every state of the client. A client that reuses its tokens, as it should, has one or two at a time. */
export const REVOKED_TOKENS_MAX = 1_000; // limit: Revoked tokens of a client that have not expired

export function allowListErrors(entries: readonly string[]): FieldError[] {
  if (entries.length > ALLOW_LIST_MAX) {
    return [
      { pointer: '/ipAllowList', code: 'max_items', detail: `must have at most ${ALLOW_LIST_MAX} entries` },
    ];
  }
  return entries.flatMap((entry, at) =>
    parseRange(entry)
      ? []
      : [{ pointer: `/ipAllowList/${at}`, code: 'wrong_format', detail: 'is not an address or CIDR range' }],
  );
}

/**
 * Sets the addresses that the client may come from; an empty list lifts the restriction.
 * @param from where who orders it calls from
 */
export async function setIpAllowList(
  context: AuthorizationRoom,
  reference: ClientReference,
  ipAllowList: readonly string[],
  from?: string,
): Promise<void> {
  const errors = allowListErrors(ipAllowList);
  if (errors.length > 0) throw validationProblem(errors);
  if (from !== undefined && !new IpAllowList(ipAllowList).allows(from))
    requireOther(context.actor, reference.id);
  await changeClient(context, reference, async (db, client, now) => {
    await requireHold(context.actor, db, client);
    await requireNoWider(context.actor, db, client.kind, ipAllowList);
    await updateClient(db, { ...client, ipAllowList }, now);
  });
}

/** Neither new tokens nor calls with the old ones, until resumed. Suspending twice is the same as once. */
export async function suspendClient(context: AuthorizationRoom, reference: ClientReference): Promise<void> {
  requireOther(context.actor, reference.id);
  const isOwn = context.actor?.isCustomer === true;
  await changeClient(context, reference, (db, client, now) => {
    // What the house has suspended stays so, whoever suspends it besides.
    const suspendedByHouse = !isOwn || isHeld(client);
    return updateClient(db, { ...client, status: 'suspended', suspendedByHouse }, now);
  });
}

function isHeld({ status, suspendedByHouse }: ClientRecord): boolean {
  return status === 'suspended' && suspendedByHouse;
}

/**
 * Tokens that were not revoked and have not expired work again.
 * @throws Problem invalid_state_transition when a customer asks for a client that the house has suspended
 */
export async function resumeClient(context: AuthorizationRoom, reference: ClientReference): Promise<void> {
  await changeClient(context, reference, async (db, client, now) => {
    await requireHold(context.actor, db, client);
    if (context.actor?.isCustomer === true && isHeld(client)) {
      throw new Problem(
        'invalid_state_transition',
        'The operator has suspended this client. Only the operator can resume it.',
        {
          members: { from: client.status, to: 'active' },
        },
      );
    }
    await updateClient(db, { ...client, status: 'active', suspendedByHouse: false }, now);
  });
}

/** Ends the client for good, with its secrets, keys and tokens. */
export async function revokeClient(context: AuthorizationRoom, reference: ClientReference): Promise<void> {
  requireOther(context.actor, reference.id);
  await changeClient(context, reference, async (db, client, now) => {
    await updateClient(db, { ...client, status: 'revoked' }, now);
    await revokeSecrets(db, client.id, undefined, now);
    await replaceKeys(db, client.id, [], now);
  });
}

/** From now on a person answers for the client: for four eyes the two are one. */
export async function answerForClient(
  context: AuthorizationRoom,
  reference: ClientReference,
  personId: string,
): Promise<void> {
  await changeClient(context, reference, (db, client, now) =>
    updateClient(db, { ...client, responsible: personId }, now),
  );
}

/**
 * Withdraws the tokens that the client has been given until now, or one of them. It may get new ones.
 * @param jti the token's id; without it, all of them
 * @throws Problem limit_exceeded where so many are withdrawn one by one
 */
export async function revokeTokens(
  context: AuthorizationRoom,
  reference: ClientReference,
  jti?: string,
): Promise<void> {
  await changeClient(context, reference, (db, client, now) =>
    jti === undefined
      ? revokeAllTokens(db, client.id, now, now + TOKEN_LIFETIME_MS)
      : revokeOneToken(db, client.id, jti, now),
  );
}

/** The id tells when the token was made: nothing is kept of one that has expired, or that this service has not made. */
async function revokeOneToken(db: Queryable, clientId: string, jti: string, now: number): Promise<void> {
  const madeAt = instantOf(jti);
  const expiresAt = madeAt + TOKEN_LIFETIME_MS;
  if (expiresAt <= now || madeAt > now + CLOCK_MARGIN_MS) return;
  const others = await countRevokedTokens(db, clientId, jti, now);
  if (others >= REVOKED_TOKENS_MAX) {
    throw new Problem(
      'limit_exceeded',
      `${REVOKED_TOKENS_MAX} tokens of the client are revoked and have not expired. Revoke all its tokens.`,
      { members: { limitType: 'revoked_tokens', limit: REVOKED_TOKENS_MAX, used: others } },
    );
  }
  await revokeToken(db, { clientId, jti, revokedAt: now, expiresAt });
}
