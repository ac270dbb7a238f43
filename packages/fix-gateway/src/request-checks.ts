import { parseDecimal } from '@firmquote/fx';

const ID = /^[\x21-\x7e]{1,64}$/;
const PAIR = /^[A-Z]{6}$/;

export interface Checked {
  readonly id: string;
  readonly pair: string;
  readonly quantity: string;
  readonly price?: string;
  readonly quoteId?: string;
}

/**
 * What is wrong with a request, before it becomes a message: texts are sent as they are, so a separator in one would
 * begin a field of its own.
 */
export function problemOf({ id, pair, quantity, price, quoteId }: Checked): string | undefined {
  if (!ID.test(id)) return 'the id must be 1 to 64 printable characters';
  if (quoteId !== undefined && !ID.test(quoteId))
    return 'the id of the quote must be 1 to 64 printable characters';
  if (!PAIR.test(pair)) return 'the pair must be six letters';
  if (!isPositive(quantity)) return 'the quantity must be a positive decimal number';
  if (price !== undefined && !isPositive(price)) return 'the price must be a positive decimal number';
  return undefined;
}

function isPositive(text: string): boolean {
  const value = parseDecimal(text);
  return value !== undefined && value.units > 0n;
}
