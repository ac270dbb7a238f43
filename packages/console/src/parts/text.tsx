import { formatAmount } from '../money/amount.ts';
import { Icon, type Mood } from './icons.tsx';
import { counted, instantText, words } from './words.ts';

export { counted, words };

const MOODS: Readonly<Record<string, Mood>> = {
  executed: 'ok',
  funded: 'ok',
  settled: 'ok',
  completed: 'ok',
  paid: 'ok',
  matched: 'ok',
  replaced: 'ok',
  approved: 'ok',
  fresh: 'ok',
  open: 'idle',
  pending: 'idle',
  awaiting_funds: 'idle',
  settling: 'idle',
  partially_funded: 'warn',
  overdue: 'warn',
  expired: 'warn',
  stale: 'warn',
  withdrawn: 'warn',
  settlement_failed: 'bad',
  failed: 'bad',
  rejected: 'bad',
  unwound: 'bad',
  cancelled: 'idle',
};

/** A status is an icon and a word; its colour says nothing that these do not. */
export function Status({ of, mood }: { readonly of: string; readonly mood?: Mood }) {
  const shown = mood ?? MOODS[of] ?? 'idle';
  return (
    <span className={`chip ${shown}`}>
      <Icon name={shown} />
      {words(of)}
    </span>
  );
}

export function Money({ amount, currency }: { readonly amount: string; readonly currency: string }) {
  return (
    <span className="number">
      {formatAmount(amount)} {currency}
    </span>
  );
}

/**
 * An instant to the second or, in full, to the millisecond; all of it is there to be pointed at. It says its zone wherever it stands: who
 * reads it is in another one, and so is who is told of it.
 */
export function At({ at, full = false }: { readonly at: string; readonly full?: boolean }) {
  return (
    <time dateTime={at} title={instantText(at, true)}>
      {instantText(at, full)}
    </time>
  );
}

/** How long ago something was, in the largest unit that says it. */
export function ago(at: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(at)) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/**
 * A text that somebody else wrote: a name, a reference. Marks that turn the direction of what stands around them are held inside,
 * and shown as marks: they turn nothing.
 */
export function Verbatim({ text }: { readonly text: string }) {
  return <bdi>{text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')}</bdi>;
}
