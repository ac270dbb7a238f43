import { CHARGE_BEARERS, SCHEMES } from '@firmquote/bank-formats';
import { operation } from '../operation.ts';
import {
  byDefault,
  choice,
  currency,
  date,
  id,
  list,
  required,
  segment,
  strictCurrency,
} from '../parameters.ts';
import { RUN } from '../problem-groups.ts';
import {
  CalendarDate,
  CurrencyCode,
  described,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  pageOf,
} from '../schema.ts';
import { Type } from '../typebox.ts';
import { Approval } from './approvals.ts';

/** Settlement runs: what is to be paid becomes a file for the bank. */

export const RUN_STATUSES = ['created', 'sent', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const FILE_FORMATS = ['pain.001', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
const NO_FILE = {
  code: 'settlement_run_not_found',
  detail: `A run has the files ${FILE_FORMATS.join(' and ')}.`,
} as const;
export const SPEEDS = ['normal', 'instant', 'urgent'] as const;
export type Speed = (typeof SPEEDS)[number];
/** Why something that is due is not in a run. */
export const EXCLUSIONS = [
  'customer_suspended',
  'not_in_statement',
  'deposit_returned',
  'no_account',
  'instruction_retired',
  'account_waits',
  'bank_unknown',
  'bank_country_differs',
  'name_not_representable',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

const Adjustments = Type.Array(
  Type.Object({ field: Type.String(), given: Type.String(), sent: Type.String() }),
  { description: "Changed to fit the banks' character set or length." },
);
/** What a payment is for: the one that is not null. */
const subject = {
  transactionId: nullable(Type.String()),
  withdrawalId: nullable(Type.String()),
  returnId: nullable(Type.String({ description: 'The return of a deposit.' })),
};
/** Who is paid, as the file says it, for those who may read the file. */
const payee = {
  payeeName: nullable(Type.String()),
  payeeAccount: nullable(Type.String({ description: 'IBAN or account number.' })),
};
const PURPOSES = ['payout', 'refund', 'withdrawal', 'deposit_return'] as const;
const Transaction = {
  ...subject,
  customerId: nullable(Type.String()),
  purpose: literals(PURPOSES),
  amount: Type.String(),
};

const CreateRun = Type.Object(
  {
    currency: CurrencyCode,
    valueDate: described(CalendarDate, 'Payouts of this value date and earlier ones.'),
    chargeBearer: Type.Optional(
      literals(CHARGE_BEARERS, { description: 'For payments outside SEPA. Default: shared.' }),
    ),
    speed: Type.Optional(
      literals(SPEEDS, {
        description:
          '`instant`: SEPA payments as instant ones, others as usual. `urgent`: all, with high priority (`URGP`). Default: normal; euro amounts above the SEPA maximum are always urgent.',
      }),
    ),
    previewDigest: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          '`digest` of the preview that you saw. If the run would pay anything else by now: 412 `version_mismatch`.',
      }),
    ),
  },
  { additionalProperties: false },
);

const CancelRun = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: LINE_PATTERN,
        description: 'For the second person, where one is needed.',
      }),
    ),
  },
  { additionalProperties: false },
);

const RunPreview = named(
  'SettlementRunPreview',
  Type.Object({
    currency: CurrencyCode,
    valueDate: CalendarDate,
    executionDate: CalendarDate,
    paymentCount: Type.Integer(),
    total: Type.String(),
    hasMore: Type.Boolean({ description: 'More is due than one run holds.' }),
    digest: Type.String({
      description: 'Of everything that the run would pay, to whom and when: its `previewDigest`.',
    }),
    payments: Type.Array(
      Type.Object({
        customerId: nullable(Type.String()),
        amount: Type.String(),
        scheme: literals(SCHEMES),
        ...payee,
        destinationMasked: Type.String(),
        adjustments: Adjustments,
        items: Type.Array(Type.Object(Transaction)),
      }),
      { description: 'The first 200.' },
    ),
    excluded: Type.Array(
      Type.Object({
        ...Transaction,
        destinationMasked: nullable(Type.String({ description: 'The account it was to go to.' })),
        reason: literals(EXCLUSIONS),
      }),
      { description: 'Due but not payable: the first 200.' },
    ),
  }),
);

