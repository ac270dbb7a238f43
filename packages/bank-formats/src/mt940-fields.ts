import { type Currency, daysBetween, isIsoDate } from '@firmquote/fx';
import { amountOf, currencyOf } from './amount.ts';
import { readNarrative } from './mt940-narrative.ts';
import { StatementRefusal, shown } from './refusal.ts';
import {
  type Balance,
  type Direction,
  type EntryStatus,
  NO_DETAILS,
  type StatementEntry,
  type StatementTotal,
  type TransactionKind,
} from './statement.ts';
import { accountOf, nameOf, referenceOf, remittanceOf } from './text.ts';

/** A field of a message: its tag, its first line and those that follow. */
export interface Field {
  readonly tag: string;
  readonly line: number;
  readonly lines: string[];
}

/** What a tag 61 says, before its currency is known. */
export interface StatementLine {
  readonly line: number;
  readonly valueDate: string;
  readonly bookingDate: string;
  readonly direction: Direction;
  readonly kind: TransactionKind;
  readonly status: EntryStatus;
  readonly amountText: string;
  readonly transactionCode: string;
  readonly customerReference: string | null;
  readonly bankReference: string | null;
  readonly supplementary: string | null;
  /** The other side, where the line names it. */
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
}

/**
 * Tag 61: value date, entry date, mark, third letter of the currency, amount, type, reference, `//` the bank's reference.
 * Banks leave the entry date out or blank, put a blank before the type, and write the name behind a reference that is
 * filled up to 16 characters.
 */
const LINE =
  /^(\d{6})(\d{4}|\s{4})?\s?(R[CD]|E[CD]|[CD])([A-Z])?(\d{1,24}(?:[,.]\d{0,6})?)\s?((?!NONREF)[A-Z][A-Z0-9]{2}[A-Z0-9 ])?(.*)$/s;
const BALANCE = /^([CD])(\d{6})([A-Z]{3})?(\d{1,24}(?:[,.]\d{0,6})?)$/;
const TOTAL = /^(\d{1,5})([A-Z]{3})(\d{1,24}(?:[,.]\d{0,6})?)$/;

/** @throws StatementRefusal field_invalid, date_invalid */
export function readLine(field: Field): StatementLine {
  const [first = '', ...more] = field.lines;
  const match = LINE.exec(first.trimEnd());
  const [, value, entry, mark, , amountText, code, rest = ''] = match ?? [];
  if (value === undefined || mark === undefined || amountText === undefined) {
    throw new StatementRefusal('field_invalid', `"${shown(first)}" is not a statement line`, field.line);
  }
  const valueDate = dateOf(value, field.line);
  const [reference = '', ...behind] = rest.split('//');
  const isFilled = behind.length === 0 && reference.length > 16 && /\s/.test(reference.slice(0, 16));
  const own = (isFilled ? reference.slice(0, 16) : reference).trim();
  const lines = more.map((each) => each.trim()).filter((each) => !/^0*$/.test(each) && !CODES.test(each));
  const account = lines.find((each) => isAccount(each)) ?? (isFilled && isAccount(own) ? own : null);
  return {
    line: field.line,
    valueDate,
    bookingDate: entry?.trim() ? entryDate(entry, valueDate, field.line) : valueDate,
    direction: mark === 'C' || mark === 'RD' || mark === 'EC' ? 'credit' : 'debit',
    kind: code?.endsWith('RTI') ? 'return' : mark.startsWith('R') ? 'reversal' : 'payment',
    status: mark.startsWith('E') ? 'pending' : 'booked',
    amountText: amountText.replace(',', '.'),
    transactionCode: code?.trim() ?? '',
    customerReference: own === account || IN_NARRATIVE.test(own) ? null : referenceOf(own),
    bankReference: referenceOf(behind.join('//').replace(CODES_BEHIND, '')),
    supplementary: lines.filter((each) => each !== account).join('\n') || null,
    counterpartyName: isFilled ? nameOf(reference.slice(16)) : null,
    counterpartyAccount: accountOf(account?.replace(/^P(?=\d)/, '')),
  };
}

/** In place of a reference: the word under which tag 86 has it. */
const IN_NARRATIVE = /^(?:EREF|PREF|MREF|MARF|KREF|CREF)[+]?$/;
/** What banks add in words between slashes: the code of the transaction, charges, the amount before them. */
const CODES = /^\/(?:TRCD|OCMT|CHGS|EXCH|EC-COMPLIANT|OAMT)(?:\/|$)/;
const CODES_BEHIND = /\/(?:TRCD|OCMT|CHGS|EXCH)\/.*$/;

/** An IBAN, or a number of a Dutch account: ten digits, or `P` and nine. Zeros stand for none. */
export function isAccount(text: string): boolean {
  return (
    /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text) || (/^(?:\d{10}|P\d{9})$/.test(text) && !/^0+$/.test(text))
  );
}

/**
 * Tags 60, 62, 64 and 65.
 * @param currency what a balance without a currency is in
 */
