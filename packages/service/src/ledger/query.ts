import { findCurrency } from '@firmquote/fx';
import type { QueryReader } from '../http/query.ts';
import { type IdPrefix, parseTypeId } from '../platform/ids.ts';
import { HOUSE_ID } from './journal.ts';

/** `customerId` as a UUID, where "house" is what belongs to no customer. */
export function readOwner(query: QueryReader): string | undefined {
  const text = query.text('customerId', 64);
  if (text === undefined) return undefined;
  if (text === 'house') return HOUSE_ID;
  const id = parseTypeId('cus', text);
  if (id === undefined) query.refuse('customerId', 'wrong_format', 'must be a customer id, or "house"');
  return id;
}

/** `currency`, as a code of the table. */
export function readCurrency(query: QueryReader): string | undefined {
  const text = query.text('currency', 3);
  if (text !== undefined && findCurrency(text) === undefined) {
    query.refuse('currency', 'wrong_format', 'must be a currency code, such as EUR');
  }
  return text;
}

/** An id with the prefix, as a UUID. */
export function readId(query: QueryReader, name: string, prefix: IdPrefix): string | undefined {
  const text = query.text(name, 64);
  if (text === undefined) return undefined;
  const id = parseTypeId(prefix, text);
  if (id === undefined) query.refuse(name, 'wrong_format', `must be an id that begins with ${prefix}_`);
  return id;
}
