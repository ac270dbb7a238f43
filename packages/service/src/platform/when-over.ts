import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** What is booked at an instant is committed so long after it, but for what waits for locks. */
const UNDER_WAY_MS = 3_000; // limit: Time after the end of a period in which its balances and reports are held back

/**
 * Returns once a period that is over has all that was booked in it: what was decided in its last moment may be under way still,
 * and would be in neither this period nor, by its instant, in the next one.
 * @param end as it was asked for; a period that has not ended is of what there is now
 */
export async function whenOver(clock: Clock, end: number | undefined): Promise<void> {
  const since = end === undefined ? -1 : clock.now() - end;
  if (since >= 0 && since < UNDER_WAY_MS) await delay(UNDER_WAY_MS - since);
}
