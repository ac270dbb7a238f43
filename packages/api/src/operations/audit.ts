import { operation } from '../operation.ts';
import { byDefault, choice, instant, integer, required, text } from '../parameters.ts';
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

/** Logs whose rows are sealed. */
export const LOGS = ['audit', 'journal'] as const;
/** What every language holds in a whole number: more rows than a log gets in years. */
const ROWS_MAX = 2_147_483_647;
const log = byDefault(choice(LOGS, 'The audit trail or the journal.'), 'audit');
const size = (description: string) => integer(0, ROWS_MAX, description);

const LogHead = named(
  'LogHead',
  Type.Object(
    {
      log: literals(LOGS),
      size: Type.Integer({ description: 'Rows.' }),
      root: Type.String({ description: 'Of the tree of their hashes (RFC 9162), in hex.' }),
      signedAt: Instant,
      jws: Type.String({ description: 'Log, size and root, signed by a key of `/.well-known/jwks.json`.' }),
    },
    { description: 'What a log came to.' },
  ),
);

const LogProof = named(
  'LogProof',
  Type.Object({
    head: LogHead,
    hashes: Type.Array(Type.String(), { description: 'Beside the way to the root, in hex.' }),
    earlier: Type.Optional(LogHead),
    index: Type.Optional(Type.Integer({ description: 'The place of the row, from 0.' })),
    line: Type.Optional(Type.String({ description: 'What is hashed of the row.' })),
  }),
);

export const listLogHeads = operation({
  id: 'listLogHeads',
  method: 'GET',
  path: '/v1/operator/audit/heads',
  tag,
  summary: 'List the signed heads of a log, newest first',
  access,
  query: { log },
  pages: true,
  answers: { 200: pageOf(LogHead) },
});

export const signLogHead = operation({
  id: 'signLogHead',
  method: 'POST',
  path: '/v1/operator/audit/heads',
  tag,
  summary: 'Sign what a log comes to now',
  description: 'Rows of the last seconds are for the next head. Once a day one is signed anyway.',
  access,
  query: { log },
  key: 'kept',
  unlocated: true,
  answers: { 200: LogHead },
});

export const proveLogGrowth = operation({
  id: 'proveLogGrowth',
  method: 'GET',
  path: '/v1/operator/audit/consistency',
  tag,
  summary: 'Prove that a log has only grown',
  description: 'Between two signed heads (RFC 9162 §2.1.4).',
  access,
  query: {
    log,
    earlier: required(size('Of the first head.')),
    size: size('Of the second; default: the last.'),
  },
  answers: { 200: LogProof },
});

export const proveLogRow = operation({
  id: 'proveLogRow',
  audited: 'read',
  method: 'GET',
  path: '/v1/operator/audit/inclusion',
  tag,
  summary: 'Prove that a row is in a log',
  description: 'Under a signed head (RFC 9162 §2.1.3).',
  access,
  query: {
    log,
    row: required(text(64, 'Its `number`, or `entryId`.')),
    size: size('Of the head; default: the last.'),
  },
  answers: { 200: LogProof },
});

export const exportLog = operation({
  id: 'exportLog',
  audited: 'read',
  method: 'GET',
  path: '/v1/operator/audit/export',
  tag,
  summary: 'Download a log, to be verified offline',
  description:
    'A line of JSON for each row, seals between them, and a signed head at the end. Whole seals: a range may hold some rows more.',
  access,
  media: 'anything',
  query: {
    log,
    from: instant('Sealed not before.'),
    to: instant('Sealed before.'),
    fromSize: size('After so many rows.'),
    toSize: size('Up to so many rows.'),
  },
  answers: {
    200: {
      description: 'The log.',
      content: { 'application/x-ndjson': Type.String() },
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
});
