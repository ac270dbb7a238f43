/** Legal forms say nothing about who somebody is. */
const LEGAL_FORMS: ReadonlySet<string> = new Set(
  'ab ag and as asa aps bv co company corp corporation gmbh inc incorporated kft kg limited llc llp lp ltd mbh nv oy oyj plc pte pty sa sarl sas se sl sp spa srl the und zoo z o'.split(
    ' ',
  ),
);
/** Payment systems cut names off: SWIFT after 35 characters, some after 18. */
const CUT_LENGTH_MIN = 12;

/**
 * Whether two names may be those of one payer. Case, accents, punctuation, legal forms and the order of words do not
 * matter; one name may have words that the other leaves out, or be cut off at the end.
 */
export function isSamePayer(a: string, b: string): boolean {
  const [first, second] = [wordsOf(a), wordsOf(b)];
  const [shorter, longer] = first.length <= second.length ? [first, second] : [second, first];
  if (shorter.length === 0) return false;
  if (shorter.every((word) => longer.includes(word)) && shorter.join('').length >= 3) return true;
  const [joined, other] = [first.join(''), second.join('')];
  if (joined === other) return true;
  const cut = Math.min(joined.length, other.length);
  return cut >= CUT_LENGTH_MIN && joined.slice(0, cut) === other.slice(0, cut);
}

function wordsOf(name: string): string[] {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    // Banks write umlauts as two letters or leave the dots out; here both come to the same.
    .replace(/([aou])e/g, '$1')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const telling = words.filter((word) => !LEGAL_FORMS.has(word));
  return telling.length > 0 ? telling : words;
}
