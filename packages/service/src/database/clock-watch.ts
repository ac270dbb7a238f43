import { type Clock, systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import type { Pool } from './pool.ts';

/** An instance whose clock is further from the database's decides nothing: expiry would depend on who answers. */
export const MAX_CLOCK_SKEW_MS = 250; // limit: How far the machine's clock may be from the database's
const MEASURE_EVERY_MS = 1_000;

/** Who must not act on a wrong clock asks here first. */
export interface Timekeeper {
  /** @throws Problem maintenance while the clock of this machine is off */
  requireRight(): void;
}

interface ClockWatchOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  /** The machine's clock. */
  readonly clock?: Clock;
  /** Milliseconds that nobody sets, so that a set clock is noticed at once. */
  readonly monotonicMs?: () => number;
}

/**
 * How far the machine's clock is from the database's, which all instances share. It is measured once a second; what the
 * clock does in between is seen by one that cannot be set, so nothing is decided on a clock that was just changed.
 */
export class ClockWatch implements Timekeeper {
  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;
  /** Database less machine, at the moment at which the machine was `#anchorMs` ahead of the monotonic clock. */
  #offsetMs = 0;
  #anchorMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wasRight = true;

  constructor({
    pool,
    logger,
    clock = systemClock,
    monotonicMs = () => performance.now(),
  }: ClockWatchOptions) {
    this.#pool = pool;
    this.#logger = logger;
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
  }

  /** Distance from the database's clock now, in whole milliseconds; 0 before the first measure. */
  skewMs(): number {
    return Math.abs(Math.round(this.#offsetNow()));
  }

  isRight(): boolean {
    return this.skewMs() <= MAX_CLOCK_SKEW_MS;
  }

  requireRight(): void {
    if (this.isRight()) return;
    throw new Problem('maintenance', 'The clock of this instance is wrong; it quotes and executes nothing.', {
      headers: { 'Retry-After': '1' },
    });
  }

  /**
   * Asks the database for its clock.
   * @returns the distance
   * @throws when the database does not answer; what was known before stays
   */
  async measure(): Promise<number> {
    const before = this.#clock.now();
    const { rows } = await this.#pool.query<{ now: number }>({ text: 'select clock_timestamp() as now' });
    const after = this.#clock.now();
    const database = rows[0]?.now;
    if (database === undefined) throw new Error('the database returned no time');
    // It read its clock somewhere between sending and receiving: what was known is corrected as far as that proves.
    const known = this.#offsetNow();
    const [least, most] =
      before <= after ? [database - after, database - before] : [database - before, database - after];
    this.#offsetMs = Math.min(Math.max(known, least), most);
    this.#anchorMs = this.#clock.now() - this.#monotonicMs();
    this.#notify();
    return this.skewMs();
  }

  /** Measures now, and from now on by itself. The timer does not keep the process alive. */
  async start(): Promise<void> {
    await this.measure();
    this.#timer ??= setInterval(() => {
      this.measure().catch(() => undefined);
    }, MEASURE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #offsetNow(): number {
    if (this.#anchorMs === undefined) return 0;
    return this.#offsetMs - (this.#clock.now() - this.#monotonicMs() - this.#anchorMs);
  }

  #notify(): void {
    const isRight = this.isRight();
    if (isRight === this.#wasRight) return;
    this.#wasRight = isRight;
    const skewMs = this.skewMs();
    if (isRight) this.#logger.info({ skewMs }, "the machine's clock is right again");
    else this.#logger.error({ skewMs }, "the machine's clock is off; nothing is quoted, executed or swept");
  }
}
