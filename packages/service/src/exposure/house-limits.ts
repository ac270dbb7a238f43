import { CURRENCIES } from '@firmquote/fx';
import { sqlState } from '../database/failures.ts';
import type { Queryable } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import { usdFractionAt } from '../market/usd-value.ts';
import type { Problem } from '../problems/problem.ts';
import { houseLimitExceeded, positionWithoutPrice } from './check-limits.ts';
import { writeValues } from './position-store.ts';

/**
 * The house's limits as the database holds them, in the commit of each execution and across all instances
 * (`hold_house_limits`). It knows the limits; what positions are worth it learns from here.
 */
const EXCEEDED = 'FQX01';
const NOT_VALUED = 'FQX02';

/** True when the database does not know what a position is worth. Nothing was done. */
export function isNotValued(error: unknown): boolean {
  return sqlState(error) === NOT_VALUED;
}

/** What the customer gets when the database refused an execution because of the house's limits. */
export function houseRefusal(error: unknown): Problem | undefined {
  if (sqlState(error) === EXCEEDED) return houseLimitExceeded();
  return isNotValued(error) ? positionWithoutPrice() : undefined;
}

/** Tells the database what each currency is worth that has a price here. It keeps what is news to it. */
export async function publishValues(database: Queryable, book: RateBook): Promise<void> {
  const values = CURRENCIES.flatMap((currency) => {
    const fraction = usdFractionAt(book, currency);
    return fraction === undefined || fraction.numerator <= 0n ? [] : [{ currency, ...fraction }];
  });
  await writeValues(database, values);
}
