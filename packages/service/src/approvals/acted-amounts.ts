import { ROLLING_HOURS_MAX } from '@firmquote/api/operations/four-eyes';
import type { Sweep } from '../platform/sweeps.ts';
import { forgetActed } from './acted-store.ts';
import type { ApprovalsRoom } from './room.ts';

/** Amounts in one commit. */
const FORGET_BATCH = 500;

/** No policy adds up what is older. */
const KEPT_MS = ROLLING_HOURS_MAX * 3_600_000;

/** What people have done alone is forgotten when nothing adds it up any more; what they did stays where it was done. */
export function forgetActedSweep({ pool, clock }: Pick<ApprovalsRoom, 'pool' | 'clock'>): Sweep {
  return {
    name: 'forget_acted_amounts',
    does: 'Deletes amounts that one person moved alone, once no policy adds them up.',
    everyMs: 3_600_000,
    isHousekeeping: true,
    run: async () => {
      let forgotten = 0;
      for (;;) {
        const gone = await forgetActed(pool, clock.now() - KEPT_MS, FORGET_BATCH);
        forgotten += gone;
        if (gone < FORGET_BATCH) return forgotten;
      }
    },
  };
}
