import { CHARGE_BEARERS, SCHEMES } from '@firmquote/bank-formats';
import { CalendarDate, CurrencyCode, Instant, LINE_PATTERN, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { EXCLUSIONS } from './exclusions.ts';
import { SPEEDS } from './plan-payments.ts';
import { FILE_FORMATS, RUN_STATUSES } from './run-store.ts';

const Adjustments = Type.Array(
  Type.Object({ field: Type.String(), given: Type.String(), sent: Type.String() }),
  { description: "What the banks' character set or length changed." },
);
/** What a payment is for: the one that is not null. */
const subject = {
  transactionId: nullable(Type.String()),
  withdrawalId: nullable(Type.String()),
  returnId: nullable(Type.String({ description: 'What goes back of a deposit.' })),
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

export const CreateRun = Type.Object(
  {
    currency: CurrencyCode,
    valueDate: Type.String({
      ...CalendarDate,
      description: 'Payouts of this value date and of earlier ones.',
    }),
    chargeBearer: Type.Optional(
      literals(CHARGE_BEARERS, { description: 'Of payments outside SEPA. Default: shared.' }),
    ),
    speed: Type.Optional(
      literals(SPEEDS, {
        description:
          '`instant`: SEPA payments as instant ones, others as usual. `urgent`: all, with high priority (`URGP`). Default: normal; euros beyond what SEPA takes are always urgent.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CreateRun = Static<typeof CreateRun>;

export const CancelRun = Type.Object(
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
export type CancelRun = Static<typeof CancelRun>;

export const RunParams = Type.Object({ runId: Type.String() });
export const FileParams = Type.Object({ runId: Type.String(), format: Type.String() });

export const PreviewQuery = Type.Object({
  currency: Type.String(),
  valueDate: Type.String(),
  speed: Type.Optional(Type.String({ description: `${SPEEDS.join(', ')}; by default normal.` })),
});
export const RunQuery = Type.Object({
  currency: Type.Optional(Type.String()),
  status: Type.Optional(
    Type.String({ description: `Repeatable or comma list of: ${RUN_STATUSES.join(', ')}.` }),
  ),
  limit: Type.Optional(Type.String({ description: '1 to 200, default 50.' })),
  cursor: Type.Optional(Type.String()),
});
export const PaymentQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: '1 to 200, default 50.' })),
  cursor: Type.Optional(Type.String()),
});

export const RunPreviewAnswer = Type.Object({
  currency: CurrencyCode,
  valueDate: CalendarDate,
  executionDate: CalendarDate,
  paymentCount: Type.Integer(),
  total: Type.String(),
  hasMore: Type.Boolean({ description: 'More is due than one run holds.' }),
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
      destinationMasked: nullable(Type.String({ description: 'The account that it was to go to.' })),
      reason: literals(EXCLUSIONS),
    }),
    { description: 'Due, and not payable as it is: the first 200.' },
  ),
});

export const Run = Type.Object({
  runId: Type.String({ examples: ['run_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  currency: CurrencyCode,
  valueDate: CalendarDate,
  executionDate: CalendarDate,
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
      by: Type.String({ description: 'The OAuth client of the operator.' }),
      count: Type.Integer(),
      firstAt: Instant,
      lastAt: Instant,
    }),
    { description: 'Who has had a file. Once somebody has, cancelling takes two persons.' },
  ),
  version: Type.Integer(),
  createdBy: Type.String(),
  createdAt: Instant,
  endedBy: nullable(Type.String()),
  endedAt: nullable(Instant),
});
export const RunList = Type.Object({
  items: Type.Array(Run),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});
export const PaymentList = Type.Object({
  items: Type.Array(
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
          { description: 'What status reports of the bank (pain.002) have said last.' },
        ),
      ),
      items: Type.Array(
        Type.Object({
          ...subject,
          purpose: literals(PURPOSES),
          attempt: Type.Integer(),
          amount: Type.String(),
          state: literals(['sent', 'paid', 'rejected', 'returned', 'cancelled', 'ended'], {
            description: 'Of this attempt, told from the transaction.',
          }),
        }),
      ),
    }),
  ),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});
