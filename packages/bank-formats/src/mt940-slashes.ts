import type { Direction } from './entry.ts';
import type { Narrative } from './mt940-narrative.ts';
import { accountOf, cut, nameOf, referenceOf, remittanceOf } from './text.ts';

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
/** No bank ends a line before this character in the middle of a word. */
const LINE_FROM = 50;

interface Found {
  readonly word: string;
  /** The party that a name or an account belongs to; empty for the other side of the payment. */
  readonly party: string;
  readonly value: string;
}

export function isSlashed(lines: readonly string[]): boolean {
  return wordsIn(joined(lines)).length > 0;
}

/** Reads tag 86 of words between slashes. Each word counts once, so that no text of the payer's replaces it. */
export function slashedNarrative(lines: readonly string[], direction: Direction): Partial<Narrative> {
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
