import { isoInstant } from '../platform/clock.ts';
import { instantOf, typeId } from '../platform/ids.ts';
import type { DeliveryRow, LoggedAttempt } from './delivery-store.ts';
import type { EndpointRow } from './endpoint-store.ts';
import { TEST_TYPE, testMessage } from './make-again.ts';
import type { Owner, WebhooksRoom } from './room.ts';
import type { WithSecret } from './set-endpoint.ts';

/** As the interface shows endpoints and deliveries. */

export function endpointView(row: EndpointRow, now: number) {
  const { previous_until: until } = row;
  return {
    webhookId: typeId('whk', row.id),
    url: row.url,
    description: row.description,
    types: row.types,
    ordering: row.ordering,
    status: row.status,
    disabledReason: row.disabled_reason,
    disabledAt: instantOrNull(row.disabled_at),
    publicKey: row.public_key,
    previousSecretUntil: until !== null && until > now ? isoInstant(until) : null,
    lastSequence: Number.parseInt(row.sequence, 10),
    version: row.version,
    createdAt: isoInstant(row.created_at),
    updatedAt: isoInstant(row.updated_at),
  };
}

export function withSecretView({ endpoint, secret }: WithSecret, now: number) {
  return { ...endpointView(endpoint, now), secret };
}

/** Deliveries with what was sent, as far as it is still kept. */
export async function deliveryViews(
  room: WebhooksRoom,
  owner: Owner,
  rows: readonly DeliveryRow[],
): Promise<Map<DeliveryRow, unknown>> {
  const events = await room
    .feedOf(owner)
    .find(rows.filter(({ type }) => type !== TEST_TYPE).map((row) => row.event_id));
  const messages = new Map(events.map(({ id, message }) => [id, message]));
  return new Map(rows.map((row) => [row, deliveryView(owner, row, messages.get(row.event_id))]));
}

function deliveryView(owner: Owner, row: DeliveryRow, kept: string | undefined) {
  const { event_id: id } = row;
  const message = row.type === TEST_TYPE ? testMessage(owner, id, instantOf(id)) : kept;
  return {
    eventId: typeId('evt', id),
    type: row.type,
    status: row.status,
    attemptCount: row.attempts,
    nextAttemptAt: instantOrNull(row.next_attempt_at),
    attempts: JSON.parse(row.log) as readonly LoggedAttempt[],
    message: message === undefined ? null : (JSON.parse(message) as unknown),
  };
}

function instantOrNull(instant: number | null): string | null {
  return instant === null ? null : isoInstant(instant);
}
