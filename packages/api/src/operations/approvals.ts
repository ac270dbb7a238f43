import { PROPOSAL_KINDS } from '../command-kinds.ts';
import { operation } from '../operation.ts';
import { choice, id, list, text } from '../parameters.ts';
import { DEPOSIT, TRADE } from '../problem-groups.ts';
import { Instant, LINE_PATTERN, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import * as examples from './answer-examples.ts';

/** Four eyes: what one operator proposed, another one approves or rejects. */

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

const PersonId = Type.String({ examples: ['per_01jngx7z5d2r4v6t9k3b1c0a8m'] });

/** What is before and after, member by member. */
export const ApprovalEffects = named(
  'CommandEffects',
  Type.Array(
    Type.Object({
      at: Type.String({ description: 'JSON Pointer into what the command changes; empty: all of it.' }),
      before: Type.Unsafe<unknown>({ description: 'Null: did not exist.' }),
      after: Type.Unsafe<unknown>({ description: 'Null: removed.' }),
    }),
    { description: 'What changes. Ids and times assigned on execution are `(new)`.' },
  ),
);

const Deciding = Type.Object(
  {
    mayApprove: Type.Boolean(),
    mayReject: Type.Boolean({ description: 'Or withdraw, if you proposed it.' }),
    whyNot: nullable(
      literals(['decided', 'own', 'maker', 'insufficient_scope', 'nobody_answers', 'outdated'], {
        description:
          'Why you may not approve it. `decided`: it is no longer pending. `own`: you proposed it. `maker`: you made what it acts on, such as a payment file. `nobody_answers`: nobody is responsible for your client. `outdated`: its proposer may no longer do it.',
      }),
    ),
    requiredScope: nullable(Type.String({ description: 'The missing scope, with `insufficient_scope`.' })),
  },
  { description: 'What you may do with it. Present only when you read proposals.' },
);
export type Deciding = Static<typeof Deciding>;

export const Approval = named(
  'Approval',
  Type.Object(
    {
      approvalId: Type.String({ examples: ['apr_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
      kind: literals(PROPOSAL_KINDS, { description: 'What is proposed.' }),
      subject: Type.String({ description: 'Id of what it is about.' }),
      request: Type.Unsafe<unknown>({ description: 'The command as it was proposed.' }),
      reason: Type.String(),
      why: Type.Array(Type.String(), { description: 'Why it needs two people.' }),
      effects: ApprovalEffects,
      effectsDigest: nullable(Type.String({ description: 'Digest of `effects`, to send when you approve.' })),
      affected: Type.Array(Type.String(), { description: 'Who else it affects.' }),
      result: Type.Unsafe<unknown>({ description: 'The result once approved, without secrets.' }),
      invitationLink: Type.Optional(
        Type.String({ description: 'For the person; shown only once, to the approver.' }),
      ),
      clientSecret: Type.Optional(
        Type.String({ description: 'Shown only once, to the proposer; works after the approval.' }),
      ),
      status: literals(APPROVAL_STATUSES, {
        description: '`withdrawn`: rejected by its proposer. `expired`: not decided in time.',
      }),
      proposedBy: Type.String({ description: 'Person or OAuth client.' }),
      proposedByPerson: nullable(PersonId),
      proposedAt: Instant,
      decidedBy: nullable(Type.String()),
      decidedByPerson: nullable(PersonId),
      decidedAt: nullable(Instant),
      note: nullable(Type.String()),
      deciding: Type.Optional(Deciding),
    },
    { description: 'A proposal for a second person to decide.' },
  ),
  examples.approval,
);
export type Approval = Static<typeof Approval>;

const Note = Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: LINE_PATTERN }));
const DecideApproval = Type.Object({ note: Note }, { additionalProperties: false });
const Approve = Type.Object(
  {
    note: Note,
    effectsDigest: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'Digest of the effects that you saw. Default: that of the proposal. If the effects differ by now, nothing is done.',
      }),
    ),
  },
  { additionalProperties: false },
);

const tag = 'Operator: approvals';
const access = { audience: 'operator', scope: 'operator:approvals' } as const;
const params = { approvalId: id('apr') };

export const listApprovals = operation({
  id: 'listApprovals',
  method: 'GET',
  path: '/v1/operator/approvals',
  tag,
  summary: 'List proposals, newest first',
  description: 'Includes those decided or expired.',
  access,
  query: {
    status: list(APPROVAL_STATUSES),
    kind: choice(PROPOSAL_KINDS, 'What is proposed.'),
    subject: text(64, 'Id of what it is about.'),
  },
  pages: true,
  answers: { 200: pageOf(Approval) },
});

export const getApproval = operation({
  id: 'getApproval',
  audited: 'read',
  method: 'GET',
  path: '/v1/operator/approvals/{approvalId}',
  tag,
  summary: 'Read a proposal',
  description: '`effects` shows values before and after, `deciding` whether you may decide, and if not, why.',
  access,
  params,
  answers: { 200: Approval },
  problems: ['approval_not_found'],
});

export const approve = operation({
  id: 'approve',
  method: 'POST',
  path: '/v1/operator/approvals/{approvalId}/approve',
  tag,
  summary: 'Approve a proposal and carry it out',
  description:
    'Done in the same commit, with the rights that the proposer has now. Your own proposal is 403 `second_person_required`. If its effects would now differ, 409 `proposal_outdated` shows them: approve again with that `effectsDigest`, or reject.',
  access: { ...access, fresh: true },
  params,
  body: Approve,
  optionalBody: true,
  key: 'kept',
  answers: { 200: Approval },
  // Approving does what was proposed, which looks at everything anew but for what its proposal was read from.
  problems: [
    'approval_not_found',
    'approval_expired',
    'second_person_required',
    'currency_not_supported',
    'customer_not_found',
    'limit_exceeded',
    'settlement_instructions_missing',
    ...TRADE,
    'price_unavailable',
    ...DEPOSIT,
    'settlement_run_not_found',
    'statement_file_not_found',
    'statement_entry_not_found',
    'statement_refused',
    'proposal_outdated',
  ],
});

export const rejectApproval = operation({
  id: 'rejectApproval',
  method: 'POST',
  path: '/v1/operator/approvals/{approvalId}/reject',
  tag,
  summary: 'Reject a proposal, or withdraw one of your own',
  description: 'Nothing is done, for good; the command can be proposed again.',
  access,
  params,
  body: DecideApproval,
  optionalBody: true,
  key: 'kept',
  answers: { 200: Approval },
  problems: ['approval_not_found', 'approval_expired', 'invalid_state_transition'],
});
