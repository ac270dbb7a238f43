import { operation } from '../operation.ts';
import { date, id, list, required, text } from '../parameters.ts';
import { ENTRY } from '../problem-groups.ts';
import {
  CalendarDate,
  CLOSED,
  CurrencyCode,
  described,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  pageOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { Approval } from './approvals.ts';
import { HOUSE_ACCOUNTS } from './ledger.ts';

/** Entries of bank statements, payment by payment, and what operators decide of those that no machine could. */

export const DIRECTIONS = ['credit', 'debit'] as const;
/** What a credit has become: nothing (pending, a return), a deposit, or one that is yet to be. */
export const DEPOSIT_STATES = ['none', 'due', 'booked', 'unknown_account'] as const;
export type DepositState = (typeof DEPOSIT_STATES)[number];
/**
 * What became of an entry that is no deposit: yet to be looked at (`due`, `unknown_account`), trades have moved
 * (`applied`), or were there already (`known`), it is ours and something is wrong with it (`mismatch`), or none of ours
 * (`unknown`), or a person has said what it is (`by_hand`).
 */
export const PAYMENT_STATES = [
  'none',
  'due',
  'unknown_account',
  'applied',
  'known',
  'mismatch',
  'unknown',
  'by_hand',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** Why an entry is the same as one that was reported before. */
export const SAME_REASONS = [
  'uetr',
  'bank_reference',
  'end_to_end_id',
  'entry_reference',
  'content',
  'same_statement',
  'day_and_amount',
  'sum_of_details',
  'part_of_sum',
  'operator',
] as const;
export type SameReason = (typeof SAME_REASONS)[number];

const Text = nullable(Type.String());

/** The transaction, withdrawal or return of a deposit behind a payment. */
export const PaidTransaction = named(
  'PaidTransaction',
  Type.Object({
    transactionId: Type.String({ description: 'Of a withdrawal or the return of a deposit: its own id.' }),
    customerId: Type.String(),
    purpose: Type.String(),
  }),
);

export const StatementEntry = named(
  'StatementEntry',
  Type.Object(
    {
      entryId: Type.String({ examples: ['ste_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
      position: Type.Integer({ description: 'Place of the entry in the file, from 0.' }),
      paymentNumber: Type.Integer({ description: 'Place of the payment in the entry, from 1.' }),
      line: Type.Integer(),
      new: Type.Boolean({
        description: 'Whether this file reports a payment of the entry that no earlier file had reported.',
      }),
      account: Type.String(),
      direction: literals(DIRECTIONS),
      kind: literals(['payment', 'return', 'reversal']),
      status: literals(['booked', 'pending', 'information']),
      amount: Type.String(),
      currency: CurrencyCode,
      entryAmount: Type.String({
        description: 'Amount of the whole entry, which may hold several payments.',
      }),
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
        description: 'Whether an entry that is no deposit is a payment of the house.',
      }),
      paymentReason: nullable(
        Type.String({ description: 'Why it is a mismatch: `amount`, `currency`, `state`, `paid_twice`, …' }),
      ),
      bookedAs: nullable(
        Type.String({
          description:
            'What an operator booked it as: a ledger account, `payout`, `refund`, `deposit`, `deposit_return`, or `never_booked`. A sum whose payments a statement lists one by one is `never_booked` too.',
        }),
      ),
      payment: nullable(
        Type.Object(
          { runId: Type.String(), endToEndId: Type.String() },
          { description: 'The settlement run payment that it is.' },
        ),
      ),
      transactions: Type.Array(PaidTransaction, {
        description: 'Whose payouts or refunds it has paid or returned.',
      }),
      returnedDepositId: nullable(
        Type.String({
          description:
            'The deposit that it took back; of a `mismatch`, that it would take back; of one booked as a debt or on an account of the house, that somebody bears.',
        }),
      ),
      exceptionId: nullable(Type.String({ description: 'The open exception about it.' })),
      sameAs: nullable(
        Type.String({
          description:
            'The earlier entry of this payment, which carries its money: states, deposit and payment are those of that entry.',
        }),
      ),
      sameReason: nullable(
        literals(SAME_REASONS, { description: 'Why it is the same; see the guide to bank statements.' }),
      ),
      differs: Type.Array(Type.String(), { description: 'Fields that differ from `sameAs`.' }),
      maybeSameAs: nullable(
        Type.String({ description: 'The entry that it may repeat: an exception until an operator decides.' }),
      ),
      completed: Type.Array(Type.Object({ field: Type.String(), by: Type.String() }), {
        description: "Fields that it lacked and a later entry supplied, with that entry's id.",
      }),
      listedBy: nullable(
        Type.String({ description: 'The entry of a statement with balances that lists it again.' }),
      ),
      missingSince: nullable(described(Instant, 'Since when the statements of its day have lacked it.')),
    },
    {
      description:
        'An entry of a bank statement (`Ntry` in ISO 20022). An entry with several payments (`TxDtls`) is listed payment by payment, each with an id of its own; `position` and `entryAmount` are the same for all of them.',
    },
  ),
);
export type StatementEntry = Static<typeof StatementEntry>;

const Reason = named(
  'EntryReason',
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: LINE_PATTERN,
    description: 'Why; kept with the exception.',
  }),
);
const Id = Type.String({ maxLength: 64 });

const BookEntry = Type.Object(
  {
    as: literals([...HOUSE_ACCOUNTS, 'customer_debt', 'deposit'] as const, {
      description:
        '`bank_charges`, `interest`, `house_funds`: an account of the ledger. `customer_debt`: the customer in `customerId` owes it. `deposit`: money received, to be matched as a deposit.',
    }),
    customerId: Type.Optional(Id),
    depositId: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'Which deposit it took back, where that may be one of several. The others are held no more.',
      }),
    ),
    reason: Reason,
  },
  CLOSED,
);
export type BookEntry = Static<typeof BookEntry>;

