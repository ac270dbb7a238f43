import { TRANSACTION_STATUSES } from '@firmquote/fx';
import { type Access, operation } from '../operation.ts';
import { byDefault, choice, date, id, list, strictCurrency, strictId, text } from '../parameters.ts';
import { type Codes, TRADE } from '../problem-groups.ts';
import { CalendarDate, Instant, LINE_PATTERN, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, type TSchema, Type } from '../typebox.ts';
import { Approval } from './approvals.ts';
import { ITEM_OUTCOMES, outcomeMembers, SAME_ON_MANY } from './deposit-commands.ts';
import {
  CloseOut,
  HOLD_KINDS,
  itemFields,
  OperatorTimelineEntry,
  Refund,
  TransactionStatus,
  transactionFields,
  transactionParams,
} from './transactions.ts';

/** Transactions of all customers, and what operators do with them. */

export const UNWIND_REASONS = ['client_request', 'trade_error', 'compliance_rejected', 'closed_out'] as const;
export type UnwindReason = (typeof UNWIND_REASONS)[number];
export const ROLL_REASONS = [
  'client_request',
  'holiday',
  'late_funding',
  'bank_closed',
  'operational',
] as const;
export type RollReason = (typeof ROLL_REASONS)[number];
/** Work that waits, by kind. */
export const WORK = [
  'awaiting_funds',
  'partially_funded',
  'funded',
  'overdue',
  'settling',
  'settlement_failed',
  'refund_pending',
  'withdrawal_pending',
] as const;

const CustomerId = Type.String({ examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] });
const ExecutedBy = nullable(
  Type.String({
    description: "The customer's OAuth client, or who dealt for the customer.",
    examples: ['cli_01jp0000000000000000000000'],
  }),
);
const FundsMissingSince = nullable(
  Type.String({
    format: 'date-time',
    description:
      'Since when bank statements lack money that was notified and that paid for this: no payout is released, and no settlement run takes it.',
  }),
);
const strict = { additionalProperties: false };

const whose = { customerId: CustomerId, executedBy: ExecutedBy, fundsMissingSince: FundsMissingSince };

/** A transaction as operators see it: as its customer does, and whose it is. */
export const OperatorTransaction = named(
  'OperatorTransaction',
  Type.Object({
    ...whose,
    ...transactionFields,
    timeline: Type.Array(OperatorTimelineEntry, { description: 'What happened, oldest first.' }),
  }),
);
const OperatorTransactionSummary = named(
  'OperatorTransactionSummary',
  Type.Object({ ...whose, ...itemFields }),
);

const WorkCounts = Type.Object({
  items: Type.Array(
    Type.Object({
      work: literals(WORK),
      count: Type.Integer({ description: 'Counted up to 1,000.' }),
      isMore: Type.Boolean({ description: 'There are more than were counted.' }),
    }),
  ),
});

const COMMANDS = [
  'settle',
  'payout-confirmed',
  'payout-failed',
  'retry-payout',
  'redirect-payout',
  'refund-paid',
  'refund-failed',
  'retry-refund',
] as const;
/** Transactions in one request. */
const COMMANDED_MAX = 100; // limit: Transactions in one command
const commandLine = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description }));
const CommandMany = Type.Object(
  {
    command: literals(COMMANDS, { description: 'As in the paths of the commands on one transaction.' }),
    items: Type.Array(
      Type.Object(
        {
          transactionId: Type.String({ maxLength: 64 }),
          version: Type.Optional(
            Type.Integer({ minimum: 1, description: 'Only if the transaction has this version.' }),
          ),
          bankReference: commandLine(140, 'For payout-confirmed and refund-paid.'),
          reason: Type.Optional(
            literals(['payout_rejected', 'payout_returned', 'beneficiary_invalid'], {
              description: 'For payout-failed.',
            }),
          ),
          detail: commandLine(500, 'For payout-failed and refund-failed: what the bank said.'),
        },
        strict,
      ),
      { minItems: 1, maxItems: COMMANDED_MAX },
    ),
  },
  strict,
);

const CommandOutcomes = Type.Object({
  items: Type.Array(
    Type.Object({
      transactionId: Type.String(),
      outcome: literals(ITEM_OUTCOMES, {
        description: '`failed`: not because of the transaction; try again.',
      }),
      ...outcomeMembers,
    }),
    { description: 'In the order of the request.' },
  ),
});

const NoFields = Type.Object({}, strict);

const line = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description }));

const PayoutConfirmed = Type.Object({ bankReference: line(140, "The bank's payment reference.") }, strict);

const PayoutFailed = Type.Object(
  {
    reason: Type.Optional(
      literals(['payout_rejected', 'payout_returned', 'beneficiary_invalid'], {
        description: 'Default: payout_returned for a settled transaction, else payout_rejected.',
      }),
    ),
    detail: line(500, 'What the bank said.'),
  },
  strict,
);

const RefundFailed = Type.Object({ detail: line(500, 'What the bank said.') }, strict);

