import * as api from '@firmquote/api/operations/swap-points';
import { formatDecimal, type Pair } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { current } from '../database/enclosure.ts';
import { requirePair } from '../http/market-codes.ts';
import { type Result, serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { listVersions, newestDocument, type Versioned } from '../settings/documents.ts';
import { serveVersions } from '../settings/serve-document.ts';
import { type KnownRate, MAX_BPS_PER_DAY, SWAP_POINT_POLICY } from './policy.ts';
import type { SwapPointsRoom } from './room.ts';
import { pushSwapPoints, setSwapPointPolicy, setSwapPoints } from './set-points.ts';
import { newestVersion, type PointsVersion, pointsVersions } from './store.ts';
import { swapPointsView, versionView } from './view.ts';

/** Room for as many points as are permitted. */
const PUSH_BODY_BYTES = 128 * 1024;

/** Swap points by pair, pushed by sources, and the policy where there are none (docs/interface.md#value-dates). */
export function swapPointRoutes(app: FastifyInstance, room: SwapPointsRoom): void {
  const view = (pair: Pair, version: PointsVersion | undefined, now: number) =>
    swapPointsView({ desk: room.desk, book: room.book, dates: room.dates.current }, pair, version, now);
  const shown = async (pair: Pair) =>
    uncached(view(pair, await newestVersion(current(room.pool), pair.code), room.clock.now()));
  serve(app, api.listSwapPoints, () => {
    const now = room.clock.now();
    const { set, pushed } = room.desk.given;
    const codes = [...new Set([...set.keys(), ...pushed.keys()])].sort();
    const items = codes.map((code) => view(requirePair(code, '/path/pair'), set.get(code), now));
    return { body: { items } };
  });
  serve(app, api.getSwapPoints, async ({ params }) => shown(requirePair(params.pair, '/path/pair')));
  serve(app, api.setSwapPoints, async ({ params, body, ifMatch, by }) => {
    const pair = requirePair(params.pair, '/path/pair');
    await setSwapPoints(room, pair, body, ifMatch, by);
    return shown(pair);
  });
  serve(app, api.listSwapPointVersions, async ({ params, page }) => {
    const { code } = requirePair(params.pair, '/path/pair');
    const rows = await pointsVersions(room.pool, code, page.rows, page.place('integer')?.[0]);
    return { body: page.of(rows, ({ version }) => [String(version)], versionView) };
  });
  serve(
    app,
    api.pushSwapPoints,
    async ({ body, by }) => {
      const receivedAt = room.clock.now();
      const outcomes = await pushSwapPoints(room, body, receivedAt, by);
      const results = body.points.map(({ pair, leg }, index) => {
        const outcome = outcomes[index];
        return outcome === 'accepted'
          ? { pair, leg, outcome }
          : { pair, leg, outcome: 'refused', reason: outcome };
      });
      const accepted = outcomes.filter((outcome) => outcome === 'accepted').length;
      const refused = outcomes.length - accepted;
      return {
        body: { source: body.source, receivedAt: isoInstant(receivedAt), accepted, refused, results },
      };
    },
    { bodyLimit: PUSH_BODY_BYTES },
  );
  policyRoutes(app, room);
}

function policyRoutes(app: FastifyInstance, room: SwapPointsRoom): void {
  const shown = (policy: Versioned<api.SetSwapPointPolicy>) => {
    const view: api.SwapPointPolicy = {
      maxBpsPerDay: MAX_BPS_PER_DAY,
      ...policy,
      builtInRates: [...room.desk.builtInRates.values()].map(rateView),
    };
    return uncached(view);
  };
  serve(app, api.getSwapPointPolicy, async () => shown(await newestDocument(room.pool, SWAP_POINT_POLICY)));
  serve(app, api.setSwapPointPolicy, async ({ body, ifMatch, by }) =>
    shown(await setSwapPointPolicy(room, body, ifMatch, by)),
  );
  serveVersions(app, api.listSwapPointPolicyVersions, (...page) =>
    listVersions(room.pool, SWAP_POINT_POLICY, ...page),
  );
}

function rateView({ bid, ask, ...rate }: KnownRate): api.SwapPointPolicy['interestRates'][number] {
  return { ...rate, bid: formatDecimal(bid), ask: formatDecimal(ask) };
}

function uncached(view: { readonly version: number }): Result {
  return { version: view.version, headers: { 'Cache-Control': 'no-store' }, body: view };
}
