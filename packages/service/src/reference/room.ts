import type { DateRulesSource } from '@firmquote/fx';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { Market } from '../market/market.ts';
import type { Clock } from '../platform/clock.ts';
import type { PricingDesk } from '../pricing/desk.ts';
import type { SwapPointDesk } from '../swap-points/desk.ts';

/** What the reference answers are made from. Nothing here is written, and nothing but the directory is waited for. */
export interface ReferenceRoom {
  readonly clock: Clock;
  readonly market: Market;
  readonly customers: CustomerDirectory;
  readonly dates: DateRulesSource;
  readonly pricing: PricingDesk;
  /** What leads to dates before spot: without it they are not offered. */
  readonly swapPoints: SwapPointDesk;
}
