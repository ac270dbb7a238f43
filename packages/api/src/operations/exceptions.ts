import { operation } from '../operation.ts';
import { byDefault, choice, id, integer, list, strictId, text } from '../parameters.ts';
import { EXCEPTION } from '../problem-groups.ts';
import {
  CalendarDate,
  described,
  Instant,
  LINE_PATTERN,
  literals,
  Money,
  named,
  nullable,
  pageOf,
  Version,
} from '../schema.ts';
import { type Static, type TSchema, Type } from '../typebox.ts';
import { Assign, COMMANDED_MAX, ITEM_OUTCOMES, outcomeMembers, SAME_ON_MANY } from './deposit-commands.ts';
import { countMembers, EXCEPTION_TYPES, ExceptionTypeName, HistoryStep } from './deposits.ts';

/** What needs a person. */

/** How a person can be done with an exception without moving money. */
export const RESOLUTIONS = ['acknowledged', 'settled_outside'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];
/** What an exception may suggest to do about it. */
export const SUGGESTED_COMMANDS = [
  'match',
  'replace_top_up',
  'return',
  'ignore',
  'book',
  'release',
  'unmatch',
  'refund_excess',
  'another',
  'same',
  'never_booked',
  'forgive_shortfall',
  'roll_value_date',
  'redirect',
  'paid',
  'failed',
  'cancel',
  'retry_payout',
  'retry_refund',
  'retry',
  'resolve',
  'assign',
] as const;
export type SuggestedCommand = (typeof SUGGESTED_COMMANDS)[number];

