import type { Direction } from './statement.ts';
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

/**
 * Words between slashes: of the Dutch banks (`/EREF/…/CNTP/…/REMI/…`, `/IBAN/…/NAME/…`), of SWIFT (`/OCMT/`, `/CHGS/`),
 * and of American ones (`/CRNM/`, `/DACT/`). What is no such word is text.
 */
const WORDS = new Set(
  (
    'EREF REMI NAME IBAN BBAN BIC TRTP CSID MARF RTRN TRCD ORDP BENM PREF ADDR UDTR UCRD PURP ISDT CSTM KREF RTYP ACCW ' +
    'SVCL OCMT CHGS EXCH CNTP CREF ULTB ULTD ULTC ID PY BTNM CRNM CACT CBIC DBNM DRNM DACT DBIC OPRP OAMT DCID'
  ).split(' '),
);
/** Stands where a short line ends: a blank, unless a word goes on. */
const BREAK = '\u0002';
const WORD = new RegExp(`/${BREAK}?([A-Z](?:${BREAK}?[A-Z]){1,3})${BREAK}?/`, 'g');
/** What is behind these up to the next slash; text that follows belongs to nobody's word. */
const ATOMIC = new Set(['OCMT', 'CHGS', 'EXCH', 'OAMT', 'TRCD', 'ISDT']);
/** Behind these stand the name, account and address of one party. */
const PARTIES = new Set(['ORDP', 'BENM', 'ULTB', 'ULTD', 'ULTC', 'UDTR', 'UCRD']);
/** What names the other side; the first of them says in which way. */
const OTHER_SIDE = new Set(['CNTP', 'NAME', 'IBAN', 'BBAN', 'ORDP', 'BENM']);
const OF_A_PARTY = new Set(['NAME', 'IBAN', 'BBAN', 'ID', 'ADDR', 'BIC']);

interface Found {
  readonly word: string;
  /** The party that a name or an account belongs to; empty for the other side of the payment. */
  readonly party: string;
  readonly value: string;
}

function isSlashed(lines: readonly string[]): boolean {
  return wordsIn(joined(lines)).length > 0;
}

/** Reads tag 86 of words between slashes. Each word counts once, so that no text of the payer's replaces it. */
function slashedNarrative(lines: readonly string[], direction: Direction): Partial<Narrative> {
  const text = joined(lines);
  const found = partsOf(text, wordsIn(text));
  const textOf = (word: string, of?: string): string | undefined =>
    found.find(
      (each) => each.word === word && each.value.trim() !== '' && (of === undefined || each.party === of),
    )?.value;
  const remittance = remittanceIn(textOf('REMI') ?? '');
  const [party] = found.filter(({ word }) => OTHER_SIDE.has(word));
  const other = otherSide(textOf, party?.word === 'CNTP', direction);
  const loose = found.filter(({ word }) => word === '' || ATOMIC.has(word)).map(looseText);
  const isReturn = found.some(({ word }) => word === 'RTRN');
  const block = textOf('PREF');
  return {
    remittanceText: remittanceOf([remittance.text || [...loose, other.more].join('\n')]),
    endToEndId: referenceOf(textOf('EREF')),
    instructionId: referenceOf(textOf('KREF') ?? block),
    paymentInformationId: referenceOf(block ?? textOf('KREF')),
    counterpartyName: nameOf(other.name),
    counterpartyAccount: accountOf(other.account),
    structuredReferences: remittance.reference === undefined ? [] : [remittance.reference],
    isReturn,
    returnReason: isReturn ? (referenceOf(cut(textOf('RTRN') ?? '', 35)) ?? 'NARR') : null,
  };
}

/** The words with what stands behind them; what stands before the first is under the empty one. */
function partsOf(text: string, marks: readonly Mark[]): Found[] {
  const found: Found[] = [{ word: '', party: '', value: plain(text.slice(0, marks[0]?.index ?? 0)) }];
  let party = '';
  for (const [at, { word, end }] of marks.entries()) {
    if (PARTIES.has(word)) party = word;
    else if (!OF_A_PARTY.has(word)) party = '';
    found.push({ word, party, value: plain(text.slice(end, marks[at + 1]?.index ?? text.length)) });
  }
  return found;
}

function looseText({ word, value }: Found): string {
  return word === '' ? value : value.split('/').slice(1).join('/');
}

