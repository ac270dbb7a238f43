import { plainArray, textArray } from '../database/arrays.ts';
import { isoInstant } from '../platform/clock.ts';
import { eventIdPrefix, newUuid } from '../platform/ids.ts';
import type { ExecutionItem } from './store.ts';

/** Executions are kept longer than quotes: a failure on Friday evening must survive the weekend (contract §6). */
export const EXECUTE_KEY_RETENTION_MS = 7 * 24 * 3_600_000;

const PARAMETERS = 20;
const places = Array.from({ length: PARAMETERS }, (_, i) => `$${i + 1}`).join(', ');

export const EXECUTE_QUOTES = `
  select (e.result).ord, (e.result).outcome, (e.result).replayed, (e.result).fingerprint, (e.result).received_at,
         (e.result).quote_status, (e.result).quote_version, (e.result).quote_expires_at, (e.result).quote_closed_at,
         (e.result).quote_transaction_id, (e.result).sell_minor as quote_sell_minor,
         (e.result).buy_minor as quote_buy_minor, (e.result).limit_type, (e.result).limit_minor, (e.result).used_minor,
         (e.txn).*
  from execute_quotes(${places}) e`;

/** Parameters of {@link EXECUTE_QUOTES}: scalars, then one array for each column. `ids` are for the transactions. */
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
  const atText = isoInstant(at);
  return [
    atText,
    atText,
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
    plain(() => eventIdPrefix(at)),
    plain(() => eventIdPrefix(at)),
    plain(() => newUuid(at)),
  ];
}
