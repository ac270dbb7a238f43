import { operation } from '../operation.ts';
import { id } from '../parameters.ts';
import { CHANGE, DEPOSIT, DEPOSIT_RETURN } from '../problem-groups.ts';
import type { ProblemCode } from '../problems/registry.ts';
import { Amount, described, LINE_PATTERN, literals, named, nullable } from '../schema.ts';
import { type Static, type TSchema, Type } from '../typebox.ts';
import { Approval } from './approvals.ts';
import { Deposit } from './deposits.ts';
import { HOUSE_ACCOUNTS } from './ledger.ts';

/** What people do with deposits. */

/** More trades than that are never paid with one deposit by hand. */
export const SPLIT_MAX = 20; // limit: Trades that a person may pay with one deposit
/** Items in one request. */
export const COMMANDED_MAX = 100; // limit: Deposits or exceptions in one command

const request = { additionalProperties: false } as const;
const line = (maxLength: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: LINE_PATTERN,
    ...(description !== undefined && { description }),
  });
const Reason = named('HistoryReason', line(500, 'Why; kept in the history.'));

const MatchDeposit = Type.Object(
  {
    allocations: Type.Optional(
      Type.Array(
        Type.Object(
          {
            transactionId: Type.String({ maxLength: 64 }),
            amount: Type.Optional(Amount),
            forgiveShortfall: Type.Optional(
              Type.Boolean({ description: 'The house bears what is missing.' }),
            ),
          },
          request,
        ),
        { minItems: 1, maxItems: SPLIT_MAX, description: 'One or more transactions.' },
      ),
    ),
    balance: Type.Optional(
      Type.Object(
        {
          customerId: Type.String({ maxLength: 64 }),
          amount: Type.Optional(Amount),
        },
        { ...request, description: 'Instead of transactions: the balance to top up.' },
      ),
    ),
    isAnotherPayment: Type.Optional(
      Type.Boolean({
        description:
          'It is not the payment with which a balance was topped up by hand under the same bank reference; if it is, use `replaceTopUp`.',
      }),
    ),
    reason: Reason,
  },
  request,
);

const ReplaceTopUp = Type.Object(
  {
    customerId: Type.String({ maxLength: 64, description: 'The customer whose balance was topped up.' }),
    bankReference: line(140, 'The bank reference under which it was topped up by hand.'),
    amount: Type.Optional(
      described(Amount, 'How much of the deposit is for the balance. Default: all that is free.'),
    ),
    reason: Reason,
  },
  request,
);

const UnmatchDeposit = Type.Object(
  {
    transactionId: Type.Optional(Type.String({ maxLength: 64 })),
    balance: Type.Optional(Type.Literal(true, { description: 'Take it only from the balance.' })),
    reason: Reason,
  },
  request,
);

const ReturnDeposit = Type.Object(
  {
    returnedBy: Type.Optional(
      literals(['house', 'remitter_bank'], {
        description:
          '`house` (default): the house sends back what no transaction uses. `remitter_bank`: the remitter’s bank took all of it back.',
      }),
    ),
    amount: Type.Optional(Amount),
    bankReference: Type.Optional(line(140)),
    account: Type.Optional(
      Type.Object(
        {
          accountHolder: Type.Optional(line(140)),
          iban: Type.Optional(Type.String({ maxLength: 42 })),
          accountNumber: Type.Optional(Type.String({ maxLength: 42 })),
          bic: Type.Optional(Type.String({ maxLength: 11 })),
          routingNumber: Type.Optional(Type.String({ maxLength: 20 })),
        },
        {
          ...request,
          description:
            'Where the house sends it. Default: the account that it came from; required if that is unknown.',
        },
      ),
    ),
    paidOutside: Type.Optional(
      Type.Boolean({
        description:
          'The house already paid it without a settlement run; needs two operators. Default: the next run pays it.',
      }),
    ),
    reason: Reason,
  },
  request,
);

const ReleaseDeposit = Type.Object(
  {
    remember: Type.Optional(
      Type.Boolean({
        description: 'Treats this account as the customer’s own from now on. Default: only this once.',
      }),
    ),
    reason: Reason,
  },
  request,
);

