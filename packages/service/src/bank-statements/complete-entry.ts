import { compact, cut, REMITTANCE_MAX, type TransactionDetails } from '@firmquote/bank-formats';
import { extractReferences } from '@firmquote/fx';
import { isSamePayer } from '../deposits/payer-name.ts';
import { type Fingerprint, keyOf } from './fingerprint.ts';

/** Fields of details by their columns, which are taken from later details where the first have none. */
const FIELDS = {
  endToEndId: 'end_to_end_id',
  uetr: 'uetr',
  instructionId: 'instruction_id',
  paymentInformationId: 'payment_information_id',
  detailReference: 'detail_reference',
  counterpartyName: 'counterparty_name',
  counterpartyAccount: 'counterparty_account',
  creditedAccount: 'credited_account',
  returnReason: 'return_reason',
  originalReference: 'original_reference',
} as const satisfies Partial<Record<keyof TransactionDetails, string>>;
type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];

/** What deposits are matched by. */
const MATCHED_BY: ReadonlySet<string> = new Set([
  'endToEndId',
  'counterpartyName',
  'counterpartyAccount',
  'creditedAccount',
  'structuredReferences',
  'remittanceText',
]);

interface Completed {
  readonly detail: TransactionDetails;
  /** Names of the fields that were completed. */
  readonly fields: readonly string[];
  /** Whether a deposit that was made of it may find its trade by them. */
  readonly isMatchedBy: boolean;
}

/**
 * Details completed by later ones: fields, references and lines of text that they lack. Nothing in them is changed.
 */
export function completed(known: TransactionDetails, reported: TransactionDetails): Completed {
  const fields: string[] = [];
  const detail: { -readonly [Name in keyof TransactionDetails]: TransactionDetails[Name] } = { ...known };
  for (const name of NAMES) {
    if (known[name] !== null || reported[name] === null) continue;
    detail[name] = reported[name];
    fields.push(name);
  }
  const references = reported.structuredReferences.filter(
    (each) => !known.structuredReferences.some((other) => compact(other) === compact(each)),
  );
  if (references.length > 0) {
    detail.structuredReferences = [...known.structuredReferences, ...references];
    fields.push('structuredReferences');
  }
  const text = withText(known.remittanceText, reported.remittanceText);
  if (text !== known.remittanceText) {
    detail.remittanceText = text;
    fields.push('remittanceText');
  }
  if (known.exchange === null && reported.exchange !== null) {
    detail.exchange = reported.exchange;
    fields.push('exchange');
  }
  return { detail, fields, isMatchedBy: fields.some((each) => MATCHED_BY.has(each)) };
}

/** Appends the lines that the text does not contain yet, as long as there is room. */
export function withText(known: string | null, reported: string | null): string | null {
  if (reported === null) return known;
  if (known === null) return reported;
  const before = compact(known);
  const lines = reported.split('\n').filter((line) => !before.includes(compact(line)));
  const text = [known, ...lines].join('\n');
  return text.length > REMITTANCE_MAX ? cut(known, REMITTANCE_MAX) : text;
}

/** Names of the fields in which two reports of one payment differ. */
export function differences(known: Fingerprint, reported: Fingerprint): string[] {
  const a = known.detail;
  const b = reported.detail;
  const fields: string[] = NAMES.filter((name) => {
    const [one, other] = [keyOf(a[name]), keyOf(b[name])];
    return one !== null && other !== null && one !== other;
  });
  if (known.bookingDate !== reported.bookingDate) fields.push('bookingDate');
  if (known.text !== null && reported.text !== null && known.text !== reported.text)
    fields.push('remittanceText');
  return fields;
}

/** Shorter words are in any text. */
const WORD_MIN = 3;

/**
 * Fields in which two reports of one payment cannot both be right about who paid and what for. Spelling is no contradiction:
 * names and ids cut off, an account with and without its bank, other words for the same.
 */
export function contradictions(known: Fingerprint, reported: Fingerprint): string[] {
  const [a, b] = [known.detail, reported.detail];
  const isOther = (name: Field, isAlike: (one: string, other: string) => boolean) => {
    const [one, other] = [keyOf(a[name]), keyOf(b[name])];
    return one !== null && other !== null && !isAlike(one, other) && !isAlike(other, one);
  };
  const fields: string[] = (['endToEndId', 'uetr', 'originalReference'] as const).filter((name) =>
    isOther(name, (one, other) => one.startsWith(other)),
  );
  for (const name of ['counterpartyAccount', 'creditedAccount'] as const) {
    if (isOther(name, (one, other) => one.endsWith(other))) fields.push(name);
  }
  const [name, otherName] = [a.counterpartyName, b.counterpartyName];
  if (name !== null && otherName !== null && !isSamePayer(name, otherName)) fields.push('counterpartyName');
  const [named, others] = [tradesIn(a), tradesIn(b)];
  const areOtherTransactions =
    named.length > 0 && others.length > 0 && !others.some((each) => named.includes(each));
  if (areOtherTransactions || !sharesWords(textOf(a), textOf(b))) fields.push('remittanceText');
  return fields;
}

const textOf = ({ structuredReferences, remittanceText }: TransactionDetails) =>
  [...structuredReferences, remittanceText ?? ''].join(' ');

/** Whether a text is silent, or says a word of the other one; blanks may stand anywhere. */
function sharesWords(one: string, other: string): boolean {
  const [a, b] = [compact(one), compact(other)];
  if (a.includes(b) || b.includes(a)) return true;
  const words = (text: string) =>
    text
      .split(/\s+/)
      .map(compact)
      .filter((word) => word.length >= WORD_MIN);
  return words(one).some((word) => b.includes(word)) || words(other).some((word) => a.includes(word));
}

/** References of trades, wherever they stand. */
function tradesIn({ structuredReferences, remittanceText, endToEndId }: TransactionDetails): string[] {
  return [...structuredReferences, remittanceText ?? '', endToEndId ?? ''].flatMap(extractReferences);
}
