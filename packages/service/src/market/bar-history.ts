import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { BarRecorder } from './bar-recorder.ts';
import { forgetBars, insertBars, lastBarBetween, rollUpMinutes } from './bar-store.ts';

interface BarRetention {
  readonly secondBarsHours: number;
  readonly minuteBarsDays: number;
}

interface BarHistoryOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: BarRecorder;
  readonly retention: BarRetention;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A minute is made when the bars of its last second are written, by other instances as well. */
const MINUTE_GRACE_MS = 3_000;
/** What an instance that stopped in the middle of a minute left undone, the next one does. */
const CATCH_UP_MS = HOUR_MS;
/** No bars of seconds are kept for longer. */
const LOOK_BACK_MS_MAX = 64 * 24 * HOUR_MS;
/** Rows in one statement. */
const INSERT_BATCH = 5_000;
const FORGET_BATCH = 50_000;

/** Writes what the recorder has seen, off the path of ticks: bars of seconds as they end, then those of minutes. */
export class BarHistory {
  readonly #options: BarHistoryOptions;
  /** Minutes before this are made. */
  #madeTo: number | undefined;
  #dropped = 0;

  constructor(options: BarHistoryOptions) {
    this.#options = options;
  }

  sweeps(): Sweep[] {
    return [
      {
        name: 'write_bars',
        does: 'Writes the price bars of past seconds, and builds minute bars from them.',
        everyMs: 1_000,
        run: () => this.#write(),
      },
      {
        name: 'forget_bars',
        does: 'Deletes price bars past their retention.',
        everyMs: 60_000,
        isHousekeeping: true,
        run: () => this.#forget(),
      },
    ];
  }

  async #write(): Promise<number> {
    const { recorder, pool, logger } = this.#options;
    const bars = recorder.take();
    for (let done = 0; done < bars.length; done += INSERT_BATCH) {
      try {
        await insertBars(pool, bars.slice(done, done + INSERT_BATCH));
      } catch (error) {
        recorder.putBack(bars.slice(done));
        throw error;
      }
    }
    if (recorder.dropped > this.#dropped) {
      logger.warn(
        { bars: recorder.dropped - this.#dropped },
        'price bars were dropped: the database was unreachable for too long',
      );
      this.#dropped = recorder.dropped;
    }
    await this.#makeMinutes();
    // No other sweep waits for bars: those who move the sandbox's clock need no further round because of them.
    return 0;
  }

  async #makeMinutes(): Promise<void> {
    const now = this.#options.clock.now();
    const to = startOfMinute(now - MINUTE_GRACE_MS);
    // After a clock that was set back, the minutes that come again are made again.
    const from = Math.min(this.#madeTo ?? startOfMinute(now - CATCH_UP_MS), to);
    if (this.#madeTo === undefined) await this.#makeLeftUndone(from, to);
    if (from < to) await rollUpMinutes(this.#options.pool, from, to);
    this.#madeTo = to;
  }

  /** Where nobody has written bars for longer than is caught up on: what whoever wrote the last ones has left. */
  async #makeLeftUndone(from: number, to: number): Promise<void> {
    const { pool } = this.#options;
    let last = await lastBarBetween(pool, from, to);
    if (last !== undefined) return;
    // Further and further back: the index tells of times without bars, and of others only how many there are to look at.
    for (let until = from, span = CATCH_UP_MS; last === undefined && span <= LOOK_BACK_MS_MAX; span *= 2) {
      last = await lastBarBetween(pool, from - span, until);
      until = from - span;
    }
    if (last === undefined) return;
    const end = startOfMinute(last) + MINUTE_MS;
    await rollUpMinutes(pool, end - CATCH_UP_MS, end);
  }

  async #forget(): Promise<number> {
    // Seconds of before the start stay until their minutes are made.
    if (this.#madeTo === undefined) return 0;
    const { pool, clock, retention } = this.#options;
    const now = clock.now();
    const seconds = await forgetBars(pool, '1s', now - retention.secondBarsHours * HOUR_MS, FORGET_BATCH);
    const minutes = await forgetBars(pool, '1m', now - retention.minuteBarsDays * 24 * HOUR_MS, FORGET_BATCH);
    return seconds + minutes;
  }
}

function startOfMinute(instant: number): number {
  return instant - (instant % MINUTE_MS);
}
