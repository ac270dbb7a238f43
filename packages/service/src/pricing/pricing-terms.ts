import type { Currency, Pair, TierRequest } from '@firmquote/fx';
import type { CustomerDirectory, CustomerProfile } from '../customers/profile.ts';
import { usdValue } from '../market/current-price.ts';
import type { Market } from '../market/market.ts';
import { requireWithinBounds } from './amount-limits.ts';
import type { PricingDesk } from './desk.ts';
import { type ResolvedSpread, resolveSpread } from './resolve-spread.ts';
import type { PricingSettings } from './settings.ts';
import type { SpreadCandidates } from './spread-book.ts';

/** All that pricing needs to know of a customer: held in memory, so that it is normally there at once. */
export interface PricingTerms {
  readonly profile: CustomerProfile;
  readonly candidates: SpreadCandidates;
  readonly settings: PricingSettings;
}

/** What the spread depends on; without an id, whoever has no rules of their own. */
export interface SpreadTerms extends Pick<PricingTerms, 'candidates' | 'settings'> {
  readonly profile: { readonly id: string | undefined; readonly groupName: string | undefined };
}

interface SpreadRoom {
  readonly customers: CustomerDirectory;
  readonly pricing: PricingDesk;
  readonly market: Pick<Market, 'book'>;
}

/** Not a promise when everything is known, which is the rule: every pause costs a turn of the event loop. */
export function pricingTerms(
  room: SpreadRoom,
  customerId: string,
  pair: string,
): PricingTerms | Promise<PricingTerms> {
  const profile = room.customers.profile(customerId);
  const settings = room.pricing.settings();
  if (profile instanceof Promise || settings instanceof Promise) {
    return loadTerms(room, profile, settings, pair);
  }
  const candidates = room.pricing.spreadRules(profile, pair);
  if (candidates instanceof Promise)
    return candidates.then((found) => ({ profile, candidates: found, settings }));
  return { profile, candidates, settings };
}

async function loadTerms(
  room: SpreadRoom,
  profile: CustomerProfile | Promise<CustomerProfile>,
  settings: PricingSettings | Promise<PricingSettings>,
  pair: string,
): Promise<PricingTerms> {
  const [known, current] = await Promise.all([profile, settings]);
  return { profile: known, settings: current, candidates: await room.pricing.spreadRules(known, pair) };
}

/** The leg whose amount the customer names, or nothing for a price without an amount. */
export interface FixedAmount {
  readonly currency: Currency;
  readonly minor: bigint;
}

const DEFAULT_VALIDITY_SECONDS = 30; // limit: Validity of a quote that names none

/** The validity of a quote that names none: 30 s where that is permitted, otherwise the shortest. */
export function defaultValidity(profile: Pick<CustomerProfile, 'settings'>): number {
  const permitted = profile.settings.permittedValidities;
  return permitted.includes(DEFAULT_VALIDITY_SECONDS)
    ? DEFAULT_VALIDITY_SECONDS
    : (permitted[0] ?? DEFAULT_VALIDITY_SECONDS);
}

/**
 * The spread of a request. The fixed amount is valued in dollars, at the mid and rounded up, only where a tier or a
 * limit asks for it; without an amount the tiers from any amount apply.
 * @throws Problem pricing_not_configured, amount_below_minimum, amount_above_maximum, price_unavailable
 */
export function spreadOf(
  room: SpreadRoom,
  terms: SpreadTerms,
  trade: { readonly pair: Pair } & Pick<TierRequest, 'tenor'>,
  fixed: FixedAmount | undefined,
  validitySeconds: number,
  at: number,
): ResolvedSpread {
  const { candidates, settings, profile } = terms;
  const isValued = candidates.hasAmountTiers || !settings.amountLimits.isEmpty;
  let usdMinor = 0n;
  if (fixed !== undefined && isValued) {
    usdMinor = usdValue(room.market.book, fixed.currency, fixed.minor);
    requireWithinBounds(settings.amountLimits.boundsFor(profile, trade.pair.code), usdMinor);
  }
  return resolveSpread(room.pricing, settings.policy, candidates, trade.pair, {
    tenor: trade.tenor,
    validitySeconds,
    usdMinor,
    at,
  });
}