const ForgiveShortfall = Type.Object(
  {
    transactionId: Type.String({
      maxLength: 64,
      description: 'A transaction that uses part of the deposit.',
    }),
    amount: described(Amount, 'The exact shortfall; other amounts are refused.'),
    reason: Reason,
  },
  request,
);

const BookDeposit = Type.Object(
  { as: literals(HOUSE_ACCOUNTS, { description: 'Ledger account to book the money to.' }), reason: Reason },
  request,
);
const OnlyReason = Type.Object({ reason: Reason }, request);
const AddNote = Type.Object({ note: Reason }, request);
const ReturnPaid = Type.Object({ bankReference: line(140), reason: Reason }, request);
/** Who works on something from now on. */
export const Assign = Type.Object(
  {
    assignee: nullable(line(100, 'A person or a team; null: nobody.')),
    note: Type.Optional(Reason),
  },
  request,
);

const tag = 'Operator: deposits';
const access = { audience: 'operator', scope: 'operator:deposits' } as const;
const PATH = '/v1/operator/deposits';
const ofDeposit = { depositId: id('dep') };
const ofReturn = { ...ofDeposit, returnId: id('dpr') };
const TWO_PERSONS = 'Above the approval limit, a second operator must approve it (202).';

/** A command on one deposit that moves money. */
function command<const Id extends string, const Body extends TSchema>(
  name: Id,
  verb: string,
  summary: string,
  body: Body,
  description: string,
  problems: readonly ProblemCode[] = DEPOSIT,
) {
  return operation({
    ...onDeposit(name, verb, summary, body, problems),
    description: `${description} ${TWO_PERSONS}`,
    answers: { 200: Deposit, 202: Approval },
  });
}

/** A command on one deposit, whose answer is the deposit as it is after it. */
function onDeposit<const Id extends string, const Body extends TSchema>(
  name: Id,
  verb: string,
  summary: string,
  body: Body,
  problems: readonly ProblemCode[],
) {
  return operation({
    id: name,
    method: 'POST',
    path: `${PATH}/{depositId}/${verb}`,
    tag,
    summary,
    access: verb === 'return' ? { ...access, fresh: true } : access,
    params: ofDeposit,
    body,
    key: 'kept',
    conditional: 'possible',
    answers: { 200: Deposit },
    problems,
  });
}

export const matchDeposit = command(
  'matchDeposit',
  'match',
  'Match a deposit by hand',
  MatchDeposit,
  'Allocates it to one or more transactions, or to a balance.',
  [...DEPOSIT, 'transaction_not_found', 'customer_not_found', 'currency_not_supported'],
);
export const replaceTopUp = command(
  'replaceTopUp',
  'replace-top-up',
  'Give a deposit the place of a top-up by hand',
  ReplaceTopUp,
  'For a deposit that is the money of a top-up booked by hand, under another bank reference or with another amount. The balance keeps what the deposit has; only the difference is credited or debited.',
  [...DEPOSIT, 'customer_not_found', 'currency_not_supported'],
);
export const unmatchDeposit = command(
  'unmatchDeposit',
  'unmatch',
  'Undo the match of a deposit',
  UnmatchDeposit,
  'Undoes all its allocations, or one, until a payout begins. The money returns to suspense.',
);
export const returnDeposit = command(
  'returnDeposit',
  'return',
  'Return a deposit to its remitter',
  ReturnDeposit,
  'Sends back what no transaction uses, or records that the remitter’s bank took all of it back.',
);
export const releaseDeposit = command(
  'releaseDeposit',
  'release',
  'Release a deposit that somebody else paid',
  ReleaseDeposit,
  'It is then matched, whoever paid it.',
);
export const forgiveShortfall = command(
  'forgiveShortfall',
  'forgive',
  'Forgive the shortfall of a deposit',
  ForgiveShortfall,
  'Completes a transaction that the deposit paid in part; the house bears what is missing.',
);
export const ignoreDeposit = command(
  'ignoreDeposit',
  'ignore',
  'Set a deposit aside',
  OnlyReason,
  'Its money stays in suspense.',
);
export const bookDeposit = command(
  'bookDeposit',
  'book',
  'Book a deposit as money of the house',
  BookDeposit,
  'For a deposit that is wholly the house’s own, such as interest.',
);
export const assignDeposit = operation({
  ...onDeposit('assignDeposit', 'assign', 'Assign a deposit', Assign, ['deposit_not_found', ...CHANGE]),
  description:
    'Assigns its open exception; without one, 409 `invalid_state_transition`. Rules no longer match the deposit automatically.',
});
export const addDepositNote = operation({
  ...onDeposit('addDepositNote', 'note', 'Add a note to a deposit', AddNote, [
    'deposit_not_found',
    ...CHANGE,
  ]),
  description: 'The note goes into its history. Rules no longer match the deposit automatically.',
});

