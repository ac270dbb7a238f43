import type { CsvMapping, StatementMapping } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { readCurrency } from '../money/codes.ts';
import type { Asked, Given } from '../parts/action.tsx';
import { type PageCommand, text } from '../parts/page-command.ts';
import { CURRENCY, check } from '../parts/written-forms.ts';

/** How a bank's CSV files are read, as a form asks for it. */

/** Characters that a form cannot show, or would take for nothing, by name. */
const NAMED: Readonly<Record<string, string>> = { tab: '\t', space: ' ' };
const markOf = (name: string) => NAMED[name] ?? name;
const nameOf = (mark: string | undefined) =>
  Object.entries(NAMED).find(([, each]) => each === mark)?.[0] ?? mark ?? '';

const DELIMITERS = [
  [';', 'Semicolon'],
  [',', 'Comma'],
  ['tab', 'Tab'],
  ['|', 'Vertical bar'],
] as const;
const DECIMAL_MARKS = [
  ['.', 'Point'],
  [',', 'Comma'],
] as const;
const GROUP_MARKS = [
  ['', 'None'],
  ['.', 'Point'],
  [',', 'Comma'],
  ["'", 'Apostrophe'],
  ['space', 'Space'],
] as const;
const DATE_FORMATS = (
  ['DD.MM.YYYY', 'YYYY-MM-DD', 'YYYYMMDD', 'DD.MM.YY', 'DD/MM/YYYY', 'DD-MM-YYYY', 'MM/DD/YYYY'] as const
).map((format) => [format, format] as const);
const ENCODINGS = [
  ['', 'UTF-8 if it is, or windows-1252'],
  ['utf-8', 'UTF-8'],
  ['windows-1252', 'windows-1252'],
  ['iso-8859-15', 'ISO 8859-15'],
] as const;

type Column = Exclude<keyof CsvMapping['columns'], 'remittance'>;

/** Headings of columns, in the order in which a form asks for them. */
const COLUMNS: readonly (readonly [column: Column, label: string, hint?: string])[] = [
  ['bookingDate', 'Booking date'],
  ['valueDate', 'Value date', 'Empty: the booking date.'],
  ['amount', 'Amount', 'With its sign, or beside a direction. Or credit and debit:'],
  ['credit', 'Credit'],
  ['debit', 'Debit'],
  ['direction', 'Direction', 'Words that say whether money came in or went out.'],
  ['account', 'Account', 'Unless it is the same for the whole file.'],
  ['currency', 'Currency', 'Unless it is the same for the whole file.'],
  ['bankReference', 'Reference of the bank'],
  ['endToEndId', 'End-to-end id'],
  ['uetr', 'UETR'],
  ['counterpartyName', 'Other party'],
  ['counterpartyAccount', 'Account of the other party'],
  ['creditedAccount', 'Account paid into', 'Such as a virtual account.'],
];
/** A field that is named as something else of the form. */
const fieldOf = (column: Column) => `column_${column}`;

const LISTED = 'One on each line.';

/** @param of undefined: a new one @param taken names of those that there are */
export function setMapping(
  of: StatementMapping | undefined,
  taken: readonly string[],
): PageCommand<undefined> {
  return {
    label: of === undefined ? 'Add a mapping' : 'Change',
    scope: 'operator:statements',
    why: 'statement_import',
    about: 'It reads files that are imported from now on. Columns are named by their headings.',
    done: 'The mapping is set.',
    asks: () => [
      ...(of === undefined ? [nameAsked(taken)] : []),
      ...fileAsked(of?.mapping),
      ...asked(of?.mapping),
    ],
    send: ([name], given, { reason, ifMatch }) =>
      operator.setStatementMapping(name ?? text(given.name), mappingOf(given), { reason, ifMatch }),
  };
}

function nameAsked(taken: readonly string[]): Asked {
  return {
    name: 'name',
    label: 'Name',
    check: (given) =>
      taken.includes(given.trim())
        ? 'There is a mapping of this name.'
        : check(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'Enter small letters, digits, - and _.')(given.trim()),
  };
}

