import type { Queryable } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { changeClient, clientNotFound } from './client-context.ts';
import { requireFuture, requireHold, requireWayIn } from './rights.ts';
import type { AuthorizationRoom } from './room.ts';
import { generateSecret, hashSecret, LIVE_SECRETS_MAX } from './secrets.ts';
import {
  type ClientReference,
  endSecrets,
  insertSecret,
  revokeSecrets,
  takenSecretPlaces,
  updateClient,
} from './store.ts';

export interface CreatedSecret {
  readonly secretId: string;
  /** Shown this once: only its hash is kept. */
  readonly clientSecret: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

/**
 * Adds a secret beside the one in use, so that systems can be moved over before the old one is revoked.
 * @param expiresAt epoch milliseconds of real time; without it the secret does not expire
 * @param othersExpireAt when those that the client has now end
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem limit_exceeded when two secrets are live, validation_failed, client_not_found
 */
export async function addSecret(
  context: AuthorizationRoom,
  reference: ClientReference,
  expiresAt?: number,
  othersExpireAt?: number,
  inCommit?: (connection: Queryable, secret: CreatedSecret) => Promise<void>,
): Promise<CreatedSecret> {
  const clientSecret = generateSecret(context.isSandbox);
  return changeClient(context, reference, async (db, client, now) => {
    await requireHold(context.actor, db, client);
    requireFuture(expiresAt, now);
    requireFuture(othersExpireAt, now, '/othersExpireAt');
    const taken = await takenSecretPlaces(db, client.id, now);
    const place = Array.from({ length: LIVE_SECRETS_MAX }, (_, i) => i + 1).find((i) => !taken.includes(i));
    if (place === undefined) {
      throw new Problem('limit_exceeded', 'The client has two live secrets. Revoke one first.', {
        members: { limitType: 'secrets', limit: LIVE_SECRETS_MAX, used: taken.length },
      });
    }
    if (othersExpireAt !== undefined) await endSecrets(db, client.id, othersExpireAt);
    const kept = { place, createdAt: now, expiresAt, hash: context.shownSecretHash };
    const secret = await keepSecret(db, client.id, clientSecret, kept);
    await updateClient(db, client, now);
    await inCommit?.(db, secret);
    return secret;
  });
}

/**
 * Puts one new secret in the place of every live one: for a secret that others may have seen.
 * @throws Problem client_not_found
 */
export async function replaceSecrets(
  context: AuthorizationRoom,
  reference: ClientReference,
): Promise<CreatedSecret> {
  const clientSecret = generateSecret(context.isSandbox);
  return changeClient(context, reference, async (db, client, now) => {
    await revokeSecrets(db, client.id, undefined, now);
    await updateClient(db, client, now);
    return keepSecret(db, client.id, clientSecret, { place: 1, createdAt: now, expiresAt: undefined });
  });
}

/**
 * No further token for this secret. Those that it got live on; withdraw them by revoking the client's tokens.
 * @param secretId UUID
 * @throws Problem client_not_found when the client has no such live secret
 */
export async function revokeSecret(
  context: AuthorizationRoom,
  reference: ClientReference,
  secretId: string,
): Promise<void> {
  await changeClient(context, reference, async (db, client, now) => {
    if ((await revokeSecrets(db, client.id, secretId, now)) === 0)
      throw clientNotFound('The client has no secret with this id, or it was revoked.');
    await updateClient(db, client, now);
    await requireWayIn(context.actor, db, client.id, now);
  });
}

async function keepSecret(
  db: Queryable,
  clientId: string,
  clientSecret: string,
  {
    hash = hashSecret(clientSecret),
    ...secret
  }: {
    readonly place: number;
    readonly createdAt: number;
    readonly expiresAt: number | undefined;
    readonly hash?: Buffer | undefined;
  },
): Promise<CreatedSecret> {
  const id = newUuid(secret.createdAt);
  await insertSecret(db, { id, clientId, hash, ...secret });
  return {
    secretId: typeId('key', id),
    clientSecret,
    createdAt: secret.createdAt,
    expiresAt: secret.expiresAt,
  };
}
