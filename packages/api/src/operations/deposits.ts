import { operation } from '../operation.ts';
import { date, id, instant, list, strictCurrencies, strictId, text } from '../parameters.ts';
import { NEW_MONEY } from '../problem-groups.ts';
import {
  Amount,
  CalendarDate,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  pageOf,
  TEXT_PATTERN,
  Version,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import * as examples from './examples.ts';

/** Money that arrived, and what it is for. */

/** `ignored`: an operator has set it aside; its money stays in suspense. */
export const DEPOSIT_STATUSES = ['unmatched', 'partially_matched', 'matched', 'returned', 'ignored'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];
/** Deposits that somebody has to do something about, and those that were set aside. */
export const WAITING_DEPOSITS = [
  'unmatched',
  'partially_matched',
  'ignored',
] as const satisfies DepositStatus[];
export const DEPOSIT_SOURCES = ['operator', 'sandbox', 'statement'] as const;
export type DepositSource = (typeof DEPOSIT_SOURCES)[number];
/** Why somebody has to look at a deposit, a payment or a trade. */
export const EXCEPTION_TYPES = [
  'unmatched',
  'ambiguous',
  'short',
  'excess',
  'wrong_currency',
  'third_party',
  'late',
  'duplicate',
  'returned',
  'payout_mismatch',
  'implausible_date',
  'not_applied',
  'log_fault',
  'report_failed',
] as const;
export const ExceptionTypeName = named(
  'ExceptionType',
  literals(EXCEPTION_TYPES, { description: 'Kind of exception.' }),
);
export type ExceptionType = (typeof EXCEPTION_TYPES)[number];

const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description });

const RecordDeposit = Type.Object(
  {
    account: Type.Optional(
      line(64, "The house's account. Default: the account that customers pay this currency into."),
    ),
    bankReference: line(140, "The bank's own reference of the entry; unique on the account."),
    amount: Amount,
    currency: CurrencyCode,
    remitterName: line(140, 'Who sent the money.'),
    remitterAccount: Type.Optional(line(64, 'Account that the money came from.')),
    virtualAccount: Type.Optional(line(64, 'Virtual account that it arrived on, if not `account` itself.')),
    reference: Type.Optional(line(140, 'Payment reference, if the bank gives it apart from the text.')),
    remittanceText: Type.Optional(
      Type.String({
        maxLength: 4000,
        pattern: TEXT_PATTERN,
        description: 'Free text of the payment; searched for references.',
      }),
    ),
    valueDate: Type.Optional(CalendarDate),
    receivedAt: Type.Optional(Instant),
  },
  {
    additionalProperties: false,
    description: '`valueDate` defaults to the UTC date of `receivedAt`, which defaults to now.',
  },
);
export type RecordDeposit = Static<typeof RecordDeposit>;

