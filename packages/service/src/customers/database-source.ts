import { Batcher } from '../database/batcher.ts';
import type { Pool } from '../database/pool.ts';
import { collectionCurrencies } from './account-store.ts';
import type { DirectorySource } from './directory.ts';
import type { CustomerProfile } from './profile.ts';
import { loadProfiles } from './store.ts';

/**
 * Feeds the directory from the database. Profiles that are due at the same time come in one statement: a thousand
 * active customers are refreshed every two seconds.
 */
export function databaseSource(pool: Pool): DirectorySource {
  const profiles = new Batcher<string, CustomerProfile | undefined>({
    name: 'load_profiles',
    run: (ids) => loadProfiles(pool, ids),
    maxBatch: 500, // limit: Customers loaded by one statement
    maxInFlight: 2,
    maxQueue: 20_000, // limit: Customers that wait to be loaded
  });
  return {
    loadProfile: (customerId) => profiles.submit(customerId),
    loadCollectionCurrencies: () => collectionCurrencies(pool),
  };
}
