import type { Approval } from '@firmquote/api/operations/approvals';
import * as api from '@firmquote/api/operations/approvals';
import type { FastifyInstance } from 'fastify';
import { type Call, serve } from '../http/serve.ts';
import { approve, type Decision, reject, showApproval } from './approvals.ts';
import type { ApprovalsRoom } from './room.ts';
import { listApprovals } from './store.ts';
import { approvalView, withSecret } from './view.ts';
import { decidingOf } from './who-decides.ts';

/** Four eyes: what one operator proposed, another one approves or rejects. */
export function approvalRoutes(app: FastifyInstance, room: ApprovalsRoom): void {
  const deciding = ({ caller }: Call<typeof api.listApprovals> | Call<typeof api.getApproval>) =>
    decidingOf(room, { actorId: caller.actor.id, scopes: caller.scopes });
  serve(app, api.listApprovals, async (call) => {
    const { query, page } = call;
    const rows = await listApprovals(room.pool, query, page.afterId, page.rows);
    const decides = deciding(call);
    const reported = new Map<string, Approval>();
    for (const row of rows) reported.set(row.id, { ...approvalView(row), deciding: await decides(row) });
    return {
      body: page.of(
        rows,
        (row) => [row.id],
        ({ id }) => reported.get(id),
      ),
    };
  });
  serve(app, api.getApproval, async (call) => {
    const approval = await showApproval(room, call.params.approvalId);
    return { body: { ...approvalView(approval), deciding: await deciding(call)(approval) } };
  });
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
