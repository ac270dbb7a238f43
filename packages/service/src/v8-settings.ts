import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { type PerformanceEntry, PerformanceObserver, constants as perfConstants } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { lowerPriority } from './platform/lower-priority.ts';

/** Threads of this process, on Linux. */
const THREADS = '/proc/self/task';
/** What Node calls those on which V8 looks through the heap and compiles, beside this one. */
const V8_WORKER = 'V8Worker';

/** Often enough that what a load took is not held for long. */
const GIVEN_BACK_EVERY_MS = 60_000; // limit: Time after which memory that V8 keeps is given back
/** Requests wait while it is: with less there is little to gain. */
const GIVEN_BACK_ABOVE = 300_000_000; // limit: Resident memory of a process above which V8 gives back what it keeps
/** One may have begun before. */
const COLLECTIONS = 2;

/** As an observer has it. */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** For a process that serves, before it does anything. @param aboveBytes resident memory with which some is given back */
export function setUpV8(giveBackEveryMs = GIVEN_BACK_EVERY_MS, aboveBytes = GIVEN_BACK_ABOVE): void {
  // What lives when young objects are collected are the few requests under way: too little to share among threads, which
  // would only take the second core from the database. On two cores a firm quote costs this process an eighth less.
  setFlagsFromString('--no-parallel-scavenge');
  // Some 60 MB live, whatever was traded, and V8 would let them grow to several times that before it collects.
  setFlagsFromString('--heap-growing-percent=60');
  // Where V8 has seen most of what is made survive, as it does at the start, it makes more of its kind among the old objects. What a
  // request makes is dead at once, and keeps there, until the whole heap is collected, everything that it points at (0083).
  setFlagsFromString('--no-allocation-site-pretenuring');
  letWorkersGiveWay();
  giveBackNowAndThen(giveBackEveryMs, aboveBytes);
}

/**
 * Requests and the database go first, and V8's threads have a tenth of what one of them has: with nothing at all they would never be done
 * while the machine is busy, and what they leave is done while every request waits (0084).
 */
function letWorkersGiveWay(): void {
  try {
    for (const thread of readdirSync(THREADS)) {
      const name = readFileSync(`${THREADS}/${thread}/comm`, 'latin1').trim();
      // On Linux a priority is a thread's own.
      if (name === V8_WORKER) setPriority(Number.parseInt(thread, 10), lowerPriority());
    }
  } catch {
    // On another system, or where it is not permitted, they go on side by side.
  }
}

/**
 * V8 keeps the memory that the heap has left for when it grows again, and gives it back only where it collects to save memory: in a process
 * that always has something to do, never. Now and then the next collections of the whole heap do (0084).
 */
function giveBackNowAndThen(everyMs: number, aboveBytes: number): void {
  let left = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as Collection[])
      if (detail.kind === perfConstants.NODE_PERFORMANCE_GC_MAJOR) left--;
    if (left > 0) return;
    collections.disconnect();
    setFlagsFromString('--no-optimize-for-size');
  });
  setInterval(() => {
    if (left > 0 || process.memoryUsage.rss() < aboveBytes) return;
    left = COLLECTIONS;
    collections.observe({ entryTypes: ['gc'] });
    setFlagsFromString('--optimize-for-size');
  }, everyMs).unref();
}
