import * as api from '@firmquote/api/operations/pricing';
import * as spreads from '@firmquote/api/operations/spread-rules';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { DOCUMENT_BYTES, serveDocument } from '../settings/serve-document.ts';
import { requireKnownCustomers } from './amount-limits.ts';
import type { PricingRoom } from './room.ts';
import { setSpreadRules } from './set-spread-rules.ts';
import { activateDraft, discardDraft, restoreVersion, setDraft } from './spread-draft.ts';
import { readSpreadVersion, spreadVersionView } from './spread-history.ts';
import { readDraft, readRuleSet, type SpreadRuleDraft, type SpreadRuleSet } from './spread-store.ts';
import { listSpreadVersions } from './spread-version-store.ts';
import { spreadRuleDraftView, spreadRulesView } from './spread-view.ts';

/** The largest permitted set of rules is about 3 MB. */
const large = { bodyLimit: DOCUMENT_BYTES };

/** What customers pay, as operators set it. */
export function pricingRoutes(app: FastifyInstance, room: PricingRoom): void {
  settingsRoutes(app, room);
  spreadRoutes(app, room);
}

/** What operators set of pricing, one document each: read with its ETag, replaced under `If-Match`. */
function settingsRoutes(app: FastifyInstance, room: PricingRoom): void {
  const { policy, amountLimits } = room.settings;
  const ofPolicy = {
    get: api.getPricingPolicy,
    set: api.setPricingPolicy,
    list: api.listPricingPolicyVersions,
  };
  const ofAmounts = {
    get: api.getAmountLimits,
    set: api.setAmountLimits,
    list: api.listAmountLimitVersions,
  };
  serveDocument(app, ofPolicy, policy, room.clock);
  serveDocument(app, ofAmounts, amountLimits, room.clock, ({ limits }) =>
    requireKnownCustomers(room.customers, limits),
  );
}

function spreadRoutes(app: FastifyInstance, room: PricingRoom): void {
  const rules = (set: SpreadRuleSet) => ({ version: set.version, body: spreadRulesView(set) });
  const draft = (kept: SpreadRuleDraft) => ({ version: kept.version, body: spreadRuleDraftView(kept) });
  serve(app, spreads.getSpreadRules, async () => rules(await readRuleSet(room.pool)));
  serve(
    app,
    spreads.setSpreadRules,
    async ({ body, ifMatch, by, because }) =>
      rules(await setSpreadRules(room, body.rules, ifMatch, { by, ...because })),
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
  serve(app, spreads.activateSpreadRuleDraft, async ({ ifMatch, by, because }) =>
    rules(await activateDraft(room, ifMatch, { by, ...because })),
  );
  serve(app, spreads.restoreSpreadRules, async ({ params, ifMatch }) =>
    draft(await restoreVersion(room, params.version, ifMatch)),
  );
  serve(app, spreads.listSpreadRuleVersions, async ({ query, page }) => {
    const before = page.place('integer')?.[0];
    const versions = await listSpreadVersions(room.pool, before, query.at, page.rows);
    return { body: page.of(versions, ({ version }) => [String(version)], spreadVersionView) };
  });
  serve(app, spreads.getSpreadRuleVersion, async ({ params, query }) => ({
    body: await readSpreadVersion(room.pool, params.version, query.against),
  }));
}
