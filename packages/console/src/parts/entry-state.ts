import type { StatementEntry } from '@firmquote/client/operator';
import type { Mood } from './icons.tsx';

/** What has become of an entry, in one word: of what is booked by hand, as what; of money received, of its deposit. */
export function stateOfEntry(of: StatementEntry): string {
  if (of.status !== 'booked') return of.status;
  if (of.bookedAs !== null) return of.bookedAs;
  return of.depositState === 'none' ? of.paymentState : of.depositState;
}

export function moodOfEntry(of: StatementEntry): Mood {
  return ['mismatch', 'unknown'].includes(stateOfEntry(of)) ? 'warn' : 'idle';
}
