import type { DateRulesSource } from '@firmquote/fx';
import type { Market } from '../market/market.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { SendQueues } from './send-queues.ts';
import type { Slots } from './slots.ts';

/** Of one connection: what must go on holding while it is open. */
export interface Upkeep {
  /** Looks at token and customer. The reason to end the stream, if there is one. */
  check(): string | undefined | Promise<string | undefined>;
  /** Looks whether it still reads the right topics. */
  follow(): void;
  /** It is closed, whoever closed it. */
  onEnd(): void;
}

export interface HubOptions {
  readonly clock: Clock;
  readonly market: Market;
  readonly dates: DateRulesSource;
  readonly logger: Logger;
  /** Default: those of this process alone. */
  readonly slots?: Slots;
  /** What the system holds for readers; replaced in tests. */
  readonly queues?: SendQueues;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** Calls back again and again until what it returns is called. */
  readonly every?: (ms: number, work: () => void) => () => void;
}
