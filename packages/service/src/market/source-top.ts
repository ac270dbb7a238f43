import type { Decimal } from '@firmquote/fx';
import type { Tick } from './tick.ts';

/** Ticks far from what is known, which agree with each other: a move of the market, or a broken source. */
export interface Jump {
  /** Twice the mid of the newest of them. */
  readonly sum: Decimal;
  /** When the first one was made. */
  readonly since: number;
  readonly lastAt: number;
  readonly ticks: number;
}

/** What one source says of one pair. */
export interface SourceTop {
  readonly source: string;
  disabled: boolean;
  /** The newest good tick. */
  tick: Tick | undefined;
  /** Twice its mid: bid and ask added up. */
  sum: Decimal;
  /** Time of the newest tick, good or held back. */
  lastAt: number;
  /** When the price was last another one. */
  changedAt: number;
  /** How many changes the pair had seen then, of all sources. */
  changesThen: number;
  frozen: boolean;
  /** The source has taken its price back, or is gone: it counts again with its next good tick. */
  withdrawn: boolean;
  jump: Jump | undefined;
  /** When a jump began that was believed, until the other sources are there too. */
  jumpedAt: number | undefined;
}

export function newTop(source: string): SourceTop {
  return {
    source,
    disabled: false,
    tick: undefined,
    sum: { units: 0n, scale: 0 },
    lastAt: Number.NEGATIVE_INFINITY,
    changedAt: Number.NEGATIVE_INFINITY,
    changesThen: 0,
    frozen: false,
    withdrawn: false,
    jump: undefined,
    jumpedAt: undefined,
  };
}

// A clock that is being disciplined steps by milliseconds. Beyond this a price is not from the present.
export const CLOCK_TOLERANCE_MS = 250;

/** Whether the source's price may be priced on. */
export function isUsable(top: SourceTop, now: number, stalenessMs: number): boolean {
  const { tick } = top;
  return tick !== undefined && mayCount(top) && isCurrent(tick.at, now, stalenessMs);
}

/** Whether the source's price counts while it is current. */
export function mayCount({ disabled, frozen, withdrawn }: SourceTop): boolean {
  return !disabled && !frozen && !withdrawn;
}

export function isCurrent(at: number, now: number, stalenessMs: number): boolean {
  return now - at <= stalenessMs && at - now <= CLOCK_TOLERANCE_MS;
}
