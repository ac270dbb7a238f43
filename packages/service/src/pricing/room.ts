import type { CustomerDirectory } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import { PricingDesk } from './desk.ts';
import { CachedPricingSettings } from './settings.ts';
import { CachedSpreadRules } from './spread-rules.ts';
import { readRuleSetUnless } from './spread-store.ts';
import { VolatilityRecorder } from './volatility.ts';

/** What the use cases of this room work with. */
export interface PricingRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly settings: CachedPricingSettings;
  readonly spreads: CachedSpreadRules;
  readonly customers: CustomerDirectory;
}

/** The room, and the desk that prices by what it keeps. */
export interface Pricing extends PricingRoom {
  readonly desk: PricingDesk;
}

export function createPricing({
  book,
  ...given
}: Pick<PricingRoom, 'pool' | 'clock' | 'customers'> & { readonly book: RateBook }): Pricing {
  const { pool, clock } = given;
  const settings = new CachedPricingSettings(pool);
  const spreads = new CachedSpreadRules((known) => readRuleSetUnless(pool, known));
  const desk = new PricingDesk(settings, spreads, new VolatilityRecorder({ book, clock }));
  return { ...given, settings, spreads, desk };
}