const Run = named(
  'SettlementRun',
  Type.Object({
    runId: Type.String({ examples: ['run_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    currency: CurrencyCode,
    valueDate: CalendarDate,
    executionDate: CalendarDate,
    sendBefore: nullable(
      described(Instant, 'Cut-off of its execution date; null when that is over, or the run has ended.'),
    ),
    chargeBearer: literals(CHARGE_BEARERS),
    status: literals(RUN_STATUSES),
    messageId: Type.String({ description: 'MsgId of the payment file.' }),
    paymentCount: Type.Integer(),
    total: Type.String(),
    files: Type.Array(
      Type.Object({
        format: literals(FILE_FORMATS),
        sha256: Type.String(),
        bytes: Type.Integer(),
        url: Type.String(),
      }),
    ),
    downloads: Type.Array(
      Type.Object({
        format: literals(FILE_FORMATS),
        by: Type.String({ description: 'The person or client.' }),
        count: Type.Integer(),
        firstAt: Instant,
        lastAt: Instant,
      }),
      { description: 'Who downloaded a file. After that, cancelling needs two operators.' },
    ),
    version: Type.Integer(),
    createdBy: Type.String(),
    createdAt: Instant,
    endedBy: nullable(
      Type.String({
        description: 'Who marked it sent or cancelled it; for a proposal, who approved it.',
      }),
    ),
    endedAt: nullable(Instant),
  }),
);
const Payment = named(
  'SettlementRunPayment',
  Type.Object({
    endToEndId: Type.String(),
    uetr: Type.String(),
    customerId: nullable(Type.String()),
    currency: CurrencyCode,
    amount: Type.String(),
    scheme: literals(SCHEMES),
    ...payee,
    destinationMasked: Type.String(),
    adjustments: Adjustments,
    bankStatus: nullable(
      Type.Object(
        { code: Type.String(), reason: nullable(Type.String()), at: Instant },
        { description: "From the bank's latest status report (pain.002)." },
      ),
    ),
    items: Type.Array(
      Type.Object({
        ...subject,
        purpose: literals(PURPOSES),
        attempt: Type.Integer(),
        amount: Type.String(),
        state: literals(['sent', 'paid', 'rejected', 'returned', 'cancelled', 'ended'], {
          description: 'Of this attempt, derived from the transaction.',
        }),
      }),
    ),
  }),
);

const tag = 'Operator: settlement';
const access = { audience: 'operator', scope: 'operator:payouts' } as const;
const PATH = '/v1/operator/settlement-runs';
const params = { runId: id('run') };

export const previewSettlementRun = operation({
  id: 'previewSettlementRun',
  method: 'GET',
  path: `${PATH}/preview`,
  tag,
  summary: 'Preview a settlement run',
  description: 'Shows what a run would hold now, and what is due but cannot be in it.',
  access,
  query: {
    currency: required(currency()),
    valueDate: required(date()),
    speed: byDefault(choice(SPEEDS), 'normal'),
  },
  answers: { 200: RunPreview },
  problems: ['currency_not_supported', 'value_date_invalid'],
});

export const createSettlementRun = operation({
  id: 'createSettlementRun',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Create a settlement run',
  description: 'Makes a payment file of everything due and in no run yet.',
  access: { ...access, fresh: true },
  body: CreateRun,
  key: 'kept',
  versioned: true,
  answers: { 201: Run },
  problems: [
    'currency_not_supported',
    'value_date_invalid',
    'settlement_instructions_missing',
    'nothing_to_settle',
    'version_mismatch',
  ],
});

export const listSettlementRuns = operation({
  id: 'listSettlementRuns',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List settlement runs, newest first',
  description: 'Includes cancelled ones.',
  access,
  query: { currency: strictCurrency(), status: list(RUN_STATUSES) },
  pages: true,
  answers: { 200: pageOf(Run) },
});

export const getSettlementRun = operation({
  id: 'getSettlementRun',
  method: 'GET',
  path: `${PATH}/{runId}`,
  tag,
  summary: 'Read a settlement run',
  description: 'With its files, their SHA-256 and who downloaded them.',
  access,
  params,
  versioned: true,
  answers: { 200: Run },
  problems: ['settlement_run_not_found'],
});

export const downloadSettlementRunFile = operation({
  id: 'downloadSettlementRunFile',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{runId}/files/{format}`,
  tag,
  summary: 'Download the file of a settlement run',
  description:
    "Byte for byte as it was made. `Repr-Digest` is its SHA-256 (RFC 9530). The run records who downloaded it. If the policy says so (`payment_file_out`), the run's creator cannot download it. Until the run is sent: refused after `sendBefore`, or if a payment may no longer be made.",
  access: { ...access, only: true, fresh: true },
  media: 'anything',
  params: { ...params, format: segment(FILE_FORMATS, NO_FILE) },
  answers: {
    200: {
      description: 'The file.',
      content: { 'application/xml': Type.String(), 'text/csv': Type.String() },
      headers: { 'Repr-Digest': 'SHA-256 of the file.', 'Content-Disposition': 'The name of the file.' },
    },
  },
  problems: ['settlement_run_not_found', 'invalid_state_transition', 'second_person_required'],
});

export const listSettlementRunPayments = operation({
  id: 'listSettlementRunPayments',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{runId}/payments`,
  tag,
  summary: 'List the payments of a settlement run',
  description: 'With the progress of each.',
  access,
  params,
  pages: true,
  answers: { 200: pageOf(Payment) },
  problems: ['settlement_run_not_found'],
});

export const markSettlementRunSent = operation({
  id: 'markSettlementRunSent',
  method: 'POST',
  path: `${PATH}/{runId}/mark-sent`,
  tag,
  summary: 'Mark a settlement run as sent',
  description:
    "Records that the file is at the bank. The run's creator cannot do this alone. Refused after `sendBefore` if nobody had the file.",
  access: { ...access, fresh: true },
  params,
  key: 'kept',
  conditional: 'possible',
  answers: { 200: Run },
  problems: RUN,
});

export const cancelSettlementRun = operation({
  id: 'cancelSettlementRun',
  method: 'POST',
  path: `${PATH}/{runId}/cancel`,
  tag,
  summary: 'Cancel an unsent settlement run',
  description:
    'Its payments become due again. Once its file was downloaded, a second operator must approve it (202).',
  access,
  params,
  body: CancelRun,
  optionalBody: true,
  key: 'kept',
  conditional: 'possible',
  answers: { 200: Run, 202: Approval },
  problems: [...RUN, 'already_exists'],
});