type TextOf = (word: string, of?: string) => string | undefined;

/**
 * Who is on the other side: `/CNTP/account/BIC/name/town`; name and account on their own; those of the ordering party
 * of a credit or the beneficiary of a debit, which some banks write as `/ORDP/name` or `/BENM/account/name`.
 */
function otherSide(textOf: TextOf, isOneField: boolean, direction: Direction): PartyText {
  if (isOneField) {
    const [account, , name] = (textOf('CNTP') ?? '').split('/');
    return { account, name, more: '' };
  }
  const roles = direction === 'credit' ? ['ORDP', 'BENM'] : ['BENM', 'ORDP'];
  const [nameWords, accountWord] = direction === 'credit' ? [['DBNM', 'DRNM'], 'DACT'] : [['CRNM'], 'CACT'];
  const role = roles.find((each) => textOf(each, each) !== undefined || textOf('NAME', each) !== undefined);
  const written = role === undefined ? undefined : partyText(textOf(role, role) ?? '');
  const american = nameWords.map((word) => textOf(word)).find((each) => each !== undefined);
  return {
    name: textOf('NAME', '') ?? (role && textOf('NAME', role)) ?? written?.name ?? american,
    account:
      textOf('IBAN', '') ??
      textOf('BBAN', '') ??
      (role && (textOf('IBAN', role) ?? textOf('BBAN', role))) ??
      written?.account ??
      textOf(accountWord),
    more: written?.more ?? '',
  };
}

interface PartyText {
  readonly name: string | undefined;
  readonly account: string | undefined;
  /** What follows. */
  readonly more: string;
}

function partyText(text: string): PartyText {
  const [, account, rest] = /^\/?([A-Z]{0,2}\d[A-Z0-9]{7,33})(?: *\/(.*))?$/s.exec(text) ?? [];
  const [name = '', ...more] = (account === undefined ? text : (rest ?? '')).split('/');
  return { account, name: name || undefined, more: more.join('/') };
}

/**
 * `USTD//text`, `STRD/CUR/reference` or `STRD/ISO/reference`, `CDTRREFTP//CD/SCOR/ISSR/CUR/CDTRREF/reference`,
 * `ISSUER: CUR REF: reference`, or text.
 */
function remittanceIn(text: string): { readonly text: string; readonly reference: string | undefined } {
  const [, structured] =
    /^(?:STRD\/{1,2}(?:CUR|ISO)|CDTRREFTP\/\/CD\/SCOR(?:\/ISSR\/[A-Z]{3})?\/CDTRREF)\/([^/]{1,35})/.exec(
      text,
    ) ?? [];
  const [, issued] = /^ISSUER: *(?:CUR|ISO|SCOR) +REF: *([A-Z0-9][A-Z0-9 ]{0,40})/.exec(text) ?? [];
  return {
    text: text.replace(/^(?:USTD|STRD)\/{1,2}/, ''),
    reference: structured ?? issued?.replaceAll(' ', ''),
  };
}

interface Mark {
  readonly word: string;
  readonly index: number;
  readonly end: number;
}

/** The words of the text and where they stand. Two may share a slash: `/BENM/NAME/`. */
function wordsIn(text: string): Mark[] {
  const found: Mark[] = [];
  const search = new RegExp(WORD);
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const word = match[1]?.replaceAll(BREAK, '') ?? '';
    const end = match.index + match[0].length;
    if (WORDS.has(word)) found.push({ word, index: match.index, end });
    // The slash at the end may begin the next word.
    search.lastIndex = end - 1;
  }
  return found;
}

/** Full lines are broken anywhere; blanks that fill lines up are one. */
function joined(lines: readonly string[]): string {
  let text = '';
  for (const line of lines) {
    const end = line.trimEnd();
    text += end;
    if (end.length < LINE_FROM) text += BREAK;
    else if (end.length < line.length) text += ' ';
  }
  return text;
}

function plain(text: string): string {
  let from = 0;
  let end = text.length;
  const isEdge = (at: number) => text[at] === '/' || text[at] === ' ' || text[at] === BREAK;
  while (end > 0 && isEdge(end - 1)) end -= 1;
  while (from < end && isEdge(from)) from += 1;
  return text.slice(from, end).replaceAll(BREAK, ' ');
}

