import { CSV_DATE_FORMATS } from '@firmquote/bank-formats';
import { operation } from '../operation.ts';
import { form, text } from '../parameters.ts';
import { CLOSED, CurrencyCode, Instant, LINE_PATTERN, literals, named } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Mappings: how a bank's CSV files are read. */

const heading = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: LINE_PATTERN, description }));

const Columns = Type.Object(
  {
    bookingDate: Type.String({ minLength: 1, maxLength: 100, description: 'Booking date.' }),
    valueDate: heading('Value date; by default the booking date.'),
    amount: heading('Signed amount, or unsigned with `direction`.'),
    credit: heading('Amount of money in, otherwise empty. Needs `debit`.'),
    debit: heading('Amount of money out.'),
    direction: heading('Whether the money came in or went out.'),
    account: heading('Account of the house, unless the mapping sets `account`.'),
    currency: heading('Currency, unless the mapping sets `currency`.'),
    bankReference: heading("The bank's reference of the entry."),
    endToEndId: heading('End-to-end id.'),
    uetr: heading('UETR.'),
    counterpartyName: heading('Who paid or was paid.'),
    counterpartyAccount: heading('Account of that party.'),
    creditedAccount: heading('For credits: the account paid into, such as a virtual one.'),
    remittance: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 10,
        description: 'Remittance texts, in order.',
      }),
    ),
  },
  { ...CLOSED, description: 'Headings of the columns.' },
);

export const CsvMapping = named(
  'CsvMapping',
  Type.Object(
    {
      fileNames: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '^[^/\\\\]+$' }), {
          maxItems: 10,
          description:
            'Names of the files that use this mapping; `*` stands for any characters. They also select the mapping in the watched folder.',
        }),
      ),
      encoding: Type.Optional(literals(['utf-8', 'windows-1252', 'iso-8859-15'])),
      delimiter: literals([',', ';', '\t', '|']),
      decimalMark: literals(['.', ',']),
      groupMark: Type.Optional(literals(['.', ',', "'", ' '])),
      dateFormat: literals(CSV_DATE_FORMATS),
      linesBefore: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 100, description: 'Lines before the headings.' }),
      ),
      account: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: LINE_PATTERN })),
      currency: Type.Optional(CurrencyCode),
      columns: Columns,
      creditWords: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
          maxItems: 10,
          description: 'Values of the column `direction` that mean money in. Needs `debitWords`.',
        }),
      ),
      debitWords: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { maxItems: 10 })),
    },
    { ...CLOSED, description: "How to read a bank's CSV files." },
  ),
);

export type CsvMapping = Static<typeof CsvMapping>;

const StatementMapping = named(
  'StatementMapping',
  Type.Object({
    name: Type.String(),
    version: Type.Integer(),
    mapping: CsvMapping,
    updatedAt: Instant,
  }),
);

const tag = 'Operator: statements';
const access = { audience: 'operator', scope: 'operator:statements' } as const;
const PATH = '/v1/operator/statement-mappings';
const params = { name: text(200, '1 to 40 characters: a to z, 0 to 9, `-` and `_`.') };

export const listStatementMappings = operation({
  id: 'listStatementMappings',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List CSV mappings',
  description: 'By name. A file whose name matches several is refused, unless its import names one.',
  access,
  answers: { 200: Type.Object({ items: Type.Array(StatementMapping) }) },
});

export const getStatementMapping = operation({
  id: 'getStatementMapping',
  method: 'GET',
  path: `${PATH}/{name}`,
  tag,
  summary: 'Read a CSV mapping',
  description: 'It reads the files that name it, and those that match only its `fileNames`.',
  access,
  params,
  versioned: true,
  answers: { 200: StatementMapping },
  problems: ['statement_mapping_not_found'],
});

export const setStatementMapping = operation({
  id: 'setStatementMapping',
  method: 'PUT',
  path: `${PATH}/{name}`,
  tag,
  summary: 'Set a CSV mapping',
  description:
    'Creates or replaces it, for files imported from now on. A file refused without it may be imported again.',
  access,
  params: { name: form(/^[a-z0-9][a-z0-9_-]{0,39}$/, '1 to 40 characters of a-z, 0-9, - and _') },
  body: CsvMapping,
  conditional: 'possible',
  answers: { 200: StatementMapping },
  problems: ['limit_exceeded'],
});

export const deleteStatementMapping = operation({
  id: 'deleteStatementMapping',
  method: 'DELETE',
  path: `${PATH}/{name}`,
  tag,
  summary: 'Delete a CSV mapping',
  description: 'Imported files stay. Further files that only it fits are refused with `mapping_missing`.',
  access,
  params,
  answers: { 204: { description: 'Deleted.' } },
  problems: ['statement_mapping_not_found'],
});
