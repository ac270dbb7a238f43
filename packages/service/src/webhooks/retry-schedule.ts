/** What follows from an attempt. Decided without I/O, clock and chance. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Between an attempt and the one before it; the first is made at once. */
const WAITS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const ATTEMPTS_MAX = 10; // limit: Attempts to deliver an event to an endpoint

/** Part of a wait by which it may be longer or shorter, so that endpoints that failed together are not tried together. */
const JITTER = 0.1;

/** How an attempt ended: an answer, or why there was none. */
export interface Outcome {
  readonly status: number | undefined;
  readonly failure: string | undefined;
}

export type Verdict =
  | { readonly is: 'delivered' }
  | { readonly is: 'retry'; readonly afterMs: number }
  | { readonly is: 'failed'; readonly disable: 'gone' | 'attempts_exhausted' };

/** @param attempts made so far, with this one @param chance 0 to 1, for the jitter */
export function verdictOf({ status }: Outcome, attempts: number, chance: number): Verdict {
  if (status !== undefined && status >= 200 && status <= 299) return { is: 'delivered' };
  if (status === GONE) return { is: 'failed', disable: 'gone' };
  const wait = WAITS_MS[attempts];
  if (wait === undefined || attempts >= ATTEMPTS_MAX) return { is: 'failed', disable: 'attempts_exhausted' };
  return { is: 'retry', afterMs: Math.round(wait * (1 - JITTER + 2 * JITTER * chance)) };
}

const GONE = 410;
