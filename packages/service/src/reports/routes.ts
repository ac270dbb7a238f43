import type { QueryOf } from '@firmquote/api/operation';
import * as documents from '@firmquote/api/operations/customer-documents';
import * as api from '@firmquote/api/operations/reports';
import type { FastifyInstance } from 'fastify';
import { requireCustomer } from '../customers/room.ts';
import { inTransaction, type Pool, type Queryable } from '../database/pool.ts';
import { oneLargeAtATime } from '../http/connections.ts';
import { customerOf } from '../http/context.ts';
import { fileBody } from '../http/file-body.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { type Judge, readParams, readQuery, refuseFuture, refuseNoTime } from '../http/parameters.ts';
import { type Result, serve, serveRaw } from '../http/serve.ts';
import { newUuid } from '../platform/ids.ts';
import { whenOver } from '../platform/when-over.ts';
import { Problem } from '../problems/problem.ts';
import { transactionNotFound } from '../transactions/list-transactions.ts';
import { answerReport } from './answer-report.ts';
import { REPORTS } from './catalogue.ts';
import { confirmationOf, confirmationPdf } from './confirmation.ts';
import { csvLine } from './csv.ts';
import { readCustomerStatement, statementCsv } from './customer-statement.ts';
import { deleteJob, findJob, insertJob, type JobRow, listJobs, readPiece } from './job-store.ts';
import { fileNameOf, jobView, pathOf } from './job-view.ts';
import type { ReportParameters } from './report.ts';
import type { ReportRoutesRoom, ReportsRoom } from './room.ts';
import { scheduleRoutes } from './schedule-routes.ts';

/** Reports kept at the same time, whatever their state. */
const REPORTS_MAX = 100; // limit
/** For how long a report is kept. */
const REPORT_RETENTION_MS = 7 * 24 * 3_600_000; // limit

const FRESH = { 'Cache-Control': 'no-store' };

/** Reports, those at once and those in the background, and customers' documents. */
export function reportRoutes(app: FastifyInstance, room: ReportRoutesRoom): void {
  for (const name of api.REPORT_NAMES) reportRoute(app, name, room);
  jobRoutes(app, room);
  contentRoute(app, room);
  scheduleRoutes(app, room);
  statementRoutes(app, room);
  confirmationRoutes(app, room);
}

type ConfirmationFormat = (typeof documents.CONFIRMATION_FORMATS)[number];
type ReportOperation = (typeof api.REPORT_OPERATIONS)[api.ReportName];

/** What a report can be asked for; which of it one takes, its operation says. */
interface Asked {
  readonly from?: number | string | undefined;
  readonly to?: number | string | undefined;
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
}

/** Each report at its own address, answered at once. */
function reportRoute(app: FastifyInstance, name: api.ReportName, room: ReportsRoom): void {
  const judge = reportJudge(room, name);
  serve(
    app,
    api.REPORT_OPERATIONS[name],
    async ({ request, query }) => {
      const { format } = query as { format: api.ReportFormat };
      const parameters = parametersOf(name, query, room.clock.now());
      await requireCustomerOf(room.pool, parameters);
      await whenOver(room.clock, endOf(query));
      const { text, end } = await answerReport(room, REPORTS[name], format, parameters);
      const isWrong = end.balanced === false;
      if (isWrong) request.server.logger.error({ report: name, ...loggedRequest(request) }, end.alarm ?? '');
      const alarm = isWrong ? { 'X-Firmquote-Alarm': 'does-not-add-up' } : {};
      return { headers: { ...alarm, ...headersOf(format, name) }, body: text };
    },
    { onRequest: oneLargeAtATime, judge },
  );
}

function reportJudge({ clock }: ReportsRoom, name: api.ReportName): Judge<ReportOperation> {
  return (query, refuse) => {
    const { from, to } = query as Asked;
    if (api.REPORTS[name].range === 'instant') return refuseFuture(clock, 'to', to, refuse);
    // A day may be the first and the last one.
    if (typeof from !== 'string' && typeof to !== 'string') refuseNoTime({ from, to }, refuse, clock.now());
  };
}