export function readBalance(field: Field, currency: string | undefined): Balance {
  const text = (field.lines[0] ?? '').trim();
  const match = BALANCE.exec(text);
  const [, mark, date, ownCurrency, amount] = match ?? [];
  const code = ownCurrency ?? currency;
  if (date === undefined || amount === undefined || code === undefined) {
    throw new StatementRefusal('field_invalid', `"${shown(text)}" is not a balance`, field.line);
  }
  const minor = amountOf(amount.replace(',', '.'), currencyOf(code, field.line), field.line);
  return { minor: mark === 'D' ? -minor : minor, currency: code, date: dateOf(date, field.line) };
}

/** Tags 90D and 90C: number and sum of the debits or credits. */
export function readTotal(field: Field): StatementTotal {
  const text = (field.lines[0] ?? '').trim();
  const [, count, code, amount] = TOTAL.exec(text) ?? [];
  if (count === undefined || code === undefined || amount === undefined) {
    throw new StatementRefusal('field_invalid', `"${shown(text)}" is not a sum of entries`, field.line);
  }
  return {
    direction: field.tag === '90C' ? 'credit' : 'debit',
    count: Number.parseInt(count, 10),
    minor: amountOf(amount.replace(',', '.'), currencyOf(code, field.line), field.line),
    currency: code,
  };
}

/** Two-digit years up to 79 are of this century. The 29th and 30th of February, which banks that count months of 30
 * days write, are its last day. */
export function dateOf(text: string, line: number): string {
  const digits = (from: number) => Number.parseInt(text.slice(from, from + 2), 10);
  const year = digits(0) < 80 ? 2000 + digits(0) : 1900 + digits(0);
  return calendarDate(year, digits(2), digits(4), text, line);
}

/** Month and day in the year that brings them closest to the value date: 1231 of an entry valued 2 January is last year's. */
function entryDate(text: string, valueDate: string, line: number): string {
  const month = Number.parseInt(text.slice(0, 2), 10);
  const day = Number.parseInt(text.slice(2, 4), 10);
  const year = Number.parseInt(valueDate.slice(0, 4), 10);
  const [closest] = [year, year - 1, year + 1]
    .map((each) => calendarDate(each, month, day, text, line))
    .map((date) => ({ date, apart: Math.abs(daysBetween(valueDate, date)) }))
    .sort((a, b) => a.apart - b.apart);
  return closest?.date ?? valueDate;
}

function calendarDate(year: number, month: number, day: number, text: string, line: number): string {
  const pad = (value: number) => value.toString().padStart(2, '0');
  const plain = `${year}-${pad(month)}-${pad(day)}`;
  if (isIsoDate(plain)) return plain;
  if (month === 2 && (day === 29 || day === 30))
    return isIsoDate(`${year}-02-29`) ? `${year}-02-29` : `${year}-02-28`;
  throw new StatementRefusal('date_invalid', `"${shown(text)}" is not a date`, line);
}

/** A tag 61 with the lines of the tags 86 and NS that follow it. */
export interface OpenEntry {
  readonly entry: StatementLine;
  readonly narrative: string[];
  readonly more: string[];
}

/** @throws StatementRefusal amount_invalid, amount_precision_invalid */
export function statementEntryOf(
  { entry, narrative: lines, more }: OpenEntry,
  currency: Currency,
): StatementEntry {
  const other = otherSide(entry, lines);
  const { isReturn, instructionId, ...narrative } = readNarrative(other.text, entry.direction);
  const kind = isReturn ? 'return' : entry.kind;
  const own = remittanceOf([narrative.remittanceText, ...more]);
  const instruction = instructionId ?? (other.isReference ? null : entry.customerReference);
  const amountMinor = amountOf(entry.amountText, currency, entry.line);
  return {
    line: entry.line,
    direction: entry.direction,
    status: entry.status,
    amountMinor,
    currency: currency.code,
    bookingDate: entry.bookingDate,
    valueDate: entry.valueDate,
    bankReference: entry.bankReference,
    transactionCode: entry.transactionCode || null,
    details: [
      {
        ...NO_DETAILS,
        ...narrative,
        kind,
        amountMinor,
        counterpartyName: narrative.counterpartyName ?? other.name,
        counterpartyAccount: narrative.counterpartyAccount ?? other.account,
        remittanceText: own ?? remittanceOf([entry.supplementary]),
        instructionId: instruction,
        originalReference: kind === 'payment' ? null : (narrative.endToEndId ?? instruction),
      },
    ],
  };
}

/**
 * The other side, as tag 61 has it. Some banks write its account as the reference, and lead the text with it and with
 * the name.
 */
function otherSide(
  { customerReference, counterpartyAccount, counterpartyName }: StatementLine,
  lines: readonly string[],
): {
  readonly name: string | null;
  readonly account: string | null;
  readonly text: readonly string[];
  readonly isReference: boolean;
} {
  const [first = '', ...text] = lines;
  if (
    customerReference !== null &&
    isAccount(customerReference) &&
    first.trimStart().startsWith(`${customerReference} `)
  ) {
    const name = nameOf(first.trimStart().slice(customerReference.length));
    return { name, account: accountOf(customerReference), text, isReference: true };
  }
  return { name: counterpartyName, account: counterpartyAccount, text: lines, isReference: false };
}
