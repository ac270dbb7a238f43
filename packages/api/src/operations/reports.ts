import { operation } from '../operation.ts';
import {
  byDefault,
  choice,
  date,
  id,
  instant,
  type Parameters,
  required,
  strictCurrency,
  strictId,
} from '../parameters.ts';
import { CalendarDate, CLOSED, described, Instant, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { REPORT_NAMES, REPORTS, type ReportDeclaration } from './report-kinds.ts';

export { REPORT_NAMES, REPORTS };
export type ReportName = keyof typeof REPORTS;

/** Reports of operators: each answered at once at its own address, or made in the background and kept. */

export const REPORT_FORMATS = ['json', 'csv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
export const REPORT_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;

/** Rows are written as texts and pass no serializer. Amounts and rates are exact texts; numbers are counts. */
const ReportCell = named(
  'ReportCell',
  Type.Union([Type.String(), Type.Integer(), Type.Boolean(), Type.Null()]),
);
const ReportParameters = named(
  'ReportParameters',
  Type.Object(
    {
      from: Type.Optional(Type.String()),
      to: Type.Optional(Type.String()),
      customerId: Type.Optional(Type.String()),
      currency: Type.Optional(Type.String()),
    },
    { description: 'What was asked for, with `to` filled in.' },
  ),
);
export type ReportParameters = Static<typeof ReportParameters>;

export const ReportName = named('ReportName', literals(REPORT_NAMES));

const Balanced = named(
  'ReportBalanced',
  Type.Boolean({
    description: 'For a report that must add up: whether it does; `alarm` says what does not.',
  }),
);

function reportOf(columns: readonly string[]) {
  return Type.Object({
    report: ReportName,
    generatedAt: Instant,
    parameters: ReportParameters,
    items: Type.Array(Type.Object(Object.fromEntries(columns.map((name) => [name, ReportCell])))),
    rowCount: Type.Integer(),
    balanced: Type.Optional(Balanced),
    alarm: Type.Optional(Type.String()),
  });
}

export const ReportJob = named(
  'Report',
  Type.Object({
    reportId: Type.String({ examples: ['rep_01jngxb2qk6e0m4w8y5t7r3h1f'] }),
    report: ReportName,
    format: literals(REPORT_FORMATS),
    parameters: ReportParameters,
    status: literals(REPORT_STATUSES),
    requestedBy: Type.String({ description: 'The person or client.' }),
    createdAt: Instant,
    startedAt: nullable(Instant),
    completedAt: nullable(Instant),
    expiresAt: Instant,
    rows: Type.Integer({ description: 'Rows written so far.' }),
    bytes: Type.Integer({ description: 'Bytes written so far.' }),
    sha256: nullable(Type.String({ description: 'Of the whole file, in hex.' })),
    balanced: nullable(Type.Boolean()),
    failure: nullable(Type.String()),
    contentUrl: nullable(Type.String({ description: 'Where the file is, once complete.' })),
    scheduleId: nullable(Type.String({ description: 'For a scheduled report whose schedule still exists.' })),
    slot: nullable(described(CalendarDate, 'The day of the schedule that it covers.')),
    dueAt: nullable(described(Instant, 'When it was due.')),
  }),
);
export type ReportJob = Static<typeof ReportJob>;

const RequestReport = Type.Object(
  {
    report: ReportName,
    format: Type.Optional(literals(REPORT_FORMATS)),
    from: Type.Optional(Type.String({ maxLength: 40, description: "As in the report's own operation." })),
    to: Type.Optional(Type.String({ maxLength: 40 })),
    customerId: Type.Optional(Type.String({ maxLength: 64 })),
    currency: Type.Optional(Type.String({ maxLength: 3 })),
  },
  CLOSED,
);

const tag = 'Operator: reports';
const access = { audience: 'operator', scope: 'operator:reports' } as const;
const PATH = '/v1/operator/reports';

const RANGES: Readonly<Record<ReportDeclaration['range'], Parameters>> = {
  instants: { from: required(instant('Inclusive.')), to: instant('Exclusive. Default: now.') },
  'value-dates': { from: date('First value date.'), to: date('Last value date, inclusive.') },
  instant: { to: instant('What was booked before this instant, at the last mid of then. Default: now.') },
  none: {},
};
const FILTERS = {
  customerId: strictId('cus', 'Only this customer.'),
  currency: strictCurrency('Only this currency.'),
};

/** Of an answer that is a file in every format but JSON. */
export const NAMED_UNLESS_JSON = { 'Content-Disposition': 'Names the file, unless JSON.' };

/** A report at its own address, answered at once. */
function report(operationId: string, name: ReportName) {
  const { title, range, filters, columns }: ReportDeclaration = REPORTS[name];
  return operation({
    id: operationId,
    method: 'GET',
    path: `${PATH}/${name}`,
    tag,
    summary: `Report ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    description: 'Responds at once, as JSON or CSV. Request one of too many rows in the background.',
    access,
    media: 'anything',
    query: {
      format: byDefault(choice(REPORT_FORMATS), 'json'),
      ...RANGES[range],
      ...Object.fromEntries(filters.map((filter) => [filter, FILTERS[filter]])),
    },
    answers: {
      200: {
        description: 'The report.',
        content: { 'application/json': reportOf(columns), 'text/csv': Type.String() },
        headers: {
          ...NAMED_UNLESS_JSON,
          'X-Firmquote-Alarm': '`does-not-add-up` if a report that must add up does not.',
        },
      },
    },
    problems: [
      'report_too_large',
      ...(filters.includes('customerId') ? (['customer_not_found'] as const) : []),
    ],
  });
}

export const getBlotterReport = report('getBlotterReport', 'blotter');
export const getSettlementLadderReport = report('getSettlementLadderReport', 'settlement-ladder');
export const getExposureReport = report('getExposureReport', 'exposure');
export const getPairPositionsReport = report('getPairPositionsReport', 'pair-positions');
export const getSpreadRevenueReport = report('getSpreadRevenueReport', 'spread-revenue');
export const getReconciliationReport = report('getReconciliationReport', 'reconciliation');
export const getOverdueReport = report('getOverdueReport', 'overdue');
export const getSuspenseReport = report('getSuspenseReport', 'suspense');
export const getExceptionsReport = report('getExceptionsReport', 'exceptions');
export const getDepositsReport = report('getDepositsReport', 'deposits');
export const getJournalReport = report('getJournalReport', 'journal');
export const getTrialBalanceReport = report('getTrialBalanceReport', 'trial-balance');

/** The operation of each report. */
export const REPORT_OPERATIONS: Readonly<Record<ReportName, ReturnType<typeof report>>> = {
  blotter: getBlotterReport,
  'settlement-ladder': getSettlementLadderReport,
  exposure: getExposureReport,
  'pair-positions': getPairPositionsReport,
  'spread-revenue': getSpreadRevenueReport,
  reconciliation: getReconciliationReport,
  overdue: getOverdueReport,
  suspense: getSuspenseReport,
  exceptions: getExceptionsReport,
  deposits: getDepositsReport,
  journal: getJournalReport,
  'trial-balance': getTrialBalanceReport,
};

const UNDER_WAY = {
  content: { 'application/json': ReportJob },
  headers: { 'Retry-After': 'Seconds until it is worth reading again, while the report is being made.' },
};

export const requestReport = operation({
  id: 'requestReport',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Request a report in the background',
  description:
    'For reports of any size. Responds at once; the resource at `Location` says when the file is complete.',
  access,
  body: RequestReport,
  key: 'kept',
  answers: { 202: { ...UNDER_WAY, description: 'Accepted.' } },
  problems: ['customer_not_found', 'too_many_reports'],
});

export const listReports = operation({
  id: 'listReports',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List requested reports, newest first',
  description: 'In all states, and those that schedules made.',
  access,
  pages: true,
  answers: { 200: pageOf(ReportJob) },
});

const params = { reportId: id('rep') };

export const getReport = operation({
  id: 'getReport',
  method: 'GET',
  path: `${PATH}/{reportId}`,
  tag,
  summary: 'Read the progress of a report',
  description:
    'Read it again after `Retry-After` until it is `completed`; the file is then at `contentUrl`. Reports are kept for 7 days, those of a schedule for its `keepDays`.',
  access,
  params,
  answers: { 200: { ...UNDER_WAY, description: 'Done.' } },
  problems: ['report_not_found'],
});

export const deleteReport = operation({
  id: 'deleteReport',
  method: 'DELETE',
  path: `${PATH}/{reportId}`,
  tag,
  summary: 'Delete a report',
  description: 'Cancels it if it is being made.',
  access,
  params,
  answers: { 204: { description: 'Deleted.' } },
  problems: ['report_not_found'],
});

export const downloadReport = operation({
  id: 'downloadReport',
  audited: 'read',
  method: 'GET',
  path: `${PATH}/{reportId}/content`,
  tag,
  summary: 'Download the file of a complete report',
  description: 'Its SHA-256 is in `Repr-Digest` (RFC 9530) and in the status of the report.',
  access,
  media: 'anything',
  params,
  answers: {
    200: {
      description: 'The file.',
      content: {
        'application/json': Type.Unsafe<unknown>({ description: "As in the report's own operation." }),
        'text/csv': Type.String(),
      },
      headers: { 'Repr-Digest': 'SHA-256 of the file.', 'Content-Disposition': 'The name of the file.' },
    },
  },
  problems: ['report_not_found', 'report_not_ready'],
});
