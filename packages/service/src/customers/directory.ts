import type { CustomerAccess, CustomerAccessDirectory } from '../http/access.ts';
import { RefreshingCache } from '../platform/refreshing-cache.ts';
import type { CustomerDirectory, CustomerProfile, SpreadCandidates, SpreadRule } from './profile.ts';
import { customerNotFound } from './records.ts';
import type { DirectoryInvalidation } from './room.ts';
import { SpreadBook } from './spread-book.ts';

/** Served as it is for 2 s, never older than 5 s: a suspended customer stops within that (docs/interface.md#access). */
export const FRESH_MS = 2_000; // limit: Age up to which a customer in memory is used as it is
export const MAX_AGE_MS = 5_000; // limit: Age up to which a customer in memory is used at all
const MAX_CUSTOMERS = 20_000; // limit: Customers in memory

/** Where the directory reads from. */
export interface DirectorySource {
  loadProfile(customerId: string): Promise<CustomerProfile | undefined>;
  /** The rules in force, or undefined in their place when the set still has the known version. */
  loadSpreadRules(
    knownVersion: number | undefined,
  ): Promise<{ readonly version: number; readonly rules: readonly SpreadRule[] | undefined }>;
  loadCollectionCurrencies(): Promise<ReadonlySet<string>>;
}

/**
 * The customers as hot paths see them: in memory, answered without a promise when known. Spread rules of the whole
 * service are one snapshot, which is exchanged only when the version of the set has moved.
 */
export class CachedCustomerDirectory
  implements CustomerDirectory, CustomerAccessDirectory, DirectoryInvalidation
{
  readonly #profiles: RefreshingCache<string, CustomerProfile>;
  readonly #books: RefreshingCache<'book', SpreadBook>;
  readonly #currencies: RefreshingCache<'currencies', ReadonlySet<string>>;
  #book: SpreadBook | undefined;

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
    this.#books = new RefreshingCache({ ...age, maxEntries: 1, load: () => this.#loadBook(source) });
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

  spreadRules(profile: CustomerProfile, pair: string): SpreadCandidates | Promise<SpreadCandidates> {
    const book = this.#books.get('book');
    if (book instanceof Promise) {
      return book.then((loaded) => loaded.candidates(profile.id, profile.groupName, pair));
    }
    return book.candidates(profile.id, profile.groupName, pair);
  }

  collectionCurrencies(): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    return this.#currencies.get('currencies');
  }

  customerChanged(customerId: string): void {
    this.#profiles.invalidate(customerId);
  }

  spreadRulesChanged(): void {
    this.#books.clear();
  }

  collectionAccountsChanged(): void {
    this.#currencies.clear();
  }

  async #loadBook(source: DirectorySource): Promise<SpreadBook> {
    const known = this.#book;
    const { version, rules } = await source.loadSpreadRules(known?.version);
    if (rules === undefined) {
      if (known?.version === version) return known;
      throw new Error(`version ${version} of the spread rules came without rules`);
    }
    this.#book = new SpreadBook(version, rules);
    return this.#book;
  }
}
