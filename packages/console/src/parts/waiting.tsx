import { business } from '../api/session.ts';
import type { Mood } from './icons.tsx';
import { ago, Status } from './text.tsx';

/** After so many hours something has waited long, and after so many too long. */
const LONG_HOURS = 4;
const TOO_LONG_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Deposits that have no place yet. */
export const WAITING = ['unmatched', 'partially_matched'] as const;

export function moodOfHours(hours: number): Mood {
  return hours >= TOO_LONG_HOURS ? 'bad' : hours >= LONG_HOURS ? 'warn' : 'idle';
}

export function moodOfDeposit(status: string): Mood {
  return status === 'matched' ? 'ok' : WAITING.some((each) => each === status) ? 'warn' : 'idle';
}

/** Whether something is still to come, by business time. */
export function isAhead(at: string | null): boolean {
  return at !== null && Date.parse(at) > business.now();
}

/** How long money has waited for its place, by business time. */
export function Age({ since }: { readonly since: string }) {
  const now = business.now();
  return <Status of={ago(since, now)} mood={moodOfHours((now - Date.parse(since)) / HOUR_MS)} />;
}
