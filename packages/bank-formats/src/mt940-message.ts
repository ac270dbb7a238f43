import { isForeignCurrency } from './amount.ts';
import type { Balance, StatementTotal } from './entry.ts';
import type { OpenEntry } from './mt940-entry.ts';
import type { Field } from './mt940-fields.ts';
import { referenceOf } from './text.ts';

/** A message that has begun, and what has been read of it. */
export interface OpenMessage {
  readonly line: number;
  readonly reference: string | null;
  account: string | undefined;
  currency: string | undefined;
  number: bigint | null;
  page: number | null;
  opening: Balance | undefined;
  closing: Balance | undefined;
  forward: Balance[];
  isInterim: boolean;
  /** Code of the currency of an account that cannot be kept, and its entries so far. */
  setAside: { readonly currency: string; entries: number } | undefined;
  begun: boolean;
  pending: OpenEntry | undefined;
  totals: StatementTotal[];
}

export function newMessage(field: Field): OpenMessage {
  return {
    line: field.line,
    reference: referenceOf(field.lines[0]),
    account: undefined,
    currency: undefined,
    number: null,
    page: null,
    opening: undefined,
    closing: undefined,
    forward: [],
    isInterim: false,
    setAside: undefined,
    begun: false,
    pending: undefined,
    totals: [],
  };
}

/** The currency of a balance or limit, when it is none of ours. */
export function foreignCurrency({ tag, lines: [text = ''] }: Field): string | undefined {
  const code = tag === '34F' ? text.slice(0, 3) : /^6[02][FM]$/.test(tag) ? text.slice(7, 10) : undefined;
  return isForeignCurrency(code) ? code : undefined;
}
