import { CSV_DATE_FORMATS, type CsvMapping } from '@firmquote/bank-formats';
import { CurrencyCode, LINE_PATTERN, literals } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

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
    dateFormat: literals(CSV_DATE_FORMATS),
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
/** Whatever the schema lets in is a mapping. */
export type MappingBody = Static<typeof CsvMappingInput> extends CsvMapping ? CsvMapping : never;
