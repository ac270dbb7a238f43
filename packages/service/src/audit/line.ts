import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { AuditRow } from './store.ts';

/**
 * A row of the trail as JSON, in one form: these bytes, in UTF-8, are what is hashed, listed and exported. The order of members
 * and what they are made of never change; a new member comes at the end, and only where it has a value.
 */
export function auditLine(row: AuditRow): string {
  const id = (prefix: 'cli' | 'per' | 'cus' | 'apr', uuid: string | null) =>
    uuid === null ? null : typeId(prefix, uuid);
  const head = JSON.stringify({
    number: row.number,
    at: isoInstant(row.at),
    kind: row.kind,
    operation: row.operation,
    resource: row.resource,
    subjects: row.subjects,
    outcome: row.outcome,
    actor: {
      type: row.actor,
      id: id(row.actor === 'person' ? 'per' : 'cli', row.actor_id),
      personId: id('per', row.person_id),
      customerId: id('cus', row.customer_id),
      tokenId: row.token_id,
      address: row.address,
    },
    requestId: row.request_id,
    approvalId: id('apr', row.approval_id),
    count: row.count,
  });
  return `${head.slice(0, -1)},"changes":${row.changes}}`;
}