const exception = {
  exceptionId: Type.String({ examples: ['exc_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  type: ExceptionTypeName,
  reason: Type.String(),
  status: literals(['open', 'resolved']),
  version: Version,
  depositId: nullable(Type.String()),
  transactionId: nullable(Type.String()),
  withdrawalId: nullable(Type.String()),
  returnId: nullable(Type.String({ description: 'The deposit return that it is about.' })),
  customerId: nullable(Type.String()),
  entryId: nullable(Type.String({ description: 'The statement entry that it is about.' })),
  sum: nullable(
    described(Money, 'Amount that the bank reported or that is to be paid; null if there is no single one.'),
  ),
  logFault: nullable(Type.String({ description: 'The row of a sealed log that it is about.' })),
  report: nullable(
    named(
      'ExceptionReport',
      Type.Object(
        {
          scheduleId: Type.String(),
          slot: described(CalendarDate, 'The scheduled day without a report.'),
          reportId: nullable(Type.String({ description: 'The run that failed; null if none could start.' })),
        },
        { description: 'The scheduled report that it is about.' },
      ),
    ),
  ),
  assignee: nullable(Type.String()),
  openedAt: Instant,
  ageHours: Type.Integer({ description: 'Whole hours from opening to now, or to the resolution.' }),
  resolvedAt: nullable(Instant),
  resolution: nullable(
    Type.String({ description: 'What ended it: `matched`, `returned`, `ignored`, `acknowledged`, …' }),
  ),
};
const ReconciliationException = named('ReconciliationException', Type.Object(exception));
export type ReconciliationException = Static<typeof ReconciliationException>;

const Suggestion = named(
  'MatchSuggestion',
  Type.Object({
    transactionId: Type.String(),
    customerId: Type.String(),
    reference: Type.String(),
    status: Type.String(),
    currency: Type.String(),
    outstandingAmount: Type.String(),
    score: Type.Integer({ description: '0 to 100.' }),
    reasonsFor: Type.Array(Type.String()),
    reasonsAgainst: Type.Array(Type.String()),
  }),
);
const ExceptionDetail = named(
  'ReconciliationExceptionDetail',
  Type.Object({
    ...exception,
    suggestions: Type.Array(Suggestion, {
      description: 'Transactions that the deposit may be for, the likeliest first. Only while it is open.',
    }),
    orders: Type.Array(
      Type.Object({
        order: literals(SUGGESTED_COMMANDS),
        path: Type.String({ description: 'Where to POST it.' }),
        body: Type.Unsafe<Readonly<Record<string, string>>>({
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'The known part of its body; add the reason and what you decide.',
        }),
      }),
      { description: 'What you can do about it now. Only while it is open.' },
    ),
    failure: nullable(
      Type.Object(
        {
          attempts: Type.Integer(),
          reason: Type.String(),
          detail: nullable(Type.String()),
          firstAt: Instant,
          lastAt: Instant,
          nextAt: Instant,
        },
        {
          description:
            'What could not be applied: how often it was tried, why it failed last, and when it is retried.',
        },
      ),
    ),
    history: Type.Array(HistoryStep),
  }),
);
export type ExceptionDetail = Static<typeof ExceptionDetail>;

const request = { additionalProperties: false } as const;
const Note = Type.String({ minLength: 1, maxLength: 500, pattern: LINE_PATTERN });
const ResolveException = Type.Object(
  {
    resolution: literals(RESOLUTIONS, {
      description: 'Refused while money is in suspense: match, return or ignore its deposit.',
    }),
    note: Note,
  },
  request,
);
const RetryException = Type.Object({ note: Type.Optional(Note) }, request);

const tag = 'Operator: exceptions';
const access = { audience: 'operator', scope: 'operator:deposits' } as const;
const PATH = '/v1/operator/exceptions';
const params = { exceptionId: id('exc') };

export const listExceptions = operation({
  id: 'listExceptions',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List exceptions, longest waiting first',
  description: 'Open ones, unless `status` says otherwise.',
  access,
  query: {
    type: list(EXCEPTION_TYPES),
    age: integer(0, 87_600, 'Open for at least this many hours.'),
    assignee: text(100, 'Who works on it; `none`: nobody.'),
    status: byDefault(choice(['open', 'resolved', 'all']), 'open'),
    customerId: strictId('cus', 'Of this customer.'),
    depositId: strictId('dep', 'About this deposit.'),
  },
  pages: true,
  answers: { 200: pageOf(ReconciliationException) },
});

export const countExceptions = operation({
  id: 'countExceptions',
  method: 'GET',
  path: `${PATH}/counts`,
  tag,
  summary: 'Count open exceptions by type and age',
  description: 'By hours since opening, from 0, 24, 72 and 168. A count ends at 1,000 (`isMore`).',
  access,
  answers: {
    200: Type.Object({
      items: Type.Array(named('ExceptionCount', Type.Object({ type: ExceptionTypeName, ...countMembers }))),
    }),
  },
});

export const getException = operation({
  id: 'getException',
  method: 'GET',
  path: `${PATH}/{exceptionId}`,
  tag,
  summary: 'Read an exception',
  description:
    'Returns its history, what you can do about it, and the transactions that its deposit may be for.',
  access,
  params,
  versioned: true,
  answers: { 200: ExceptionDetail },
  problems: ['exception_not_found'],
});

/** A command on one exception, whose answer is the exception as it is after it. */
function command<const Id extends string, const Body extends TSchema>(
  name: Id,
  verb: string,
  summary: string,
  description: string,
  body: Body,
) {
  return operation({
    id: name,
    method: 'POST',
    path: `${PATH}/{exceptionId}/${verb}`,
    tag,
    summary,
    description,
    access,
    params,
    body,
    key: 'kept',
    conditional: 'possible',
    answers: { 200: ReconciliationException },
    problems: EXCEPTION,
  });
}

export const assignException = command(
  'assignException',
  'assign',
  'Assign an exception',
  'Rules no longer match its deposit automatically. A resolved exception is refused (`invalid_state_transition`).',
  Assign,
);
export const resolveException = command(
  'resolveException',
  'resolve',
  'Close an exception without moving money',
  'Refused with `invalid_state_transition` while money is in suspense or its statement entry is not booked: decide about these first.',
  ResolveException,
);
export const retryException = command(
  'retryException',
  'retry',
  'Retry now what could not be applied',
  'For the type `not_applied`. The service retries by itself too, at most an hour apart, and closes the exception once it succeeds.',
  RetryException,
);

const EXCEPTION_COMMANDS = ['assign', 'resolve', 'retry'] as const;
const CommandExceptions = Type.Object(
  {
    command: literals(EXCEPTION_COMMANDS, { description: 'Name of the command on one exception.' }),
    note: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: LINE_PATTERN,
      description: 'Kept in the history of each.',
    }),
    resolution: Type.Optional(literals(RESOLUTIONS, { description: 'Required for `resolve`.' })),
    assignee: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: LINE_PATTERN,
          description: 'For `assign`: a person or a team; null: nobody.',
        }),
      ),
    ),
    items: Type.Array(
      Type.Object(
        {
          exceptionId: Type.String({ maxLength: 64 }),
          version: Type.Optional(Type.Integer({ minimum: 1, description: 'Only if it has this version.' })),
        },
        request,
      ),
      { minItems: 1, maxItems: COMMANDED_MAX },
    ),
  },
  request,
);

export const commandExceptions = operation({
  id: 'commandExceptions',
  method: 'POST',
  path: `${PATH}/commands`,
  tag,
  summary: 'Run one command on many exceptions',
  description: SAME_ON_MANY,
  access,
  body: CommandExceptions,
  key: 'kept',
  answers: {
    200: Type.Object({
      items: Type.Array(
        named(
          'ExceptionOutcome',
          Type.Object({
            exceptionId: Type.String(),
            outcome: literals(ITEM_OUTCOMES, { description: '`failed`: you can retry it.' }),
            ...outcomeMembers,
          }),
        ),
        { description: 'In the order of the request.' },
      ),
    }),
  },
});
