import { NIL_UUID } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { OPEN_REASONS } from './deposit-keys.ts';
import { matchOlder } from './rematch-deposits.ts';
import type { DepositsRoom } from './room.ts';
import { untouchedDeposits } from './store.ts';

/** Deposits that one run looks at; the next run goes on after them. */
const LOOK_AGAIN_BATCH = 200;
const EVERY_MS = 15_000;
/** Before all ids. */

/**
 * Looks at all open deposits in turns, whatever has changed. What changes is followed by `rematch_deposits`; this finds
 * what comes with time alone, and what an instance of an earlier version has written.
 */
export function lookAgainSweep(room: DepositsRoom, logger: Logger): Sweep {
  let after = NIL_UUID;
  return {
    name: 'look_again',
    does: 'A reserve: goes through open deposits that nobody has touched, in turns.',
    everyMs: EVERY_MS,
    run: async () => {
      const deposits = await untouchedDeposits(room.pool, OPEN_REASONS, after, LOOK_AGAIN_BATCH);
      after = deposits.length < LOOK_AGAIN_BATCH ? NIL_UUID : (deposits.at(-1)?.id ?? NIL_UUID);
      return matchOlder(room, logger, deposits);
    },
  };
}
