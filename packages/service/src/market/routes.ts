import type { BodyOf } from '@firmquote/api/operation';
import * as bars from '@firmquote/api/operations/bars';
import * as api from '@firmquote/api/operations/market';
import type { Decimal, Pair } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { customerNotFound } from '../customers/records.ts';
import { requirePair } from '../http/market-codes.ts';
import { refuseNoTime } from '../http/parameters.ts';
import { POSITIVE } from '../http/sentences.ts';
import { type Call, type Result, serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, parseTypeId, typeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { acceptablePrice, acceptedView, acceptPrice } from './accept-price.ts';
import { type BarRow, listBars } from './bar-store.ts';
import { pairView } from './book-view.ts';
import type { MarketControl } from './control.ts';
import { haltMarket, resumeMarket } from './halt-market.ts';
import { listHalts } from './halt-store.ts';
import type { HaltRecord, HaltTarget } from './halts.ts';
import { healthView, sourceHealthView } from './health-view.ts';
import { listAcceptedPrices } from './level-store.ts';
import { type PairRecord, pairVersions } from './pair-store.ts';
import type { RateBook } from './rate-book.ts';
import { DEFAULT_VERSION, setPair } from './set-pair.ts';
import { resetSequence, switchSource } from './switch-source.ts';

/** What operators see of the market, and what they set for it (docs/interface.md#operators). */
export function marketRoutes(app: FastifyInstance, control: MarketControl): void {
  haltRoutes(app, control);
  pairRoutes(app, control);
  acceptRoutes(app, control);
  sourceRoutes(app, control);
  barRoute(app, control);
}

/** The kill switch: halt and resume, for everything, one pair or one customer (docs/interface.md#market-hours). */
function haltRoutes(app: FastifyInstance, control: MarketControl): void {
  serve(app, api.haltMarket, async ({ body, by: actor }) => {
    const { reason, openQuotes, ...target } = body;
    const command = { actor, reason };
    const { halt, withdrawn } = await haltMarket(control, targetOf(target), command, openQuotes !== 'keep');
    return { body: { ...haltView(halt), withdrawnQuotes: withdrawn } };
  });
  serve(app, api.resumeMarket, async ({ body, by: actor }) => {
    const { reason = null, ...target } = body;
    return { body: haltView(await resumeMarket(control, targetOf(target), { actor, reason })) };
  });
  serve(app, api.listHalts, async ({ query, page }) => {
    const rows = await listHalts(control.pool, query, page.afterId, page.rows);
    const halts = page.of(rows, (row) => [row.id], haltView);
    return { body: { ...halts, automatic: automaticHalts(control.market.book) } };
  });
}

/** @throws Problem validation_failed where scope and target do not go together */
function targetOf(body: Omit<BodyOf<typeof api.resumeMarket>, 'reason'>): HaltTarget {
  const { scope, pair, customerId } = body;
  const errors = (['pair', 'customerId'] as const).flatMap((field) => {
    const wanted = field === (scope === 'customer' ? 'customerId' : scope);
    if (wanted === (body[field] !== undefined)) return [];
    const code = wanted ? 'required' : 'not_permitted';
    const detail = wanted ? `is required for scope ${scope}` : `is not allowed for scope ${scope}`;
    return [{ pointer: `/${field}`, code, detail }];
  });
  if (errors.length > 0) throw validationProblem(errors);
  const id = customerId === undefined ? null : parseTypeId('cus', customerId);
  if (id === undefined) throw customerNotFound();
  return { scope, pair: pair ?? null, customerId: id };
}

function haltView(halt: HaltRecord): api.Halt {
  return {
    haltId: typeId('hlt', halt.id),
    scope: halt.scope,
    pair: halt.pair,
    customerId: halt.customerId === null ? null : typeId('cus', halt.customerId),
    reason: halt.reason,
    openQuotes: halt.withdrawsQuotes ? 'withdraw' : 'keep',
    haltedAt: isoInstant(halt.haltedAt),
    haltedBy: actorId(halt.haltedBy),
    resumedAt: halt.resumedAt === null ? null : isoInstant(halt.resumedAt),
    resumedBy: halt.resumedBy === null ? null : actorId(halt.resumedBy),
    resumeReason: halt.resumeReason,
  };
}

function automaticHalts(book: RateBook): api.AutomaticHalt[] {
  return book.disagreements().map(({ pair, since, sources }) => ({
    pair,
    reason: 'sources_disagree',
    since: isoInstant(since),
    sources: [...sources],
  }));
}

/** How each pair is treated. */
function pairRoutes(app: FastifyInstance, control: MarketControl): void {
  serve(app, api.listPairSettings, () => ({
    body: {
      items: control.quotedPairs().map((pair) => shownPair(control, pair, control.pairs.get(pair.code))),
    },
  }));
  serve(app, api.getPairSettings, async ({ params }) => {
    const pair = requirePair(params.pair, '/path/pair');
    // Read anew: what another instance has just set must not be overwritten with its own ETag.
    await control.load();
    return versioned(control, pair, control.pairs.get(pair.code));
  });
  serve(app, api.setPairSettings, async ({ params, body, ifMatch, by }) => {
    const pair = requirePair(params.pair, '/path/pair');
    return versioned(control, pair, await setPair(control, pair, body, ifMatch, by));
  });
  serve(app, api.listPairSettingsVersions, async ({ params, page }) => {
    const pair = requirePair(params.pair, '/path/pair');
    const rows = await pairVersions(control.pool, pair.code, page.place('integer')?.[0], page.rows);
    const view = (record: PairRecord) => pairView(pair, record, record.settings);
    return { body: page.of(rows, ({ version }) => [String(version)], view) };
  });
}

function versioned(control: MarketControl, pair: Pair, record: PairRecord | undefined): Result {
  return { version: record?.version ?? DEFAULT_VERSION, body: shownPair(control, pair, record) };
}

function shownPair({ market }: MarketControl, pair: Pair, record: PairRecord | undefined) {
  return pairView(pair, record, record?.settings ?? market.book.defaults);
}

/** What operators say of where a pair stands, when its prices have left what is believed by itself. */
function acceptRoutes(app: FastifyInstance, control: MarketControl): void {
  serve(app, api.acceptPrice, async ({ params, body: { price, reason }, by: actor }) => {
    const pair = requirePair(params.pair, '/path/pair');
    const accepted = await acceptPrice(control, pair, readPrice(price), { actor, reason });
    return { body: acceptedView(accepted) };
  });
  serve(app, api.listAcceptedPrices, async ({ params, page }) => {
    const { code } = requirePair(params.pair, '/path/pair');
    const before = page.place('integer')?.[0];
    const rows = await listAcceptedPrices(control.pool, code, before, page.rows);
    return { body: page.of(rows, (row) => [String(row.number)], acceptedView) };
  });
}

/** @throws Problem validation_failed */
function readPrice(text: string): Decimal {
  const price = acceptablePrice(text);
  if (price !== undefined) return price;
  throw validationProblem([{ pointer: '/price', code: 'out_of_range', detail: POSITIVE }]);
}

/** How the sources are, and switching them off and on. */
function sourceRoutes(app: FastifyInstance, control: MarketControl): void {
  serve(app, api.getMarketHealth, () => ({
    headers: { 'Cache-Control': 'no-store' },
    body: healthView(control),
  }));
  serve(app, api.resetSourceSequence, async ({ params: { source }, body, by: actor }) => {
    const { reason, nextSent = 1, nextReceived = 1 } = body;
    await resetSequence(control, source, { nextSent, nextReceived }, { actor, reason });
    return { body: sourceHealthView(control, source) };
  });
  const switched =
    (isEnabled: boolean) =>
    async ({ params: { source }, body, by }: Call<typeof api.enableSource | typeof api.disableSource>) => {
      await switchSource(control, source, isEnabled, { actor: by, reason: body.reason });
      return { body: sourceHealthView(control, source) };
    };
  serve(app, api.disableSource, switched(false));
  serve(app, api.enableSource, switched(true));
}

/** The recent history of prices. */
function barRoute(app: FastifyInstance, { pool }: MarketControl): void {
  serve(
    app,
    bars.listBars,
    async ({ query: { interval, from, to, ...query }, page }) => {
      const pair = requirePair(query.pair, '/query/pair').code;
      const range = { from, to, before: page.place('number')?.[0] };
      const rows = await listBars(pool, pair, interval, range, page.rows);
      return { body: { pair, interval, ...page.of(rows, ({ at }) => [at], barView) } };
    },
    { judge: refuseNoTime },
  );
}

function barView({ at, ...prices }: BarRow): bars.Bar {
  return { at: isoInstant(at), ...prices };
}
