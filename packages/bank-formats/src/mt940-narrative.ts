import type { Direction } from './entry.ts';
import { labelledNarrative } from './mt940-labels.ts';
import { isSlashed, slashedNarrative } from './mt940-slashes.ts';
import { accountOf, cut, nameOf, referenceOf, remittanceOf } from './text.ts';

/** What can be read out of tag 86. */
export interface Narrative {
  readonly remittanceText: string | null;
  readonly endToEndId: string | null;
  readonly instructionId: string | null;
  /** Of a batch that was ordered in one file and is booked as one sum. */
  readonly paymentInformationId: string | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly structuredReferences: readonly string[];
  readonly returnReason: string | null;
  readonly isReturn: boolean;
}

const EMPTY: Narrative = {
  remittanceText: null,
  endToEndId: null,
  instructionId: null,
  paymentInformationId: null,
  counterpartyName: null,
  counterpartyAccount: null,
  structuredReferences: [],
  returnReason: null,
  isReturn: false,
};

/** Business transaction codes of the German banks for what comes back: direct debits (108, 109) and transfers (159). */
const RETURN_CODES = new Set(['108', '109', '159', '184', '185']);
/** A code of three digits and a mark, or the mark of a first field alone, as Polish banks write it. */
const NUMBERED = /^\s?(?:(\d{3})([^0-9A-Za-z\s/])|([?><^~|]))(?=\d\d)/;
/** A full field is broken anywhere; what is shorter ends where a word does. */
const FIELD_WIDTH = 27;
/** No bank ends a line before this character in the middle of a word. */
const LINE_FROM = 50;
/** Stand between fields until words are found: the text goes on in the middle of a word, or with a new one. */
const GLUED = '\u0001';
const APART = '\u0002';

const SEPA_WORDS =
  'EREF KREF MREF CRED DEBT COAM OAMT SVWZ ABWA ABWE IBAN BIC PURP SQTP DDAT BREF RREF'.split(' ');
/** A word at the beginning of a field, behind a blank or a mark, or behind what says that there is no reference; it may
 * itself be broken by the end of a field. */
const SEPA_WORD = new RegExp(
  `(?:^|(?<=[^A-Z]|NONREF|NOTPROVIDED))(${SEPA_WORDS.map((word) => [...word].join(`[${GLUED}${APART}]?`)).join('|')})[${GLUED}${APART}]?[+]`,
  'g',
);
/** Where a reference with a colon is looked for: the search is not linear. */
const NAMED_WITHIN = 500;
/** Banks that write words with a colon; only the first one is taken, because the payer's text may hold more. */
const COLON_REFERENCE = /(?:^|\s)EREF: (\S.*?)(?=\s+(?:KREF|MREF|CRED|IBAN|BIC|ABWA|ABWE|SVWZ): |$)/;

/**
 * Reads tag 86: numbered fields behind a code of three digits (`166?00…?20…?32…`, with `?`, `>` or another mark), words
 * between slashes (`/EREF/…/REMI/…`), the labels of some banks, or free text.
 * @param lines as they are in the file
 * @param direction who the other side is hangs on it where both are named
 */
export function readNarrative(lines: readonly string[], direction: Direction): Narrative {
  const numbered = NUMBERED.exec(lines[0] ?? '');
  if (numbered !== null) {
    const mark = numbered[2] ?? numbered[3] ?? '?';
    const text = joinedLines(lines, mark).slice(numbered[0].length - 1);
    return numberedNarrative(text, numbered[1] ?? null, mark);
  }
  if (isSlashed(lines)) return { ...EMPTY, ...slashedNarrative(lines, direction) };
  return { ...EMPTY, ...(labelledNarrative(lines) ?? { remittanceText: remittanceOf(lines) }) };
}

