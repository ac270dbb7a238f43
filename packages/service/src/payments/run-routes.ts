import * as api from '@firmquote/api/operations/settlement-runs';
import type { FastifyInstance } from 'fastify';
import { proposed } from '../approvals/view.ts';
import { oneLargeAtATime } from '../http/connections.ts';
import { type Result, serve } from '../http/serve.ts';
import { typeId } from '../platform/ids.ts';
import { cancelRun, downloadFile, markSent } from './end-run.ts';
import type { PaymentsRoom } from './room.ts';
import { listPayments } from './run-payment-store.ts';
import { listRuns, type RunRow } from './run-store.ts';
import { paymentView, previewView, RUNS_PATH, runView } from './run-view.ts';
import { createRun, existingRun, previewRun } from './settlement-runs.ts';

/** Settlement runs: what is to be paid becomes a file for the bank. */
export function runRoutes(app: FastifyInstance, room: PaymentsRoom): void {
  const shown = (run: RunRow): Result => ({ version: run.version, body: runView(run, room) });
  const made = (run: RunRow): Result => ({
    ...shown(run),
    headers: { Location: `${RUNS_PATH}/${typeId('run', run.id)}` },
  });
  serve(app, api.previewSettlementRun, async ({ query }) => ({
    body: previewView(await previewRun(room, query)),
  }));
  serve(app, api.createSettlementRun, async ({ body, by, because, inCommit }) => {
    // Whoever approves it approves the effects that they see.
    const previewDigest = because.approval === undefined ? body.previewDigest : undefined;
    await createRun(room, { ...body, previewDigest }, by, inCommit(made));
  });
  serve(app, api.listSettlementRuns, async ({ query, page }) => {
    const rows = await listRuns(room.pool, query, page.afterId, page.rows);
    return {
      body: page.of(
        rows,
        (row) => [row.id],
        (run) => runView(run, room),
      ),
    };
  });
  serve(app, api.getSettlementRun, async ({ params }) => shown(await existingRun(room.pool, params.runId)));
  serve(app, api.listSettlementRunPayments, async ({ params, page }) => {
    const run = await existingRun(room.pool, params.runId);
    const rows = await listPayments(room.pool, run.id, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], paymentView) };
  });
  serve(app, api.markSettlementRunSent, async ({ params, ifMatch, by, because, inCommit }) => {
    const approvedBy = because.approval?.approvedBy;
    await markSent(room, { runId: params.runId, ifMatch, by, approvedBy }, inCommit(shown));
  });
  serve(app, api.cancelSettlementRun, async ({ params, body, ifMatch, by, inCommit }) => {
    const command = { runId: params.runId, ifMatch, by, reason: body.reason };
    await cancelRun(
      room,
      command,
      inCommit((outcome) => (outcome.done ? shown(outcome.result) : proposed(outcome.approval))),
    );
  });
  fileRoute(app, room);
}

function fileRoute(app: FastifyInstance, room: PaymentsRoom): void {
  serve(
    app,
    api.downloadSettlementRunFile,
    async ({ params, by }) => {
      const { format } = params;
      const { run, ...file } = await downloadFile(room, { ...params, by });
      const isCsv = format === 'csv';
      return {
        headers: {
          'Content-Type': isCsv ? 'text/csv; charset=utf-8' : 'application/xml; charset=utf-8',
          'Content-Disposition': `attachment; filename="${run.message_id}.${isCsv ? 'csv' : 'xml'}"`,
          'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
          'Cache-Control': 'no-store',
        },
        body: file.content,
      };
    },
    { onRequest: oneLargeAtATime, exposeHeadRoute: false },
  );
}