const Unwind = Type.Object(
  {
    reason: Type.Optional(
      literals(UNWIND_REASONS, {
        description: 'Default: closed_out for an overdue transaction, else client_request.',
      }),
    ),
    closeOutAt: Type.Optional(
      literals(['market', 'trade'], {
        description:
          '`market` books the gain or loss; `trade` reverses everything as it was booked. Default: market for an overdue transaction, else trade.',
      }),
    ),
    chargeCustomer: Type.Optional(
      Type.Boolean({
        description: 'Whether the customer bears a loss. Default: FIRMQUOTE_CLOSE_OUT_CHARGE.',
      }),
    ),
  },
  strict,
);

const inner = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, pattern: LINE_PATTERN, description });

const PlaceHold = Type.Object(
  {
    kind: literals(HOLD_KINDS, { description: 'Shown to the customer.' }),
    reason: inner('For operators only; the customer never sees it.'),
  },
  strict,
);

const ReleaseHold = Type.Object({ reason: Type.Optional(inner('For operators only.')) }, strict);

export const HoldList = Type.Object({
  items: Type.Array(
    Type.Object({
      holdId: Type.String(),
      kind: literals(HOLD_KINDS),
      reason: Type.String(),
      placedBy: Type.String({ description: 'The person or client.' }),
      placedAt: Instant,
      releasedBy: nullable(Type.String()),
      releasedAt: nullable(Instant),
      releaseReason: nullable(Type.String()),
    }),
  ),
});

const RollValueDate = Type.Object(
  {
    valueDate: CalendarDate,
    reason: literals(ROLL_REASONS, { description: 'Shown to the customer in the timeline.' }),
  },
  strict,
);

const UnwindQuote = named(
  'UnwindQuote',
  Type.Object(
    {
      transactionId: Type.String(),
      status: TransactionStatus,
      version: Type.Integer(),
      reason: Type.String(),
      needs: nullable(Type.String()),
      closeOutAt: literals(['market', 'trade']),
      closeOut: nullable(CloseOut),
      received: Type.String(),
      refund: nullable(Refund),
      postings: Type.Array(
        Type.Object({
          entry: Type.String(),
          account: Type.String(),
          currency: Type.String(),
          amount: Type.String({ description: 'Debits are positive, credits negative.' }),
        }),
      ),
    },
    { description: 'What would be booked now.' },
  ),
);

export type CommandMany = Static<typeof CommandMany>;

const tag = 'Operator: transactions';
const access = { audience: 'operator', scope: 'operator:transactions' } as const;
const paying = { audience: 'operator', scope: 'operator:payouts' } as const;
const holding = { audience: 'operator', scope: 'operator:holds' } as const;
const PATH = '/v1/operator/transactions';

export const listAllTransactions = operation({
  id: 'listAllTransactions',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List transactions of all customers, newest first',
  description:
    'A search by amount, hold or value date needs a range of at most 92 days, unless `customerId`, `reference` or `clientReference` narrows it.',
  access,
  query: {
    status: list(TRANSACTION_STATUSES),
    customerId: strictId('cus', 'Only trades of this customer.'),
    reference: text(25, 'The payment reference.'),
    clientReference: text(64, "The customer's own reference."),
    currency: strictCurrency('Sold or bought.'),
    minAmount: text(24, 'With currency: minimum sold or bought.'),
    maxAmount: text(24, 'With currency: maximum sold or bought.'),
    tradeDateFrom: date('First trade date.'),
    tradeDateTo: date('Last trade date.'),
    valueDateFrom: date('First value date.'),
    valueDateTo: date('Last value date.'),
    held: choice(['true', 'false'], '`true`: the payout is on hold; `false`: it is not.'),
  },
  pages: true,
  answers: { 200: pageOf(OperatorTransactionSummary) },
});

export const countTransactionWork = operation({
  id: 'countTransactionWork',
  method: 'GET',
  path: `${PATH}/counts`,
  tag,
  summary: 'Count the pending work',
  description: 'Transactions, refunds and withdrawals, by what they wait for.',
  access,
  answers: { 200: WorkCounts },
});

export const commandTransactions = operation({
  id: 'commandTransactions',
  method: 'POST',
  path: `${PATH}/commands`,
  tag,
  summary: 'Run one command on many transactions',
  description: SAME_ON_MANY,
  access: { ...paying, fresh: true },
  body: CommandMany,
  key: 'kept',
  answers: { 200: CommandOutcomes },
});

export const getAnyTransaction = operation({
  id: 'getAnyTransaction',
  method: 'GET',
  path: `${PATH}/{transactionId}`,
  tag,
  summary: 'Read a transaction of any customer',
  description: 'With the customer, who executed it, and who took each step of its timeline.',
  access,
  params: transactionParams,
  versioned: true,
  answers: { 200: OperatorTransaction },
  problems: ['transaction_not_found'],
});

