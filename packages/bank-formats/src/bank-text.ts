/**
 * Text for banks. SWIFT's x character set, which the EPC's rules for SEPA also guarantee: letters, digits and
 * / - ? : ( ) . , ' + and blank (EPC217-08, "SEPA requirements for an extended character set").
 */

export interface Adjustment {
  readonly field: string;
  readonly given: string;
  readonly sent: string;
}

export interface BankText {
  readonly text: string;
  /** Characters that have no form in the set; a dot stands in their place. */
  readonly lost: number;
}

/** Letters that do not come apart into a plain one and a mark, and signs with a usual replacement. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ŋ: 'n',
  Ŋ: 'N',
  ĸ: 'k',
  ŧ: 't',
  Ŧ: 'T',
  ə: 'e',
  Ə: 'E',
  '&': '+',
  _: '-',
  '–': '-',
  '—': '-',
  '‐': '-',
  '’': "'",
  '‘': "'",
  '`': "'",
  '"': "'",
  '“': "'",
  '”': "'",
  '„': "'",
  '«': "'",
  '»': "'",
  ';': ',',
  '!': '.',
  '@': '(at)',
  '#': '.',
  '%': '.',
  '*': '.',
  '=': '.',
  '<': '(',
  '>': ')',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '|': '/',
  '\\': '/',
  '~': '-',
  '^': '.',
  $: '.',
  '€': 'EUR',
  '£': 'GBP',
  '…': '...',
  '\u00a0': ' ',
  '\t': ' ',
  '·': '.',
  '•': '.',
  '°': '.',
  '№': 'No',
};
const GREEK = pairs(
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o',
);
const CYRILLIC = pairs(
  'а a б b в v г g д d е e ё e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ ie ы y ь - э e ю iu я ia є ie і i ї i ґ g ј j љ lj њ nj ћ c ђ dj џ dz ў u',
);

function pairs(text: string): ReadonlyMap<string, string> {
  const words = text.split(' ');
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < words.length; i += 2) {
    const latin = words[i + 1] ?? '';
    map.set(words[i] ?? '', latin === '-' ? '' : latin);
  }
  return map;
}

/** Marks that Unicode has no letter with, such as those of Yoruba, and what is not seen: joiners, soft hyphens, directions. */
const FALLS_AWAY = /^[\p{M}\p{Cf}]$/u;
const PLAIN = /^[A-Za-z0-9/\-?:().,'+ ]$/;

/**
 * Brings a text into the banks' character set. Diacritics fall away, ligatures, Greek and Cyrillic letters are written
 * out, blanks are drawn together, and slashes that no identification may begin or end with or hold twice become dashes.
 */
export function bankText(given: string): BankText {
  let text = '';
  let lost = 0;
  for (const character of given.normalize('NFC')) {
    const written = written1(character);
    if (written === undefined) lost++;
    text += written ?? '.';
  }
  text = text
    .replaceAll(/ +/g, ' ')
    .trim()
    .replaceAll('//', '-')
    .replaceAll(/^\/|\/$/g, '-');
  // Of what nobody sees nothing is left.
  return { text, lost: text === '' && given.trim() !== '' ? 1 : lost };
}

function written1(character: string): string | undefined {
  if (PLAIN.test(character)) return character;
  if (FALLS_AWAY.test(character)) return '';
  const replacement = REPLACEMENTS[character];
  if (replacement !== undefined) return replacement;
  const base = character.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  if (base !== '' && [...base].every((each) => PLAIN.test(each))) return base;
  if (base.length === 1 && REPLACEMENTS[base] !== undefined) return REPLACEMENTS[base];
  const lower = character.toLowerCase();
  const foreign = GREEK.get(base.toLowerCase()) ?? CYRILLIC.get(lower) ?? CYRILLIC.get(base.toLowerCase());
  if (foreign === undefined) return undefined;
  return lower === character ? foreign : foreign.slice(0, 1).toUpperCase() + foreign.slice(1);
}

/** A text of at most so many characters in the banks' set, and what had to be changed for it. */
export function fitted(
  field: string,
  given: string,
  lengthMax: number,
): { readonly text: string; readonly lost: number; readonly adjustments: readonly Adjustment[] } {
  const { text, lost } = bankText(given);
  const sent = text.slice(0, lengthMax).trimEnd();
  return { text: sent, lost, adjustments: sent === given ? [] : [{ field, given, sent }] };
}

/**
 * An address as payment files carry it (ISO 20022 PstlAdr). Banks want town and country by themselves; the rest may be
 * by fields too (structured) or in lines (hybrid), as CBPR+ has it.
 */
export interface PostalAddress {
  readonly streetName?: string;
  readonly buildingNumber?: string;
  readonly postBox?: string;
  readonly postalCode?: string;
  readonly townName: string;
  readonly countrySubDivision?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly addressLines?: string[];
}

/** Elements of PstlAdr with their texts, in the order of the schema (pain.001.001.09, PostalAddress24). */
export type FileAddress = readonly (readonly [element: string, text: string])[];

const ELEMENTS = [
  ['StrtNm', 'streetName', 70],
  ['BldgNb', 'buildingNumber', 16],
  ['PstBx', 'postBox', 16],
  ['PstCd', 'postalCode', 16],
  ['TwnNm', 'townName', 35],
  ['CtrySubDvsn', 'countrySubDivision', 35],
] as const satisfies readonly (readonly [string, keyof PostalAddress, number])[];
const LINE_MAX = 70;

/**
 * An address in the banks' character set. What has no form in it is left out, and without the town so is the rest: a
 * payment without an address is better than one with dots in it.
 */
export function bankAddress(given: PostalAddress | null): {
  readonly address: FileAddress | null;
  readonly adjustments: readonly Adjustment[];
} {
  if (given === null) return { address: null, adjustments: [] };
  const elements: (readonly [string, string])[] = [];
  const adjustments: Adjustment[] = [];
  const add = (element: string, field: string, text: string | undefined, lengthMax: number) => {
    if (text === undefined) return;
    const written = fitted(`postalAddress.${field}`, text, lengthMax);
    if (written.lost === 0 && written.text !== '') {
      elements.push([element, written.text]);
      adjustments.push(...written.adjustments);
    } else adjustments.push({ field: `postalAddress.${field}`, given: text, sent: '' });
  };
  for (const [element, field, lengthMax] of ELEMENTS) add(element, field, given[field], lengthMax);
  elements.push(['Ctry', given.country]);
  for (const line of given.addressLines ?? []) add('AdrLine', 'addressLines', line, LINE_MAX);
  const hasTown = elements.some(([element]) => element === 'TwnNm');
  return { address: hasTown ? elements : null, adjustments };
}
