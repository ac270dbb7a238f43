import type { Connection, Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';

/** What the use cases of this room work with. */
export interface BalancesRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  /** US dollar cents of an amount at the present price, rounded up; undefined without one. */
  readonly usdValueOf?: (currency: string, minor: bigint) => bigint | undefined;
  /** Above this an operator's withdrawal takes two persons; undefined: never. */
  readonly fourEyesFromUsdMinor: (connection: Connection) => Promise<bigint | undefined>;
}
