import { findPair } from '@firmquote/fx';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { etagOf, ifNoneMatch, parseIfMatch } from '../http/conditional.ts';
import { requirePair } from '../http/market-codes.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { Problem } from '../problems/problem.ts';
import { pairView, priceView } from './book-view.ts';
import type { MarketControl } from './control.ts';
import { withLimits } from './pair-settings.ts';
import type { PairRecord } from './pair-store.ts';
import { access, actorOf, type MarketRoutesOptions, tags } from './route-helpers.ts';
import * as schema from './schema.ts';
import { DEFAULT_VERSION, type PairInput, setPair } from './set-pair.ts';

const PAIR = '/v1/operator/pairs/:pair';

/** Prices as the book has them, and how each pair is treated. */
export function pairRoutes(app: FastifyInstance, { control }: MarketRoutesOptions): void {
  pricesRoute(app, control);
  listPairsRoute(app, control);
  readPairRoute(app, control);
  setPairRoute(app, control);
}

function pricesRoute(app: FastifyInstance, control: MarketControl): void {
  app.get(
    '/v1/operator/prices',
    {
      config: { access },
      schema: {
        tags,
        summary: 'The price of each pair in this instance, with what every source says and what is halted',
        querystring: schema.BookQuery,
        response: { 200: schema.BookAnswer, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const codes = query.listMatching('pair', /^[A-Z]{6}$/, 'pairs in market order such as EURUSD');
      query.finish();
      const { book } = control.market;
      const pairs =
        codes === undefined ? quotedPairs(control) : codes.map((pair) => requirePair(pair, '/query/pair'));
      const now = control.clock.now();
      reply.header('Cache-Control', 'no-store');
      return { items: pairs.map((pair) => priceView(control, book.view(pair), now)) };
    },
  );
}

/** Those with a price of their own, and those that were set. */
function quotedPairs({ market, pairs }: MarketControl) {
  const codes = new Set([...market.book.pairs(), ...pairs.keys()]);
  return [...codes].sort().flatMap((code) => findPair(code) ?? []);
}

function listPairsRoute(app: FastifyInstance, control: MarketControl): void {
  app.get(
    '/v1/operator/pairs',
    {
      config: { access },
      schema: {
        tags,
        summary: 'How pairs are treated: those that have a price or were set',
        response: { 200: schema.PairList, default: ProblemSchema },
      },
    },
    async () => ({
      items: quotedPairs(control).map(({ code }) => shownPair(control, code, control.pairs.get(code))),
    }),
  );
}

function readPairRoute(app: FastifyInstance, control: MarketControl): void {
  app.get(
    PAIR,
    {
      config: { access },
      schema: {
        tags,
        summary: 'How a pair is treated',
        params: schema.PairParams,
        response: { 200: schema.PairSettingsAnswer, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const { code } = requirePair((request.params as { pair: string }).pair, '/path/pair');
      // Read anew: what another instance has just set must not be overwritten with its own ETag.
      await control.load();
      const version = versionOf(control.pairs.get(code));
      if (ifNoneMatch(request.headers['if-none-match'], version)) {
        return reply.header('ETag', etagOf(version)).code(304).send();
      }
      return show(reply, control, code, control.pairs.get(code));
    },
  );
}

function setPairRoute(app: FastifyInstance, control: MarketControl): void {
  app.put(
    PAIR,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set how a pair is treated: age limit, composite, filters, enabled',
        description:
          'Followed by every instance within a second. A pair that is not enabled is not quoted any more; quotes that are open stay so, unlike under a halt.',
        params: schema.PairParams,
        body: schema.SetPair,
        response: { 200: schema.PairSettingsAnswer, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const pair = requirePair((request.params as { pair: string }).pair, '/path/pair');
      const ifMatch = parseIfMatch(request.headers['if-match']);
      if (ifMatch === undefined) {
        throw new Problem(
          'precondition_required',
          'Send the ETag of the settings that these replace as If-Match.',
        );
      }
      const input = request.body as PairInput;
      const record = await setPair(control, pair, input, ifMatch, actorOf(request));
      return show(reply, control, pair.code, record);
    },
  );
}

function show(
  reply: FastifyReply,
  control: MarketControl,
  code: string,
  record: PairRecord | undefined,
): Record<string, unknown> {
  reply.header('ETag', etagOf(versionOf(record)));
  return shownPair(control, code, record);
}

function shownPair(
  { market }: MarketControl,
  code: string,
  record: PairRecord | undefined,
): Record<string, unknown> {
  const pair = requirePair(code, '/path/pair');
  const settings = record === undefined ? market.book.defaultsOf(pair) : withLimits(pair, record.settings);
  return pairView(pair, record, settings);
}

function versionOf(record: PairRecord | undefined): number {
  return record?.version ?? DEFAULT_VERSION;
}
