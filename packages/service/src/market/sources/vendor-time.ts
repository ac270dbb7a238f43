import type { Clock } from '../../platform/clock.ts';

/** Stamps before it are in another unit than the one that was agreed (seconds read as milliseconds are 1970). */
const EARLIEST_STAMP = Date.UTC(2000, 0, 1);
/** The last millisecond of 9999; stamps in microseconds read as milliseconds lie far behind it. */
const LATEST_STAMP = 253_402_300_799_999;

const RFC3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** RFC 3339 with up to nanoseconds as epoch milliseconds, cut off; undefined when it is none. */
export function parseVendorInstant(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const millis = (match[2] ?? '').slice(0, 3).padEnd(3, '0');
  return ifPlausible(Date.parse(`${match[1]}.${millis}${match[3]}`));
}

/** What vendors count the time since 1970 in, and how many of its last digits are below a millisecond. */
const SUB_MILLISECOND_DIGITS = { s: -3, ms: 0, us: 3, ns: 6 } as const;
export type EpochUnit = keyof typeof SUB_MILLISECOND_DIGITS;

/** A count of seconds, milliseconds, microseconds or nanoseconds as epoch milliseconds, cut off. */
export function parseVendorEpoch(text: string, unit: EpochUnit): number | undefined {
  const match = /^(\d{1,19})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const digits = SUB_MILLISECOND_DIGITS[unit];
  const whole = match[1] ?? '';
  const millis =
    digits < 0
      ? `${whole}${(match[2] ?? '').slice(0, -digits).padEnd(-digits, '0')}`
      : whole.slice(0, whole.length - digits);
  return millis === '' ? undefined : ifPlausible(Number.parseInt(millis, 10));
}

function ifPlausible(instant: number): number | undefined {
  return instant >= EARLIEST_STAMP && instant <= LATEST_STAMP ? instant : undefined;
}

/**
 * Brings vendors' stamps, which are real time, onto business time, which the sandbox may have moved: a price that is
 * 80 ms old in the world is 80 ms old in the book, whatever day the book thinks it is.
 *
 * Nothing is corrected on the way. A stamp ahead of this machine's clock comes out ahead of business time by as much,
 * and the rate book refuses it as `future` beyond its tolerance; one from the past comes out as old as it is, and the
 * book shows it as stale or refuses it as `backwards`. So a vendor's or our own wrong clock stops prices, visibly,
 * rather than making old ones look new. Stamps that cannot be of this century are not read at all.
 */
export class VendorTime {
  readonly #business: Clock;
  readonly #real: Clock;
  #offsetMs = 0;

  constructor(business: Clock, real: Clock) {
    this.#business = business;
    this.#real = real;
  }

  /** Real time now, epoch milliseconds. */
  realNow(): number {
    return this.#real.now();
  }

  /** The business instant of a real one. */
  toBusiness(stamp: number): number {
    return stamp + this.#offset();
  }

  /** Real milliseconds from the stamp to now. */
  delayMs(stamp: number): number {
    return this.#real.now() - stamp;
  }

  /**
   * Read only when real time stood still meanwhile: a millisecond that passes between two clocks must not make the
   * second of two prices with one stamp look older than the first.
   */
  #offset(): number {
    for (let attempt = 0; attempt < 3; attempt++) {
      const before = this.#real.now();
      const business = this.#business.now();
      if (this.#real.now() === before) {
        this.#offsetMs = business - before;
        break;
      }
    }
    return this.#offsetMs;
  }
}