/** A line of this length goes on in the next one. */
const LINE_WIDTH = 65;
const ACCOUNT = '[A-Z]{2}\\d{2}[A-Z0-9]{11,30}';
/** The labels of ABN AMRO behind the kind of a SEPA payment. The first of each counts: the payer's text follows them. */
const DUTCH = [
  'IBAN',
  'BIC',
  'NAAM',
  'OMSCHRIJVING',
  'KENMERK',
  'MACHTIGING',
  'INCASSANT',
  'BETALINGSKENM\\.',
];
const DUTCH_LABEL = new RegExp(`(?:^|\\s)(${DUTCH.join('|')}): `, 'g');
const DUTCH_LABEL_FIRST = new RegExp(`^(?:${DUTCH.join('|')}): `);
/** The last line of Knab's: what stands before it is the payer's. */
const KNAB_LINE = /^REK: ([A-Z0-9]{5,34})\/NAAM: (.+)$/;
/** `999SEPA_CREDIT_TRANSFER:text:name:account`, the last two of the bank. */
const COLONS = new RegExp(`^\\d{3}SEPA_[A-Z_]+:(.*):([^:]*):(${ACCOUNT})$`, 's');
/** An account and the code of its bank lead the text. */
const LED = new RegExp(`^(${ACCOUNT}) [A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})? (.*)$`, 's');

/**
 * Reads a tag 86 that has neither numbers nor slashes, where a bank's own layout says what is what. Only what the bank
 * itself writes counts: labels in a text of the payer's would let him choose whose account he pays from.
 */
function labelledNarrative(lines: readonly string[]): Partial<Narrative> | undefined {
  const [first = ''] = lines;
  if (/^SEPA [A-Z]/.test(first)) return dutch(lines);
  const knab = KNAB_LINE.exec(lines.at(-1)?.trim() ?? '');
  if (knab !== null) {
    return party(knab[1], knab[2], remittanceOf(lines.slice(0, -1)));
  }
  const glued = lines.join('');
  const colons = COLONS.exec(glued);
  if (colons !== null) return party(colons[3], colons[2], remittanceOf([colons[1]]));
  const polish = polishNarrative(lines.map((line) => (line.endsWith(' ') ? line : `${line} `)).join(''));
  if (polish !== undefined) return polish;
  const led = LED.exec(glued);
  return led === null ? undefined : party(led[1], undefined, remittanceOf(lines));
}

function party(
  account: string | undefined,
  name: string | undefined,
  remittanceText: string | null,
): Partial<Narrative> {
  return { counterpartyAccount: accountOf(account), counterpartyName: nameOf(name), remittanceText };
}

/** `; Z RACH.: account; OD: name  address; TYT.: text; TNR: number`, as mBank writes it: the number stands last. */
function polishNarrative(text: string): Partial<Narrative> | undefined {
  const at = (label: string, from: number) => text.indexOf(label, from);
  const account = at('; Z RACH.:', 0);
  const name = account < 0 ? -1 : at('; OD:', account);
  const title = name < 0 ? -1 : at('; TYT.:', name);
  const end = title < 0 ? -1 : text.lastIndexOf('; TNR:');
  if (end <= title) return undefined;
  const [sender] = text
    .slice(name + '; OD:'.length, title)
    .trim()
    .split('  ', 1);
  const digits = text.slice(account + '; Z RACH.:'.length, name);
  return party(digits, sender, remittanceOf([text.slice(title + '; TYT.:'.length, end)]));
}

function dutch(lines: readonly string[]): Partial<Narrative> | undefined {
  const text = lines
    .map((line, at) =>
      line.length < LINE_WIDTH || DUTCH_LABEL_FIRST.test(lines[at + 1] ?? '') ? `${line}\n` : line,
    )
    .join('');
  const marks = [...text.matchAll(DUTCH_LABEL)];
  if (marks.length === 0) return undefined;
  const values = new Map<string, string>();
  for (const [at, mark] of marks.entries()) {
    const label = mark[1] ?? '';
    const value = text.slice(mark.index + mark[0].length, marks[at + 1]?.index ?? text.length);
    if (!values.has(label)) values.set(label, value.trim());
  }
  const words = ['OMSCHRIJVING', 'BETALINGSKENM.'].map((label) => values.get(label));
  return {
    ...party(values.get('IBAN'), values.get('NAAM'), remittanceOf(words)),
    endToEndId: referenceOf(values.get('KENMERK')),
  };
}
