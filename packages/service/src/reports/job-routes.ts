import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { inTransaction, type Pool } from '../database/pool.ts';
import { oneLargeAtATime } from '../http/connections.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid, parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { REPORTS } from './catalogue.ts';
import { deleteJob, findJob, insertJob, type JobRow, listJobs, readPiece } from './job-store.ts';
import { readParameters } from './parameters.ts';
import type { ReportParameters } from './report.ts';
import { access, contentTypeOf, REPORTS_PATH, type ReportRoutesOptions, tags } from './routes.ts';
import * as schema from './schema.ts';
import { parametersView } from './write-report.ts';

/** Reports kept at the same time, whatever their state. */
export const REPORTS_MAX = 100; // limit
/** For how long a report is kept. */
export const REPORT_RETENTION_MS = 7 * 24 * 3_600_000; // limit

/** Reports made in the background: asked for, watched, fetched, deleted. */
export function reportJobRoutes(app: FastifyInstance, options: ReportRoutesOptions): void {
  requestRoute(app, options);
  listRoute(app, options);
  statusRoutes(app, options);
  contentRoute(app, options);
}

function requestRoute(app: FastifyInstance, { room, idempotency }: ReportRoutesOptions): void {
  app.post(
    REPORTS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Have a report made in the background',
        description:
          'For reports of any size. Answers at once; the resource at Location says when the file is complete.',
        body: schema.RequestReport,
        response: { 202: schema.ReportJobAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { report: name, format = 'json', ...given } = request.body as schema.RequestReport;
      const now = room.clock.now();
      const parameters = readParameters(new QueryReader(given, ''), REPORTS[name], now);
      const requestedBy = request.caller?.clientId;
      if (requestedBy === undefined) throw new Error('a guarded route has a caller');
      const job = { id: newUuid(now), report: name, format, parameters, requestedBy };
      return inTransaction(room.pool, async (connection) => {
        const times = { createdAt: now, expiresAt: now + REPORT_RETENTION_MS };
        const row = await insertJob(connection, { ...job, ...times }, REPORTS_MAX);
        if (row === undefined) {
          throw new Problem('too_many_reports', `${REPORTS_MAX} reports are kept already.`, {
            members: { limit: REPORTS_MAX },
          });
        }
        const headers = { Location: pathOf(row), 'Retry-After': '2' };
        const answer: Answer = { status: 202, headers, body: jobView(row) };
        await keep(connection, answer);
        return answer;
      });
    }),
  );
}

function listRoute(app: FastifyInstance, { room, cursors }: ReportRoutesOptions): void {
  app.get(
    REPORTS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Reports made in the background, newest first',
        querystring: schema.ReportJobQuery,
        response: { 200: schema.ReportJobList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'reports', sort: '-createdAt', filters: {} };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listJobs(room.pool, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], jobView);
      return linkedPage(request, reply, page);
    },
  );
}

interface Params {
  readonly Params: { readonly reportId: string };
}

function statusRoutes(app: FastifyInstance, { room }: ReportRoutesOptions): void {
  const path = `${REPORTS_PATH}/:reportId`;
  app.get<Params>(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'How far a report is',
        params: schema.ReportParams,
        response: { 200: schema.ReportJobAnswer, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const job = await jobOf(room.pool, request.params.reportId);
      if (job.status === 'queued' || job.status === 'running') reply.header('Retry-After', '2');
      return reply.header('Cache-Control', 'no-store').send(jobView(job));
    },
  );
  app.delete<Params>(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a report; one that is being made is given up',
        params: schema.ReportParams,
        response: { 204: schema.Nothing, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const job = await jobOf(room.pool, request.params.reportId);
      await deleteJob(room.pool, job.id);
      return reply.code(204).send();
    },
  );
}

function contentRoute(app: FastifyInstance, { room }: ReportRoutesOptions): void {
  app.get<Params>(
    `${REPORTS_PATH}/:reportId/content`,
    {
      onRequest: oneLargeAtATime,
      config: { access, answers: 'anything' },
      schema: {
        tags,
        summary: 'The file of a complete report',
        description: 'Its SHA-256 is in Repr-Digest (RFC 9530) and in the status of the report.',
        params: schema.ReportParams,
        produces: ['application/json', 'text/csv'],
      },
    },
    async (request, reply) => {
      const job = await jobOf(room.pool, request.params.reportId);
      if (job.status !== 'completed' || job.sha256 === null) {
        throw new Problem('report_not_ready', `The report is ${job.status}.`, {
          members: { reportStatus: job.status },
          headers: { 'Retry-After': '2' },
        });
      }
      const digest = Buffer.from(job.sha256, 'hex').toString('base64');
      return reply
        .header('Content-Type', contentTypeOf(job.format))
        .header('Content-Disposition', `attachment; filename="${job.report}.${job.format}"`)
        .header('Content-Length', job.bytes_written)
        .header('Repr-Digest', `sha-256=:${digest}:`)
        .header('Cache-Control', 'no-store')
        .send(Readable.from(piecesOf(room.pool, job), { objectMode: false }));
    },
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

async function jobOf(pool: Pool, text: string): Promise<JobRow> {
  const id = parseTypeId('rep', text);
  const job = id === undefined ? undefined : await findJob(pool, id);
  if (job === undefined) throw new Problem('report_not_found', 'There is no such report.');
  return job;
}

function pathOf({ id }: JobRow): string {
  return `${REPORTS_PATH}/${typeId('rep', id)}`;
}

function jobView(job: JobRow): Record<string, unknown> {
  const instant = (at: number | null) => (at === null ? null : isoInstant(at));
  return {
    reportId: typeId('rep', job.id),
    report: job.report,
    format: job.format,
    parameters: parametersView(JSON.parse(job.parameters) as ReportParameters),
    status: job.status,
    requestedBy: typeId('cli', job.requested_by),
    createdAt: isoInstant(job.created_at),
    startedAt: instant(job.started_at),
    completedAt: instant(job.completed_at),
    expiresAt: isoInstant(job.expires_at),
    rows: Number.parseInt(job.rows_written, 10),
    bytes: Number.parseInt(job.bytes_written, 10),
    sha256: job.sha256,
    balanced: job.balanced,
    failure: job.failure,
    contentUrl: job.status === 'completed' ? `${pathOf(job)}/content` : null,
  };
}
