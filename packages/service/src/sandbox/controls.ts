import type { SettlementMode } from '@firmquote/api/operations/sandbox';
import { tradeDateAt } from '@firmquote/fx';
import { bankDayAt } from '@firmquote/sandbox-bank';
import { bringBackAttempts } from '../bank-statements/apply-failures.ts';
import { reopenSimulatedDays } from '../bank-statements/withdraw-file.ts';
import { forgetLaterDays } from '../customers/room.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { reopenDays } from '../ledger/closing.ts';
import type { Market } from '../market/market.ts';
import { isoInstant, type VirtualClock } from '../platform/clock.ts';
import type { SweepRunner } from '../platform/sweeps.ts';
import type { Topic } from '../settings/follower.ts';
import { invalid } from './control-market.ts';
import {
  payWithoutFiles,
  readSettings,
  releaseFunded,
  type SandboxSettings,
  SETTINGS_VERSION_QUERY,
  shiftJobs,
  writeBankSettings,
  writeClockOffset,
} from './store.ts';

/** Where to move business time to. */
export type ClockMove =
  | { readonly advanceMs: number }
  /** Epoch milliseconds. */
  | { readonly instant: number }
  | { readonly real: true };

export interface BankSettings {
  readonly autoDeposit: boolean;
  readonly settlement: SettlementMode;
}

/** Something that is not as a sandbox begins, and the request that brings it back. */
export interface SandboxChange {
  readonly what: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Between funding and the release of the payout, when settlement is fast. */
const BANK_DELAY_MS = 5_000;
/** On its way a clock stops wherever something is due, but not more often than this. */
const STEP_MIN_MS = 1_000; // limit: Least time between two stops of a clock that is moved
const STEPS_MAX = 500; // limit: Stops of a clock that is moved

/**
 * A year less than what instants can be, at either end: work looks back by days and plans ahead, and ids hold no instant before 1970. A
 * clock beyond could not be brought back.
 */
const CLOCK_MIN = Date.UTC(1971, 0, 1);
const CLOCK_MAX = Date.UTC(9999, 0, 1) - 1;

const DEFAULTS: SandboxSettings = { clockOffsetMs: 0, autoDeposit: true, settlement: 'fast' };

/**
 * The sandbox's knobs: its clock and its bank. They live in the database, so that a second start finds the same
 * business time and other instances follow within a second.
 */
export class SandboxControls {
  readonly #pool: Pool;
  readonly #clock: VirtualClock;
  readonly #othersFollow: () => Promise<void>;
  #settings = DEFAULTS;
  #moves: Promise<unknown> = Promise.resolve();
  #moving = 0;
  #changes = 0;

  /** @param othersFollow resolves when the other processes have taken over what is set */
  constructor(pool: Pool, clock: VirtualClock, othersFollow: () => Promise<void> = async () => undefined) {
    this.#pool = pool;
    this.#clock = clock;
    this.#othersFollow = othersFollow;
  }

  /** Business time. */
  get now(): number {
    return this.#clock.now();
  }

  get offsetMs(): number {
    return this.#clock.offsetMs;
  }

  get bank(): BankSettings {
    const { autoDeposit, settlement } = this.#settings;
    return { autoDeposit, settlement };
  }

  /** What a start finds changed. Prices that stand still and a market that is closed end with the process. */
  changes(): SandboxChange[] {
    const { autoDeposit, settlement } = this.bank;
    const changes: SandboxChange[] = [];
    if (this.#clock.offsetMs !== 0) {
      const what = `Business time is ${isoInstant(this.#clock.now())}`;
      changes.push({ what, path: '/v1/sandbox/clock', body: { real: true } });
    }
    if (autoDeposit !== DEFAULTS.autoDeposit || settlement !== DEFAULTS.settlement) {
      const money = autoDeposit ? '' : 'no money arrives on its own, ';
      const what = `The simulated bank is waiting: ${money}settlement is '${settlement}'`;
      const { autoDeposit: automatic, settlement: fast } = DEFAULTS;
      changes.push({ what, path: '/v1/sandbox/bank', body: { autoDeposit: automatic, settlement: fast } });
    }
    return changes;
  }

