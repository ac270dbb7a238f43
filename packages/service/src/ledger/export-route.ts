import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { oneLargeAtATime } from '../http/connections.ts';
import type { RouteAccess } from '../http/context.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { exportJournal } from './export-journal.ts';
import type { LedgerRoutesOptions } from './routes.ts';
import * as schema from './schema.ts';

const access: RouteAccess = { audience: 'operator', scope: 'operator:ledger' };
export const EXPORT_FORMATS = ['hledger'] as const;
/** Each holds a connection and a snapshot for as long as it takes. */
export const EXPORTS_MAX = 2; // limit: Exports of the journal at once

/** The whole journal as a file, streamed while it is read. */
export function exportRoute(app: FastifyInstance, { pool, clock }: LedgerRoutesOptions): void {
  let running = 0;
  app.get(
    '/v1/operator/ledger/export',
    {
      onRequest: oneLargeAtATime,
      config: { access, answers: 'anything' },
      schema: {
        tags: ['Operator: ledger'],
        summary: 'The whole journal with its balances as assertions, for hledger',
        querystring: schema.ExportQuery,
        produces: ['text/plain'],
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      query.choice('format', EXPORT_FORMATS);
      query.finish();
      if (running >= EXPORTS_MAX) {
        throw new Problem('overloaded', `${EXPORTS_MAX} exports are under way already.`, {
          headers: { 'Retry-After': '10' },
        });
      }
      running++;
      const at = clock.now();
      const stream = Readable.from(exportJournal(pool, at), { objectMode: false });
      // `close` comes once, after the end and when the reader went away; the generator then lets the connection go.
      stream.once('close', () => running--);
      return reply
        .header('Content-Type', 'text/plain; charset=utf-8')
        .header(
          'Content-Disposition',
          `attachment; filename="firmquote-${isoInstant(at).slice(0, 10)}.journal"`,
        )
        .header('Cache-Control', 'no-store')
        .send(stream);
    },
  );
}