/** A command on one transaction, whose answer is the transaction as it is after it. */
function command<const Id extends string, const Body extends TSchema>(
  name: Id,
  verb: string,
  summary: string,
  body: Body,
  more: { readonly access?: Access; readonly description?: string; readonly problems?: Codes } = {},
) {
  const { problems = [], ...rest } = more;
  return operation({
    id: name,
    method: 'POST',
    path: `${PATH}/{transactionId}/${verb}`,
    tag,
    summary,
    access: { ...paying, fresh: true },
    ...rest,
    params: transactionParams,
    body,
    optionalBody: true,
    key: 'kept',
    conditional: 'possible',
    answers: { 200: OperatorTransaction },
    problems: [...TRADE, ...problems],
  });
}

export const placeHold = command('placeHold', 'holds', 'Place a hold', PlaceHold, {
  access: holding,
  description: 'Keeps the payout waiting until the hold is released.',
});
export const releasePayout = command('releasePayout', 'settle', 'Release the payout', NoFields, {
  description: 'Pays out a funded transaction early.',
});
export const confirmPayout = command(
  'confirmPayout',
  'payout-confirmed',
  'Confirm the payout',
  PayoutConfirmed,
  {
    description: 'Records that the bank has paid out.',
  },
);
export const failPayout = command('failPayout', 'payout-failed', 'Report a failed payout', PayoutFailed, {
  description: 'Records that the bank refused or returned the payout.',
});
export const retryPayout = command('retryPayout', 'retry-payout', 'Pay out again', NoFields, {
  description: 'Goes to the account that the customer has now.',
});
export const redirectPayout = command('redirectPayout', 'redirect-payout', 'Redirect the payout', NoFields, {
  description: 'Pays out to the account that the customer has now instead of the original one.',
  problems: ['settlement_instructions_missing'],
});
export const refundExcess = command('refundExcess', 'refund-excess', 'Refund an overpayment', NoFields, {
  description: 'It goes back in the next settlement run.',
});
export const confirmRefund = command('confirmRefund', 'refund-paid', 'Confirm the refund', PayoutConfirmed, {
  description: 'Records that the bank has paid the refund.',
});
export const failRefund = command('failRefund', 'refund-failed', 'Report a failed refund', RefundFailed, {
  description: 'Records that the bank refused or returned the refund.',
});
export const retryRefund = command('retryRefund', 'retry-refund', 'Refund again', NoFields, {
  description: 'Goes to the account that the customer has now.',
});
export const rollValueDate = command(
  'rollValueDate',
  'roll-value-date',
  'Roll the value date',
  RollValueDate,
  {
    access,
    description:
      'Postpones the value date, and the funding cut-off with it. An overdue one waits for its money again.',
    problems: ['value_date_invalid'],
  },
);

export const listHolds = operation({
  id: 'listHolds',
  method: 'GET',
  path: `${PATH}/{transactionId}/holds`,
  tag,
  summary: 'List the holds of a transaction',
  description: 'Oldest first, with their reasons. Includes released holds.',
  access: holding,
  params: transactionParams,
  answers: { 200: HoldList },
  problems: ['transaction_not_found'],
});

export const releaseHold = operation({
  id: 'releaseHold',
  method: 'DELETE',
  path: `${PATH}/{transactionId}/holds/{holdId}`,
  tag,
  summary: 'Release a hold',
  description:
    'Once no hold is left, the payout goes at its time, or at once if that has passed. A released hold stays in the history.',
  access: { ...holding, fresh: true },
  params: { ...transactionParams, holdId: id('hold') },
  body: ReleaseHold,
  optionalBody: true,
  conditional: 'possible',
  answers: { 200: OperatorTransaction },
  problems: ['hold_not_found', 'transaction_not_found'],
});

export const quoteUnwinding = operation({
  id: 'quoteUnwinding',
  method: 'GET',
  path: `${PATH}/{transactionId}/unwind-quote`,
  tag,
  summary: 'Preview the unwinding of a transaction',
  description: 'Shows what unwinding would book now, with the gain or loss at the market.',
  access,
  params: transactionParams,
  query: {
    closeOutAt: byDefault(choice(['market', 'trade'], 'As for the unwinding itself.'), 'market'),
    chargeCustomer: choice(['true', 'false'], 'Whether the customer bears a loss.'),
  },
  answers: { 200: UnwindQuote },
  problems: ['transaction_not_found', 'invalid_state_transition', 'price_unavailable'],
});

export const unwindTransaction = operation({
  id: 'unwindTransaction',
  method: 'POST',
  path: `${PATH}/{transactionId}/unwind`,
  tag,
  summary: 'Unwind a transaction',
  description:
    "Cancels a transaction that is not paid out, or closes out an overdue one. A funded one needs a second operator's approval (202).",
  access: { ...access, fresh: true },
  params: transactionParams,
  body: Unwind,
  optionalBody: true,
  key: 'kept',
  conditional: 'possible',
  answers: { 200: OperatorTransaction, 202: Approval },
  problems: [...TRADE, 'already_exists', 'price_unavailable'],
});
