import type { EndpointRow } from './endpoint-store.ts';
import type { WebhooksRoom } from './room.ts';
import { type Secrets, Signer } from './secrets.ts';

/** Secrets of endpoints are kept encrypted, each for its endpoint. */

type SealedEndpoint = Pick<EndpointRow, 'id' | 'sealed' | 'sealed_under' | 'previous_until'>;

export async function sealSecrets({ vault }: WebhooksRoom, id: string, secrets: Secrets) {
  const { sealed, sealedUnder } = await vault.seal(Buffer.from(JSON.stringify(secrets)), labelOf(id));
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

function labelOf(id: string): string {
  return `webhook ${id}`;
}
