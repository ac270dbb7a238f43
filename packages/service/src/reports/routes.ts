import type { FastifyInstance, FastifyReply } from 'fastify';
import { oneLargeAtATime } from '../http/connections.ts';
import type { RouteAccess } from '../http/context.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { loggedRequest } from '../http/logged-request.ts';
import type { CursorCodec } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny } from '../http/schema.ts';
import { answerReport, type ReportsRoom } from './answer-report.ts';
import { REPORTS } from './catalogue.ts';
import { readParameters } from './parameters.ts';
import { REPORT_FORMATS, type Report, type ReportFormat } from './report.ts';
import * as schema from './schema.ts';

export const REPORTS_PATH = '/v1/operator/reports';
export const access: RouteAccess = { audience: 'operator', scope: 'operator:reports' };
export const tags = ['Operator: reports'];

export interface ReportRoutesOptions {
  readonly room: ReportsRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** Each report at its own address, answered at once. */
export function reportRoutes(app: FastifyInstance, options: ReportRoutesOptions): void {
  for (const report of Object.values(REPORTS)) reportRoute(app, report, options);
}

function reportRoute(app: FastifyInstance, report: Report, { room }: ReportRoutesOptions): void {
  app.get(
    `${REPORTS_PATH}/${report.name}`,
    {
      onRequest: oneLargeAtATime,
      config: { access, answers: 'anything' },
      schema: {
        tags,
        summary: report.title,
        querystring: schema.reportQuery(report),
        response: { 200: schema.reportAnswer(report) },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const format = query.choice('format', REPORT_FORMATS) ?? 'json';
      const parameters = readParameters(query, report, room.clock.now());
      const { text, end } = await answerReport(room, report, format, parameters);
      if (end.balanced === false) {
        request.server.logger.error({ report: report.name, ...loggedRequest(request) }, end.alarm ?? '');
        reply.header('X-Firmquote-Alarm', 'does-not-add-up');
      }
      return sendFile(reply, format, report.name, text);
    },
  );
}

/** A text that is JSON or CSV already. CSV is offered as a file. */
export function sendFile(
  reply: FastifyReply,
  format: ReportFormat,
  name: string,
  text: string,
): FastifyReply {
  if (format === 'csv') reply.header('Content-Disposition', `attachment; filename="${name}.csv"`);
  return reply
    .header('Content-Type', contentTypeOf(format))
    .header('Cache-Control', 'no-store')
    .serializer((body: string) => body)
    .send(text);
}

export function contentTypeOf(format: ReportFormat): string {
  return format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/json; charset=utf-8';
}
