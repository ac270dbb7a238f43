import type { BandRefusal } from '@firmquote/api/operations/price-refusals';
import type { Decimal } from '@firmquote/fx';
import type { Tick } from './tick.ts';

/** Ticks far from what is known, which agree with each other: a move of the market, or a broken source. */
export interface Jump {
  /** The newest of them: what the source says now. */
  readonly tick: Tick;
  /** Twice its mid. */
  readonly sum: Decimal;
  /** When the first one was made. */
  readonly since: number;
  readonly lastAt: number;
  readonly ticks: number;
}

/** A price that nobody may be quoted: what the source says now, and since when nothing of it could be believed. */
export interface Refusal {
  readonly reason: BandRefusal;
  readonly tick: Tick;
  readonly since: number;
  readonly ticks: number;
}

/** That a majority says something else. */
interface Aside {
  readonly since: number;
  /** When the source began to agree with the others again. */
  agreeingSince: number | undefined;
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
  /** Its newest price, believed or not: twice the mid, and when it was made. */
  said: { readonly sum: Decimal; readonly at: number } | undefined;
  /** Set while its newest price cannot be believed; what it said before is not priced on either. */
  refused: Refusal | undefined;
  aside: Aside | undefined;
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
    said: undefined,
    refused: undefined,
    aside: undefined,
    jump: undefined,
    jumpedAt: undefined,
  };
}

// A clock that is being disciplined steps by milliseconds. Beyond this a price is not from the present.
export const CLOCK_TOLERANCE_MS = 250; // limit: How far ahead of the clock a price may be

/** Whether the source's price may be priced on. */
export function isUsable(top: SourceTop, now: number, stalenessMs: number): boolean {
  const { tick } = top;
  return tick !== undefined && mayCount(top) && isCurrent(tick.at, now, stalenessMs);
}

/**
 * Whether the source's good price counts while it is current. A source that has said something else since, which is not
 * believed (yet), does not stand by it any more.
 */
export function mayCount(top: SourceTop): boolean {
  return isHeard(top) && top.refused === undefined && top.jump === undefined && top.aside === undefined;
}

/** Whether what the source says is heard at all. */
function isHeard({ disabled, frozen, withdrawn }: SourceTop): boolean {
  return !disabled && !frozen && !withdrawn;
}

/** Whether the source says something now, right or wrong. */
export function isSpeaking(top: SourceTop, now: number, stalenessMs: number): boolean {
  return top.said !== undefined && isHeard(top) && isCurrent(top.said.at, now, stalenessMs);
}

export function isCurrent(at: number, now: number, stalenessMs: number): boolean {
  return now - at <= stalenessMs && at - now <= CLOCK_TOLERANCE_MS;
}
