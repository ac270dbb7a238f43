import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, ifNoneMatch, parseIfMatch } from '../http/conditional.ts';
import { ProblemSchema } from '../http/schema.ts';
import { Problem } from '../problems/problem.ts';
import { ExposureLimitsView, SetExposureLimits } from './exposure-schema.ts';
import * as schema from './schema.ts';
import { type PricingRoom, readSettings, requireKnownCustomers, setSettings } from './set-settings.ts';
import type { SettingsKind } from './settings-store.ts';

/** Customers' limits can be many. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024; // limit: Body with settings of pricing

/** What operators set of pricing and risk, one document each: read with its ETag, replaced under `If-Match`. */
export function pricingRoutes(app: FastifyInstance, room: PricingRoom): void {
  documentRoutes(app, room, {
    path: '/v1/operator/pricing-policy',
    kind: 'pricing_policy',
    scope: 'operator:spreads',
    name: 'pricing policy',
    body: schema.SetPricingPolicy,
    view: schema.PricingPolicyView,
  });
  documentRoutes(app, room, {
    path: '/v1/operator/amount-limits',
    kind: 'amount_limits',
    scope: 'operator:limits',
    name: 'smallest and largest amounts',
    body: schema.SetAmountLimits,
    view: schema.AmountLimitsView,
  });
  documentRoutes(app, room, {
    path: '/v1/operator/exposure-limits',
    kind: 'exposure_limits',
    scope: 'operator:limits',
    name: "limits of the house's exposure",
    body: SetExposureLimits,
    view: ExposureLimitsView,
  });
}

interface DocumentRoute {
  readonly path: string;
  readonly kind: SettingsKind;
  readonly scope: `operator:${string}`;
  readonly name: string;
  readonly body: object;
  readonly view: object;
}

function documentRoutes(app: FastifyInstance, room: PricingRoom, route: DocumentRoute): void {
  const access = { audience: 'operator', scope: route.scope } as const;
  const tags = ['Operator: pricing'];
  const response = { 200: route.view, default: ProblemSchema };
  app.get(
    route.path,
    { config: { access }, schema: { tags, summary: `Read the ${route.name}`, response } },
    async (request, reply) => {
      const settings = await readSettings(room.pool, route.kind);
      if (ifNoneMatch(request.headers['if-none-match'], settings.version)) {
        return reply.header('ETag', etagOf(settings.version)).code(304).send();
      }
      return show(reply, settings);
    },
  );
  app.put(
    route.path,
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { access },
      schema: { tags, summary: `Replace the ${route.name}`, body: route.body, response },
    },
    async (request, reply) => {
      const ifMatch = parseIfMatch(request.headers['if-match']);
      if (ifMatch === undefined) {
        throw new Problem('precondition_required', `Send the ETag of the ${route.name} as If-Match.`);
      }
      return show(reply, await replace(room, route.kind, request, ifMatch));
    },
  );
}

async function replace(
  room: PricingRoom,
  kind: SettingsKind,
  request: FastifyRequest,
  ifMatch: number | '*',
) {
  const actor = request.caller?.clientId ?? '';
  switch (kind) {
    case 'pricing_policy':
      return setSettings(room, kind, request.body as schema.SetPricingPolicy, ifMatch, actor);
    case 'amount_limits': {
      const body = request.body as schema.SetAmountLimits;
      await requireKnownCustomers(room.customers, body.limits);
      return setSettings(room, kind, body, ifMatch, actor);
    }
    case 'exposure_limits':
      return setSettings(room, kind, request.body as SetExposureLimits, ifMatch, actor);
  }
}

function show<T extends { readonly version: number }>(reply: FastifyReply, settings: T): T {
  reply.header('ETag', etagOf(settings.version));
  return settings;
}
