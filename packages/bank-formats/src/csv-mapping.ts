/** How the CSV files of a bank are read. */
export interface CsvMapping {
  /** Names of files that it is for; `*` stands for any characters. */
  readonly fileNames?: readonly string[];
  /** By default UTF-8 when every byte of the file is, else windows-1252. */
  readonly encoding?: 'utf-8' | 'windows-1252' | 'iso-8859-15';
  readonly delimiter: ',' | ';' | '\t' | '|';
  readonly decimalMark: '.' | ',';
  readonly groupMark?: '.' | ',' | "'" | ' ';
  readonly dateFormat: CsvDateFormat;
  /** Lines before that with the headings. */
  readonly linesBefore?: number;
  /** Of the account where no column has it. */
  readonly account?: string;
  readonly currency?: string;
  readonly columns: CsvColumns;
  /** Values of the column `direction`. */
  readonly creditWords?: readonly string[];
  readonly debitWords?: readonly string[];
}

export const CSV_DATE_FORMATS = [
  'YYYY-MM-DD',
  'YYYYMMDD',
  'DD.MM.YYYY',
  'DD.MM.YY',
  'DD/MM/YYYY',
  'DD-MM-YYYY',
  'MM/DD/YYYY',
] as const;
export type CsvDateFormat = (typeof CSV_DATE_FORMATS)[number];

/** Headings of the columns. */
export interface CsvColumns {
  readonly bookingDate: string;
  readonly valueDate?: string;
  /** With its sign, or without one beside `direction`. */
  readonly amount?: string;
  /** Where money came in; together with `debit`. */
  readonly credit?: string;
  readonly debit?: string;
  readonly direction?: string;
  readonly account?: string;
  readonly currency?: string;
  readonly bankReference?: string;
  readonly endToEndId?: string;
  readonly uetr?: string;
  readonly counterpartyName?: string;
  readonly counterpartyAccount?: string;
  readonly creditedAccount?: string;
  readonly remittance?: readonly string[];
}

/** What is wrong with a mapping beyond its form: JSON pointer and text. */
export function mappingErrors(mapping: CsvMapping): { pointer: string; detail: string }[] {
  const errors: { pointer: string; detail: string }[] = [];
  const { columns } = mapping;
  const hasPair = columns.credit !== undefined && columns.debit !== undefined;
  if (
    (columns.amount === undefined) !== hasPair ||
    (columns.credit === undefined) !== (columns.debit === undefined)
  ) {
    errors.push({ pointer: '/columns', detail: 'must have either amount, or credit and debit' });
  }
  if ((mapping.account === undefined) === (columns.account === undefined)) {
    errors.push({ pointer: '/account', detail: 'must be given here or as a column, not both' });
  }
  if ((mapping.currency === undefined) === (columns.currency === undefined)) {
    errors.push({ pointer: '/currency', detail: 'must be given here or as a column, not both' });
  }
  if (mapping.groupMark === mapping.decimalMark) {
    errors.push({ pointer: '/groupMark', detail: 'must differ from decimalMark' });
  }
  const hasWords = mapping.creditWords !== undefined && mapping.debitWords !== undefined;
  if ((columns.direction !== undefined) !== hasWords || (columns.direction !== undefined && hasPair)) {
    errors.push({ pointer: '/columns/direction', detail: 'goes with amount, creditWords and debitWords' });
  }
  return errors;
}

/** Whether a file name fits one of the mapping's names. Case makes no difference. */
export function fitsName(mapping: CsvMapping, fileName: string): boolean {
  return (mapping.fileNames ?? []).some((pattern) => fits(pattern.toLowerCase(), fileName.toLowerCase()));
}

/** `*` stands for any characters. Each part is found at its first place, which takes no second attempt. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (!name.startsWith(first)) return false;
  const last = parts.pop();
  if (last === undefined) return name === first;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
