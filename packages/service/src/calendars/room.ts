import { tradeDateAt } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import { requireTradable } from '../http/market-codes.ts';
import type { Clock } from '../platform/clock.ts';
import type { LiveDateRules } from './date-rules.ts';

/** What the use cases of this room work with. */
export interface CalendarsRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly dates: LiveDateRules;
}

/** Who orders a change, and which version they have seen. */
export interface OperatorChange {
  /** UUID of the OAuth client. */
  readonly clientId: string;
  readonly ifMatch: number | '*';
}

/** Version of what is built in: the first change of it is version 2. */
export const BUILT_IN_VERSION = 1;

/** @throws Problem currency_not_supported, currency_withdrawn */
export function requireCurrency(room: CalendarsRoom, code: string, field = '/path/currency'): string {
  return requireTradable(code, field, tradeDateAt(room.clock.now())).code;
}