/** How its files are written. */
function fileAsked(of: CsvMapping | undefined): readonly Asked[] {
  return [
    {
      name: 'fileNames',
      label: 'Names of its files',
      hint: `Such as umsatz-*.csv. ${LISTED}`,
      rows: 2,
      isOptional: true,
      initial: of?.fileNames?.join('\n') ?? '',
    },
    {
      name: 'delimiter',
      label: 'Columns are separated by',
      options: DELIMITERS,
      initial: nameOf(of?.delimiter ?? ';'),
    },
    { name: 'decimalMark', label: 'Decimal mark', options: DECIMAL_MARKS, initial: of?.decimalMark ?? '.' },
    {
      name: 'groupMark',
      label: 'Thousands are separated by',
      options: GROUP_MARKS,
      isOptional: true,
      initial: nameOf(of?.groupMark),
    },
    {
      name: 'dateFormat',
      label: 'Dates',
      options: DATE_FORMATS,
      initial: of?.dateFormat ?? 'DD.MM.YYYY',
    },
    {
      name: 'encoding',
      label: 'Characters',
      options: ENCODINGS,
      isOptional: true,
      initial: of?.encoding ?? '',
    },
    {
      name: 'linesBefore',
      label: 'Lines before the headings',
      isOptional: true,
      initial: of?.linesBefore === undefined ? '' : String(of.linesBefore),
      check: check(/^(\d{1,2}|100)$/, 'Enter 0 to 100.'),
    },
    ...wholeAsked(of),
  ];
}

/** What is the same for all of a file, where no column has it. */
function wholeAsked(of: CsvMapping | undefined): readonly Asked[] {
  return [
    {
      name: 'account',
      label: 'Account of the house',
      hint: 'Unless a column has it.',
      isOptional: true,
      initial: of?.account ?? '',
    },
    {
      name: 'currency',
      label: 'Currency',
      hint: 'Unless a column has it.',
      isOptional: true,
      initial: of?.currency ?? '',
      read: readCurrency,
      check: check(CURRENCY.pattern, CURRENCY.wants),
    },
  ];
}

/** What its columns are called. */
function asked(of: CsvMapping | undefined): readonly Asked[] {
  return [
    ...COLUMNS.map(
      ([column, label, hint]): Asked => ({
        name: fieldOf(column),
        label: `Column: ${label}`,
        ...(hint === undefined ? {} : { hint }),
        isOptional: column !== 'bookingDate',
        initial: of?.columns[column] ?? '',
      }),
    ),
    {
      name: 'remittance',
      label: 'Columns: Text',
      hint: LISTED,
      rows: 2,
      isOptional: true,
      initial: of?.columns.remittance?.join('\n') ?? '',
    },
    {
      name: 'creditWords',
      label: 'Direction: words for money in',
      hint: LISTED,
      rows: 2,
      isOptional: true,
      initial: of?.creditWords?.join('\n') ?? '',
    },
    {
      name: 'debitWords',
      label: 'Direction: words for money out',
      hint: LISTED,
      rows: 2,
      isOptional: true,
      initial: of?.debitWords?.join('\n') ?? '',
    },
  ];
}

/** What a form says. */
export function mappingOf(given: Given): CsvMapping {
  const optional = (name: string) => text(given[name]) || undefined;
  const listed = (name: string) => {
    const words = text(given[name])
      .split('\n')
      .map((each) => each.trim())
      .filter((each) => each !== '');
    return words.length === 0 ? undefined : words;
  };
  const columns = COLUMNS.flatMap(([column]) => {
    const heading = optional(fieldOf(column));
    return heading === undefined ? [] : [[column, heading] as const];
  });
  const lines = optional('linesBefore');
  return {
    fileNames: listed('fileNames'),
    encoding: optional('encoding') as CsvMapping['encoding'],
    delimiter: markOf(text(given.delimiter)) as CsvMapping['delimiter'],
    decimalMark: text(given.decimalMark) as CsvMapping['decimalMark'],
    groupMark: (markOf(text(given.groupMark)) || undefined) as CsvMapping['groupMark'],
    dateFormat: text(given.dateFormat) as CsvMapping['dateFormat'],
    linesBefore: lines === undefined ? undefined : Number(lines),
    account: optional('account'),
    currency: optional('currency'),
    columns: {
      bookingDate: text(given[fieldOf('bookingDate')]),
      ...Object.fromEntries(columns),
      remittance: listed('remittance'),
    },
    creditWords: listed('creditWords'),
    debitWords: listed('debitWords'),
  };
}

export const DELETE_MAPPING: PageCommand<undefined> = {
  label: 'Delete',
  scope: 'operator:statements',
  why: 'none',
  about: 'Files that were imported stay. Further ones that only it reads are refused.',
  done: 'The mapping is deleted.',
  send: ([name = '']) => operator.deleteStatementMapping(name),
};
