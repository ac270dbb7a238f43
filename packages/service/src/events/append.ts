import type { EventType } from '@firmquote/api/operations/events';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { eventIdPrefix } from '../platform/ids.ts';

export interface NewEvent {
  readonly customerId: string;
  readonly type: EventType;
  readonly quoteId?: string;
  readonly transactionId?: string;
  readonly depositId?: string;
  readonly version?: number;
  readonly status?: string;
  readonly previousStatus?: string;
  readonly clientReference?: string | null;
  /** Further members of the event's data. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * Appends to the customers' feeds in the caller's transaction, which holds the feeds' ends until it commits.
 * @returns the sequence of each event, in the order given
 */
export async function appendEvents(
  connection: Queryable,
  events: readonly NewEvent[],
  at: number,
): Promise<bigint[]> {
  if (events.length === 0) return [];
  const batch = events.map((event, ord) => ({
    ord,
    customer_id: event.customerId,
    id_prefix: eventIdPrefix(at),
    type: event.type,
    at: isoInstant(at),
    quote_id: event.quoteId,
    transaction_id: event.transactionId,
    deposit_id: event.depositId,
    version: event.version,
    status: event.status,
    previous_status: event.previousStatus,
    client_reference: event.clientReference,
    detail: event.detail,
  }));
  const { rows } = await connection.query<{ ord: number; sequence: string }>({
    name: 'append_events',
    text: 'select ord, sequence from append_events($1)',
    values: [JSON.stringify(batch)],
  });
  const sequences: bigint[] = [];
  for (const row of rows) sequences[row.ord] = BigInt(row.sequence);
  return sequences;
}
