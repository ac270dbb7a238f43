import type { Neighbours } from '../platform/neighbours.ts';
import type { Quota, RateLimiter, Taken } from './rate-limits.ts';

/** How often the others are told of what was taken here: what they give meanwhile they owe. */
const REPORT_EVERY_MS = 20; // limit: Time until the other processes know what of a rate was used in one

type Reported = readonly [owner: string, policy: string, requests: number, quota: Quota | null];

/** Has the limiters of this name in all processes give together what one gives. */
export function shareTakes(limiter: RateLimiter, name: string, neighbours?: Neighbours): RateLimiter {
  if (neighbours === undefined) return limiter;
  const subject = `taken: ${name}`;
  const unreported = new Map<string, Taken>();
  let isDue = false;
  const notify = () => {
    isDue = false;
    const reported = [...unreported.values()].map(
      ({ owner, policy, requests, quota }): Reported => [owner, policy, requests, quota ?? null],
    );
    unreported.clear();
    neighbours.notify(subject, reported);
  };
  limiter.onTaken((taken) => {
    const key = `${taken.owner}\n${taken.policy}`;
    const before = unreported.get(key);
    unreported.set(key, {
      ...taken,
      quota: taken.quota ?? before?.quota,
      requests: taken.requests + (before?.requests ?? 0),
    });
    if (isDue) return;
    isDue = true;
    setTimeout(notify, REPORT_EVERY_MS);
  });
  neighbours.onNotified(subject, (value) => {
    for (const [owner, policy, requests, quota] of value as readonly Reported[])
      limiter.takenElsewhere({ owner, policy, requests, quota: quota ?? undefined });
  });
  return limiter;
}
