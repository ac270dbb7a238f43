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
      number: Type.String({ description: 'Ascending, possibly with gaps.' }),
      at: Instant,
      kind: literals(AUDIT_KINDS),
      operation: Type.String({ description: 'Operation id, or `command:…` or `sweep:…`.' }),
      resource: Type.String({ description: 'Path of what it acted on.' }),
      subjects: Type.Array(Type.String(), { description: 'Ids in the path and in the changes, as UUIDs.' }),
      outcome: Type.String({ description: '`done`, or the problem code.' }),
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
      count: Type.Integer({ description: 'Equal reads or refusals in a minute are merged.' }),
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
    { description: 'An action, committed together with its changes.' },
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
  description:
    'Each change was recorded in its own commit. Secrets are never shown. Times are real, even in a sandbox whose clock was moved.',
  access,
  query: {
    kind: choice(AUDIT_KINDS, 'Kind of entry.'),
    operation: text(80, 'Id of an operation.'),
    actor: text(64, 'Id of a client or a person.'),
    subject: text(64, 'Id of what was changed or read.'),
    requestId: text(128, 'The `X-Request-Id`.'),
    from: instant('Inclusive.'),
    to: instant('Exclusive.'),
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
      size: Type.Integer({ description: 'Number of rows.' }),
      root: Type.String({ description: 'Root of the tree of row hashes (RFC 9162), in hex.' }),
      signedAt: Instant,
      jws: Type.String({ description: 'Log, size and root, signed by a key in `/.well-known/jwks.json`.' }),
    },
    { description: 'The signed head of a log.' },
  ),
);

const LogProof = named(
  'LogProof',
  Type.Object({
    head: LogHead,
    hashes: Type.Array(Type.String(), { description: 'Hashes of the proof, in hex.' }),
    earlier: Type.Optional(LogHead),
    index: Type.Optional(Type.Integer({ description: 'Index of the row, from 0.' })),
    line: Type.Optional(Type.String({ description: 'The hashed text of the row.' })),
  }),
);

export const listLogHeads = operation({
  id: 'listLogHeads',
  method: 'GET',
  path: '/v1/operator/audit/heads',
  tag,
  summary: 'List the signed heads of a log, newest first',
  description: 'Keep them elsewhere: they prove later that the log has only grown.',
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
  summary: 'Sign the current head of a log',
  description: 'Rows of the last seconds wait for the next head. The service also signs one every day.',
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
  description: 'Returns a consistency proof between two signed heads (RFC 9162 §2.1.4).',
  access,
  query: {
    log,
    earlier: required(size('Size of the first head.')),
    size: size('Size of the second head; default: the latest.'),
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
  description: 'Returns an inclusion proof under a signed head (RFC 9162 §2.1.3).',
  access,
  query: {
    log,
    row: required(text(64, '`number` (audit) or `entryId` (journal).')),
    size: size('Size of the head; default: the latest.'),
  },
  answers: { 200: LogProof },
});

export const exportLog = operation({
  id: 'exportLog',
  audited: 'read',
  method: 'GET',
  path: '/v1/operator/audit/export',
  tag,
  summary: 'Download a log for offline verification',
  description:
    'One JSON line per row, with seals in between and a signed head at the end. Ranges extend to whole seals, so a few more rows may be included.',
  access,
  media: 'anything',
  query: {
    log,
    from: instant('Sealed at or after this instant.'),
    to: instant('Sealed before this instant.'),
    fromSize: size('Begin after this many rows.'),
    toSize: size('End after this many rows.'),
  },
  answers: {
    200: {
      description: 'The log.',
      content: { 'application/x-ndjson': Type.String() },
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
});
