import { operation } from '../operation.ts';
import { choice, instant, text } from '../parameters.ts';
import { Instant, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Who did what, and how it was before and after. */

export const AUDIT_KINDS = ['change', 'read', 'sign_in', 'refusal'] as const;
const maybeText = nullable(Type.String());

const AuditEntry = named(
  'AuditEntry',
  Type.Object(
    {
      number: Type.String({ description: 'In the order of writing; numbers may be missing.' }),
      at: Instant,
      kind: literals(AUDIT_KINDS),
      operation: Type.String({ description: 'Of this interface, or `command:…`, `sweep:…`.' }),
      resource: Type.String({ description: 'What it was done to, as a path.' }),
      subjects: Type.Array(Type.String(), { description: 'Ids in it and in what it changed, as UUIDs.' }),
      outcome: Type.String({ description: '`done`, or the code of the refusal.' }),
      actor: Type.Object({
        type: literals(['client', 'person', 'command', 'service', 'unknown']),
        id: maybeText,
        personId: maybeText,
        customerId: maybeText,
        tokenId: maybeText,
        address: maybeText,
      }),
      requestId: maybeText,
      approvalId: maybeText,
      count: Type.Integer({ description: 'Equal reads or refusals of a minute are one.' }),
      changes: Type.Array(
        Type.Object({
          table: Type.String(),
          key: Type.Optional(Type.Unsafe<unknown>({})),
          before: Type.Optional(Type.Unsafe<unknown>({})),
          after: Type.Optional(Type.Unsafe<unknown>({})),
        }),
        { description: 'Rows that changed, with the columns that differ.' },
      ),
    },
    { description: 'An act, written in the commit of what it changed.' },
  ),
);
export type AuditEntry = Static<typeof AuditEntry>;

const tag = 'Operator: audit';
const access = { audience: 'operator', scope: 'operator:audit' } as const;

export const listAudit = operation({
  id: 'listAudit',
  audited: 'read',
  method: 'GET',
  path: '/v1/operator/audit',
  tag,
  summary: 'List who did what, newest first',
  access,
  query: {
    kind: choice(AUDIT_KINDS, 'What it is.'),
    operation: text(80, 'Id of an operation.'),
    actor: text(64, 'Id of a client or a person.'),
    subject: text(64, 'Id of what was changed or read.'),
    requestId: text(128, 'Of `X-Request-Id`.'),
    from: instant('Not before.'),
    to: instant('Before.'),
  },
  pages: true,
  answers: { 200: pageOf(AuditEntry) },
});
