import { CurrencyCode, LINE_PATTERN, literals } from '../../http/schema.ts';
import { type Static, Type } from '../../platform/typebox.ts';

const heading = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: LINE_PATTERN, description }));

const Columns = Type.Object(
  {
    bookingDate: Type.String({ minLength: 1, maxLength: 100, description: 'Date of the booking.' }),
    valueDate: heading('Value date; by default the date of the booking.'),
    amount: heading('Amount with its sign, or without one beside `direction`.'),
    credit: heading('Amount where money came in; empty elsewhere. Together with `debit`.'),
    debit: heading('Amount where money went out.'),
    direction: heading('Says whether the amount came in or went out.'),
    account: heading('Account of the house, when not `account` of the mapping.'),
    currency: heading('Currency, when not `currency` of the mapping.'),
    bankReference: heading("The bank's reference of the booking."),
    endToEndId: heading('End-to-end id.'),
    uetr: heading('UETR.'),
    counterpartyName: heading('Who paid or was paid.'),
    counterpartyAccount: heading('Account of that party.'),
    creditedAccount: heading('Of a credit: the account that it was paid to, such as a virtual one.'),
    remittance: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 10,
        description: 'Texts, in order.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Headings of the columns.' },
);

/** How the CSV files of a bank are read. */
export const CsvMappingInput = Type.Object(
  {
    fileNames: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '^[^/\\\\]+$' }), {
        maxItems: 10,
        description:
          'Names of files that this mapping is for, `*` for any characters. Files in the watched folder find their mapping by it.',
      }),
    ),
    encoding: Type.Optional(literals(['utf-8', 'windows-1252', 'iso-8859-15'])),
    delimiter: literals([',', ';', '\t', '|']),
    decimalMark: literals(['.', ',']),
    groupMark: Type.Optional(literals(['.', ',', "'", ' '])),
    dateFormat: literals([
      'YYYY-MM-DD',
      'YYYYMMDD',
      'DD.MM.YYYY',
      'DD.MM.YY',
      'DD/MM/YYYY',
      'DD-MM-YYYY',
      'MM/DD/YYYY',
    ]),
    linesBefore: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Lines before that with the headings.' }),
    ),
    account: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN })),
    currency: Type.Optional(CurrencyCode),
    columns: Columns,
    creditWords: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        maxItems: 10,
        description: 'Values of the column `direction` that mean money in. With `debitWords`.',
      }),
    ),
    debitWords: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { maxItems: 10 })),
  },
  { additionalProperties: false },
);
export type CsvMapping = Static<typeof CsvMappingInput>;

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
