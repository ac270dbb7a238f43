import * as api from '@firmquote/api/operations/audit';
import type { FastifyInstance } from 'fastify';
import { logFailure } from '../database/log-failure.ts';
import { oneLargeAtATime } from '../http/connections.ts';
import { fileBody } from '../http/file-body.ts';
import { readQuery, refuseNoTime } from '../http/parameters.ts';
import { pageJson, serve, serveRaw } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { NO_ID, parseTypeId, uuidIn } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { type MadeExport, recordExport } from './archive-store.ts';
import { exportLog } from './export-log.ts';
import { headView, signNow } from './heads.ts';
import { auditLine } from './line.ts';
import { proveGrowth, proveRow } from './proofs.ts';
import type { AuditRoom } from './room.ts';
import { sealLog } from './seal.ts';
import { latestHeads } from './seal-store.ts';
import type { LogName } from './sealed-log.ts';
import { listAudit } from './store.ts';

/** Each reads what it sends as fast as it is taken. */
const EXPORTS_MAX = 2; // limit: Exports of sealed logs at once

/** Who did what: the trail, and what proves it and the journal, for those who look after the house. */
export function auditRoutes(app: FastifyInstance, room: AuditRoom): void {
  const { pool } = room;
  serve(
    app,
    api.listAudit,
    async ({ query, page }) => {
      const { actor, subject, ...rest } = query;
      const filter = {
        ...rest,
        // What has not the form of an id was done by nobody.
        ...(actor !== undefined && { actorId: uuidIn(actor) ?? NO_ID }),
        ...(subject !== undefined && { subject: uuidIn(subject) ?? subject }),
      };
      const rows = await listAudit(pool, filter, page.place('integer')?.[0], page.rows);
      return pageJson(page.of(rows, (row) => [row.number], auditLine));
    },
    { judge: refuseNoTime },
  );
  proofRoutes(app, room);
  exportRoute(app, room);
}

function proofRoutes(app: FastifyInstance, { pool, logs, heads, sealing }: AuditRoom): void {
  serve(app, api.listLogHeads, async ({ query, page }) => {
    const rows = await latestHeads(pool, query.log, page.place('integer')?.[0], page.rows);
    return { body: page.of(rows, ({ size }) => [size], headView) };
  });
  serve(app, api.signLogHead, async ({ query, keep }) => {
    const log = logs[query.log];
    await sealLog(sealing, log);
    return await signNow(heads, log, async (connection, head) => {
      const result = { body: headView(head) };
      await keep(connection, result);
      return result;
    });
  });
  serve(app, api.proveLogGrowth, async ({ query }) => ({
    body: await proveGrowth(pool, logs[query.log], query.earlier, query.size),
  }));
  serve(app, api.proveLogRow, async ({ query }) => ({
    body: await proveRow(pool, logs[query.log], keyOf(query.log, query.row), query.size),
  }));
}

/** As the database has it; undefined for what is none. */
function keyOf(log: LogName, text: string): string | undefined {
  if (log === 'journal') return parseTypeId('je', text);
  return /^[1-9]\d{0,17}$/.test(text) ? text : undefined;
}

/** @param room of which the server's own are busy or not: each server has room for some */
function exportRoute(app: FastifyInstance, { pool, logger, logs, heads }: AuditRoom): void {
  let running = 0;
  serveRaw(
    app,
    api.exportLog,
    async (request, reply) => {
      const { query } = readQuery(api.exportLog, request.query, (given, refuse) => {
        refuseNoTime(given, refuse);
        if (given.toSize !== undefined && (given.fromSize ?? 0) >= given.toSize)
          refuse('toSize', 'out_of_range', 'must be larger than fromSize');
      });
      if (running >= EXPORTS_MAX) {
        throw new Problem('overloaded', `${EXPORTS_MAX} exports are already running.`, {
          headers: { 'Retry-After': '10' },
        });
      }
      running++;
      let made: MadeExport | undefined;
      const lines = exportLog(heads, logs[query.log], query, (whole) => {
        made = whole;
      });
      const stream = fileBody(request, lines);
      // All of it has left: what it covers may be archived one day.
      reply.raw.once('finish', () => {
        if (made === undefined) return;
        recordExport(pool, made, heads.realClock.now()).catch((error: unknown) =>
          logFailure(logger, error, {}, 'an export could not be recorded', 'warn'),
        );
      });
      // `close` comes once, after the end and when the reader went away; the generator reads no further then.
      stream.once('close', () => running--);
      const name = `firmquote-${query.log}-${isoInstant(heads.realClock.now()).slice(0, 10)}.ndjson`;
      return reply
        .header('Content-Type', 'application/x-ndjson')
        .header('Content-Disposition', `attachment; filename="${name}"`)
        .header('Cache-Control', 'no-store')
        .send(stream);
    },
    { onRequest: oneLargeAtATime },
  );
}
