import crypto from 'node:crypto';
import timersPromises from 'node:timers/promises';

/** The process's own clock, timers and chance, as they were before the simulator took their places. */
export const real = {
  now: Date.now,
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  performanceNow: performance.now.bind(performance),
  randomFillSync: crypto.randomFillSync,
  randomBytes: crypto.randomBytes,
  randomUUID: crypto.randomUUID,
  random: Math.random,
  delay: timersPromises.setTimeout,
};

/** Real milliseconds that nobody simulates. */
export const realNow = real.performanceNow;
export const realDelay = (ms: number): Promise<void> => real.delay(ms);

/** A turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => void real.setImmediate(resolve));
