/**
 * Payment references: ISO 11649 creditor references `RF` + 2 check digits + 12 digits. Sixteen characters
 * fit every rail, and a body of digits only lets the check digits (ISO 7064 MOD 97-10) catch every single
 * wrong digit and every swap of neighbours, which letters in the body would not.
 */

const BODY_DIGITS = 12;
const BODY_LIMIT = 10n ** 12n;
const REFERENCE = /^RF([0-9]{2})([0-9]{12})$/;
const REFERENCE_LENGTH = 16;

/** Text beyond this is not searched; a payment's remittance information is at most a few thousand characters. */
export const REMITTANCE_TEXT_LENGTH_MAX = 20_000;

/** `RF` + check digits + the number padded to 12 digits. Throws RangeError below 0 and from 10^12. */
export function makeReference(twelveDigits: bigint): string {
  if (twelveDigits < 0n || twelveDigits >= BODY_LIMIT) {
    throw new RangeError(`a reference has ${BODY_DIGITS} digits, ${twelveDigits} does not fit`);
  }
  const body = twelveDigits.toString().padStart(BODY_DIGITS, '0');
  return `RF${checkDigitsOf(body)}${body}`;
}

/** Whether the text is exactly one of our references, in capitals and without blanks. */
export function isValidReference(text: string): boolean {
  const match = REFERENCE.exec(text);
  if (match === null) return false;
  const [, checkDigits, body = ''] = match;
  // Compared with the digits that we would write, since 00, 01 and 99 pass the bare modulus as well.
  return checkDigitsOf(body) === checkDigits;
}

/**
 * Every valid reference in a payment's free text, in order and without repeats. Blanks, punctuation, letter
 * case, and O or I written for 0 or 1 do not matter.
 */
export function extractReferences(text: string): string[] {
  const searched = text
    .slice(0, REMITTANCE_TEXT_LENGTH_MAX)
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
  const found = new Set<string>();
  for (let start = searched.indexOf('RF'); start !== -1; start = searched.indexOf('RF', start + 1)) {
    const digits = searched.slice(start + 2, start + REFERENCE_LENGTH);
    const candidate = `RF${digits.replaceAll('O', '0').replaceAll('I', '1')}`;
    if (isValidReference(candidate)) found.add(candidate);
  }
  return [...found];
}

function checkDigitsOf(body: string): string {
  // R = 27 and F = 15 move to the end, followed by 00 in the place of the check digits.
  const remainder = BigInt(`${body}271500`) % 97n;
  return (98n - remainder).toString().padStart(2, '0');
}
