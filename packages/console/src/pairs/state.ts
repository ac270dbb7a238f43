import type { PriceOfPair } from '@firmquote/client/operator';
import type { Mood } from '../parts/icons.tsx';

type Seen = Pick<PriceOfPair, 'status' | 'halts' | 'enabled' | 'market' | 'awaitingAcceptance'>;

/** What most holds a pair back, or that nothing does. */
export function stateOfPrice({ status, halts, enabled, market, awaitingAcceptance }: Seen): string {
  if (halts.length > 0) return 'halted';
  if (!enabled) return 'suspended';
  if (awaitingAcceptance) return 'awaits_acceptance';
  return market.state === 'open' ? status : 'closed';
}

export function moodOfPrice({ status, halts, enabled, awaitingAcceptance }: Seen): Mood {
  if (halts.length > 0 || awaitingAcceptance) return 'bad';
  return status === 'fresh' && enabled ? 'ok' : 'warn';
}

export function ageText(ageMs: number): string {
  return ageMs < 1_000 ? `${ageMs} ms ago` : `${Math.floor(ageMs / 1_000)} s ago`;
}
