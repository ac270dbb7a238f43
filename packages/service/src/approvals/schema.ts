import { Instant, LINE_PATTERN, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const ApprovalAnswer = Type.Object({
  approvalId: Type.String({ examples: ['apr_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  kind: Type.String({ description: 'What is proposed, such as `deposit_match`.' }),
  subject: Type.String({ description: 'Id of what it is about.' }),
  request: Type.Unsafe<unknown>({ description: 'What will be done, as it was proposed.' }),
  reason: Type.String(),
  status: literals(APPROVAL_STATUSES, {
    description:
      '`withdrawn`: rejected by the one who had proposed it. `expired`: nobody has decided in time.',
  }),
  proposedBy: Type.String({ description: 'OAuth client.' }),
  proposedAt: Instant,
  decidedBy: nullable(Type.String()),
  decidedAt: nullable(Instant),
  note: nullable(Type.String()),
});
export type ApprovalAnswer = Static<typeof ApprovalAnswer>;

export const ApprovalList = Type.Object({
  items: Type.Array(ApprovalAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

export const DecideApproval = Type.Object(
  { note: Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: LINE_PATTERN })) },
  { additionalProperties: false },
);
export type DecideApproval = Static<typeof DecideApproval>;

const text = (description: string) => Type.Optional(Type.String({ description }));
export const ApprovalQuery = Type.Object({
  status: text(`Repeatable or comma list of: ${APPROVAL_STATUSES.join(', ')}.`),
  kind: text('What is proposed.'),
  subject: text('Id of what it is about.'),
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor; bound to the filters.'),
});
export const ApprovalParams = Type.Object({ approvalId: Type.String() });
