import {
  REJECT_REASONS,
  type RejectedTicks,
  type RejectReason,
} from '@firmquote/api/operations/price-refusals';
import type { Tick } from './tick.ts';

/** Sources that are counted apart; a push can name any. */
const MAX_COUNTED_SOURCES = 64; // limit: Sources that are counted apart

/** What became of the ticks of one source since the start. */
export interface SourceTicks {
  accepted: number;
  /** Of the accepted ones, those whose bid was the ask. */
  locked: number;
  readonly rejected: Record<RejectReason, number>;
  /** Prices that the source took back, or lost with its connection. */
  withdrawn: number;
  /** When the newest accepted one was made, epoch milliseconds. */
  lastAcceptedAt: number | undefined;
  /** The newest refused one, for whoever looks into why. */
  lastRejected: { readonly tick: Tick; readonly reason: RejectReason } | undefined;
}

/** Counts ticks by source and outcome. */
export class TickCounts {
  readonly total: SourceTicks = newTicks();
  readonly #bySource = new Map<string, SourceTicks>();

  get bySource(): ReadonlyMap<string, Readonly<SourceTicks>> {
    return this.#bySource;
  }

  accept(source: string, at: number, isLocked: boolean): void {
    this.#accept(this.total, at, isLocked);
    const own = this.#of(source);
    if (own !== undefined) this.#accept(own, at, isLocked);
  }

  reject(tick: Tick, reason: RejectReason): RejectReason {
    this.total.rejected[reason] += 1;
    const own = this.#of(tick.source);
    if (own !== undefined) {
      own.rejected[reason] += 1;
      own.lastRejected = { tick, reason };
    }
    return reason;
  }

  withdraw(source: string): void {
    this.total.withdrawn += 1;
    const own = this.#of(source);
    if (own !== undefined) own.withdrawn += 1;
  }

  #accept(ticks: SourceTicks, at: number, isLocked: boolean): void {
    ticks.accepted += 1;
    if (isLocked) ticks.locked += 1;
    ticks.lastAcceptedAt = at;
  }

  #of(source: string): SourceTicks | undefined {
    const known = this.#bySource.get(source);
    if (known !== undefined || this.#bySource.size >= MAX_COUNTED_SOURCES) return known;
    const made = newTicks();
    this.#bySource.set(source, made);
    return made;
  }
}

export function noneRejected(): RejectedTicks {
  return Object.fromEntries(REJECT_REASONS.map((reason) => [reason, 0])) as RejectedTicks;
}

function newTicks(): SourceTicks {
  return {
    accepted: 0,
    locked: 0,
    rejected: noneRejected(),
    withdrawn: 0,
    lastAcceptedAt: undefined,
    lastRejected: undefined,
  };
}
