import type { FastifyInstance } from 'fastify';
import { customerNotFound } from '../customers/records.ts';
import { idempotent } from '../http/idempotency.ts';
import type { CursorScope } from '../http/paging.ts';
import { linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { haltMarket, resumeMarket } from './halt-market.ts';
import { listHalts } from './halt-store.ts';
import type { HaltRecord, HaltScope, HaltTarget } from './halts.ts';
import type { RateBook } from './rate-book.ts';
import { access, actorOf, type MarketRoutesOptions, tags } from './route-helpers.ts';
import * as schema from './schema.ts';

/** The kill switch: halt and resume, for everything, one pair or one customer (docs/interface.md#market-hours). */
export function haltRoutes(app: FastifyInstance, options: MarketRoutesOptions): void {
  haltRoute(app, options);
  resumeRoute(app, options);
  listRoute(app, options);
}

function haltRoute(app: FastifyInstance, { control, idempotency }: MarketRoutesOptions): void {
  app.post(
    '/v1/operator/market/halt',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Stop trading: everything, one pair or one customer',
        description:
          'Requests for firm quotes answer 409 `market_closed` with reason `halt`, indicative prices are not tradable. Open quotes in its reach are withdrawn and not executed any more, or, with `openQuotes` `keep`, stand until they expire. In force here when this answers, on other instances within a second. Repeating it withdraws once more.',
        body: schema.HaltMarket,
        response: { 200: schema.HaltedMarket, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const { reason, openQuotes, ...target } = request.body as schema.HaltMarket;
      const order = { actor: actorOf(request), reason };
      const { halt, withdrawn } = await haltMarket(control, targetOf(target), order, openQuotes !== 'keep');
      return { status: 200, body: { ...haltView(halt), withdrawnQuotes: withdrawn } };
    }),
  );
}

function resumeRoute(app: FastifyInstance, { control, idempotency }: MarketRoutesOptions): void {
  app.post(
    '/v1/operator/market/resume',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Lift a halt',
        description:
          'Other halts that reach the same pair or customer stay in force. Withdrawn quotes stay withdrawn.',
        body: schema.ResumeMarket,
        response: { 200: schema.Halt, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const { reason, ...target } = request.body as schema.ResumeMarket;
      const order = { actor: actorOf(request), reason: reason ?? null };
      return { status: 200, body: haltView(await resumeMarket(control, targetOf(target), order)) };
    }),
  );
}

function listRoute(app: FastifyInstance, { control, cursors }: MarketRoutesOptions): void {
  app.get(
    '/v1/operator/market/halts',
    {
      config: { access },
      schema: {
        tags,
        summary:
          'Halts, newest first, with who ordered and lifted them; and the automatic ones of this instance',
        querystring: schema.HaltsQuery,
        response: { 200: schema.HaltList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filters = { status: query.choice('status', ['active', 'resumed']) };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'market halts', sort: '-haltedAt', filters };
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listHalts(control.pool, filters, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.id], haltView);
      linkedPage(request, reply, page);
      return { ...page, automatic: automaticHalts(control.market.book) };
    },
  );
}

/** @throws Problem validation_failed where scope and target do not go together */
function targetOf(body: { scope: HaltScope; pair?: string; customerId?: string }): HaltTarget {
  const { scope, pair, customerId } = body;
  const errors = (['pair', 'customerId'] as const).flatMap((field) => {
    const wanted = field === (scope === 'customer' ? 'customerId' : scope);
    if (wanted === (body[field] !== undefined)) return [];
    const code = wanted ? 'required' : 'not_permitted';
    const detail = wanted ? `is what a halt of scope ${scope} is for` : `does not belong to scope ${scope}`;
    return [{ pointer: `/${field}`, code, detail }];
  });
  if (errors.length > 0) throw validationProblem(errors);
  const id = customerId === undefined ? null : parseTypeId('cus', customerId);
  if (id === undefined) throw customerNotFound();
  return { scope, pair: pair ?? null, customerId: id };
}

export function haltView(halt: HaltRecord): Record<string, unknown> {
  return {
    haltId: typeId('hlt', halt.id),
    scope: halt.scope,
    pair: halt.pair,
    customerId: halt.customerId === null ? null : typeId('cus', halt.customerId),
    reason: halt.reason,
    openQuotes: halt.withdrawsQuotes ? 'withdraw' : 'keep',
    haltedAt: isoInstant(halt.haltedAt),
    haltedBy: typeId('cli', halt.haltedBy),
    resumedAt: halt.resumedAt === null ? null : isoInstant(halt.resumedAt),
    resumedBy: halt.resumedBy === null ? null : typeId('cli', halt.resumedBy),
    resumeReason: halt.resumeReason,
  };
}

export function automaticHalts(book: RateBook): Record<string, unknown>[] {
  return book.disagreements().map(({ pair, since, sources }) => ({
    pair,
    reason: 'sources_disagree',
    since: isoInstant(since),
    sources,
  }));
}
