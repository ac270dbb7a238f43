import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RouteAccess } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { type ApprovalsRoom, approve, type Decision, reject, showApproval } from './approvals.ts';
import * as schema from './schema.ts';
import { type ApprovalRecord, listApprovals } from './store.ts';
import { approvalView } from './view.ts';

const PATH = '/v1/operator/approvals';
const access: RouteAccess = { audience: 'operator', scope: 'operator:approvals' };
const tags = ['Operator: approvals'];

export interface ApprovalRoutesOptions {
  readonly room: ApprovalsRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** docs/interface.md#four-eyes: what one operator proposed, another one approves or rejects. */
export function approvalRoutes(app: FastifyInstance, options: ApprovalRoutesOptions): void {
  listRoute(app, options);
  showRoute(app, options);
  decisionRoute(app, options, 'approve', 'Approve a proposal and carry it out', approve);
  decisionRoute(app, options, 'reject', 'Reject a proposal, or withdraw one of your own', reject);
}

function listRoute(app: FastifyInstance, { room, cursors }: ApprovalRoutesOptions): void {
  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List proposals, newest first',
        querystring: schema.ApprovalQuery,
        response: { 200: schema.ApprovalList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = {
        status: query.list('status', schema.APPROVAL_STATUSES),
        kind: query.text('kind', 40),
        subject: query.text('subject', 64),
      };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'approvals', sort: '-proposedAt', filters: filter };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listApprovals(room.pool, filter, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], approvalView);
      return linkedPage(request, reply, page);
    },
  );
}

function showRoute(app: FastifyInstance, { room }: ApprovalRoutesOptions): void {
  app.get<{ Params: { approvalId: string } }>(
    `${PATH}/:approvalId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A proposal',
        params: schema.ApprovalParams,
        response: { 200: schema.ApprovalAnswer, default: ProblemSchema },
      },
    },
    async (request) => approvalView(await showApproval(room, request.params.approvalId)),
  );
}

function decisionRoute(
  app: FastifyInstance,
  { room, idempotency }: ApprovalRoutesOptions,
  verb: 'approve' | 'reject',
  summary: string,
  work: (room: ApprovalsRoom, decision: Decision) => Promise<ApprovalRecord>,
): void {
  app.post(
    `${PATH}/:approvalId/${verb}`,
    {
      config: { access },
      schema: {
        tags,
        summary,
        params: schema.ApprovalParams,
        body: schema.DecideApproval,
        response: { 200: schema.ApprovalAnswer, default: ProblemSchema },
      },
      preValidation: withOptionalBody,
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { caller } = request;
      if (caller === undefined) throw new Error('approvals need an authenticated caller');
      let answer: Answer | undefined;
      await work(room, {
        approvalId: (request.params as { approvalId: string }).approvalId,
        clientId: caller.clientId,
        scopes: caller.scopes,
        note: (request.body as schema.DecideApproval).note,
        inCommit: async (connection, approval) => {
          answer = { status: 200, body: approvalView(approval) };
          await keep(connection, answer);
        },
      });
      if (answer === undefined) throw new Error(`${verb} was done without an answer`);
      return answer;
    }),
  );
}

/** The body is optional; what is sent is held against the schema. */
async function withOptionalBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}
