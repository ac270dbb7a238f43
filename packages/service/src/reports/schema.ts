import { CalendarDate, CurrencyCode, Instant, literals, nullable, PairCode } from '../http/schema.ts';
import { type Static, type TProperties, Type } from '../platform/typebox.ts';
import { REPORT_FORMATS, REPORT_NAMES, type Report } from './report.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const strict = { additionalProperties: false };

const FILTERS = {
  customerId: text('Only this customer.'),
  currency: text('Only this currency.'),
};
const INSTANTS = {
  from: text('RFC 3339, inclusive. Required.'),
  to: text('RFC 3339, exclusive. Default: now.'),
};
const VALUE_DATES = {
  from: text('First value date, YYYY-MM-DD.'),
  to: text('Last value date, YYYY-MM-DD, inclusive.'),
};

/** For the reference only: the report's own reader checks the parameters. */
export function reportQuery({ range, filters }: Report) {
  const properties: TProperties = {
    format: text('json (default) or csv.'),
    ...(range === 'instants' ? INSTANTS : range === 'value-dates' ? VALUE_DATES : {}),
    ...Object.fromEntries(filters.map((name) => [name, FILTERS[name]])),
  };
  return Type.Object(properties);
}

/** Described loosely: rows are written as text and pass no serializer. */
export function reportAnswer({ columns }: Report) {
  const cell = Type.Union([Type.String(), Type.Integer(), Type.Boolean(), Type.Null()]);
  return Type.Object({
    report: Type.String(),
    generatedAt: Instant,
    parameters: Type.Object({}, { additionalProperties: true }),
    items: Type.Array(Type.Object(Object.fromEntries(columns.map((name) => [name, cell])))),
    rowCount: Type.Integer(),
    balanced: Type.Optional(Type.Boolean({ description: 'Reconciliation: whether everything adds up.' })),
    alarm: Type.Optional(Type.String({ description: 'What does not add up.' })),
  });
}

export const RequestReport = Type.Object(
  {
    report: literals(REPORT_NAMES),
    format: Type.Optional(literals(REPORT_FORMATS)),
    from: Type.Optional(Type.String({ maxLength: 40 })),
    to: Type.Optional(Type.String({ maxLength: 40 })),
    customerId: Type.Optional(Type.String({ maxLength: 64 })),
    currency: Type.Optional(Type.String({ maxLength: 3 })),
  },
  strict,
);
export type RequestReport = Static<typeof RequestReport>;

export const ReportParams = Type.Object({ reportId: Type.String() });

export const ReportJobAnswer = Type.Object({
  reportId: Type.String({ examples: ['rep_01jngxb2qk6e0m4w8y5t7r3h1f'] }),
  report: Type.String(),
  format: literals(REPORT_FORMATS),
  parameters: Type.Record(Type.String(), Type.String()),
  status: literals(['queued', 'running', 'completed', 'failed']),
  requestedBy: Type.String(),
  createdAt: Instant,
  startedAt: nullable(Instant),
  completedAt: nullable(Instant),
  expiresAt: Instant,
  rows: Type.Integer({ description: 'Rows written so far.' }),
  bytes: Type.Integer({ description: 'Bytes written so far.' }),
  sha256: nullable(Type.String({ description: 'Of the whole file, in hex.' })),
  balanced: nullable(Type.Boolean()),
  failure: nullable(Type.String()),
  contentUrl: nullable(Type.String({ description: 'Where the file is, once it is complete.' })),
});
export const ReportJobList = Type.Object({
  items: Type.Array(ReportJobAnswer),
  nextCursor: nullable(Type.String()),
  hasMore: Type.Boolean(),
});

export const StatementQuery = Type.Object({
  from: text('RFC 3339, inclusive. Required.'),
  to: text('RFC 3339, exclusive. Default: now.'),
  currency: text('Only this currency.'),
  format: text('json (default) or csv.'),
});
export const ConfirmationQuery = Type.Object({ format: text('json (default), csv or pdf.') });

const optionalText = nullable(Type.String());
export const StatementAnswer = Type.Object({
  from: Instant,
  to: Instant,
  generatedAt: Instant,
  currencies: Type.Array(
    Type.Object({
      currency: CurrencyCode,
      openingBalance: Type.String({ description: 'Positive: owed to the customer.' }),
      closingBalance: Type.String(),
      lines: Type.Array(
        Type.Object({
          at: Instant,
          type: Type.String({ examples: ['trade_executed', 'deposit_allocated', 'payout_sent'] }),
          transactionId: optionalText,
          reference: optionalText,
          clientReference: optionalText,
          debit: optionalText,
          credit: optionalText,
          balance: Type.String(),
        }),
      ),
    }),
  ),
});

export const ConfirmationAnswer = Type.Object({
  document: literals(['trade_confirmation']),
  transactionId: Type.String(),
  quoteId: Type.String(),
  reference: Type.String(),
  clientReference: optionalText,
  customerId: Type.String(),
  customerName: Type.String(),
  tradedAt: Instant,
  tradeDate: CalendarDate,
  valueDate: CalendarDate,
  customerSells: Type.String(),
  sellCurrency: CurrencyCode,
  customerBuys: Type.String(),
  buyCurrency: CurrencyCode,
  fixedSide: literals(['sell', 'buy']),
  pair: PairCode,
  rate: Type.String(),
  rateMeans: Type.String({ examples: ['USD for one EUR'] }),
  payTo: optionalText,
  payToAccount: optionalText,
  payBy: Instant,
  paidOutTo: Type.String(),
  statusNow: Type.String(),
  valueDateNow: CalendarDate,
  generatedAt: Instant,
});

export const ReportJobQuery = Type.Object({
  limit: text('1 to 200, default 50.'),
  cursor: text('From nextCursor.'),
});
export const Nothing = Type.Null();
