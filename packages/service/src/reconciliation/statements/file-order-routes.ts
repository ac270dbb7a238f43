import type { FastifyInstance } from 'fastify';
import { ApprovalAnswer } from '../../approvals/schema.ts';
import { approvalLocation, approvalView } from '../../approvals/view.ts';
import { type Answer, idempotent } from '../../http/idempotency.ts';
import { ProblemSchema } from '../../http/schema.ts';
import { parseTypeId } from '../../platform/ids.ts';
import { operatorOf } from '../order-routes.ts';
import { proposeAcceptance } from './accept-file.ts';
import { access, STATEMENTS_PATH, type StatementRoutesOptions, tags } from './route-parts.ts';
import { AcceptFile, FileParams } from './schema.ts';

/** What people decide of whole files. */
export function fileOrderRoutes(app: FastifyInstance, { room, idempotency }: StatementRoutesOptions): void {
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
          answer = {
            status: 202,
            headers: { Location: approvalLocation(approval) },
            body: approvalView(approval),
          };
          await keep(connection, answer);
        },
      });
      if (answer === undefined) throw new Error('a proposal was made without an answer');
      return answer;
    }),
  );
}
