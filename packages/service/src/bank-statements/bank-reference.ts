import { cut, REFERENCE_MAX } from '@firmquote/bank-formats';
import { typeId } from '../platform/ids.ts';

/** The bank's reference of the payment, else of its booking, else the entry's own id. */
export function bankReferenceOf(entry: {
  readonly id: string;
  readonly bankReference: string | null;
  readonly detailReference: string | null;
  /** Place in its booking, and how many payments that has. */
  readonly number: number;
  readonly payments: number;
}): string {
  if (entry.detailReference !== null) return entry.detailReference;
  if (entry.bankReference === null) return typeId('ste', entry.id);
  if (entry.payments === 1) return entry.bankReference;
  const suffix = `/${entry.number}`;
  return `${cut(entry.bankReference, REFERENCE_MAX - suffix.length)}${suffix}`;
}
