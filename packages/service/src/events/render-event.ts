import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';

/** Of `feed_events`. */
export type EventRow = Omit<Row<'events'>, 'customer_id' | 'type' | 'quote_version' | 'quote_reference'> & {
  readonly type: string;
};

/** As the feed has it. */
export function renderEvent(row: EventRow): string {
  return `{"eventId":"${typeId('evt', row.id)}","sequence":${row.sequence},${renderMembers(row)}}`;
}

/** As a webhook carries it. */
export function renderMessage(row: EventRow): string {
  return `{${renderMembers(row)}}`;
}

function renderMembers(row: EventRow): string {
  const data = JSON.stringify({
    eventId: typeId('evt', row.id),
    sequence: '#',
    ...(row.quote_id === null ? {} : { quoteId: typeId('quote', row.quote_id) }),
    ...(row.transaction_id === null ? {} : { transactionId: typeId('txn', row.transaction_id) }),
    ...(row.deposit_id === null ? {} : { depositId: typeId('dep', row.deposit_id) }),
    version: row.version,
    status: row.status,
    previousStatus: row.previous_status,
    clientReference: row.client_reference,
    ...(row.detail === null ? {} : (JSON.parse(row.detail) as Record<string, unknown>)),
  }).replace('"sequence":"#"', `"sequence":${row.sequence}`);
  return `"type":"${row.type}","timestamp":"${isoInstant(row.at)}","data":${data}`;
}
