/**
 * What the process of the service gets besides its settings, however it is started: V8 and the C library read it before any code
 * of ours runs. `scripts/run.test.ts` holds that the unit and the image set the same.
 *
 * 16 MB for young objects: what a collection costs is what is under way, not how much it looks through, and 64 MB take four times
 * the memory. Two places to allocate from instead of eight for each core: requests allocate in one thread, and what others have
 * freed in theirs comes back to nobody. What is as large as a whole answer of the database, and lives for a moment, is a piece of memory of its
 * own, which goes back: among the small ones it leaves holes, and by itself the C library takes that for the usual size (0085).
 */
export const SERVICE_ENVIRONMENT = {
  NODE_OPTIONS: '--max-semi-space-size=16',
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '2097152',
};

/** Over what is set already; somebody's own options of Node come last, so that they hold. */
export function withServiceEnvironment(environment) {
  const options = [SERVICE_ENVIRONMENT.NODE_OPTIONS, environment.NODE_OPTIONS].filter(Boolean).join(' ');
  return { ...SERVICE_ENVIRONMENT, ...environment, NODE_OPTIONS: options };
}
