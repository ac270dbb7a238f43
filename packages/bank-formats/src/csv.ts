import { isIsoDate } from '@firmquote/fx';
import { amountOf, currencyOf, isForeignCurrency } from './amount.ts';
import type { CsvMapping } from './csv-mapping.ts';
import { CsvRecords } from './csv-records.ts';
import { StatementRefusal, shown } from './refusal.ts';
import { type Direction, type Emit, NO_DETAILS, type StatementReader } from './statement.ts';
import { accountOf, nameOf, referenceOf, remittanceOf } from './text.ts';

type Column = Exclude<keyof CsvMapping['columns'], 'remittance'>;

interface Amount {
  readonly direction: Direction;
  readonly text: string;
}

/** CSV by a mapping. Lines of one account and currency that follow each other are one statement, without balances. */
export class CsvReader implements StatementReader {
  readonly #mapping: CsvMapping;
  readonly #emit: Emit;
  readonly #records: CsvRecords;
  #skip: number;
  #columns: Map<string, number> | undefined;
  #open: { readonly account: string; readonly currency: string; from: string; to: string } | undefined;
  /** Lines in a currency that cannot be kept. */
  #aside:
    | { readonly account: string; readonly currency: string; readonly line: number; entries: number }
    | undefined;
  #line = 1;

