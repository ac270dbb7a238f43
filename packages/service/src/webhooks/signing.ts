import type { Queryable } from '../database/pool.ts';
import type { SealedPlace } from '../keys/room.ts';
import type { EndpointRow } from './endpoint-store.ts';
import type { WebhooksRoom } from './room.ts';
import { type Secrets, Signer } from './secrets.ts';

/** Secrets of endpoints are kept encrypted, each for its endpoint. */

type SealedEndpoint = Pick<EndpointRow, 'id' | 'sealed' | 'sealed_under' | 'previous_until'>;

export async function sealSecrets(
  { vault, realClock }: WebhooksRoom,
  connection: Queryable,
  id: string,
  secrets: Secrets,
) {
  const text = Buffer.from(JSON.stringify(secrets));
  const { sealed, sealedUnder } = await vault.seal(connection, text, labelOf(id), realClock.now());
  return { sealed, sealed_under: sealedUnder };
}

/** Without the secret before, when its time is over. */
export async function openSecrets(
  { vault, realClock }: WebhooksRoom,
  { id, sealed, sealed_under: sealedUnder, previous_until: until }: SealedEndpoint,
): Promise<Secrets> {
  const text = (await vault.open({ sealed, sealedUnder }, labelOf(id))).toString();
  const { current, previous } = JSON.parse(text) as Secrets;
  return { current, previous: until !== null && until > realClock.now() ? previous : undefined };
}

export async function signerOf(room: WebhooksRoom, endpoint: SealedEndpoint): Promise<Signer> {
  return new Signer(await openSecrets(room, endpoint));
}

/** For re-wrapping. */
export const WEBHOOK_SECRETS: SealedPlace = {
  name: "webhooks' secrets",
  table: 'webhook_endpoints',
  columns: { key: 'id', sealed: 'sealed', under: 'sealed_under' },
  labelOf,
};

function labelOf(id: string): string {
  return `webhook ${id}`;
}
