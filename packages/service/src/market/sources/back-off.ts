import { performance } from 'node:perf_hooks';

/** Real time and chance, in the form in which tests can replace them. */
export interface Timers {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Runs once after so many milliseconds; the returned function calls it off. */
  after(ms: number, run: () => void): () => void;
  /** From 0 up to, not including, 1. */
  random(): number;
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/**
 * Why a connection ended or was not made. `lost`: it may work again at once. `busy`: the vendor asks for a pause.
 * `refused`: the vendor does not want this caller or this request, and asking again will not change its mind.
 */
export interface FeedFault {
  readonly kind: 'lost' | 'busy' | 'refused';
  /** One sentence for operators, without any secret. */
  readonly text: string;
}

const FIRST_MS = 1_000;
const MAX_MS = 60_000; // limit: Longest pause before a feed is tried again
/** Vendors count new connections by the second (OANDA asks for at most two). */
const MIN_MS = 500; // limit: Shortest pause before a feed is tried again
/** Keys are repaired by people. Until then a vendor that is asked more often may lock the account. */
const REFUSED_MS = 15 * 60_000; // limit: Pause after a feed has refused the key

/**
 * How long to wait before the next attempt: exponential with full jitter (every instance of a cluster loses the vendor
 * at the same moment and must not come back at the same moment), between half a second and a minute. A refusal waits
 * at least a quarter of an hour.
 * @param failures attempts in a row that led to nothing, this one included
 */
export function backOffMs(fault: FeedFault, failures: number, random: () => number): number {
  if (fault.kind === 'refused') return REFUSED_MS + Math.round(random() * MAX_MS);
  if (fault.kind === 'busy') return MAX_MS + Math.round(random() * MAX_MS);
  // The exponent is bounded, so that no count of failures can overflow.
  const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return Math.max(MIN_MS, Math.round(random() * ceiling));
}
