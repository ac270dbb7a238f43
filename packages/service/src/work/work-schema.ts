import { RESOLUTIONS } from '../deposits/exceptions.ts';
import { HOUSE_ACCOUNTS } from '../deposits/house-entries.ts';
import { LINE_PATTERN, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { EXCEPTION_TYPES } from './exception-schema.ts';
import { WAITING } from './work-counts.ts';

const strict = { additionalProperties: false } as const;
/** Items in one request. */
const COMMANDED_MAX = 100; // limit: Deposits or exceptions in one command

const count = {
  ageFromHours: Type.Integer({ description: 'At least so old.' }),
  ageToHours: nullable(Type.Integer({ description: 'Younger than that; null: however old.' })),
  count: Type.Integer({ description: 'Counted up to 1,000.' }),
  isMore: Type.Boolean({ description: 'There are more than were counted.' }),
};
export const DepositCounts = Type.Object({
  items: Type.Array(Type.Object({ status: literals(WAITING), ...count })),
});
export const ExceptionCounts = Type.Object({
  items: Type.Array(Type.Object({ type: literals(EXCEPTION_TYPES), ...count })),
});

const Version = Type.Optional(Type.Integer({ minimum: 1, description: 'Only when it has this version.' }));
const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description });
const Assignee = Type.Optional(nullable(line(100, 'Of assign: a person or a team; null: nobody.')));

export const DEPOSIT_COMMANDS = ['return', 'release', 'ignore', 'book', 'unmatch', 'assign', 'note'] as const;
export const CommandDeposits = Type.Object(
  {
    command: literals(DEPOSIT_COMMANDS, { description: 'As the routes of one deposit are called.' }),
    reason: line(500, 'Why; kept in the history of each.'),
    as: Type.Optional(literals(HOUSE_ACCOUNTS, { description: 'Of book, which needs it.' })),
    remember: Type.Optional(Type.Boolean({ description: 'Of release.' })),
    assignee: Assignee,
    items: Type.Array(Type.Object({ depositId: Type.String({ maxLength: 64 }), version: Version }, strict), {
      minItems: 1,
      maxItems: COMMANDED_MAX,
    }),
  },
  strict,
);
export type CommandDeposits = Static<typeof CommandDeposits>;

export const EXCEPTION_COMMANDS = ['assign', 'resolve', 'retry'] as const;
export const CommandExceptions = Type.Object(
  {
    command: literals(EXCEPTION_COMMANDS, { description: 'As the routes of one exception are called.' }),
    note: line(500, 'Kept in the history of each.'),
    resolution: Type.Optional(literals(RESOLUTIONS, { description: 'Of resolve, which needs it.' })),
    assignee: Assignee,
    items: Type.Array(
      Type.Object({ exceptionId: Type.String({ maxLength: 64 }), version: Version }, strict),
      { minItems: 1, maxItems: COMMANDED_MAX },
    ),
  },
  strict,
);
export type CommandExceptions = Static<typeof CommandExceptions>;

const outcome = {
  status: nullable(Type.String({ description: 'Of it afterwards.' })),
  version: nullable(Type.Integer()),
  problem: nullable(
    Type.Object(
      { code: Type.String(), status: Type.Integer(), detail: Type.String() },
      { additionalProperties: true },
    ),
  ),
};
const OUTCOMES = ['done', 'refused', 'failed'] as const;
export const DepositOutcomes = Type.Object({
  items: Type.Array(
    Type.Object({
      depositId: Type.String(),
      outcome: literals([...OUTCOMES, 'proposed'], {
        description: '`proposed`: a second person has to approve it. `failed`: it may be tried again.',
      }),
      approvalId: nullable(Type.String()),
      ...outcome,
    }),
    { description: 'In the order of the request.' },
  ),
});
export const ExceptionOutcomes = Type.Object({
  items: Type.Array(
    Type.Object({
      exceptionId: Type.String(),
      outcome: literals(OUTCOMES, { description: '`failed`: it may be tried again.' }),
      ...outcome,
    }),
    { description: 'In the order of the request.' },
  ),
});
