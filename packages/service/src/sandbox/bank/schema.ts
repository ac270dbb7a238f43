import { BANK_FILE_KINDS, ENTRY_KINDS } from '@firmquote/sandbox-bank';
import {
  Amount,
  CalendarDate,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  nullable,
  TEXT_PATTERN,
} from '../../http/schema.ts';
import { type Static, Type } from '../../platform/typebox.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const line = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description }));

export const BankAccounts = Type.Object({
  items: Type.Array(
    Type.Object({
      account: Type.String({ description: 'IBAN or number, as the files name it.' }),
      currency: CurrencyCode,
      holder: Type.String(),
      balance: Type.String({ description: 'Negative when the account is overdrawn, which is allowed.' }),
      statements: Type.Integer({ description: 'How many there have been; the last one has this number.' }),
      lastStatementDate: nullable(CalendarDate),
    }),
  ),
});

export const BankFileAnswer = Type.Object({
  fileId: Type.String({ examples: ['sbf_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  kind: literals(BANK_FILE_KINDS),
  name: Type.String({ description: 'What it is called among the statement files.' }),
  entries: Type.Integer(),
  sizeBytes: Type.Integer(),
  sha256: Type.String(),
  createdAt: Instant,
  toldAt: nullable(Instant),
});
export type BankFileAnswer = Static<typeof BankFileAnswer>;

export const BankFileList = Type.Object({
  items: Type.Array(BankFileAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});
export const BankFileQuery = Type.Object({
  kind: text(`Repeatable or comma list of: ${BANK_FILE_KINDS.join(', ')}.`),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});
export const BankFileParams = Type.Object({ fileId: Type.String() });
export const EndedDays = Type.Object({ items: Type.Array(BankFileAnswer) });

export const BankEntryRequest = Type.Object(
  {
    currency: CurrencyCode,
    direction: literals(['credit', 'debit'], { description: 'The effect on the account of the house.' }),
    amount: Amount,
    kind: Type.Optional(
      literals(['payment', 'charge', 'interest'], {
        description: 'By default `payment`. The others are between the bank and the house.',
      }),
    ),
    text: Type.String({ minLength: 1, maxLength: 140, pattern: TEXT_PATTERN }),
    endToEndId: line(35, 'Of a payment of the house, so that the entry is taken for it.'),
    counterpartyName: line(140, 'Who sent or got the money.'),
    counterpartyAccount: line(34, 'Where it came from or went to.'),
  },
  { additionalProperties: false },
);
export type BankEntryRequest = Static<typeof BankEntryRequest>;

export const DepositReturn = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        pattern: '^[A-Z0-9]{4}$',
        description: 'ISO 20022 return reason; by default FOCR, the remitter wants it back.',
        examples: ['FOCR'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type DepositReturn = Static<typeof DepositReturn>;
export const DepositReturnParams = Type.Object({ depositId: Type.String() });

export const BankEntryAnswer = Type.Object({
  bankReference: Type.String({ examples: ['SBX000000000042'] }),
  account: Type.String(),
  currency: CurrencyCode,
  direction: literals(['credit', 'debit']),
  kind: literals(ENTRY_KINDS),
  amount: Type.String(),
  bookingDate: CalendarDate,
  valueDate: CalendarDate,
});
export type BankEntryAnswer = Static<typeof BankEntryAnswer>;
