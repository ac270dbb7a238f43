import type { CamelRow } from '../database/rows.ts';
import { DEFAULT_QUOTAS, type Quotas } from '../http/rate-limits.ts';
import { Problem } from '../problems/problem.ts';
import { type CustomerLimits, type CustomerSettings, DEFAULT_SETTINGS } from './profile.ts';

/** A customer as it is kept. Ids are UUIDs, instants epoch milliseconds. */
export type CustomerRecord = Omit<CamelRow<'customers'>, 'postalAddress' | 'settings'> & {
  /** Only what the operator set; the rest follows the service's defaults. */
  readonly settings: Partial<CustomerSettings>;
};

/** Limits as the operator set them; quotas that were not set follow the service's defaults. */
export interface LimitsRecord extends Omit<CustomerLimits, 'quotas'> {
  readonly rates: Partial<Quotas>;
  readonly version: number;
}

/**
 * A new customer's limits: 10,000,000.00 USD a day, 20,000,000.00 open, 5,000,000.00 in one trade, and the usual
 * ten open quotes.
 */
export const DEFAULT_LIMITS: Omit<LimitsRecord, 'version'> = {
  dailyUsdMinor: 1_000_000_000n, // limit: A new customer's limit for a day
  openUsdMinor: 2_000_000_000n, // limit: A new customer's limit for open trades together
  tradeUsdMinor: 500_000_000n, // limit: A new customer's limit for one trade
  maxOpenQuotes: 10, // limit: A new customer's open quotes
  rates: {},
};

/** Settings as given, in the form in which they are kept: validities ascend. */
export function readSettings(given: Partial<CustomerSettings>): Partial<CustomerSettings> {
  const { permittedValidities } = given;
  if (permittedValidities === undefined) return { ...given };
  return { ...given, permittedValidities: [...permittedValidities].sort((a, b) => a - b) };
}

export function effectiveSettings(settings: Partial<CustomerSettings>): CustomerSettings {
  return { ...DEFAULT_SETTINGS, ...settings };
}

export function effectiveQuotas(rates: Partial<Quotas>): Quotas {
  return { ...DEFAULT_QUOTAS, ...rates };
}

export function customerNotFound(): Problem {
  return new Problem('customer_not_found', 'There is no customer with this id.');
}
