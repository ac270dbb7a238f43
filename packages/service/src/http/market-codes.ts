import { type Currency, currencyStatus, findCurrency, findPair, type Pair } from '@firmquote/fx';
import { Problem } from '../problems/problem.ts';

/** Currencies and pairs that a caller names; `field` is the pointer to where the caller names them. */

export const UNKNOWN_CURRENCY = 'is not a known currency';

/** @throws Problem pair_not_supported */
export function requirePair(code: string, field: string): Pair {
  const pair = findPair(code);
  if (pair !== undefined) return pair;
  const detail = `${code} is not a pair of known currencies in market order.`;
  throw new Problem('pair_not_supported', detail, { field });
}

/**
 * Also a currency that is no longer traded: money in it can still be there.
 * @throws Problem currency_not_supported
 */
export function requireCurrency(code: string, field: string): Currency {
  return findCurrency(code) ?? notTraded(code, field);
}

/**
 * A currency that can be traded on a date.
 * @throws Problem currency_not_supported, currency_withdrawn
 */
export function requireTradable(code: string, field: string, onDate: string): Currency {
  const status = currencyStatus(code, onDate);
  if (status === 'withdrawn') {
    throw new Problem('currency_withdrawn', `${code} has been withdrawn.`, { field });
  }
  return status === 'unknown' ? notTraded(code, field) : requireCurrency(code, field);
}

export function notTraded(code: string, field: string): never {
  const detail = `${code} is not a currency that is traded here.`;
  throw new Problem('currency_not_supported', detail, { field });
}