/** An empty report of a customer that there is not would say that there was nothing. @throws Problem customer_not_found */
async function requireCustomerOf(database: Queryable, { customerId }: ReportParameters): Promise<void> {
  if (customerId !== undefined) await requireCustomer(database, customerId);
}

/** `to` is now when it is left out. */
function parametersOf(name: api.ReportName, query: QueryOf<ReportOperation>, now: number): ReportParameters {
  const { from, to, customerId, currency } = query as Asked;
  const filters = { customerId, currency };
  switch (api.REPORTS[name].range) {
    case 'instants':
      return { from: from as number, to: (to as number | undefined) ?? now, ...filters };
    case 'value-dates':
      return { fromDate: from as string | undefined, toDate: to as string | undefined, ...filters };
    case 'instant':
      return { to: to as number | undefined, ...filters };
    case 'none':
      return filters;
  }
}

/** Of a range of instants, where it was asked for. */
function endOf(query: object): number | undefined {
  const { to } = query as Asked;
  return typeof to === 'number' ? to : undefined;
}

/** CSV is offered as a file. */
function headersOf(format: api.ReportFormat, name: string): Record<string, string> {
  return {
    'Content-Type': contentTypeOf(format),
    ...(format === 'csv' && { 'Content-Disposition': `attachment; filename="${name}.csv"` }),
    ...FRESH,
  };
}

function contentTypeOf(format: api.ReportFormat): string {
  return format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/json; charset=utf-8';
}

/** Reports made in the background: asked for, watched, deleted. */
function jobRoutes(app: FastifyInstance, room: ReportsRoom): void {
  const { pool, clock } = room;
  serve(app, api.requestReport, async ({ body, by: requestedBy, keep }) => {
    const { report, format = 'json', ...given } = body;
    const now = clock.now();
    const { query } = readQuery(api.REPORT_OPERATIONS[report], given, reportJudge(room, report), '');
    const parameters = parametersOf(report, query, now);
    await whenOver(clock, endOf(query));
    const job = { id: newUuid(now), report, format, parameters, requestedBy };
    return inTransaction(pool, async (connection) => {
      await requireCustomerOf(connection, parameters);
      const times = { createdAt: now, expiresAt: now + REPORT_RETENTION_MS };
      const row = await insertJob(connection, { ...job, ...times }, REPORTS_MAX);
      if (row === undefined) {
        throw new Problem('too_many_reports', `${REPORTS_MAX} reports are already kept.`, {
          members: { limit: REPORTS_MAX },
        });
      }
      const result = { headers: { Location: pathOf(row), 'Retry-After': '2' }, body: jobView(row) };
      await keep(connection, result);
      return result;
    });
  });
  serve(app, api.listReports, async ({ page }) => {
    const rows = await listJobs(pool, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], jobView) };
  });
  serve(app, api.getReport, async ({ params }): Promise<Result> => {
    const job = await existingJob(pool, params.reportId);
    return { headers: { ...pollHint(job), ...FRESH }, body: jobView(job) };
  });
  serve(app, api.deleteReport, async ({ params }) => {
    const { id } = await existingJob(pool, params.reportId);
    await inTransaction(pool, (connection) => deleteJob(connection, id));
    return {};
  });
}

/** One that has failed is not worth waiting for. */
function pollHint({ status }: JobRow): Record<string, string> {
  return status === 'queued' || status === 'running' ? { 'Retry-After': '2' } : {};
}

