import { RESOLUTIONS } from '../deposits/exceptions.ts';
import { History } from '../deposits/order-schema.ts';
import { Instant, LINE_PATTERN, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { ORDER_NAMES } from './exception-orders.ts';

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
] as const;

const exception = {
  exceptionId: Type.String({ examples: ['exc_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  type: literals(EXCEPTION_TYPES),
  reason: Type.String(),
  status: literals(['open', 'resolved']),
  version: Type.Integer({ minimum: 1 }),
  depositId: nullable(Type.String()),
  transactionId: nullable(Type.String()),
  withdrawalId: nullable(Type.String()),
  returnId: nullable(Type.String({ description: 'What goes back of a deposit that it is about.' })),
  customerId: nullable(Type.String()),
  entryId: nullable(Type.String({ description: 'The entry of a statement that it is about.' })),
  assignee: nullable(Type.String()),
  openedAt: Instant,
  ageHours: Type.Integer({ description: 'Whole hours from opening to now, or to the resolution.' }),
  resolvedAt: nullable(Instant),
  resolution: nullable(
    Type.String({ description: 'What ended it: `matched`, `returned`, `ignored`, `acknowledged`, …' }),
  ),
};
export const ExceptionAnswer = Type.Object(exception);
export type ExceptionAnswer = Static<typeof ExceptionAnswer>;

export const ExceptionList = Type.Object({
  items: Type.Array(ExceptionAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

export const ExceptionDetail = Type.Object({
  ...exception,
  suggestions: Type.Array(
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
    { description: 'Transactions that the deposit may be for, the likeliest first. Only while it is open.' },
  ),
  orders: Type.Array(
    Type.Object({
      order: literals(ORDER_NAMES),
      path: Type.String({ description: 'Where to POST it.' }),
      body: Type.Record(Type.String(), Type.String(), {
        description: 'What of its body is known; besides, the reason and what you decide.',
      }),
    }),
    {
      description: 'What can be done about it now. Only while it is open.',
    },
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
          'What could not be applied: how often it was tried, why it failed last, and when it is tried again.',
      },
    ),
  ),
  history: History.properties.items,
});
export type ExceptionDetail = Static<typeof ExceptionDetail>;

const Note = Type.String({ minLength: 1, maxLength: 500, pattern: LINE_PATTERN });
export const ResolveException = Type.Object(
  {
    resolution: literals(RESOLUTIONS, {
      description: 'Money in suspense cannot be resolved away: match, return or ignore its deposit.',
    }),
    note: Note,
  },
  { additionalProperties: false },
);
export type ResolveException = Static<typeof ResolveException>;

export const RetryException = Type.Object({ note: Type.Optional(Note) }, { additionalProperties: false });
export type RetryException = Static<typeof RetryException>;

export const ExceptionParams = Type.Object({ exceptionId: Type.String() });

const text = (description: string) => Type.Optional(Type.String({ description }));
export const ExceptionQuery = Type.Object({
  type: text(`Repeatable or comma list of: ${EXCEPTION_TYPES.join(', ')}.`),
  age: text('Open for at least so many hours, 0 to 87600.'),
  assignee: text('Who is at work on it; `none`: nobody.'),
  status: text('`open` (default), `resolved` or `all`.'),
  customerId: text('Of this customer.'),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});
