import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { followFeed, lockFeedEnd } from '../events/room.ts';
import { requireVersion } from '../http/conditional.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { releaseBlocked } from './delivery-store.ts';
import {
  countEndpoints,
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  lockOperators,
  wakeEndpoint,
  writeEndpoint,
} from './endpoint-store.ts';
import { lastPlace } from './operator-feed-store.ts';
import type { Owner, WebhooksRoom } from './room.ts';
import { newSecret, shownSecret } from './secrets.ts';
import { openSecrets, sealSecrets } from './signing.ts';

/** What owners do with their endpoints. */

const ENDPOINTS_MAX = 20; // limit: Webhooks of a customer, and of the operators
const OVERLAP_HOURS_DEFAULT = 24;
const HOUR_MS = 3_600_000;

interface EndpointInput {
  readonly url: string;
  readonly description?: string | null;
  readonly types?: readonly string[];
  readonly ordering?: EndpointRow['ordering'];
}

/** With the secret, which is shown this once. */
export interface WithSecret {
  readonly endpoint: EndpointRow;
  readonly secret: string;
}

type InCommit<T> = (connection: Queryable, result: T) => Promise<void>;

/**
 * It gets what happens from now on.
 * @throws Problem validation_failed, limit_exceeded
 */
export async function createEndpoint(
  room: WebhooksRoom,
  owner: Owner,
  input: EndpointInput & { readonly asymmetric?: boolean },
  inCommit: InCommit<WithSecret>,
): Promise<void> {
  requireUrl(room, input.url);
  const now = room.clock.now();
  const id = newUuid(now);
  const { secret, publicKey } = newSecret(input.asymmetric === true);
  await inTransaction(room.pool, async (connection) => {
    const sequence = await lockOwner(connection, owner);
    await requireRoom(connection, owner);
    const sealed = await sealSecrets(room, connection, id, { current: secret, previous: undefined });
    const endpoint = await insertEndpoint(connection, {
      id,
      customer_id: owner,
      url: input.url,
      description: input.description ?? null,
      types: [...(input.types ?? [])],
      ordering: input.ordering ?? 'none',
      ...sealed,
      public_key: publicKey ?? null,
      created_at: now,
      sequence: sequence.toString(),
    });
    if (owner !== null) await followFeed(connection, owner, true);
    await inCommit(connection, { endpoint, secret: shownSecret(secret) });
  });
}

/** Holds what endpoints of the owner are made and deleted under. @returns where its feed ends */
async function lockOwner(connection: Connection, owner: Owner): Promise<bigint> {
  if (owner !== null) return lockFeedEnd(connection, owner);
  await lockOperators(connection);
  return lastPlace(connection);
}

async function requireRoom(connection: Queryable, owner: Owner): Promise<void> {
  const used = await countEndpoints(connection, owner);
  if (used < ENDPOINTS_MAX) return;
  throw new Problem('limit_exceeded', `There are already ${ENDPOINTS_MAX} webhooks. Delete one first.`, {
    members: { limitType: 'webhooks', limit: ENDPOINTS_MAX, used },
  });
}

interface EndpointChange extends Partial<EndpointInput> {
  readonly status?: EndpointRow['status'];
}

/**
 * One that is enabled again goes on where it stopped.
 * @throws Problem webhook_not_found, version_mismatch, validation_failed
 */
export async function updateEndpoint(
  room: WebhooksRoom,
  owner: Owner,
  id: string,
  change: EndpointChange,
  ifMatch: number | '*' | undefined,
): Promise<EndpointRow> {
  if (change.url !== undefined) requireUrl(room, change.url);
  const now = room.clock.now();
  const realNow = room.realClock.now();
  return inTransaction(room.pool, async (connection) => {
    const before = await existingEndpoint(connection, owner, id, true);
    requireVersion(ifMatch, before.version);
    const { status = before.status } = change;
    const isNewlyDisabled = status === 'disabled' && before.status === 'enabled';
    const written = await writeEndpoint(connection, {
      ...before,
      url: change.url ?? before.url,
      description: change.description === undefined ? before.description : change.description,
      types: [...(change.types ?? before.types)],
      ordering: change.ordering ?? before.ordering,
      status,
      disabled_reason: status === 'enabled' ? null : (before.disabled_reason ?? 'by_owner'),
      disabled_at: status === 'enabled' ? null : isNewlyDisabled ? now : before.disabled_at,
      updated_at: now,
    });
    // What waited for its turn no longer has one to wait for.
    if (written.ordering === 'none' && before.ordering === 'resource')
      await releaseBlocked(connection, id, realNow);
    await wakeEndpoint(connection, id, realNow);
    return written;
  });
}

/** @throws Problem webhook_not_found */
export async function removeEndpoint(room: WebhooksRoom, owner: Owner, id: string): Promise<void> {
  await inTransaction(room.pool, async (connection) => {
    await lockOwner(connection, owner);
    await existingEndpoint(connection, owner, id, true);
    await deleteEndpoint(connection, id);
    if (owner !== null && (await countEndpoints(connection, owner)) === 0)
      await followFeed(connection, owner, false);
  });
}

/**
 * The secret before signs as well for a while; of an earlier one nothing is left.
 * @throws Problem webhook_not_found
 */
export async function rotateSecret(
  room: WebhooksRoom,
  owner: Owner,
  id: string,
  overlapHours: number | undefined,
  inCommit: InCommit<WithSecret>,
): Promise<void> {
  const overlapMs = (overlapHours ?? OVERLAP_HOURS_DEFAULT) * HOUR_MS;
  await inTransaction(room.pool, async (connection) => {
    const before = await existingEndpoint(connection, owner, id, true);
    const { current: previous } = await openSecrets(room, before);
    const { secret, publicKey } = newSecret(before.public_key !== null);
    const isOverlapping = overlapMs > 0;
    const realNow = room.realClock.now();
    const sealed = await sealSecrets(room, connection, id, {
      current: secret,
      previous: isOverlapping ? previous : undefined,
    });
    const endpoint = await writeEndpoint(connection, {
      ...before,
      ...sealed,
      public_key: publicKey ?? null,
      previous_until: isOverlapping ? realNow + overlapMs : null,
      updated_at: room.clock.now(),
    });
    await wakeEndpoint(connection, id, realNow);
    await inCommit(connection, { endpoint, secret: shownSecret(secret) });
  });
}

/** @throws Problem webhook_not_found */
export async function existingEndpoint(
  connection: Queryable,
  owner: Owner,
  id: string,
  lock = false,
): Promise<EndpointRow> {
  const row = await findEndpoint(connection, owner, id, lock);
  if (row !== undefined) return row;
  throw new Problem('webhook_not_found', 'There is no webhook with this id.');
}

function requireUrl({ guard }: WebhooksRoom, url: string): void {
  const detail = guard.wrongWith(url);
  if (detail !== undefined) throw validationProblem([{ pointer: '/url', code: 'not_permitted', detail }]);
}
