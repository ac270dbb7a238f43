import type { Neighbours } from '../platform/neighbours.ts';
import type { Quota, RateLimiter, Taken } from './rate-limits.ts';

/** How often the others are told of what was taken here: what they give meanwhile they owe. */
const TELL_EVERY_MS = 20; // limit: Time until the other processes know what of a rate was used in one

type Told = readonly [owner: string, policy: string, requests: number, quota: Quota | null];

/** Has the limiters of this name in all processes give together what one gives. */
export function shareTakes(limiter: RateLimiter, name: string, neighbours?: Neighbours): RateLimiter {
  if (neighbours === undefined) return limiter;
  const subject = `taken: ${name}`;
  const untold = new Map<string, Taken>();
  let isDue = false;
  const tell = () => {
    isDue = false;
    const told = [...untold.values()].map(
      ({ owner, policy, requests, quota }): Told => [owner, policy, requests, quota ?? null],
    );
    untold.clear();
    neighbours.tell(subject, told);
  };
  limiter.onTaken((taken) => {
    const key = `${taken.owner}\n${taken.policy}`;
    const before = untold.get(key);
    untold.set(key, {
      ...taken,
      quota: taken.quota ?? before?.quota,
      requests: taken.requests + (before?.requests ?? 0),
    });
    if (isDue) return;
    isDue = true;
    setTimeout(tell, TELL_EVERY_MS);
  });
  neighbours.onTold(subject, (value) => {
    for (const [owner, policy, requests, quota] of value as readonly Told[])
      limiter.takenElsewhere({ owner, policy, requests, quota: quota ?? undefined });
  });
  return limiter;
}
