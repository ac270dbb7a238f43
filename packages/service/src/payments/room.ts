import type { DateRulesSource } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Market } from '../market/market.ts';
import type { Clock } from '../platform/clock.ts';

/** What the use cases of this room work with. */
export interface PaymentsRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly dates: DateRulesSource;
  /** Whose prices trades are closed out at. */
  readonly market: Market;
  /** Who bears the loss of a close-out when the command does not say; default: the house. */
  readonly closeOutCharge?: 'none' | 'losses';
  /** Payments in one settlement run, where it is not what banks take. */
  readonly runPaymentsMax?: number;
}

/** What other rooms ask of this one besides its use cases. */
export { setReportsAside } from './payment-report-store.ts';
export { pendingPayments } from './pending-payment-store.ts';
export { countWork } from './search-store.ts';