function numberedNarrative(text: string, code: string | null, mark: string): Narrative {
  const fields = fieldsOf(text, mark);
  const words = sepaWords(joinedFields(fields, [20, 29], [60, 63]));
  const isReturn = (code !== null && RETURN_CODES.has(code)) || words.has('RREF');
  const plain = words.get('SVWZ') ?? words.get('') ?? fields.get(0);
  const ownReference = words.get('KREF');
  // Some banks have no fields for the other side and write it into the first ones of the text.
  const [bic, iban] = [fields.get(20), fields.get(21)].map((each) => each?.trim() ?? '');
  const isLed = /^[A-Z]{4}[A-Z0-9]{2,7}$/.test(bic ?? '') && IBAN.test(iban ?? '');
  return {
    ...EMPTY,
    remittanceText: remittanceOf([isLed ? readable(joinedFields(fields, [22, 29])) : plain]),
    endToEndId: referenceOf(words.get('EREF') ?? COLON_REFERENCE.exec(cut(plain ?? '', NAMED_WITHIN))?.[1]),
    instructionId: referenceOf(ownReference),
    paymentInformationId: referenceOf(ownReference),
    counterpartyName: nameOf(readable(joinedFields(fields, [32, 33]))),
    counterpartyAccount: accountOf(
      isLed ? iban : (ibanIn(words.get('IBAN')) ?? fields.get(38)?.trim() ?? fields.get(31)?.trim()),
    ),
    isReturn,
    returnReason: isReturn ? (referenceOf(cut(fields.get(34) ?? '', 35)) ?? code ?? 'NARR') : null,
  };
}

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** The account behind `IBAN+`, without what follows it. */
function ibanIn(text: string | undefined): string | undefined {
  const first = text?.trim().split(/\s(?=[A-Z]{2,}[:+])/)[0];
  return first !== undefined && IBAN.test(first.replaceAll(' ', '')) ? first : undefined;
}

/** Fields by their numbers. A mark without a number is one of the text. */
function fieldsOf(text: string, mark: string): ReadonlyMap<number, string> {
  const fields = new Map<number, string>();
  let last: number | undefined;
  for (const part of text.split(mark).slice(1)) {
    const number = /^[0-6]\d/.exec(part)?.[0];
    if (number !== undefined) {
      last = Number.parseInt(number, 10);
      fields.set(last, (fields.get(last) ?? '') + part.slice(2));
    } else if (last !== undefined) fields.set(last, `${fields.get(last) ?? ''}${mark}${part}`);
  }
  return fields;
}

function joinedFields(
  fields: ReadonlyMap<number, string>,
  ...ranges: readonly (readonly [from: number, to: number])[]
): string {
  let joined = '';
  let before = '';
  for (const [from, to] of ranges) {
    for (let key = from; key <= to; key++) {
      const field = fields.get(key);
      if (field === undefined) continue;
      if (joined !== '') joined += before.length >= FIELD_WIDTH ? GLUED : APART;
      joined += field;
      before = field;
    }
  }
  return joined;
}

function readable(text: string): string {
  return text.replaceAll(GLUED, '').replaceAll(APART, ' ');
}

/** `EREF+…SVWZ+…` to its parts; what stands before the first word is under the empty key. */
function sepaWords(text: string): Map<string, string> {
  const words = new Map<string, string>();
  const marks = [...text.matchAll(SEPA_WORD)];
  const head = readable(text.slice(0, marks[0]?.index ?? text.length));
  if (head.trim() !== '') words.set('', head);
  for (const [at, mark] of marks.entries()) {
    const value = text.slice(mark.index + mark[0].length, marks[at + 1]?.index ?? text.length);
    const word = mark[1]?.replaceAll(/[^A-Z]/g, '');
    if (word !== undefined && !words.has(word)) words.set(word, readable(value));
  }
  return words;
}

/**
 * Full lines are broken anywhere, also in a word or a number; blanks that fill lines up are one. A short line that no
 * field follows ends where a word does. Linear, as the text may be hostile.
 */
function joinedLines(lines: readonly string[], mark: string): string {
  let text = '';
  for (const [at, line] of lines.entries()) {
    const end = line.trimEnd();
    const goesOn = lines[at + 1]?.startsWith(mark) === false;
    text += end;
    if (end.length < line.length || (goesOn && end.length < LINE_FROM)) text += ' ';
  }
  return text;
}
