import { findPair } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { Level } from './band.ts';
import { levelsOf } from './book-figures.ts';
import { type KnownLevels, readLastPrices, writeLastPrices } from './level-store.ts';
import { areApart } from './pair-settings.ts';
import type { RateBook } from './rate-book.ts';

const WRITE_EVERY_MS = 10_000;

/** What has not moved is written anew so often: its age shows for how long nobody has quoted the pair. */
const AGE_IS_KEPT_MS = 86_400_000;

/** What has moved by less than this part of the band since it was written is not written anew. */
const PART_OF_BAND = 20n;

/** Keeps where pairs were last dealt, so that a start knows what to believe: one statement every ten seconds at most. */
export class LevelKeeper {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #book: RateBook;
  readonly #unkept: ReadonlySet<string>;
  /** Where each pair stood when it was last written or read here. */
  readonly #written = new Map<string, Level>();
  #isRestored = false;

  /** @param unkept sources whose prices begin anew with each start: pairs that they quote are not kept */
  constructor(pool: Pool, clock: Clock, book: RateBook, unkept: ReadonlySet<string> = new Set()) {
    this.#pool = pool;
    this.#clock = clock;
    this.#book = book;
    this.#unkept = unkept;
  }

  get sweep(): Sweep {
    return {
      name: 'keep_last_prices',
      does: 'Saves the last good prices of pairs that have moved.',
      everyMs: WRITE_EVERY_MS,
      isHousekeeping: true,
      run: () => this.write(),
    };
  }

  /** Restores to the book what was written before this start. Once. */
  async restore(): Promise<void> {
    if (this.#isRestored) return;
    for (const { pair: code, last, first } of await readLastPrices(this.#pool)) {
      const pair = findPair(code);
      if (pair === undefined) continue;
      this.#book.restore(pair, last, first);
      this.#written.set(code, last);
    }
    this.#isRestored = true;
  }

  /** Writes what has moved. Answers how many pairs. */
  async write(): Promise<number> {
    const moved = levelsOf(this.#book.books(), this.#unkept).filter((levels) => this.#hasMoved(levels));
    if (moved.length === 0) return 0;
    await writeLastPrices(this.#pool, moved, this.#clock.now());
    for (const { pair, last } of moved) this.#written.set(pair, last);
    return moved.length;
  }

  #hasMoved({ pair: code, last }: KnownLevels): boolean {
    const written = this.#written.get(code);
    const pair = findPair(code);
    if (written === undefined || pair === undefined || last.at - written.at >= AGE_IS_KEPT_MS) return true;
    const { bandBps } = this.#book.settingsOf(pair);
    return areApart(last.sum, written.sum, { units: bandBps.units / PART_OF_BAND, scale: bandBps.scale });
  }
}