  /** Takes over what the database says. To be called before anything reads the clock. */
  async load(): Promise<void> {
    const changes = this.#changes;
    const settings = await readSettings(this.#pool);
    // What was read before a change of this process would undo it.
    if (changes !== this.#changes || this.#moving > 0) return;
    this.#settings = settings;
    this.#clock.advance(settings.clockOffsetMs - this.#clock.offsetMs);
  }

  /** What other instances follow. */
  topic(): Topic {
    return {
      name: 'sandbox',
      version: SETTINGS_VERSION_QUERY,
      held: () => [this.#clock.offsetMs, this.bank.autoDeposit, this.bank.settlement].join(' '),
      load: () => this.load(),
    };
  }

  async setBank(patch: Partial<BankSettings>): Promise<BankSettings> {
    const settings = await inTransaction(this.#pool, async (connection) => {
      const before = await readSettings(connection, true);
      const after = { ...before, ...patch };
      await writeBankSettings(connection, after);
      if (before.settlement !== 'fast' && after.settlement === 'fast') {
        await releaseFunded(connection, this.#clock.now() + BANK_DELAY_MS);
      }
      if (before.settlement === 'runs' && after.settlement !== 'runs') {
        await payWithoutFiles(connection, this.#clock.now() + BANK_DELAY_MS);
      }
      return after;
    });
    this.#changes++;
    this.#settings = { ...settings, clockOffsetMs: this.#clock.offsetMs };
    return this.bank;
  }

  /**
   * Moves business time, after moves that were asked for before. On its way forwards it stops wherever something is
   * due, so that a deposit expected in five seconds is in time for a cut-off tomorrow although the clock is set to
   * the day after.
   * @returns business time when all that is due by then is done and prices are of then
   * @throws Problem validation_failed
   */
  moveClock(move: ClockMove, runner: SweepRunner, market: Pick<Market, 'refresh'>): Promise<number> {
    const moved = this.#moves.then(async () => {
      // Another instance may have moved it a moment ago.
      await this.load();
      this.#moving++;
      try {
        await this.#travel(this.#permitted(move), runner);
      } finally {
        this.#changes++;
        this.#moving--;
      }
      // First: to whoever does not know of it, prices of then would be of the future.
      await this.#othersFollow();
      await market.refresh();
      return this.#clock.now();
    });
    this.#moves = moved.catch(() => undefined);
    return moved;
  }

  async #travel(offsetMs: number, runner: SweepRunner): Promise<void> {
    const clock = this.#clock;
    let stoppedAt = Number.NEGATIVE_INFINITY;
    for (let step = 0; step < STEPS_MAX && clock.offsetMs < offsetMs; step++) {
      // What is still due since the last stop cannot be done yet: whatever it waits for, the clock does not.
      const due = await runner.nextDue(stoppedAt);
      if (due === undefined) break;
      const stepMs = Math.max(due.at - clock.now(), STEP_MIN_MS);
      if (clock.offsetMs + stepMs >= offsetMs) break;
      await this.#setOffset(clock.offsetMs + stepMs);
      stoppedAt = clock.now();
      // What is due before all others may be late in their order, and then they would run twice.
      await runner.runDueNow(due.sweep);
    }
    await this.#setOffset(offsetMs);
    await runner.runDueNow();
  }

  async #setOffset(offsetMs: number): Promise<void> {
    const byMs = offsetMs - this.#clock.offsetMs;
    await inTransaction(this.#pool, async (connection) => {
      await writeClockOffset(connection, offsetMs);
      if (byMs >= 0) return;
      await shiftJobs(connection, byMs);
      await bringBackAttempts(connection, byMs);
      const instant = this.#clock.now() + byMs;
      await reopenDays(connection, instant);
      await reopenSimulatedDays(connection, bankDayAt(instant));
      await forgetLaterDays(connection, tradeDateAt(instant));
    });
    this.#clock.advance(byMs);
    this.#settings = { ...this.#settings, clockOffsetMs: offsetMs };
  }

  #permitted(move: ClockMove): number {
    const offsetMs = this.#offsetOf(move);
    const instant = this.#clock.now() - this.#clock.offsetMs + offsetMs;
    if ('real' in move || (instant >= CLOCK_MIN && instant <= CLOCK_MAX)) return offsetMs;
    const pointer = 'instant' in move ? '/now' : '/advanceSeconds';
    throw invalid(pointer, 'out_of_range', 'must lead to a time from 1971 to 9998');
  }

  #offsetOf(move: ClockMove): number {
    if ('real' in move) return 0;
    if ('advanceMs' in move) return this.#clock.offsetMs + move.advanceMs;
    return this.#clock.offsetMs + move.instant - this.#clock.now();
  }
}
