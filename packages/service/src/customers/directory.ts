import type { CustomerAccess, CustomerAccessDirectory } from '../http/access.ts';
import { RefreshingCache } from '../platform/refreshing-cache.ts';
import type { CustomerDirectory, CustomerProfile } from './profile.ts';
import { customerNotFound } from './records.ts';
import type { DirectoryInvalidation } from './room.ts';

/** Served as it is for 2 s, never older than 5 s: a suspended customer stops within that (docs/interface.md#access). */
export const FRESH_MS = 2_000; // limit: Age up to which a customer in memory is used as it is
export const MAX_AGE_MS = 5_000; // limit: Age up to which a customer in memory is used at all
const MAX_CUSTOMERS = 20_000; // limit: Customers in memory

/** Where the directory reads from. */
export interface DirectorySource {
  loadProfile(customerId: string): Promise<CustomerProfile | undefined>;
  loadCollectionCurrencies(): Promise<ReadonlySet<string>>;
}

/** The customers as hot paths see them: in memory, answered without a promise when known. */
export class CachedCustomerDirectory
  implements CustomerDirectory, CustomerAccessDirectory, DirectoryInvalidation
{
  readonly #profiles: RefreshingCache<string, CustomerProfile>;
  readonly #currencies: RefreshingCache<'currencies', ReadonlySet<string>>;

  /** @param now real time in milliseconds */
  constructor(source: DirectorySource, now?: () => number) {
    const age = { freshMs: FRESH_MS, maxAgeMs: MAX_AGE_MS, ...(now === undefined ? {} : { now }) };
    this.#profiles = new RefreshingCache({
      ...age,
      maxEntries: MAX_CUSTOMERS,
      load: async (customerId) => {
        const profile = await source.loadProfile(customerId);
        if (profile === undefined) throw customerNotFound();
        return profile;
      },
    });
    this.#currencies = new RefreshingCache({
      ...age,
      maxEntries: 1,
      load: () => source.loadCollectionCurrencies(),
    });
  }

  profile(customerId: string): CustomerProfile | Promise<CustomerProfile> {
    return this.#profiles.get(customerId);
  }

  access(customerId: string): CustomerAccess | Promise<CustomerAccess> {
    return this.#profiles.get(customerId);
  }

  collectionCurrencies(): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    return this.#currencies.get('currencies');
  }

  customerChanged(customerId: string): void {
    this.#profiles.invalidate(customerId);
  }

  collectionAccountsChanged(): void {
    this.#currencies.clear();
  }
}