const MatchEntry = Type.Object(
  {
    transactionId: Type.Optional(Id),
    purpose: Type.Optional(
      literals(['payout', 'refund'], { description: 'Of the transaction; by default `payout`.' }),
    ),
    depositId: Type.Optional(Id),
    reason: Reason,
  },
  {
    ...CLOSED,
    description:
      'With `transactionId` the entry has paid its payout or refund, or returned it; any difference is a bank charge. With `depositId` it is a return of that deposit recorded before.',
  },
);
export type MatchEntry = Static<typeof MatchEntry>;

const JudgeEntry = Type.Object({ reason: Reason }, CLOSED);

const NeverBookedEntry = Type.Object(
  {
    as: Type.Optional(
      literals([...HOUSE_ACCOUNTS, 'customer_debt'] as const, {
        description:
          'Who bears the loss of money that has been paid on: an account of the house, or `customer_debt`, the customer in `customerId`, which must have a part of what came in. Without it, nothing is undone once money has moved on.',
      }),
    ),
    customerId: Type.Optional(Id),
    reason: Reason,
  },
  CLOSED,
);
export type NeverBookedEntry = Static<typeof NeverBookedEntry>;

const SameEntry = Type.Object(
  {
    as: Type.String({
      maxLength: 64,
      description: 'The entry that carries the money, or one that is the same as it.',
    }),
    reason: Reason,
  },
  CLOSED,
);

const tag = 'Operator: statements';
const reading = { audience: 'operator', scope: 'operator:statements' } as const;
/** It is work of those who work on deposits, and not of those who bring files. */
const deciding = { audience: 'operator', scope: 'operator:entries' } as const;
const PATH = '/v1/operator/statement-entries';
const params = { entryId: id('ste') };
const TWO = 'Above the approval limit, a second operator must approve it (202).';

/** Days that one request looks at. */
export const ACCOUNT_DAYS_MAX = 92; // limit: Range of days of an account's entries

export const ACCOUNT_DAYS = {
  account: required(text(64, 'Account of the house as statements name it: an IBAN or a number.')),
  from: required(date('First day.')),
  to: date(`Last day, at most ${ACCOUNT_DAYS_MAX} days after the first. By default the first.`),
};
export const ENTRY_FILTERS = {
  direction: list(DIRECTIONS),
  depositState: list(DEPOSIT_STATES),
  paymentState: list(PAYMENT_STATES),
};

export const listAccountEntries = operation({
  id: 'listAccountEntries',
  audited: 'read',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List the entries of an account by booking date, oldest first',
  description: 'Each payment once, as the first file reported it.',
  access: reading,
  query: { ...ACCOUNT_DAYS, ...ENTRY_FILTERS },
  pages: true,
  answers: { 200: pageOf(StatementEntry) },
});

export const getStatementEntry = operation({
  id: 'getStatementEntry',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{entryId}`,
  tag,
  summary: 'Read an entry',
  description:
    'With what became of it. `sameAs` names the entry that carries the money if another reported it before.',
  access: reading,
  params,
  answers: { 200: StatementEntry },
  problems: ['statement_entry_not_found'],
});

export const bookStatementEntry = operation({
  id: 'bookStatementEntry',
  method: 'POST',
  path: `${PATH}/{entryId}/book`,
  tag,
  summary: 'Book an entry that is not a payment of the house',
  description: TWO,
  access: deciding,
  params,
  body: BookEntry,
  key: 'kept',
  answers: { 200: StatementEntry, 202: Approval },
  problems: [...ENTRY, 'customer_not_found'],
});

export const matchStatementEntry = operation({
  id: 'matchStatementEntry',
  method: 'POST',
  path: `${PATH}/{entryId}/match`,
  tag,
  summary: 'Match an entry to a payment of the house',
  description: TWO,
  access: deciding,
  params,
  body: MatchEntry,
  key: 'kept',
  answers: { 200: StatementEntry, 202: Approval },
  problems: [...ENTRY, 'deposit_not_found', 'transaction_not_found'],
});

export const markStatementEntryDistinct = operation({
  id: 'markStatementEntryDistinct',
  method: 'POST',
  path: `${PATH}/{entryId}/another`,
  tag,
  summary: 'Declare an entry a separate payment',
  description: `It is not the payment that it was taken for. ${TWO}`,
  access: deciding,
  params,
  body: JudgeEntry,
  key: 'kept',
  answers: { 200: StatementEntry, 202: Approval },
  problems: ENTRY,
});

export const markStatementEntryDuplicate = operation({
  id: 'markStatementEntryDuplicate',
  method: 'POST',
  path: `${PATH}/{entryId}/same`,
  tag,
  summary: 'Declare an entry the same as an earlier one',
  description: TWO,
  access: deciding,
  params,
  body: SameEntry,
  key: 'kept',
  answers: { 200: StatementEntry, 202: Approval },
  problems: ENTRY,
});

export const markStatementEntryNeverBooked = operation({
  id: 'markStatementEntryNeverBooked',
  method: 'POST',
  path: `${PATH}/{entryId}/never-booked`,
  tag,
  summary: 'Declare that the bank never booked an entry that it reported',
  description: `What it booked is undone. What was paid with it and has left stays paid, and \`as\` says who bears the loss. ${TWO}`,
  access: deciding,
  params,
  body: NeverBookedEntry,
  key: 'kept',
  answers: { 200: StatementEntry, 202: Approval },
  problems: ENTRY,
});
