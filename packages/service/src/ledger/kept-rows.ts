import type { Pool } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { foldHouseRows } from './kept-row-store.ts';

const FOLD_EVERY_MS = 1_000;

/**
 * Positions, open quotes and the settlement ladder of the house are rows that add up: triggers add some in each commit
 * that moves what they are sums of, and this folds those of a key into one. One instance at a time; nobody waits for it.
 */
export function foldSweep(pool: Pool): Sweep {
  return {
    name: 'fold_house_rows',
    does: 'Merges the rows of each house total into one.',
    everyMs: FOLD_EVERY_MS,
    // Changes no sum, so nothing else becomes due by it.
    run: async () => {
      await foldHouseRows(pool);
      return 0;
    },
  };
}
