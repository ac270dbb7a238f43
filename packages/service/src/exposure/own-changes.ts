import type { PositionBounds } from '@firmquote/fx';

/** A change of the house's position, signed minor units by currency. */
export type PositionChange = readonly (readonly [currency: string, minor: bigint])[];

/** Something that this process is doing, or has done since positions were read. */
export interface OwnChange {
  readonly change: PositionChange;
  /** Place among readings and outcomes at which its outcome was known; undefined while it is under way. */
  settledAt: number | undefined;
}

type Sums = Map<string, PositionBounds>;

/** Own changes with their sums by currency, so that looking at them costs the same however many there are. */
export class OwnChanges {
  readonly #changes = new Set<OwnChange>();
  readonly #sums: Sums = new Map();

  add(change: OwnChange): void {
    this.#changes.add(change);
    this.#count(change, 1n);
  }

  remove(change: OwnChange): void {
    if (this.#changes.delete(change)) this.#count(change, -1n);
  }

  /** Forgets changes whose outcome was known at or before a place: they are in what was read from there on. */
  forgetUntil(place: number): void {
    for (const change of this.#changes) {
      if (change.settledAt !== undefined && change.settledAt <= place) this.remove(change);
    }
  }

  /** The most that they may add to each currency, and the least. */
  get sums(): ReadonlyMap<string, PositionBounds> {
    return this.#sums;
  }

  #count({ change }: OwnChange, sign: 1n | -1n): void {
    const sums = this.#sums;
    for (const [currency, minor] of change) {
      const { upper, lower } = sums.get(currency) ?? { upper: 0n, lower: 0n };
      sums.set(
        currency,
        minor > 0n ? { upper: upper + sign * minor, lower } : { upper, lower: lower + sign * minor },
      );
    }
  }
}
