import { Approval as ApprovalAnswer } from '@firmquote/api/operations/approvals';
import type { FastifyInstance } from 'fastify';
import type { ApprovalRecord } from '../approvals/store.ts';
import { approvalLocation, approvalView } from '../approvals/view.ts';
import type { Connection } from '../database/pool.ts';
import { operatorOf } from '../deposits/order-routes.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import { ProblemSchema } from '../http/schema.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { proposeAcceptance } from './accept-file.ts';
import { deleteRefusedFile } from './delete-file.ts';
import { AcceptFile, Nothing, WithdrawFile } from './file-order-schema.ts';
import { findFile } from './file-store.ts';
import {
  access,
  fileReport,
  noSuchFile,
  STATEMENTS_PATH,
  type StatementRoutesOptions,
  tags,
} from './route-parts.ts';
import { FileParams, FileReport } from './schema.ts';
import { withdrawFile } from './withdraw-file.ts';

/** What people decide of whole files. */
export function fileOrderRoutes(app: FastifyInstance, options: StatementRoutesOptions): void {
  acceptRoute(app, options);
  withdrawRoute(app, options);
  deleteRoute(app, options);
}

function deleteRoute(app: FastifyInstance, { room }: StatementRoutesOptions): void {
  app.delete<{ Params: { fileId: string } }>(
    `${STATEMENTS_PATH}/:fileId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a refused file with its bytes',
        params: FileParams,
        response: { 204: Nothing, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const { id, name, sha256 } = await deleteRefusedFile(room, parseTypeId('stf', request.params.fileId));
      const by = typeId('cli', operatorOf(request));
      request.server.logger.info(
        { fileId: typeId('stf', id), name, sha256, by, requestId: request.id },
        'a refused statement file was deleted',
      );
      return reply.code(204).send();
    },
  );
}

function withdrawRoute(app: FastifyInstance, { room, idempotency }: StatementRoutesOptions): void {
  app.post(
    `${STATEMENTS_PATH}/:fileId/withdraw`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Take a file back that should not have come',
        description:
          'What only this file tells of is no longer booked. Where deposits are undone a second person approves it. While something depends on it, such as a payout, it is refused with `dependents`.',
        params: FileParams,
        body: WithdrawFile,
        response: { 200: FileReport, 202: ApprovalAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      let answer: Answer | undefined;
      await withdrawFile(room, {
        fileId: parseTypeId('stf', (request.params as { fileId: string }).fileId),
        actor: operatorOf(request),
        reason: (request.body as { reason: string }).reason,
        inCommit: async (connection, outcome) => {
          answer = outcome.done
            ? { status: 200, body: await reportOf(connection, outcome.fileId) }
            : proposed(outcome.approval);
          await keep(connection, answer);
        },
      });
      if (answer === undefined) throw new Error('a file was withdrawn without an answer');
      return answer;
    }),
  );
}

async function reportOf(connection: Connection, fileId: string): Promise<FileReport> {
  const file = await findFile(connection, fileId);
  if (file === undefined) throw noSuchFile();
  return fileReport({ pool: connection }, file);
}

function proposed(approval: ApprovalRecord): Answer {
  return { status: 202, headers: { Location: approvalLocation(approval) }, body: approvalView(approval) };
}

function acceptRoute(app: FastifyInstance, { room, idempotency }: StatementRoutesOptions): void {
  app.post(
    `${STATEMENTS_PATH}/:fileId/accept`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Accept a refused file whose figures do not agree',
        description:
          'For files that were refused as `balance_mismatch` or `totals_mismatch`. It always takes a second person, who approves the proposal; then the file is taken in as if its figures agreed, and says why it was accepted.',
        params: FileParams,
        body: AcceptFile,
        response: { 202: ApprovalAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      let answer: Answer | undefined;
      await proposeAcceptance(room, {
        fileId: parseTypeId('stf', (request.params as { fileId: string }).fileId),
        actor: operatorOf(request),
        reason: (request.body as { reason: string }).reason,
        inCommit: async (connection, approval) => {
          answer = proposed(approval);
          await keep(connection, answer);
        },
      });
      if (answer === undefined) throw new Error('a proposal was made without an answer');
      return answer;
    }),
  );
}
