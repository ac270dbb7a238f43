import * as api from '@firmquote/api/operations/pricing';
import type { FastifyInstance } from 'fastify';
import { type Result, serve } from '../http/serve.ts';
import { type PricingRoom, readSettings, requireKnownCustomers, setSettings } from './set-settings.ts';

/** Customers' limits can be many. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024; // limit: Body with settings of pricing

/** What operators set of pricing and risk, one document each: read with its ETag, replaced under `If-Match`. */
export function pricingRoutes(app: FastifyInstance, room: PricingRoom): void {
  const large = { bodyLimit: BODY_LIMIT_BYTES };
  serve(app, api.getPricingPolicy, async () => shown(await readSettings(room.pool, 'pricing_policy')));
  serve(
    app,
    api.setPricingPolicy,
    async ({ body, ifMatch, by }) => shown(await setSettings(room, 'pricing_policy', body, ifMatch, by)),
    large,
  );
  serve(app, api.getAmountLimits, async () => shown(await readSettings(room.pool, 'amount_limits')));
  serve(
    app,
    api.setAmountLimits,
    async ({ body, ifMatch, by }) => {
      await requireKnownCustomers(room.customers, body.limits);
      return shown(await setSettings(room, 'amount_limits', body, ifMatch, by));
    },
    large,
  );
  serve(app, api.getExposureLimits, async () => shown(await readSettings(room.pool, 'exposure_limits')));
  serve(
    app,
    api.setExposureLimits,
    async ({ body, ifMatch, by }) => shown(await setSettings(room, 'exposure_limits', body, ifMatch, by)),
    large,
  );
}

function shown(document: { readonly version: number }): Result {
  return { version: document.version, body: document };
}