/** The file is sent piece by piece. */
function contentRoute(app: FastifyInstance, { pool }: ReportsRoom): void {
  serveRaw(
    app,
    api.downloadReport,
    async (request, reply) => {
      const { reportId } = readParams(api.downloadReport, request.params);
      const job = await existingJob(pool, reportId);
      if (job.status !== 'completed' || job.sha256 === null) {
        throw new Problem('report_not_ready', `The report is ${job.status}.`, {
          members: { reportStatus: job.status },
          headers: pollHint(job),
        });
      }
      const digest = Buffer.from(job.sha256, 'hex').toString('base64');
      return reply
        .headers({
          'Content-Type': contentTypeOf(job.format),
          'Content-Disposition': `attachment; filename="${fileNameOf(job)}"`,
          'Content-Length': job.bytes_written,
          'Repr-Digest': `sha-256=:${digest}:`,
          ...FRESH,
        })
        .send(fileBody(request, piecesOf(pool, job)));
    },
    { onRequest: oneLargeAtATime },
  );
}

/** One piece in memory at a time. One that is gone, because the report was deleted meanwhile, breaks the answer off. */
async function* piecesOf(pool: Pool, job: JobRow): AsyncGenerator<string> {
  for (let piece = 1; piece <= job.pieces; piece++) {
    const content = await readPiece(pool, job.id, piece);
    if (content === undefined) throw new Error(`piece ${piece} of report ${job.id} is gone`);
    yield content;
  }
}

async function existingJob(pool: Pool, id: string): Promise<JobRow> {
  const job = await findJob(pool, id);
  if (job === undefined) throw new Problem('report_not_found', 'There is no report with this id.');
  return job;
}

type StatementQuery = QueryOf<typeof documents.getStatement>;

/** The statement of a customer's period. */
function statementRoutes(app: FastifyInstance, { clock, snapshots, customers }: ReportRoutesRoom) {
  const stated = async (
    customerId: string,
    { format, currency, from, to }: StatementQuery,
  ): Promise<Result> => {
    await whenOver(clock, to);
    const now = clock.now();
    const statement = await snapshots.read((database) =>
      // What is still to come has no closing balance.
      readCustomerStatement(database, customerId, { from, to: Math.min(to ?? now, now) }, currency, now),
    );
    const body = format === 'csv' ? statementCsv(statement) : statement;
    return { headers: headersOf(format, 'statement'), body };
  };
  const judge = (
    { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
    refuse: Parameters<Judge<ReportOperation>>[1],
  ) => {
    const now = clock.now();
    refuseNoTime({ from, to }, refuse, now);
    if (to !== undefined && (from ?? 0) >= now) refuse('from', 'out_of_range', 'must be in the past');
  };
  const statements = { onRequest: oneLargeAtATime, judge };
  serve(
    app,
    documents.getStatement,
    ({ request, query }) => stated(customerOf(request).customerId, query),
    statements,
  );
  serve(
    app,
    documents.getCustomerStatement,
    async ({ params: { customerId }, query }) => {
      // An empty statement of a customer that there is not would say that there was nothing.
      await customers.profile(customerId);
      return stated(customerId, query);
    },
    statements,
  );
}

/** The confirmation of a trade. */
function confirmationRoutes(app: FastifyInstance, { clock, customers, transactions }: ReportRoutesRoom) {
  const confirmed = async (customerId: string, id: string, format: ConfirmationFormat): Promise<Result> => {
    const { name } = await customers.profile(customerId);
    const row = await transactions.find(customerId, id);
    if (row === undefined) throw transactionNotFound();
    const confirmation = confirmationOf(row, name, clock.now());
    const file = `confirmation-${row.reference}`;
    if (format === 'pdf') {
      const disposition = { 'Content-Disposition': `attachment; filename="${file}.pdf"` };
      const headers = { 'Content-Type': 'application/pdf', ...disposition, ...FRESH };
      return { headers, body: await confirmationPdf(confirmation) };
    }
    const csv = () => csvLine(Object.keys(confirmation)) + csvLine(Object.values(confirmation));
    return { headers: headersOf(format, file), body: format === 'csv' ? csv() : confirmation };
  };
  serve(app, documents.getConfirmation, ({ request, params, query: { format } }) =>
    confirmed(customerOf(request).customerId, params.transactionId, format),
  );
  serve(app, documents.getAnyConfirmation, ({ params: { customerId, transactionId }, query: { format } }) =>
    confirmed(customerId, transactionId, format),
  );
}
