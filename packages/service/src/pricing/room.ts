import type { CustomerDirectory } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import type { Topic } from '../settings/follower.ts';
import { PricingDesk } from './desk.ts';
import { LivePricingSettings } from './settings.ts';
import { type LiveSpreadRules, liveSpreadRules } from './spread-rules.ts';
import { VolatilityRecorder } from './volatility.ts';

/** What the use cases of this room work with. */
export interface PricingRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly settings: LivePricingSettings;
  readonly spreads: LiveSpreadRules;
  readonly customers: CustomerDirectory;
}

/** The room, and the desk that prices by what it keeps. */
export interface Pricing extends PricingRoom {
  readonly desk: PricingDesk;
  readonly topics: readonly Topic[];
}

export function createPricing({
  book,
  ...given
}: Pick<PricingRoom, 'pool' | 'clock' | 'customers'> & { readonly book: RateBook }): Pricing {
  const { pool, clock } = given;
  const settings = new LivePricingSettings(pool);
  const spreads = liveSpreadRules(pool);
  const desk = new PricingDesk(settings, spreads, new VolatilityRecorder({ book, clock }));
  return { ...given, settings, spreads, desk, topics: [...settings.topics, spreads] };
}
