import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Threads of this process, on Linux. */
const THREADS = '/proc/self/task';
/** What Node calls those on which V8 looks through the heap and compiles, beside this one. */
const V8_WORKER = 'V8Worker';

/** For a process that serves, before it does anything. */
export function setUpV8(): void {
  // What lives when young objects are collected are the few requests under way: too little to share among threads, which
  // would only take the second core from the database. On two cores a firm quote costs this process an eighth less.
  setFlagsFromString('--no-parallel-scavenge');
  // Some 60 MB live, whatever was traded, and V8 would let them grow to several times that before it collects.
  setFlagsFromString('--heap-growing-percent=60');
  // Where V8 has seen most of what is made survive, as it does at the start, it makes more of its kind among the old objects. What a
  // request makes is dead at once, and keeps there, until the whole heap is collected, everything that it points at (0083).
  setFlagsFromString('--no-allocation-site-pretenuring');
  letWorkersGiveWay();
}

/** V8's threads have the processors that nobody else wants: requests and the database go first (0084). */
function letWorkersGiveWay(): void {
  try {
    for (const thread of readdirSync(THREADS)) {
      const name = readFileSync(`${THREADS}/${thread}/comm`, 'latin1').trim();
      // On Linux a priority is a thread's own.
      if (name === V8_WORKER) setPriority(Number.parseInt(thread, 10), constants.priority.PRIORITY_LOW);
    }
  } catch {
    // On another system, or where it is not permitted, they go on side by side.
  }
}
