import * as api from '@firmquote/api/operations/audit';
import type { FastifyInstance } from 'fastify';
import { pageJson, serve } from '../http/serve.ts';
import { uuidIn } from '../platform/ids.ts';
import { auditLine } from './line.ts';
import type { AuditRoom } from './room.ts';
import { listAudit } from './store.ts';

/** Who did what: the trail, for those who look after the house. */
export function auditRoutes(app: FastifyInstance, { pool }: AuditRoom): void {
  serve(
    app,
    api.listAudit,
    async ({ query, page }) => {
      const { actor, subject, ...rest } = query;
      const filter = {
        ...rest,
        // What has not the form of an id was done by nobody.
        ...(actor !== undefined && { actorId: uuidIn(actor) ?? NOBODY }),
        ...(subject !== undefined && { subject: uuidIn(subject) ?? subject }),
      };
      const rows = await listAudit(pool, filter, page.afterId, page.rows);
      return pageJson(page.of(rows, (row) => [row.number], auditLine));
    },
    {
      judge({ from, to }, refuse) {
        if (to !== undefined && (from ?? 0) >= to) refuse('to', 'out_of_range', 'must be later than from');
      },
    },
  );
}

const NOBODY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
