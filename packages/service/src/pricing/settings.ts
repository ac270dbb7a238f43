import type { SetAmountLimits, SetExposureLimits, SetPricingPolicy } from '@firmquote/api/operations/pricing';
import type { Pool } from '../database/pool.ts';
import { RefreshingCache } from '../platform/refreshing-cache.ts';
import { AmountLimitBook, readAmountLimits } from './amount-limits.ts';
import { DEFAULT_EXPOSURE_LIMITS, type ExposureLimits, readExposureLimits } from './exposure-limits.ts';
import { DEFAULT_POLICY, type PricingPolicy, readPolicy } from './policy.ts';
import { NEVER_SET, newestSettings, type SettingsKind, type StoredSettings } from './settings-store.ts';

/** Served as it is for 2 s, never older than 5 s, like the spread rules. */
const FRESH_MS = 2_000; // limit: Age up to which pricing settings in memory are used as they are
const MAX_AGE_MS = 5_000; // limit: Age up to which pricing settings in memory are used at all

/** The settings of pricing in force, read and ready to be applied. */
export interface PricingSettings {
  readonly policy: PricingPolicy;
  readonly amountLimits: AmountLimitBook;
  readonly exposureLimits: ExposureLimits;
}

export const DEFAULT_SETTINGS: PricingSettings = {
  policy: readPolicy(DEFAULT_POLICY, 1),
  amountLimits: new AmountLimitBook(new Map()),
  exposureLimits: DEFAULT_EXPOSURE_LIMITS,
};

/** Where hot paths read the settings: in memory, answered without a promise when known. */
export interface SettingsSource {
  current(): PricingSettings | Promise<PricingSettings>;
}

export class CachedPricingSettings implements SettingsSource {
  readonly #cache: RefreshingCache<'settings', PricingSettings>;
  /** What was read last, by version: documents do not change, so each is read once. */
  readonly #known = new Map<SettingsKind, { readonly version: number; readonly value: unknown }>();

  /** @param now real time in milliseconds */
  constructor(pool: Pool, now?: () => number) {
    this.#cache = new RefreshingCache({
      load: () => this.#load(pool),
      freshMs: FRESH_MS,
      maxAgeMs: MAX_AGE_MS,
      maxEntries: 1,
      ...(now === undefined ? {} : { now }),
    });
  }

  current(): PricingSettings | Promise<PricingSettings> {
    return this.#cache.get('settings');
  }

  /** For the process that changed something: its next request sees it. */
  changed(): void {
    this.#cache.clear();
  }

  async #load(pool: Pool): Promise<PricingSettings> {
    const newest = await newestSettings(pool);
    const of = (kind: SettingsKind) => newest.get(kind) ?? NEVER_SET;
    return {
      policy: this.#read('pricing_policy', of('pricing_policy'), policyOf),
      amountLimits: this.#read('amount_limits', of('amount_limits'), amountLimitsOf),
      exposureLimits: this.#read('exposure_limits', of('exposure_limits'), exposureLimitsOf),
    };
  }

  #read<T>(kind: SettingsKind, stored: StoredSettings, read: (stored: StoredSettings) => T): T {
    const known = this.#known.get(kind);
    if (known?.version === stored.version) return known.value as T;
    const value = read(stored);
    this.#known.set(kind, { version: stored.version, value });
    return value;
  }
}

function policyOf({ version, document }: StoredSettings): PricingPolicy {
  if (document === undefined) return DEFAULT_SETTINGS.policy;
  return readPolicy(JSON.parse(document) as SetPricingPolicy, version);
}

function amountLimitsOf({ document }: StoredSettings): AmountLimitBook {
  if (document === undefined) return DEFAULT_SETTINGS.amountLimits;
  return readAmountLimits(JSON.parse(document) as SetAmountLimits);
}

function exposureLimitsOf({ version, document }: StoredSettings): ExposureLimits {
  if (document === undefined) return DEFAULT_EXPOSURE_LIMITS;
  return readExposureLimits(JSON.parse(document) as SetExposureLimits, version);
}
