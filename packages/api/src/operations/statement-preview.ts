import { operation } from '../operation.ts';
import { text } from '../parameters.ts';
import { CurrencyCode, described, named, nullable } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { BankStatement, FILE, READ_AS, StatementFile, StatementRefusal } from './bank-statements.ts';
import { StatementEntry } from './statement-entries.ts';

/** What a bank's file holds, before it is imported. */

export const PREVIEWED_STATEMENTS = 50; // limit: Statements of a file that its preview shows
export const PREVIEWED_PAYMENTS = 50; // limit: Payments of a file that its preview shows

const Sum = Type.Object({ count: Type.Integer(), amount: Type.String() });
const Sums = Type.Array(
  named('StatementSums', Type.Object({ currency: CurrencyCode, credits: Sum, debits: Sum })),
  { description: 'What is booked, by currency.' },
);

function previewedStatement() {
  const { kind, line, account, reference, number, page } = BankStatement.properties;
  const { from, to, opening, closing, entries, setAside } = BankStatement.properties;
  return Type.Object({
    ...{ kind, line, account },
    ownAccount: Type.Boolean(),
    currency: nullable(CurrencyCode),
    ...{ reference, number, page, from, to, opening, closing, entries, setAside },
    sums: Sums,
    importedIn: nullable(
      Type.String({
        description: 'The file that brought it before, by its last day and its balances.',
      }),
    ),
  });
}
const PreviewedStatement = named('PreviewedStatement', previewedStatement());
export type PreviewedStatement = Static<typeof PreviewedStatement>;

function previewedPayment() {
  const { line, account, direction, kind, status } = StatementEntry.properties;
  const { amount, currency, bookingDate, valueDate } = StatementEntry.properties;
  const { bankReference, endToEndId, uetr } = StatementEntry.properties;
  const { structuredReferences, remittanceText } = StatementEntry.properties;
  const { counterpartyName, counterpartyAccount, creditedAccount } = StatementEntry.properties;
  return Type.Object({
    ...{ line, account, direction, kind, status },
    ...{ amount, currency, bookingDate, valueDate },
    ...{ bankReference, endToEndId, uetr },
    ...{ structuredReferences, remittanceText },
    ...{ counterpartyName, counterpartyAccount, creditedAccount },
  });
}
const PreviewedPayment = named('PreviewedPayment', previewedPayment());
export type PreviewedPayment = Static<typeof PreviewedPayment>;

function preview() {
  const { name, format } = StatementFile.properties;
  return Type.Object({
    ...{ name, format },
    mapping: nullable(Type.String({ description: 'Kept mapping that read it.' })),
    refusal: nullable(
      described(StatementRefusal, 'Why an import would refuse it; the rest stands before that place.'),
    ),
    receivedBefore: nullable(described(StatementFile, 'The same bytes, sent before.')),
    statements: Type.Integer(),
    entries: Type.Integer(),
    paymentStatuses: Type.Integer(),
    sums: Sums,
    firstStatements: Type.Array(PreviewedStatement, {
      description: `At most ${PREVIEWED_STATEMENTS}.`,
    }),
    firstPayments: Type.Array(PreviewedPayment, {
      description: `At most ${PREVIEWED_PAYMENTS}, in file order.`,
    }),
  });
}
const StatementFilePreview = named('StatementFilePreview', preview());
export type StatementFilePreview = Static<typeof StatementFilePreview>;

export const previewStatementFile = operation({
  id: 'previewStatementFile',
  audited: 'nothing',
  method: 'POST',
  path: '/v1/operator/statements/preview',
  tag: 'Operator: statements',
  summary: 'Preview a statement file',
  description: 'Shows what an import would read, or why it would refuse the file. Nothing is kept or booked.',
  access: { audience: 'operator', scope: 'operator:statements' },
  query: {
    ...READ_AS,
    draftMapping: text(8_000, 'In place of `mapping`: a `CsvMapping` in JSON, which is not kept.'),
  },
  body: FILE,
  bodyMedia: ['application/octet-stream'],
  answers: { 200: StatementFilePreview },
  problems: ['statement_mapping_not_found'],
});
