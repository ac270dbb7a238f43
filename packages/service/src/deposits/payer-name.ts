/** Legal forms say nothing about who somebody is. */
const LEGAL_FORMS: ReadonlySet<string> = new Set(
  'ab ag and as asa aps bv co company corp corporation gmbh inc incorporated kft kg limited llc llp lp ltd mbh nv oy oyj plc pte pty sa sarl sas se sl sp spa srl the und zoo z o'.split(
    ' ',
  ),
);
/** Payment systems cut names off: SWIFT after 35 characters, some after 18. */
const CUT_LENGTH_MIN = 12;

/**
 * Whether two names may be those of one payer, for suggestions. Case, accents, punctuation, legal forms and the order of words do not
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

/** Legal forms that end a name, as they are compared: abbreviated ones and those written out are one. */
const FORM_OF: ReadonlyMap<string, string> = new Map([
  ...'ab ag as asa aps bv corp doo gmbh inc kft kg llc llp lp ltd mbh nv oy oyj plc pte pty sa sarl sas se sl spa spzoo srl'
    .split(' ')
    .map((form) => [form, form] as const),
  ...Object.entries({ limited: 'ltd', incorporated: 'inc', corporation: 'corp' }),
]);
/** They stand beside a legal form and say nothing of their own. */
const BESIDE_FORMS: ReadonlySet<string> = new Set(['co', 'company']);
const AND: ReadonlySet<string> = new Set(['and', 'und']);

/**
 * Whether a payer's name is this very name. Case, accents, punctuation and blanks do not matter, nor a legal form at the
 * end that one of them leaves out; different legal forms are different companies, and so is a name of which the other is
 * only a part.
 */
export function isNameOf(reported: string, name: string): boolean {
  const [given, own] = [spellings(reported), spellings(name)];
  return given.some((a) =>
    own.some((b) => a.words === b.words && (a.form === '' || b.form === '' || a.form === b.form)),
  );
}

interface Spelling {
  /** Without blanks: banks put them where they like. */
  readonly words: string;
  readonly form: string;
}

/** Letters with dots or strokes are written as two letters or as one. */
const AS_TWO = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', æ: 'ae', œ: 'oe' } as const;
const AS_ONE = { ø: 'o', æ: 'a', œ: 'o' } as const;

function spellings(name: string): Spelling[] {
  const text = name.normalize('NFC').toLowerCase();
  return [AS_TWO, AS_ONE].flatMap((letters: Readonly<Record<string, string>>) => {
    const words = text
      .replace(/[äöüøåæœ]/g, (letter) => letters[letter] ?? letter)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replaceAll('ß', 'ss')
      .replaceAll('ł', 'l')
      .replaceAll('đ', 'd')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '' && !AND.has(word));
    const { rest, form } = withoutForm(joinedLetters(words));
    return rest === '' ? [] : [{ words: rest, form }];
  });
}

/** `s p a` is `spa`, and `sp z o o` is `spzoo`. */
function joinedLetters(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isLetter = false;
  for (const word of words) {
    const last = joined.at(-1);
    const isOne = [...word].length === 1 && /\p{L}/u.test(word);
    if (last !== undefined && isOne && (isLetter || last === 'sp')) joined[joined.length - 1] = last + word;
    else if (last === 'spz' && word === 'oo') joined[joined.length - 1] = 'spzoo';
    else joined.push(word);
    isLetter = isOne;
  }
  return joined;
}

function withoutForm(words: readonly string[]): { rest: string; form: string } {
  let end = words.length;
  const forms: string[] = [];
  while (end > 1) {
    const word = words[end - 1] ?? '';
    const form = FORM_OF.get(word);
    if (form === undefined && !BESIDE_FORMS.has(word)) break;
    if (form !== undefined) forms.unshift(form);
    end--;
  }
  return { rest: words.slice(0, end).join(''), form: forms.join(' ') };
}
