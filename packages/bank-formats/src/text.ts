import { NAME_MAX, REFERENCE_MAX, REMITTANCE_MAX } from './limits.ts';

/** The beginning of a text. A character of two halves is not cut in half: the database would refuse it. */
export function cut(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '');
}

/** What banks write where there is no reference. */
const NO_REFERENCE = /^(NONREF|NOTPROVIDED|NOT PROVIDED|NOTAVAILABLE|NONE|N\/A|0+|-+)$/i;

/** A reference of the bank or of a party; null where there is none. */
export function referenceOf(text: string | null | undefined): string | null {
  const clean = cut(tidy(text ?? ''), REFERENCE_MAX);
  return clean === '' || NO_REFERENCE.test(clean) ? null : clean;
}

export function nameOf(text: string | null | undefined): string | null {
  return cut(tidy(text ?? ''), NAME_MAX) || null;
}

/** An account as it is compared: letters and digits only, upper case. */
export function accountOf(text: string | null | undefined): string | null {
  return cut(compact(text ?? ''), 64) || null;
}

/** Free text of a payment: one blank between words, lines kept. */
export function remittanceOf(parts: readonly (string | null | undefined)[]): string | null {
  const lines = parts.flatMap((part) => (part ?? '').split('\n')).map(tidy);
  const text = lines.filter((line) => line !== '').join('\n');
  return cut(text, REMITTANCE_MAX) || null;
}

/** Letters and digits only, upper case: how texts are compared that banks break, fill up and space out at will. */
export function compact(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Printable ASCII with single blanks, as nearly all texts are: there is nothing to tidy. */
const IS_TIDY = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

function tidy(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || IS_TIDY.test(trimmed)) return trimmed;
  // Lone surrogates are no characters: the database could not keep them.
  return trimmed
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
}
