import * as api from '@firmquote/api/operations/approvals';
import type { FastifyInstance } from 'fastify';
import { type Call, serve } from '../http/serve.ts';
import { approve, type Decision, reject, showApproval } from './approvals.ts';
import type { ApprovalsRoom } from './room.ts';
import { listApprovals } from './store.ts';
import { approvalView, withSecret } from './view.ts';

/** Four eyes: what one operator proposed, another one approves or rejects. */
export function approvalRoutes(app: FastifyInstance, room: ApprovalsRoom): void {
  serve(app, api.listApprovals, async ({ query, page }) => {
    const rows = await listApprovals(room.pool, query, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], approvalView) };
  });
  serve(app, api.getApproval, async ({ params }) => ({
    body: approvalView(await showApproval(room, params.approvalId)),
  }));
  serve(app, api.approve, async (call) => {
    const { approval, shown } = await approve(room, decisionOf(call));
    // A repetition gets what is kept, without it.
    return shown === undefined ? undefined : withSecret({ body: approvalView(approval) }, shown);
  });
  serve(app, api.rejectApproval, async (call) => {
    await reject(room, decisionOf(call));
  });
}

function decisionOf({
  params,
  body,
  caller,
  inCommit,
}: Call<typeof api.approve> | Call<typeof api.rejectApproval>): Decision {
  return {
    approvalId: params.approvalId,
    actorId: caller.actor.id,
    scopes: caller.scopes,
    note: body.note,
    ...('effectsDigest' in body && { effectsDigest: body.effectsDigest }),
    inCommit: inCommit((approval) => ({ body: approvalView(approval) })),
  };
}
