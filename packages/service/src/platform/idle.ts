import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Above this share of a pause, the event loop was at work. */
const BUSY = 0.5;

/**
 * Makes a pause for work that nobody waits for: it lasts at least so long, and until requests left the event loop idle for
 * half of the last one. Does not keep the process alive.
 */
export function idlePause(pauseMs: number): () => Promise<void> {
  return async () => {
    let before = performance.eventLoopUtilization();
    for (;;) {
      await sleep(pauseMs, undefined, { ref: false });
      const now = performance.eventLoopUtilization();
      if (performance.eventLoopUtilization(now, before).utilization <= BUSY) return;
      before = now;
    }
  };
}
