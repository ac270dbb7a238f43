import { formatDecimal } from '@firmquote/fx';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import type { RouteAccess } from '../http/context.ts';
import { idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { requirePair } from '../http/market-codes.ts';
import { ProblemSchema } from '../http/schema.ts';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import type { KnownRate } from './policy.ts';
import * as schema from './schema.ts';
import {
  pushSwapPoints,
  readSwapPointPolicy,
  type SwapPointsRoom,
  setSwapPointPolicy,
  setSwapPoints,
  type VersionedPolicy,
} from './set-points.ts';
import { newestVersion } from './store.ts';
import { swapPointsView } from './view.ts';

const access: RouteAccess = { audience: 'operator', scope: 'operator:market' };
const tags = ['Operator: market'];
const PATH = '/v1/operator/swap-points';
/** Room for as many points as are permitted. */
const PUSH_BODY_BYTES = 128 * 1024;

export interface SwapPointRoutesOptions {
  readonly room: SwapPointsRoom;
  readonly book: RateBook;
  readonly idempotency: IdempotencyStore;
}

/** Swap points by pair, pushed by sources, and the policy where there are none (docs/interface.md#value-dates). */
export function swapPointRoutes(app: FastifyInstance, options: SwapPointRoutesOptions): void {
  readRoutes(app, options);
  setRoute(app, options);
  pushRoute(app, options);
  policyRoutes(app, options);
}

function readRoutes(app: FastifyInstance, { room, book }: SwapPointRoutesOptions): void {
  const viewing = () => ({ desk: room.desk, book, dates: room.dates.current });
  app.get(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Swap points that somebody has given on this trade date',
        response: { 200: schema.SwapPointsList, default: ProblemSchema },
      },
    },
    async () => {
      const now = room.clock.now();
      const { set, pushed } = room.desk.given;
      const codes = [...new Set([...set.keys(), ...pushed.keys()])].sort();
      return {
        items: codes.map((code) =>
          swapPointsView(viewing(), requirePair(code, '/path/pair'), set.get(code), now),
        ),
      };
    },
  );
  app.get<{ Params: { pair: string } }>(
    `${PATH}/:pair`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Swap points of a pair, and the prices before spot that follow from them',
        params: schema.PairParams,
        response: { 200: schema.SwapPointsOfPair, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const pair = requirePair(request.params.pair, '/path/pair');
      const version = await newestVersion(room.pool, pair.code);
      return versioned(reply, swapPointsView(viewing(), pair, version, room.clock.now()));
    },
  );
}

function setRoute(app: FastifyInstance, { room, book }: SwapPointRoutesOptions): void {
  app.put<{ Params: { pair: string } }>(
    `${PATH}/:pair`,
    {
      config: { access },
      schema: {
        tags,
        summary: "Set a pair's swap points for this trade date",
        description: 'Takes the `ETag` of the pair as `If-Match`. Every version is kept.',
        params: schema.PairParams,
        body: schema.SetSwapPoints,
        response: { 200: schema.SwapPointsOfPair, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const pair = requirePair(request.params.pair, '/path/pair');
      const body = request.body as schema.SetSwapPoints;
      await setSwapPoints(room, pair, body, ifMatchOf(request, 'points'), clientOf(request));
      const version = await newestVersion(room.pool, pair.code);
      const viewing = { desk: room.desk, book, dates: room.dates.current };
      return versioned(reply, swapPointsView(viewing, pair, version, room.clock.now()));
    },
  );
}

function pushRoute(app: FastifyInstance, { room, idempotency }: SwapPointRoutesOptions): void {
  app.post(
    PATH,
    {
      bodyLimit: PUSH_BODY_BYTES,
      config: { access },
      schema: {
        tags,
        summary: 'Push swap points',
        description: `Up to ${schema.PUSHED_POINTS_MAX}; each has its own outcome. What a source says replaces what it has said of the leg before.`,
        body: schema.PushSwapPoints,
        response: { 200: schema.PushedSwapPoints, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const body = request.body as schema.PushSwapPoints;
      const receivedAt = room.clock.now();
      const outcomes = await pushSwapPoints(room, body, receivedAt, clientOf(request));
      const results = body.points.map(({ pair, leg }, index) => {
        const outcome = outcomes[index];
        return outcome === 'accepted'
          ? { pair, leg, outcome }
          : { pair, leg, outcome: 'refused', reason: outcome };
      });
      const accepted = outcomes.filter((outcome) => outcome === 'accepted').length;
      const refused = outcomes.length - accepted;
      return {
        status: 200,
        body: { source: body.source, receivedAt: isoInstant(receivedAt), accepted, refused, results },
      };
    }),
  );
}

function policyRoutes(app: FastifyInstance, { room }: SwapPointRoutesOptions): void {
  const path = '/v1/operator/swap-point-policy';
  const policyAccess: RouteAccess = { audience: 'operator', scope: 'operator:spreads' };
  const response = { 200: schema.SwapPointPolicyView, default: ProblemSchema };
  const view = (policy: VersionedPolicy): schema.SwapPointPolicyView => ({
    ...policy,
    builtInRates: [...room.desk.builtInRates.values()].map(rateView),
  });
  app.get(
    path,
    {
      config: { access: policyAccess },
      schema: { tags: ['Operator: pricing'], summary: 'Read the swap point policy', response },
    },
    async (_request, reply) => versioned(reply, view(await readSwapPointPolicy(room))),
  );
  app.put(
    path,
    {
      config: { access: policyAccess },
      schema: {
        tags: ['Operator: pricing'],
        summary: 'Replace the swap point policy',
        body: schema.SetSwapPointPolicy,
        response,
      },
    },
    async (request, reply) => {
      const body = request.body as schema.SetSwapPointPolicy;
      const ifMatch = ifMatchOf(request, 'swap point policy');
      return versioned(reply, view(await setSwapPointPolicy(room, body, ifMatch, clientOf(request))));
    },
  );
}

function rateView({ bid, ask, ...rate }: KnownRate): schema.SwapPointPolicyView['interestRates'][number] {
  return { ...rate, bid: formatDecimal(bid), ask: formatDecimal(ask) };
}

function ifMatchOf(request: FastifyRequest, name: string): number | '*' {
  const ifMatch = parseIfMatch(request.headers['if-match']);
  if (ifMatch !== undefined) return ifMatch;
  throw new Problem('precondition_required', `Send the ETag of the ${name} as If-Match.`);
}

function clientOf(request: FastifyRequest): string {
  const clientId = request.caller?.clientId;
  if (clientId === undefined) throw new Error('a guarded route has a caller');
  return clientId;
}

function versioned<View extends { readonly version: number }>(reply: FastifyReply, view: View): View {
  reply.header('ETag', etagOf(view.version)).header('Cache-Control', 'no-store');
  return view;
}
