import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** As many processors as this process and a database beside it keep busy. */
const FEW_PROCESSORS = 2;

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
  // Threads that look through the whole heap beside this one would take the processor from the database, and then all wait (0083).
  if (availableParallelism() <= FEW_PROCESSORS) setFlagsFromString('--no-concurrent-marking');
}
