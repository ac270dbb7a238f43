import type { FirmquoteError } from './errors.ts';

/** What goes on for ever asks again after a minute at the latest: how long a fault lasts is often a guess, and a proxy's may be a day. */
const ASKED_MS_MAX = 60_000;

/**
 * How long to wait after a fault that has outlived a call's own attempts.
 * @param usualMs where nothing longer is asked for
 */
export function pauseAfter({ retryAfterMs = 0 }: FirmquoteError, usualMs: number): number {
  return Math.max(usualMs, Math.min(retryAfterMs, ASKED_MS_MAX));
}
