import { REFUSAL_CODES, SET_ASIDE_REASONS, STATEMENT_FORMATS } from '@firmquote/bank-formats';
import { operation } from '../operation.ts';
import { choice, id, instant, list, text } from '../parameters.ts';
import { FILE_COMMAND } from '../problem-groups.ts';
import {
  CalendarDate,
  CLOSED,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  pageOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { Approval } from './approvals.ts';
import { ACCOUNT_DAYS, ENTRY_FILTERS, PaidTransaction, StatementEntry } from './statement-entries.ts';

/** Files of the house's banks, with their statements, entries and payment statuses. */

export {
  deleteStatementMapping,
  getStatementMapping,
  listStatementMappings,
  setStatementMapping,
} from './statement-mappings.ts';

export const FILE_STATUSES = ['accepted', 'refused', 'held'] as const;
export const FILE_SOURCES = ['api', 'command', 'folder', 'sandbox'] as const;
export type FileSource = (typeof FILE_SOURCES)[number];
export const STATUS_STATES = ['due', 'noted', 'applied', 'known', 'mismatch', 'unknown'] as const;
/** What became of a status: `noted` moves nothing; the others are as of an entry. */
export type StatusState = (typeof STATUS_STATES)[number];

const Text = nullable(Type.String());
const Warning = named(
  'StatementWarning',
  Type.Object({
    code: literals([
      ...(['unknown_account', 'sequence_gap', 'opening_differs', 'unknown_payment'] as const),
      ...(['not_booked', 'set_aside', 'accepted_despite'] as const),
    ]),
    statementId: nullable(Type.String({ description: 'Null for the whole file.' })),
    account: Text,
    detail: Type.String(),
  }),
);
export type Warning = Static<typeof Warning>;

const REFUSAL = {
  reason: named('StatementRefusalReason', literals(REFUSAL_CODES)),
  line: nullable(Type.Integer()),
  detail: Type.String(),
};

export const StatementRefusal = named('StatementRefusal', Type.Object(REFUSAL));

const File = Type.Object({
  fileId: Type.String({ examples: ['stf_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  name: Type.String(),
  status: literals(FILE_STATUSES),
  refusal: nullable(StatementRefusal),
  format: nullable(literals(STATEMENT_FORMATS)),
  mapping: Text,
  sha256: Type.String(),
  sizeBytes: Type.Integer(),
  source: literals(FILE_SOURCES),
  receivedAt: Instant,
  attempts: Type.Integer({ description: 'How often these bytes were sent.' }),
  lastAttemptAt: Instant,
  statements: Type.Integer(),
  entries: Type.Integer({ description: 'Entries (`Ntry`) of its statements.' }),
  newEntries: Type.Integer({ description: 'Those that no earlier file reported.' }),
  paymentStatuses: Type.Integer({ description: 'Payment statuses in a status report.' }),
  withdrawn: nullable(
    named(
      'StatementWithdrawal',
      Type.Object(
        { reason: Type.String(), by: Type.String(), approvedBy: Text, at: Instant },
        { description: 'What only this file reported is no longer booked.' },
      ),
    ),
  ),
  acceptedDespite: nullable(
    named(
      'AcceptedStatementRefusal',
      Type.Object(
        {
          ...REFUSAL,
          note: Type.String({ description: 'Why the operators accepted it.' }),
          acceptedBy: Type.String(),
          approvedBy: Type.String(),
          acceptedAt: Instant,
        },
        { description: 'Two operators accepted it although its figures do not agree.' },
      ),
    ),
  ),
});
export const StatementFile = named('StatementFile', File);
export type StatementFile = Static<typeof StatementFile>;

const StatementFileReport = named(
  'StatementFileReport',
  Type.Object({
    ...File.properties,
    warnings: Type.Array(Warning, {
      description: 'What an operator should check in the first 200 statements.',
    }),
  }),
);
export type StatementFileReport = Static<typeof StatementFileReport>;

const Balance = named(
  'StatementBalance',
  Type.Object({ amount: Type.String(), currency: CurrencyCode, date: CalendarDate }),
);

export const BankStatement = named(
  'BankStatement',
  Type.Object({
    statementId: Type.String({ examples: ['stm_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    kind: literals(['statement', 'report', 'notification']),
    line: Type.Integer(),
    account: Type.String(),
    ownAccount: Type.Boolean({
      description: 'Whether it is a registered account of the house. Others create no deposits.',
    }),
    currency: CurrencyCode,
    reference: Text,
    number: Text,
    page: nullable(Type.Integer()),
    from: nullable(CalendarDate),
    to: nullable(CalendarDate),
    opening: nullable(Balance),
    closing: nullable(Balance),
    entries: Type.Integer(),
    newEntries: Type.Integer(),
    missing: nullable(
      Type.Object(
        { from: Type.String(), to: Type.String() },
        { description: 'Missing statement numbers before this one.' },
      ),
    ),
    openingMatches: nullable(
      Type.Boolean({ description: 'Whether its opening balance is the previous closing balance.' }),
    ),
    correctedBy: nullable(
      Type.String({ description: 'The statement of the same number and day that replaces it.' }),
    ),
    setAside: nullable(
      named(
        'StatementSetAside',
        Type.Object(
          { reason: literals(SET_ASIDE_REASONS), entries: Type.Integer() },
          { description: 'Why none of its entries is booked, and how many it has.' },
        ),
      ),
    ),
  }),
);
export type BankStatement = Static<typeof BankStatement>;

const PaymentStatus = named(
  'PaymentStatus',
  Type.Object({
    position: Type.Integer(),
    line: Type.Integer(),
    level: literals(['file', 'block', 'payment'], {
      description: 'Whether it is about a whole payment file, a block in it, or one payment.',
    }),
    status: Type.String({ description: 'As the bank writes it: RJCT, ACCP, ACSC, …' }),
    reasonCode: Text,
    reasonText: Text,
    originalId: nullable(Type.String({ description: 'Identifier of that file or block.' })),
    endToEndId: Text,
    instructionId: Text,
    uetr: Text,
    amount: Text,
    currency: nullable(CurrencyCode),
    state: literals(STATUS_STATES, {
      description: '`noted` changes nothing; `unknown`: no payment has this identifier.',
    }),
    mismatchReason: Text,
    transactions: Type.Array(PaidTransaction, { description: 'Those whose payouts or refunds it rejected.' }),
  }),
);
export type PaymentStatus = Static<typeof PaymentStatus>;

const reasonFor = (description: string) =>
  Type.Object(
    { reason: Type.String({ minLength: 1, maxLength: 500, pattern: LINE_PATTERN, description }) },
    CLOSED,
  );

const tag = 'Operator: statements';
const access = { audience: 'operator', scope: 'operator:statements' } as const;
const PATH = '/v1/operator/statements';
const params = { fileId: id('stf') };

/** What says how a file is read, and the file. */
export const READ_AS = {
  name: text(255, 'Name of the file. Default: `statement`.'),
  format: choice(STATEMENT_FORMATS, 'Default: detected.'),
  mapping: text(40, 'CSV mapping to use. Default: the one whose `fileNames` match.'),
};
export const FILE = Type.String({ format: 'binary', description: 'The file.' });

export const importStatementFile = operation({
  id: 'importStatementFile',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Import a statement file',
  description:
    'The body is the file: camt.052, camt.053, camt.054, pain.002, MT940, MT942, CSV or JSON, at most 256 MiB, with any content type. It is imported completely or not at all. Sending the same bytes again returns 200 with the existing file. Entries that another file reported are not booked again. Credits become deposits, debits confirm payouts. A file brought by hand may need a second person (`statement_import`): it is read, `held`, and imported once approved.',
  access,
  query: READ_AS,
  body: FILE,
  bodyMedia: ['application/octet-stream'],
  answers: {
    200: {
      description: 'The existing file.',
      content: { 'application/json': StatementFileReport },
      headers: { Location: 'Where it can be read.' },
    },
    201: StatementFileReport,
    202: Approval,
  },
  proposes: true,
  problems: ['statement_refused', 'statement_mapping_not_found', 'already_exists'],
});

export const listStatementFiles = operation({
  id: 'listStatementFiles',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List statement files, newest first',
  description: 'Includes refused ones and those held for approval.',
  access,
  query: {
    status: list(FILE_STATUSES),
    from: instant('Received at or after this instant.'),
    to: instant('Received before this instant.'),
  },
  pages: true,
  answers: { 200: pageOf(StatementFile) },
});

export const getStatementFile = operation({
  id: 'getStatementFile',
  method: 'GET',
  path: `${PATH}/{fileId}`,
  tag,
  summary: 'Read a statement file',
  description: 'Warnings are computed now: a gap disappears when the missing statement arrives.',
  access,
  params,
  answers: { 200: StatementFileReport },
  problems: ['statement_file_not_found'],
});

export const downloadStatementFile = operation({
  id: 'downloadStatementFile',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{fileId}/file`,
  tag,
  summary: 'Download a statement file',
  description: 'Byte for byte as it was received.',
  access,
  media: 'anything',
  params,
  answers: {
    200: {
      description: 'The file.',
      content: { 'application/octet-stream': Type.String({ format: 'binary' }) },
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
  problems: ['statement_file_not_found'],
});

export const deleteStatementFile = operation({
  id: 'deleteStatementFile',
  method: 'DELETE',
  path: `${PATH}/{fileId}`,
  tag,
  summary: 'Delete a refused or held statement file',
  description: 'Its bytes are deleted too. Withdraw an accepted file instead.',
  access,
  params,
  answers: { 204: { description: 'Deleted.' } },
  problems: ['statement_file_not_found', 'invalid_state_transition'],
});

export const acceptStatementFile = operation({
  id: 'acceptStatementFile',
  method: 'POST',
  path: `${PATH}/{fileId}/accept`,
  tag,
  summary: 'Accept a refused file whose figures do not agree',
  description:
    'For files refused as `balance_mismatch`, `totals_mismatch` or `date_implausible`. A second operator must approve; the file is then imported anyway and keeps your reason.',
  access,
  params,
  body: reasonFor('Why the file should be accepted anyway; stored with it.'),
  key: 'kept',
  answers: { 202: Approval },
  problems: FILE_COMMAND,
});

export const withdrawStatementFile = operation({
  id: 'withdrawStatementFile',
  method: 'POST',
  path: `${PATH}/{fileId}/withdraw`,
  tag,
  summary: 'Withdraw a statement file that was imported by mistake',
  description:
    'What only this file reported is no longer booked. If this undoes deposits, a second operator must approve (202). Refused with `dependents` while something depends on it, such as a payout.',
  access,
  params,
  body: reasonFor('Why; kept with the file.'),
  key: 'kept',
  answers: { 200: StatementFileReport, 202: Approval },
  problems: FILE_COMMAND,
});

export const listStatementsOfFile = operation({
  id: 'listStatementsOfFile',
  method: 'GET',
  path: `${PATH}/{fileId}/statements`,
  tag,
  summary: 'List the statements of a file',
  description: 'In file order, each with the numbers missing before it.',
  access,
  params,
  pages: true,
  answers: { 200: pageOf(BankStatement) },
  problems: ['statement_file_not_found'],
});

export const listEntriesOfFile = operation({
  id: 'listEntriesOfFile',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{fileId}/entries`,
  tag,
  summary: 'List the entries of a file, in file order',
  description:
    'Payment by payment, each with the deposit that it became or the payments that it settled. `sameAs` names the entry that reported it before.',
  access,
  params,
  query: {
    new: choice(['true', 'false'], '`true`: only what no earlier file reported; `false`: only what one did.'),
    ...ENTRY_FILTERS,
  },
  pages: true,
  answers: { 200: pageOf(StatementEntry) },
  problems: ['statement_file_not_found'],
});

export const listPaymentStatusesOfFile = operation({
  id: 'listPaymentStatusesOfFile',
  method: 'GET',
  path: `${PATH}/{fileId}/payment-statuses`,
  tag,
  summary: 'List the payment statuses of a status report',
  description: 'In the order in which they take effect.',
  access,
  params,
  query: { state: list(STATUS_STATES) },
  pages: true,
  answers: { 200: pageOf(PaymentStatus) },
  problems: ['statement_file_not_found'],
});

export const listAccountStatements = operation({
  id: 'listAccountStatements',
  method: 'GET',
  path: '/v1/operator/account-statements',
  tag,
  summary: 'List the statements of an account by their last day, oldest first',
  description: 'Only statements that say which days they cover.',
  access,
  query: ACCOUNT_DAYS,
  pages: true,
  answers: { 200: pageOf(BankStatement) },
});
