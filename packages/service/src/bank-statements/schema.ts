import { REFUSAL_CODES, SET_ASIDE_REASONS, STATEMENT_FORMATS } from '@firmquote/bank-formats';
import { CalendarDate, CurrencyCode, Instant, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { SAME_REASONS } from './deduplicate-entries.ts';
import { CsvMappingInput } from './mapping-schema.ts';
import { DEPOSIT_STATES, FILE_SOURCES, PAYMENT_STATES } from './record.ts';
import { STATUS_STATES } from './status-store.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const Text = nullable(Type.String());

export const UploadQuery = Type.Object({
  name: text('What the file is called. By default `statement`.'),
  format: text(`${STATEMENT_FORMATS.join(', ')}; by default it is looked at.`),
  mapping: text('Name of the mapping of a CSV file. By default the one whose file names fit.'),
});
/** Any content type will do; what a file is, it says itself. */
export const StatementFile = Type.String({ format: 'binary', description: 'The file.' });
export const FilesQuery = Type.Object({
  status: text('Repeatable or comma list of: accepted, refused.'),
  from: text('Received at or after this RFC 3339 instant.'),
  to: text('Received before this RFC 3339 instant.'),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});
export const PageQuery = Type.Object({
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor.'),
});
export const EntriesQuery = Type.Object({
  new: text('`true`: only what no file had told of before; `false`: only what one had.'),
  direction: text('credit or debit; repeatable or comma list.'),
  depositState: text(`Repeatable or comma list of: ${DEPOSIT_STATES.join(', ')}.`),
  paymentState: text(`Repeatable or comma list of: ${PAYMENT_STATES.join(', ')}.`),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});
export const FileParams = Type.Object({ fileId: Type.String() });
export const MappingParams = Type.Object({ name: Type.String() });

const Warning = Type.Object({
  code: literals([
    'unknown_account',
    'sequence_gap',
    'opening_differs',
    'unknown_payment',
    'not_booked',
    'set_aside',
    'accepted_despite',
  ]),
  statementId: nullable(Type.String({ description: 'Null where it is about the whole file.' })),
  account: Text,
  detail: Type.String(),
});
export type Warning = Static<typeof Warning>;

const REFUSAL = {
  reason: literals(REFUSAL_CODES),
  line: nullable(Type.Integer()),
  detail: Type.String(),
};
const Refusal = Type.Object(REFUSAL);

export const FileAnswer = Type.Object({
  fileId: Type.String({ examples: ['stf_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  name: Type.String(),
  status: literals(['accepted', 'refused']),
  refusal: nullable(Refusal),
  format: nullable(literals(STATEMENT_FORMATS)),
  mapping: Text,
  sha256: Type.String(),
  sizeBytes: Type.Integer(),
  source: literals(FILE_SOURCES),
  receivedAt: Instant,
  attempts: Type.Integer({ description: 'How often these bytes were brought.' }),
  lastAttemptAt: Instant,
  statements: Type.Integer(),
  bookings: Type.Integer({ description: 'Entries of the account that the file tells of.' }),
  newBookings: Type.Integer({ description: 'Those of them that no file had told of before.' }),
  paymentStatuses: Type.Integer({ description: 'Statuses of payments that a status report tells.' }),
  withdrawn: nullable(
    Type.Object(
      { reason: Type.String(), by: Type.String(), approvedBy: Text, at: Instant },
      { description: 'It was taken back: nothing that only it told of is booked.' },
    ),
  ),
  acceptedDespite: nullable(
    Type.Object(
      {
        ...REFUSAL,
        note: Type.String({ description: 'Why people accepted it.' }),
        acceptedBy: Type.String(),
        approvedBy: Type.String(),
        acceptedAt: Instant,
      },
      { description: 'Two people have accepted it though its figures do not agree.' },
    ),
  ),
});
export type FileAnswer = Static<typeof FileAnswer>;

export const FileReport = Type.Intersect([
  FileAnswer,
  Type.Object({
    warnings: Type.Array(Warning, {
      description: 'What somebody should look at, of the first 200 statements.',
    }),
  }),
]);
export type FileReport = Static<typeof FileReport>;

const page = <T extends ReturnType<typeof Type.Object>>(items: T) =>
  Type.Object({ items: Type.Array(items), nextCursor: Text, hasMore: Type.Boolean() });
export const FileList = page(FileAnswer);

const BalanceAnswer = Type.Object({ amount: Type.String(), currency: CurrencyCode, date: CalendarDate });

export const StatementAnswer = Type.Object({
  statementId: Type.String({ examples: ['stm_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  kind: literals(['statement', 'report', 'notification']),
  line: Type.Integer(),
  account: Type.String(),
  ownAccount: Type.Boolean({
    description: 'Whether it is an account of the house. Others bring no deposits.',
  }),
  currency: CurrencyCode,
  reference: Text,
  number: Text,
  page: nullable(Type.Integer()),
  from: nullable(CalendarDate),
  to: nullable(CalendarDate),
  opening: nullable(BalanceAnswer),
  closing: nullable(BalanceAnswer),
  bookings: Type.Integer(),
  newBookings: Type.Integer(),
  missing: nullable(
    Type.Object(
      { from: Type.String(), to: Type.String() },
      { description: 'Numbers before it that never came.' },
    ),
  ),
  openingMatches: nullable(
    Type.Boolean({ description: 'Whether it opens with what the statement before it closed with.' }),
  ),
  correctedBy: nullable(
    Type.String({ description: 'The statement of the same number and day that replaces it.' }),
  ),
  setAside: nullable(
    Type.Object(
      { reason: literals(SET_ASIDE_REASONS), entries: Type.Integer() },
      { description: 'Why nothing of it is booked, and how many entries it has.' },
    ),
  ),
});
export type StatementAnswer = Static<typeof StatementAnswer>;
export const StatementList = page(StatementAnswer);

const Concerned = Type.Object({
  transactionId: Type.String(),
  customerId: Type.String(),
  purpose: Type.String(),
});

export const EntryAnswer = Type.Object({
  entryId: Type.String({ examples: ['ste_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  position: Type.Integer({ description: 'Place of the booking in the file, from 0.' }),
  paymentNumber: Type.Integer({ description: 'Place of the payment in its booking, from 1.' }),
  line: Type.Integer(),
  new: Type.Boolean({
    description: 'Whether anything of its booking was told by this file first.',
  }),
  account: Type.String(),
  direction: literals(['credit', 'debit']),
  kind: literals(['payment', 'return', 'reversal']),
  status: literals(['booked', 'pending', 'information']),
  amount: Type.String(),
  currency: CurrencyCode,
  bookingAmount: Type.String({ description: 'The whole booking, which may hold several payments.' }),
  bookingDate: CalendarDate,
  valueDate: CalendarDate,
  bankReference: Text,
  detailReference: Text,
  transactionCode: Text,
  endToEndId: Text,
  uetr: Text,
  instructionId: Text,
  paymentInformationId: Text,
  structuredReferences: Type.Array(Type.String()),
  remittanceText: Text,
  counterpartyName: Text,
  counterpartyAccount: Text,
  creditedAccount: Text,
  returnReason: Text,
  originalReference: Text,
  exchange: nullable(
    Type.Object({
      sourceCurrency: Text,
      targetCurrency: Text,
      unitCurrency: Text,
      rate: Text,
      originalAmount: Text,
      originalCurrency: Text,
    }),
  ),
  depositState: literals(DEPOSIT_STATES),
  depositId: Text,
  paymentState: literals(PAYMENT_STATES, {
    description: 'What became of an entry that is no deposit: whether it is a payment of the house.',
  }),
  paymentReason: nullable(
    Type.String({ description: 'Why it is a mismatch: `amount`, `currency`, `state`, `paid_twice`, …' }),
  ),
  bookedAs: nullable(
    Type.String({
      description:
        'What an operator has made of it: an account of the ledger, `payout`, `refund` or `deposit`.',
    }),
  ),
  payment: nullable(
    Type.Object(
      { runId: Type.String(), endToEndId: Type.String() },
      { description: 'The payment of a settlement run that it is.' },
    ),
  ),
  transactions: Type.Array(Concerned, {
    description: 'Whose payouts or refunds it has paid or returned.',
  }),
  returnedDepositId: nullable(Type.String({ description: 'The deposit that was taken back by it.' })),
  exceptionId: nullable(Type.String({ description: 'Open work about it.' })),
  sameAs: nullable(
    Type.String({
      description:
        'The entry that told of this payment before and carries its money: states, deposit and payment are those of it.',
    }),
  ),
  sameReason: nullable(
    literals(SAME_REASONS, { description: 'Why it is the same; see the guide to bank statements.' }),
  ),
  differs: Type.Array(Type.String(), { description: 'Fields that it gives otherwise than `sameAs`.' }),
  maybeSameAs: nullable(
    Type.String({ description: 'The entry that it may be; until a person says so, it is an exception.' }),
  ),
  completed: Type.Array(Type.Object({ field: Type.String(), by: Type.String() }), {
    description: 'Fields that were not in this entry and that a later one has told, with its id.',
  }),
  listedBy: nullable(
    Type.String({ description: 'The entry by which a statement with balances lists what it told before.' }),
  ),
  missingSince: nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when the statements of its day are here and do not list it.',
    }),
  ),
});
export type EntryAnswer = Static<typeof EntryAnswer>;
export const EntryList = page(EntryAnswer);

export const StatusesQuery = Type.Object({
  state: text(`Repeatable or comma list of: ${STATUS_STATES.join(', ')}.`),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});
export const StatusAnswer = Type.Object({
  position: Type.Integer(),
  line: Type.Integer(),
  level: literals(['file', 'block', 'payment'], {
    description: 'Whether it is said of a whole file of ours, of a block in it, or of one payment.',
  }),
  status: Type.String({ description: 'As the bank writes it: RJCT, ACCP, ACSC, …' }),
  reasonCode: Text,
  reasonText: Text,
  originalId: nullable(Type.String({ description: 'What the file or block was called.' })),
  endToEndId: Text,
  instructionId: Text,
  uetr: Text,
  amount: Text,
  currency: nullable(CurrencyCode),
  state: literals(STATUS_STATES, {
    description: '`noted` moves nothing; `unknown`: no payment of ours is called so.',
  }),
  mismatchReason: Text,
  transactions: Type.Array(Concerned, { description: 'Whose payouts or refunds it has rejected.' }),
});
export type StatusAnswer = Static<typeof StatusAnswer>;
export const StatusList = page(StatusAnswer);

export const MappingAnswer = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  mapping: CsvMappingInput,
  updatedAt: Instant,
});
export const MappingList = Type.Object({ items: Type.Array(MappingAnswer) });
