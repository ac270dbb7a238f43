import { parameterPlaces, plainArray, textArray } from '../database/arrays.ts';
import { isoInstant } from '../platform/clock.ts';
import { eventIdPrefix, newUuid } from '../platform/ids.ts';
import type { ExecutionItem } from './store.ts';

/** Longer than for quotes: a failure on Friday evening must survive the weekend (docs/interface.md#idempotency). */
export const EXECUTE_KEY_RETENTION_MS = 7 * 24 * 3_600_000; // limit: How long an execution's key is kept

/** As the statement names them: `$1, $2, …`. */
export const EXECUTION_PLACES = parameterPlaces(20);

/**
 * Parameters of `commit_executions`: scalars, then one array for each column. Items are in the order of
 * {@link lockOrder}; `ids` are for their transactions.
 */
export function executionParameters(
  items: readonly ExecutionItem[],
  ids: readonly string[],
  at: number,
  day: string,
): (string | null)[] {
  const plain = (column: (item: ExecutionItem) => string | number | bigint | undefined) =>
    plainArray(items.map(column));
  const text = (column: (item: ExecutionItem) => string | undefined) => textArray(items.map(column));
  const keyed = items.some((item) => item.key !== undefined);
  return [
    isoInstant(at),
    day,
    isoInstant(at + EXECUTE_KEY_RETENTION_MS),
    new Set(items.map((item) => item.quoteId)).size < items.length ? 'true' : 'false',
    plain((item) => item.customerId),
    plain((item) => item.clientId),
    plain((item) => item.quoteId),
    plainArray(ids),
    keyed ? text((item) => item.key?.key) : null,
    keyed ? plain((item) => item.key?.fingerprint) : null,
    plain((item) => isoInstant(item.receivedAt)),
    plain((item) => item.ifMatch),
    plain((item) => item.expectSell),
    plain((item) => item.expectBuy),
    text((item) => item.clientReference),
    text((item) => item.metadata && JSON.stringify(item.metadata)),
    // Both events of an execution have the same one.
    plainArray([]),
    plain(() => eventIdPrefix(at)),
    plain(() => newUuid(at)),
    plainArray(placesOfCustomers(items)),
  ];
}

/** The order in which the database locks what items touch: by customer and quote, those of one quote as they came. */
export function lockOrder(a: ExecutionItem, b: ExecutionItem): number {
  if (a.customerId !== b.customerId) return a.customerId < b.customerId ? -1 : 1;
  if (a.quoteId !== b.quoteId) return a.quoteId < b.quoteId ? -1 : 1;
  return 0;
}

/** For each item how many there are of its customer up to it. */
function placesOfCustomers(items: readonly ExecutionItem[]): number[] {
  const places = new Map<string, number>();
  return items.map(({ customerId }) => {
    const place = (places.get(customerId) ?? 0) + 1;
    places.set(customerId, place);
    return place;
  });
}