const MatchEvidence = named(
  'MatchEvidence',
  Type.Object(
    {
      depositMinor: Type.String({ description: 'Amount received, in minor units.' }),
      reference: Type.Optional(nullable(Type.String())),
      status: Type.Optional(Type.String({ description: 'Status of the transaction before the match.' })),
      outstandingMinor: Type.Optional(Type.String({ description: 'Amount it awaited, in minor units.' })),
      toppedUpUnder: Type.Optional(
        Type.String({ description: 'Bank reference of the top-up by hand whose place it has.' }),
      ),
      timeliness: Type.Optional(
        Type.Object({
          isLate: Type.Boolean(),
          judgedBy: literals(['booking_date', 'received_at', 'value_date']),
          moneyOf: nullable(Type.String({ description: 'The day or instant that it was judged by.' })),
          fundingCutoffAt: Instant,
        }),
      ),
      rulesVersion: Type.Optional(Type.Integer()),
      toleranceUsdMinor: Type.Optional(Type.String({ description: 'US dollar cents.' })),
      toleranceBps: Type.Optional(Type.String()),
      remitterAccount: Type.Optional(nullable(Type.String())),
      virtualAccount: Type.Optional(nullable(Type.String())),
      reason: Type.Optional(Type.String({ description: 'Given by whoever matched it.' })),
      approvedBy: Type.Optional(Type.String({ description: 'The second person, if one was needed.' })),
    },
    { description: 'What the rule or the person saw.' },
  ),
);
export type MatchEvidence = Static<typeof MatchEvidence>;
const Allocation = named(
  'DepositAllocation',
  Type.Object({
    to: literals(['transaction', 'balance']),
    customerId: Type.String(),
    transactionId: nullable(Type.String({ description: "Null: into the customer's balance." })),
    allocatedAmount: Type.String(),
    excessAmount: Type.String(),
    shortfallAmount: Type.String({ description: 'What was forgiven of a short payment.' }),
    matchRule: Type.String(),
    score: nullable(Type.Integer({ description: '0 to 100, by rule; null if a person decided.' })),
    matchedBy: literals(['auto', 'manual']),
    actor: Type.String(),
    evidence: MatchEvidence,
    at: Instant,
  }),
);
const Return = named(
  'DepositReturn',
  Type.Object({
    returnId: Type.String({ examples: ['dpr_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    status: literals(['pending', 'in_run', 'sent', 'paid', 'failed', 'cancelled'], {
      description: '`sent`: the bank has the file of its run. `failed`: the money is back in suspense.',
    }),
    amount: Type.String(),
    reference: Type.String(),
    accountHolder: Type.String(),
    destinationMasked: Type.String(),
    runId: nullable(Type.String()),
    bankReference: nullable(Type.String()),
    paidAt: nullable(Instant),
    failure: nullable(literals(['rejected', 'returned'])),
    detail: nullable(Type.String()),
    createdAt: Instant,
  }),
);
/** What somebody has to look at, and why. */
export const DepositException = named(
  'DepositException',
  Type.Object({
    type: ExceptionTypeName,
    reason: Type.String({ description: 'Stable code.' }),
  }),
);
export const Deposit = named(
  'Deposit',
  Type.Object({
    depositId: Type.String({ examples: ['dep_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    status: literals(DEPOSIT_STATUSES),
    exception: nullable(DepositException),
    version: Version,
    account: Type.String(),
    bankReference: Type.String(),
    amount: Type.String(),
    currency: CurrencyCode,
    allocatedAmount: Type.String(),
    excessAmount: Type.String(),
    returnedAmount: Type.String(),
    bookedAs: nullable(
      Type.String({
        description:
          'Ledger account, if it was the house’s own money; it then counts as returned. Or why there was no such money: `same_entry`, `never_booked`.',
      }),
    ),
    remitterName: nullable(Type.String()),
    remitterAccount: nullable(Type.String()),
    virtualAccount: nullable(Type.String()),
    remittanceText: nullable(Type.String()),
    valueDate: CalendarDate,
    bookedOn: nullable(
      Type.String({
        description: 'Day on which the bank booked it, if a statement says so; lateness is judged by it.',
      }),
    ),
    missingSince: nullable(
      Type.String({
        format: 'date-time',
        description:
          'Since when it is missing from the statements of its day although a notification reported it; payouts that depend on it are held back.',
      }),
    ),
    receivedAt: Instant,
    source: literals(DEPOSIT_SOURCES),
    customerId: nullable(
      Type.String({ description: 'Also null if several customers share it; see `allocations`.' }),
    ),
    allocations: Type.Array(Allocation),
    returns: Type.Array(Return, { description: 'What the house sends back, in settlement runs.' }),
    createdAt: Instant,
    updatedAt: Instant,
  }),
  examples.unmatched,
);
export type Deposit = Static<typeof Deposit>;

/** A step of what became of a deposit or an exception. */
export const HistoryStep = named(
  'HistoryStep',
  Type.Object({
    version: Type.Integer(),
    at: Instant,
    actor: Type.String({ description: '`matcher`, `bank_feed`, `system`, or a person or OAuth client.' }),
    action: Type.String(),
    reason: nullable(Type.String()),
    detail: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description: 'Members that depend on the action.',
    }),
  }),
);
export type HistoryStep = Static<typeof HistoryStep>;

/** How much waits, by age. */
export const countMembers = {
  ageFromHours: Type.Integer({ description: 'Minimum age in hours.' }),
  ageToHours: nullable(Type.Integer({ description: 'Upper limit in hours, exclusive; null: none.' })),
  count: Type.Integer({ description: 'Counted up to 1,000.' }),
  isMore: Type.Boolean({ description: 'Whether there are more.' }),
};
const DepositCounts = Type.Object({
  items: Type.Array(
    named('DepositCount', Type.Object({ status: literals(WAITING_DEPOSITS), ...countMembers })),
  ),
});

const tag = 'Operator: deposits';
const access = { audience: 'operator', scope: 'operator:deposits' } as const;
const PATH = '/v1/operator/deposits';
const params = { depositId: id('dep') };

export const recordDeposit = operation({
  id: 'recordDeposit',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Record a deposit',
  description:
    'Books and matches money that arrived. The same entry again (account and bank reference) returns 200 with the existing deposit.',
  access: { audience: 'operator', scope: 'operator:funding', fresh: true },
  body: RecordDeposit,
  key: 'kept',
  versioned: true,
  answers: {
    200: {
      description: 'The existing deposit.',
      content: { 'application/json': Deposit },
      headers: { Location: 'Where it can be read.' },
    },
    201: Deposit,
  },
  problems: [...NEW_MONEY, 'already_exists'],
  example: examples.recordedDeposit,
});

export const listDeposits = operation({
  id: 'listDeposits',
  audited: 'read',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List deposits, newest first',
  description:
    'A search by parts of texts, amounts, account or dates needs a range of at most 92 days, unless `customerId`, `bankReference`, `reference`, `remitterAccount` or `amount` narrows it.',
  access,
  query: {
    status: list(DEPOSIT_STATUSES),
    currency: strictCurrencies(),
    from: instant('Received at or after this instant.'),
    to: instant('Received before this instant.'),
    amount: text(24, 'Exact amount; needs one currency.'),
    minAmount: text(24, 'Minimum amount; needs one currency.'),
    maxAmount: text(24, 'Maximum amount; needs one currency.'),
    customerId: strictId('cus', 'Matched to this customer, at least in part.'),
    account: text(64, "The house's account."),
    bankReference: text(140, "The bank's reference."),
    reference: text(35, 'Payment reference of a trade that it pays, or that an open deposit names.'),
    remitterAccount: text(64, 'The account that it came from.'),
    remitter: text(140, "Part of the remitter's name, ignoring case."),
    text: text(140, 'Part of the remittance text, ignoring case.'),
    bookedFrom: date('Booked by the bank on or after this date.'),
    bookedTo: date('Booked by the bank on or before this date.'),
    valueDateFrom: date('First value date.'),
    valueDateTo: date('Last value date.'),
  },
  pages: true,
  answers: { 200: pageOf(Deposit) },
});

export const countDeposits = operation({
  id: 'countDeposits',
  method: 'GET',
  path: `${PATH}/counts`,
  tag,
  summary: 'Count waiting deposits by status and age',
  description: 'By hours since receipt, from 0, 24, 72 and 168. A count ends at 1,000 (`isMore`).',
  access,
  answers: { 200: DepositCounts },
});

export const getDeposit = operation({
  id: 'getDeposit',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{depositId}`,
  tag,
  summary: 'Read a deposit',
  description: 'Includes its allocations, returns and open exception.',
  access,
  params,
  versioned: true,
  answers: { 200: Deposit },
  problems: ['deposit_not_found'],
});

export const getDepositHistory = operation({
  id: 'getDepositHistory',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{depositId}/history`,
  tag,
  summary: 'Read the history of a deposit, newest first',
  description: 'Who did what, when and why: the latest 500 steps.',
  access,
  params,
  answers: { 200: Type.Object({ items: Type.Array(HistoryStep) }) },
  problems: ['deposit_not_found'],
});
