import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApprovalAnswer } from '../approvals/schema.ts';
import { approvalLocation, approvalView } from '../approvals/view.ts';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import { oneLargeAtATime } from '../http/connections.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { type CancelOutcome, cancelRun, downloadFile, markSent, type RunOrder } from './end-run.ts';
import { access, operatorOf, type SettlementRoutesOptions } from './order-route.ts';
import { SPEEDS } from './plan-payments.ts';
import { listPayments } from './run-payment-store.ts';
import * as schema from './run-schema.ts';
import { FILE_FORMATS, listRuns, RUN_STATUSES, type RunRow } from './run-store.ts';
import { paymentView, previewView, RUNS_PATH, runView } from './run-view.ts';
import { createRun, existingRun, previewRun } from './settlement-runs.ts';

const tags = ['Operator: settlement'];

/** Settlement runs: what is to be paid becomes a file for the bank. */
export function runRoutes(app: FastifyInstance, options: SettlementRoutesOptions): void {
  createRoutes(app, options);
  readRoutes(app, options);
  fileRoute(app, options);
  paymentsRoute(app, options);
  sentRoute(app, options);
  cancelRoute(app, options);
}

function createRoutes(app: FastifyInstance, { room, idempotency }: SettlementRoutesOptions): void {
  app.get(
    `${RUNS_PATH}/preview`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'What a settlement run would hold',
        querystring: schema.PreviewQuery,
        response: { 200: schema.RunPreviewAnswer, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request) => {
      const query = new QueryReader(request.query);
      const wanted = {
        currency: query.text('currency', 3) ?? '',
        valueDate: query.text('valueDate', 10) ?? '',
        speed: query.choice('speed', SPEEDS) ?? 'normal',
      };
      query.finish();
      return previewView(await previewRun(room, wanted));
    },
  );
  app.post(
    RUNS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Make a settlement run: a payment file of what is due and in no run yet',
        body: schema.CreateRun,
        response: { 201: schema.Run, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const body = request.body as schema.CreateRun;
      const run = await createRun(room, body, operatorOf(request), (connection, made) =>
        keep(connection, answerOf(made, 201)),
      );
      return answerOf(run, 201);
    }),
  );
}

function answerOf(run: RunRow, status: number): Answer {
  const body = runView(run);
  const headers = {
    ETag: etagOf(run.version),
    ...(status === 201 ? { Location: `${RUNS_PATH}/${body.runId}` } : {}),
  };
  return { status, headers, body };
}

function runIdOf(request: FastifyRequest): string | undefined {
  return parseTypeId('run', (request.params as { runId: string }).runId);
}

function readRoutes(app: FastifyInstance, { room, cursors }: SettlementRoutesOptions): void {
  app.get(
    RUNS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List settlement runs, newest first',
        querystring: schema.RunQuery,
        response: { 200: schema.RunList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = { currency: query.text('currency', 3), status: query.list('status', RUN_STATUSES) };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'settlement runs', sort: '-createdAt', filters: filter };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listRuns(room.pool, filter, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], runView);
      return linkedPage(request, reply, page);
    },
  );
  app.get(
    `${RUNS_PATH}/:runId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A settlement run',
        params: schema.RunParams,
        response: { 200: schema.Run, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const run = await existingRun(room.pool, runIdOf(request));
      return reply.header('ETag', etagOf(run.version)).send(runView(run));
    },
  );
}

function fileRoute(app: FastifyInstance, { room }: SettlementRoutesOptions): void {
  app.get<{ Params: { runId: string; format: string } }>(
    `${RUNS_PATH}/:runId/files/:format`,
    {
      onRequest: oneLargeAtATime,
      config: { access, answers: 'anything' },
      schema: {
        tags,
        summary: 'The file of a settlement run, byte for byte as it was made',
        description:
          '`Repr-Digest` is its SHA-256 (RFC 9530), the same that the run tells in hexadecimal digits. The run records who has had it.',
        params: schema.FileParams,
        produces: ['application/xml', 'text/csv'],
      },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const format = FILE_FORMATS.find((each) => each === request.params.format);
      if (format === undefined) {
        throw new Problem('settlement_run_not_found', `A run has the files ${FILE_FORMATS.join(' and ')}.`);
      }
      const order = { runId: runIdOf(request), format, by: operatorOf(request) };
      const { run, ...file } = await downloadFile(room, order);
      const ending = format === 'csv' ? 'csv' : 'xml';
      return reply
        .header(
          'Content-Type',
          format === 'csv' ? 'text/csv; charset=utf-8' : 'application/xml; charset=utf-8',
        )
        .header('Content-Disposition', `attachment; filename="${run.message_id}.${ending}"`)
        .header('Repr-Digest', `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`)
        .header('Cache-Control', 'no-store')
        .send(file.content);
    },
  );
}

function paymentsRoute(app: FastifyInstance, { room, cursors }: SettlementRoutesOptions): void {
  app.get(
    `${RUNS_PATH}/:runId/payments`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The payments of a settlement run and how far they have come',
        params: schema.RunParams,
        querystring: schema.PaymentQuery,
        response: { 200: schema.PaymentList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const run = await existingRun(room.pool, runIdOf(request));
      const scope: CursorScope = { list: 'payments', sort: 'id', filters: { run: run.id } };
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listPayments(room.pool, run.id, after, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], paymentView);
      return linkedPage(request, reply, page);
    },
  );
}

function sentRoute(app: FastifyInstance, { room, idempotency }: SettlementRoutesOptions): void {
  app.post(
    `${RUNS_PATH}/:runId/mark-sent`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The file is at the bank',
        params: schema.RunParams,
        response: { 200: schema.Run, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const run = await markSent(room, orderOf(request), (connection, ended) =>
        keep(connection, answerOf(ended, 200)),
      );
      return answerOf(run, 200);
    }),
  );
}

function cancelRoute(app: FastifyInstance, { room, idempotency }: SettlementRoutesOptions): void {
  app.post(
    `${RUNS_PATH}/:runId/cancel`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Cancel an unsent run; its payments become due again',
        description:
          'Once its file was downloaded it takes two persons: the answer is 202 with the approval that a second one gives.',
        params: schema.RunParams,
        body: schema.CancelRun,
        response: { 200: schema.Run, 202: ApprovalAnswer, default: ProblemSchema },
      },
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { reason } = request.body as schema.CancelRun;
      const outcome = await cancelRun(room, { ...orderOf(request), reason }, (connection, done) =>
        keep(connection, cancelAnswer(done)),
      );
      return cancelAnswer(outcome);
    }),
  );
}

function cancelAnswer(outcome: CancelOutcome): Answer {
  if (outcome.done) return answerOf(outcome.run, 200);
  const { approval } = outcome;
  return { status: 202, headers: { Location: approvalLocation(approval) }, body: approvalView(approval) };
}

function orderOf(request: FastifyRequest): RunOrder {
  const ifMatch = parseIfMatch(request.headers['if-match']);
  return { runId: runIdOf(request), ifMatch, by: operatorOf(request) };
}
