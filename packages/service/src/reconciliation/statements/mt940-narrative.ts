import { accountOf, cut, nameOf, referenceOf, remittanceOf } from './text.ts';

/** What can be read out of tag 86. */
export interface Narrative {
  readonly remittanceText: string | null;
  readonly endToEndId: string | null;
  readonly instructionId: string | null;
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
  counterpartyName: null,
  counterpartyAccount: null,
  structuredReferences: [],
  returnReason: null,
  isReturn: false,
};

/** Business transaction codes of the German banks for what comes back: direct debits (108, 109) and transfers (159). */
const RETURN_CODES = new Set(['108', '109', '159', '184', '185']);
const SEPA_WORDS = 'EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|PURP|SQTP|DDAT|BREF|RREF';
const SEPA_WORD = new RegExp(`(?:^|\\s|(?<=[^A-Z]))(${SEPA_WORDS})[+]`, 'g');
/** Words of the Dutch banks and of SWIFT between slashes. */
const SLASH_WORDS =
  'EREF|REMI|NAME|IBAN|BIC|TRTP|CSID|MARF|RTRN|TRCD|ORDP|BENM|PREF|ADDR|UDTR|UCRD|PURP|ISDT|CSTM|KREF|RTYP|ACCW|SVCL|OCMT|CHGS|EXCH|CNTP|CREF|ULTB|ULTD|ID|PY|BTNM';
const SLASH_WORD = new RegExp(`/(${SLASH_WORDS})/`, 'g');

/**
 * Reads tag 86: numbered fields behind a code of three digits (`166?00…?20…?32…`, with `?`, `>` or another mark), words
 * between slashes (`/EREF/…/REMI/…`), or free text.
 * @param lines as they are in the file; numbered and slashed texts are broken anywhere, so their lines are joined
 */
export function readNarrative(lines: readonly string[]): Narrative {
  const joined = lines.map(withOneBlank).join('');
  const numbered = /^\s?(\d{3})([^0-9A-Za-z\s])(?=\d\d)/.exec(joined);
  if (numbered?.[1] !== undefined && numbered[2] !== undefined) {
    return numberedNarrative(joined.slice(numbered[0].length - 1), numbered[1], numbered[2]);
  }
  SLASH_WORD.lastIndex = 0;
  if (SLASH_WORD.test(joined)) return slashedNarrative(joined);
  const text = remittanceOf(lines);
  return { ...EMPTY, remittanceText: text };
}

function numberedNarrative(text: string, code: string, mark: string): Narrative {
  const fields = new Map<number, string>();
  for (const part of text.split(mark)) {
    const number = /^\d\d/.exec(part)?.[0];
    if (number === undefined) continue;
    const key = Number.parseInt(number, 10);
    fields.set(key, (fields.get(key) ?? '') + part.slice(2));
  }
  const join = (from: number, to: number) => {
    let found = '';
    for (let key = from; key <= to; key++) found += fields.get(key) ?? '';
    return found;
  };
  const words = sepaWords(join(20, 29) + join(60, 63));
  const isReturn = RETURN_CODES.has(code) || words.has('RREF');
  return {
    ...EMPTY,
    remittanceText: remittanceOf([words.get('SVWZ') ?? words.get('') ?? fields.get(0)]),
    endToEndId: referenceOf(words.get('EREF')),
    instructionId: referenceOf(words.get('KREF')),
    counterpartyName: nameOf(join(32, 33)),
    counterpartyAccount: accountOf(words.get('IBAN') ?? fields.get(38) ?? fields.get(31)),
    isReturn,
    returnReason: isReturn ? (referenceOf(cut(fields.get(34) ?? '', 35)) ?? code) : null,
  };
}

/** `EREF+…SVWZ+…` to its parts; what stands before the first word is under the empty key. */
function sepaWords(text: string): Map<string, string> {
  const words = new Map<string, string>();
  const marks = [...text.matchAll(SEPA_WORD)];
  const head = text.slice(0, marks[0]?.index ?? text.length);
  if (head.trim() !== '') words.set('', head);
  for (const [at, mark] of marks.entries()) {
    const value = text.slice(mark.index + mark[0].length, marks[at + 1]?.index ?? text.length);
    if (mark[1] !== undefined && !words.has(mark[1])) words.set(mark[1], value);
  }
  return words;
}

function slashedNarrative(text: string): Narrative {
  const words = new Map<string, string>();
  const marks = [...text.matchAll(SLASH_WORD)];
  const head = text.slice(0, marks[0]?.index ?? 0);
  for (const [at, mark] of marks.entries()) {
    const value = text.slice(mark.index + mark[0].length, marks[at + 1]?.index ?? text.length);
    if (mark[1] !== undefined && !words.has(mark[1])) words.set(mark[1], withoutSlashes(value));
  }
  const remittance = (words.get('REMI') ?? '').replace(/^(USTD|STRD)\/{1,2}/, '');
  const structured = /^(?:STRD\/)(?:CUR|ISO)\/([^/]{1,35})/.exec(words.get('REMI') ?? '')?.[1];
  const isReturn = words.has('RTRN');
  return {
    ...EMPTY,
    remittanceText: remittanceOf([remittance || (words.has('REMI') ? '' : head || text)]),
    endToEndId: referenceOf(words.get('EREF')),
    instructionId: referenceOf(words.get('KREF') ?? words.get('PREF')),
    counterpartyName: nameOf(words.get('NAME')),
    counterpartyAccount: accountOf(words.get('IBAN')),
    structuredReferences: structured === undefined ? [] : [structured],
    isReturn,
    returnReason: isReturn ? (referenceOf(cut(words.get('RTRN') ?? '', 35)) ?? 'NARR') : null,
  };
}

/** Lines are filled up with blanks; one of them may stand between two words. Linear, as the text may be hostile. */
function withOneBlank(line: string): string {
  const text = line.trimEnd();
  return text.length < line.length ? `${text} ` : text;
}

function withoutSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
