import type { FastifyInstance } from 'fastify';
import { requirePair } from '../http/market-codes.ts';
import { type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import * as schema from './bar-schema.ts';
import { BAR_INTERVALS, type BarRow, listBars } from './bar-store.ts';
import { access, type MarketRoutesOptions, tags } from './route-helpers.ts';

const DEFAULT_BARS = 500; // limit: Bars on a page, by default
/** Charts want more than a page of a list. */
const MAX_BARS = 1_000; // limit: Bars on a page, at most

/** The recent history of prices. */
export function barRoutes(app: FastifyInstance, { control, cursors }: MarketRoutesOptions): void {
  app.get(
    '/v1/operator/market/bars',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Bars of a pair, newest first: what its own price did in each second or minute',
        querystring: schema.BarsQuery,
        response: { 200: schema.BarList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const code = query.text('pair', 6);
      if (code === undefined) query.refuse('pair', 'required', 'must be a pair such as EURUSD');
      const interval = query.choice('interval', BAR_INTERVALS) ?? '1m';
      const from = query.instant('from');
      const to = query.instant('to');
      if (from !== undefined && to !== undefined && from >= to) {
        query.refuse('to', 'out_of_range', 'must be later than from');
      }
      const limit = limitOf(query);
      const cursor = query.cursor();
      query.finish();
      const pair = requirePair(code ?? '', '/query/pair').code;
      const scope: CursorScope = { list: 'market bars', sort: '-at', filters: { pair, interval, from, to } };
      const before = cursor === undefined ? undefined : placeOf(cursors.decode(scope, cursor)[0]);
      const range = {
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(before === undefined ? {} : { before }),
      };
      const rows = await listBars(control.pool, pair, interval, range, limit + 1);
      const page = cursors.page(scope, rows, limit, ({ at }) => [at], barView);
      linkedPage(request, reply, page);
      return { pair, interval, ...page };
    },
  );
}

function limitOf(query: QueryReader): number {
  const text = query.text('limit', 10);
  if (text === undefined) return DEFAULT_BARS;
  const limit = /^[1-9]\d{0,3}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (limit <= MAX_BARS) return limit;
  query.refuse('limit', 'not_permitted', `must be a whole number from 1 to ${MAX_BARS}`);
  return DEFAULT_BARS;
}

function placeOf(part: unknown): number {
  if (typeof part === 'number') return part;
  throw new Problem('cursor_invalid', 'The cursor is not one of this list.', { field: '/query/cursor' });
}

function barView({ at, ...prices }: BarRow): Record<string, unknown> {
  return { at: isoInstant(at), ...prices };
}
