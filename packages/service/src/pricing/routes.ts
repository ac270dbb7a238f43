import * as api from '@firmquote/api/operations/pricing';
import * as spreads from '@firmquote/api/operations/spread-rules';
import type { FastifyInstance } from 'fastify';
import { type Result, serve } from '../http/serve.ts';
import type { PricingRoom } from './room.ts';
import { readSettings, requireKnownCustomers, setSettings } from './set-settings.ts';
import { setSpreadRules } from './set-spread-rules.ts';
import { activateDraft, discardDraft, setDraft } from './spread-draft.ts';
import { readDraft, readRuleSet, type SpreadRuleDraft, type SpreadRuleSet } from './spread-store.ts';
import { spreadRuleDraftView, spreadRulesView } from './spread-view.ts';

/** Rules and limits can be for many customers; the largest permitted set of rules is about 3 MB. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024; // limit: Body with settings of pricing or spread rules
const large = { bodyLimit: BODY_LIMIT_BYTES };

/** What customers pay, as operators set it. */
export function pricingRoutes(app: FastifyInstance, room: PricingRoom): void {
  settingsRoutes(app, room);
  spreadRoutes(app, room);
}

/** What operators set of pricing and risk, one document each: read with its ETag, replaced under `If-Match`. */
function settingsRoutes(app: FastifyInstance, room: PricingRoom): void {
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

function spreadRoutes(app: FastifyInstance, room: PricingRoom): void {
  const rules = (set: SpreadRuleSet) => ({ version: set.version, body: spreadRulesView(set) });
  const draft = (kept: SpreadRuleDraft) => ({ version: kept.version, body: spreadRuleDraftView(kept) });
  serve(app, spreads.getSpreadRules, async () => rules(await readRuleSet(room.pool)));
  serve(
    app,
    spreads.setSpreadRules,
    async ({ body, ifMatch }) => rules(await setSpreadRules(room, body.rules, ifMatch)),
    large,
  );
  serve(app, spreads.getSpreadRuleDraft, async () => draft(await readDraft(room.pool)));
  serve(
    app,
    spreads.setSpreadRuleDraft,
    async ({ body, ifMatch }) => draft(await setDraft(room, body.rules, ifMatch)),
    large,
  );
  serve(app, spreads.discardSpreadRuleDraft, async ({ ifMatch }) => draft(await discardDraft(room, ifMatch)));
  serve(app, spreads.activateSpreadRuleDraft, async ({ ifMatch }) =>
    rules(await activateDraft(room, ifMatch)),
  );
}