export const confirmDepositReturn = operation({
  ...onDeposit(
    'confirmDepositReturn',
    'returns/{returnId}/paid',
    'Confirm the return of a deposit',
    ReturnPaid,
    DEPOSIT_RETURN,
  ),
  access: { ...access, fresh: true },
  description: 'For when no statement reports that the bank sent it back.',
  params: ofReturn,
});
export const failDepositReturn = operation({
  ...onDeposit(
    'failDepositReturn',
    'returns/{returnId}/failed',
    'Report the failed return of a deposit',
    OnlyReason,
    DEPOSIT_RETURN,
  ),
  access: { ...access, fresh: true },
  description:
    'For when the bank rejected it or sent it back and no file reports that. The money returns to suspense.',
  params: ofReturn,
});
export const cancelDepositReturn = operation({
  ...onDeposit(
    'cancelDepositReturn',
    'returns/{returnId}/cancel',
    'Cancel the return of a deposit',
    OnlyReason,
    DEPOSIT_RETURN,
  ),
  description: 'The money is not sent and returns to suspense.',
  params: ofReturn,
});

const ItemVersion = Type.Optional(Type.Integer({ minimum: 1, description: 'Only if it has this version.' }));
const DEPOSIT_COMMANDS = ['return', 'release', 'ignore', 'book', 'unmatch', 'assign', 'note'] as const;
const CommandDeposits = Type.Object(
  {
    command: literals(DEPOSIT_COMMANDS, { description: 'Name of the command on one deposit.' }),
    reason: line(500, 'Why; kept in the history of each.'),
    as: Type.Optional(literals(HOUSE_ACCOUNTS, { description: 'Required for `book`.' })),
    remember: Type.Optional(Type.Boolean({ description: 'For `release`.' })),
    assignee: Type.Optional(nullable(line(100, 'For `assign`: a person or a team; null: nobody.'))),
    items: Type.Array(
      Type.Object({ depositId: Type.String({ maxLength: 64 }), version: ItemVersion }, request),
      { minItems: 1, maxItems: COMMANDED_MAX },
    ),
  },
  request,
);

/** What became of one of many, beside what it is and its outcome. */
export const outcomeMembers = {
  status: nullable(Type.String({ description: 'Its status afterwards.' })),
  version: nullable(Type.Integer()),
  problem: nullable(
    named(
      'ItemProblem',
      Type.Object(
        { code: Type.String(), status: Type.Integer(), detail: Type.String() },
        { additionalProperties: true },
      ),
    ),
  ),
};
export const ITEM_OUTCOMES = ['done', 'refused', 'failed'] as const;
export const SAME_ON_MANY =
  'Each item runs in its own commit, like the command on one. The response is always 200; each item has its own outcome.';

const DepositOutcome = named(
  'DepositOutcome',
  Type.Object({
    depositId: Type.String(),
    outcome: literals([...ITEM_OUTCOMES, 'proposed'], {
      description: '`proposed`: a second person must approve it. `failed`: you can retry it.',
    }),
    approvalId: nullable(Type.String()),
    ...outcomeMembers,
  }),
);
export type DepositOutcome = Static<typeof DepositOutcome>;

export const commandDeposits = operation({
  id: 'commandDeposits',
  method: 'POST',
  path: `${PATH}/commands`,
  tag,
  summary: 'Run one command on many deposits',
  description: SAME_ON_MANY,
  access: { ...access, fresh: true },
  body: CommandDeposits,
  key: 'kept',
  answers: {
    200: Type.Object({
      items: Type.Array(DepositOutcome, { description: 'In the order of the request.' }),
    }),
  },
});
