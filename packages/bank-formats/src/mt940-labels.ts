import type { Narrative } from './mt940-narrative.ts';
import { accountOf, nameOf, referenceOf, remittanceOf } from './text.ts';

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
export function labelledNarrative(lines: readonly string[]): Partial<Narrative> | undefined {
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