  constructor(mapping: CsvMapping, emit: Emit) {
    this.#mapping = mapping;
    this.#emit = emit;
    this.#skip = mapping.linesBefore ?? 0;
    this.#records = new CsvRecords(
      mapping.delimiter,
      (record, line) => this.#record(record, line),
      (code, detail, line) => new StatementRefusal(code, detail, line),
    );
  }

  write(text: string): void {
    this.#records.write(text.replace(/^\ufeff/, ''));
  }

  end(): void {
    this.#records.end();
    this.#finish();
  }

  #record(record: readonly string[], line: number): void {
    if (line <= this.#skip) return;
    this.#line = line;
    if (this.#columns === undefined) this.#columns = this.#readHeadings(record, line);
    else this.#entry(record, line);
  }

  #readHeadings(record: readonly string[], line: number): Map<string, number> {
    const headings = record.map((heading) => heading.trim());
    const columns = new Map(headings.map((heading, index) => [heading, index]));
    const { remittance = [], ...single } = this.#mapping.columns;
    for (const heading of [...Object.values(single), ...remittance]) {
      if (!columns.has(heading))
        throw new StatementRefusal('field_missing', `there is no column "${shown(heading)}"`, line);
      if (headings.indexOf(heading) !== headings.lastIndexOf(heading))
        throw new StatementRefusal('field_invalid', `several columns are named "${shown(heading)}"`, line);
    }
    return columns;
  }

  #entry(record: readonly string[], line: number): void {
    const mapping = this.#mapping;
    const cell = (column: Column) => this.#cell(record, mapping.columns[column]);
    const account = accountOf(mapping.account ?? cell('account'));
    if (account === null) throw new StatementRefusal('field_missing', 'the account is missing', line);
    const code = mapping.currency ?? cell('currency');
    if (mapping.currency === undefined && isForeignCurrency(code)) {
      this.#putAside(account, code, line);
      return;
    }
    const currency = currencyOf(code, line);
    const bookingDate = this.#date(cell('bookingDate'), line);
    const valueDate = cell('valueDate') === '' ? bookingDate : this.#date(cell('valueDate'), line);
    const { direction, text } = this.#amount(cell, line);
    const amountMinor = amountOf(text, currency, line);
    const uetr = cell('uetr').toLowerCase();
    this.#begin(account, currency.code, bookingDate, line);
    this.#emit({
      type: 'entry',
      entry: {
        line,
        direction,
        status: 'booked',
        amountMinor,
        currency: currency.code,
        bookingDate,
        valueDate,
        bankReference: referenceOf(cell('bankReference')),
        transactionCode: null,
        details: [
          {
            ...NO_DETAILS,
            amountMinor,
            endToEndId: referenceOf(cell('endToEndId')),
            uetr: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uetr) ? uetr : null,
            counterpartyName: nameOf(cell('counterpartyName')),
            counterpartyAccount: accountOf(cell('counterpartyAccount')),
            creditedAccount: accountOf(cell('creditedAccount')),
            remittanceText: remittanceOf(
              (mapping.columns.remittance ?? []).map((heading) => this.#cell(record, heading)),
            ),
          },
        ],
      },
    });
  }

  #putAside(account: string, currency: string, line: number): void {
    if (this.#aside?.account !== account || this.#aside.currency !== currency) {
      this.#finish();
      this.#aside = { account, currency, line, entries: 0 };
    }
    this.#aside.entries += 1;
  }

  #cell(record: readonly string[], heading: string | undefined): string {
    const index = heading === undefined ? undefined : this.#columns?.get(heading);
    return (index === undefined ? undefined : record[index])?.trim() ?? '';
  }

  #amount(cell: (column: Column) => string, line: number): Amount {
    const { columns, creditWords = [], debitWords = [] } = this.#mapping;
    if (columns.amount === undefined) {
      const credit = this.#unsigned(cell('credit'), line);
      const debit = this.#unsigned(cell('debit'), line);
      if (isNothing(credit.text) === isNothing(debit.text)) {
        throw new StatementRefusal(
          'amount_invalid',
          'neither or both of credit and debit have an amount',
          line,
        );
      }
      return isNothing(debit.text)
        ? { direction: credit.isNegative ? 'debit' : 'credit', text: credit.text }
        : // Banks write debits in their own column with or without a sign.
          { direction: 'debit', text: debit.text };
    }
    const { text, isNegative } = this.#unsigned(cell('amount'), line);
    if (columns.direction === undefined) return { direction: isNegative ? 'debit' : 'credit', text };
    const word = cell('direction').toLowerCase();
    // Less than nothing came in: as in a column of credits.
    if (creditWords.some((each) => each.toLowerCase() === word))
      return { direction: isNegative ? 'debit' : 'credit', text };
    if (debitWords.some((each) => each.toLowerCase() === word)) return { direction: 'debit', text };
    throw new StatementRefusal('field_invalid', `"${shown(word)}" is neither a credit nor a debit`, line);
  }

  /** Without sign and group marks, with a decimal point. */
  #unsigned(text: string, line: number): { text: string; isNegative: boolean } {
    const { groupMark, decimalMark } = this.#mapping;
    const blanks = groupMark === ' ' ? /^\s+|\s+$/g : /\s/g;
    const plain = text.replaceAll(blanks, '').replaceAll('\u2212', '-');
    const isNegative = plain.startsWith('-') || plain.endsWith('-');
    const digits = plain.replace(/^[+-]\s*|\s*-$/g, '');
    const [whole = '', ...decimals] = digits.split(decimalMark);
    const parts = [withoutGroups(whole, groupMark), ...decimals];
    if (parts.some((part) => /\D/.test(part))) {
      throw new StatementRefusal('amount_invalid', `"${shown(text)}" is not an amount`, line);
    }
    return { text: parts.join('.'), isNegative };
  }

  #date(text: string, line: number): string {
    const order = this.#mapping.dateFormat;
    const digits = /^[\d./-]+/.exec(text)?.[0] ?? '';
    const take = (part: string) => digits.slice(order.indexOf(part), order.lastIndexOf(part) + 1);
    const year = take('Y');
    const date = `${year.length === 2 ? `20${year}` : year}-${take('M')}-${take('D')}`;
    const marks = digits.replaceAll(/\d/g, '');
    if (digits.length === order.length && marks === order.replaceAll(/[YMD]/g, '') && isIsoDate(date))
      return date;
    throw new StatementRefusal('date_invalid', `"${shown(text)}" is not a date like ${order}`, line);
  }

  #begin(account: string, currency: string, date: string, line: number): void {
    if (this.#open?.account === account && this.#open.currency === currency) {
      if (date < this.#open.from) this.#open.from = date;
      if (date > this.#open.to) this.#open.to = date;
      return;
    }
    this.#finish();
    this.#open = { account, currency, from: date, to: date };
    this.#emit({ type: 'begin', statement: { line, kind: 'statement', account, currency, reference: null } });
  }

  #finish(): void {
    const aside = this.#aside;
    this.#aside = undefined;
    if (aside !== undefined) {
      const statement = { ...aside, kind: 'statement', reference: null, reason: 'currency_unknown' } as const;
      this.#emit({ type: 'set_aside', statement });
    }
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { currency, from, to } = open;
    const none = { number: null, page: null, opening: null, closing: null, forward: [], totals: [] };
    this.#emit({ type: 'end', statement: { line: this.#line, currency, from, to, ...none } });
  }
}

/**
 * Whole units without group marks, where these stand before three digits each. Anywhere else a mark is a slip that would move the
 * decimal point, and stays: behind it, or after nothing but zeros, where it must be the decimal mark itself.
 */
function withoutGroups(whole: string, groupMark: CsvMapping['groupMark']): string {
  if (groupMark === undefined) return whole;
  const mark = groupMark === ' ' ? '\\s' : `\\${groupMark}`;
  const isGrouped = new RegExp(`^(?!0+${mark})\\d{1,3}(?:${mark}\\d{3})+$`).test(whole);
  return isGrouped ? whole.replaceAll(new RegExp(mark, 'g'), '') : whole;
}

function isNothing(text: string): boolean {
  return text === '' || /^0+(?:\.0*)?$/.test(text);
}
