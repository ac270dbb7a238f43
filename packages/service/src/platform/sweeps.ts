import { SWEEP_CHANNEL } from '@firmquote/telemetry/channels';
import type { Logger } from './logger.ts';

/** Time-driven work on the business clock, such as expiring quotes. Any instance may run it at any time. */
export interface Sweep {
  readonly name: string;
  /** One sentence, for docs/reference/sweeps.md. */
  readonly does: string;
  /** It ends what people have set: the audit trail tells of it, as an act of the service. */
  readonly isAudited?: true;
  /** Nothing that is due waits for it: where a clock travels over many instants, it runs when that has arrived. */
  readonly isHousekeeping?: true;
  /** Real milliseconds between two runs. */
  readonly everyMs: number;
  /** Its first run is at the start: what it watches must not go unseen for an interval. Cheap ones only. */
  readonly fromTheStart?: true;
  /** Does what is due now and answers how many rows it moved; rows that another instance holds are passed over. */
  run(): Promise<number>;
  /** The business instant (epoch milliseconds) at which it next has something to do, when there is one. */
  nextDueAt?(): Promise<number | undefined>;
}

type LogFailure = (
  logger: Logger,
  error: unknown,
  fields: Readonly<Record<string, unknown>>,
  message: string,
) => void;

const logFault: LogFailure = (logger, error, fields, message) =>
  logger.error({ ...fields, err: error }, message);

interface SweepRunnerOptions {
  readonly onRun?: (name: string, moved: number, seconds: number) => void;
  readonly onFailure?: (name: string) => void;
  /** How a failure is written down. Default: as a fault. */
  readonly logFailure?: LogFailure;
  /** True while nothing is to be done here, such as on a wrong clock. */
  readonly rests?: () => boolean;
}

/** Sweeps feed each other (a deposit makes a trade due for settlement), but no chain is longer than a few links. */
const MAX_ROUNDS = 1_000; // limit: Rounds of sweeps until nothing is due
/** A sweep that fails this often in a row while it is waited for fails the caller. */
const MAX_FAILURES = 3;

export interface Due {
  readonly at: number;
  readonly sweep: Sweep;
}

interface Lane {
  readonly sweep: Sweep;
  /** Ends when the last run that was asked for has ended. Never rejects. */
  tail: Promise<unknown>;
  busy: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Runs sweeps on real-time timers, one run of each at a time in this process. What a run throws is logged, and the
 * next run tries again.
 */
export class SweepRunner {
  readonly #lanes: readonly Lane[];
  readonly #logger: Logger;
  readonly #options: SweepRunnerOptions;
  #stopped = false;

  constructor(sweeps: readonly Sweep[], logger: Logger, options: SweepRunnerOptions = {}) {
    const names = new Set(sweeps.map((sweep) => sweep.name));
    if (names.size !== sweeps.length) throw new Error('two sweeps have the same name');
    this.#lanes = sweeps.map((sweep) => ({ sweep, tail: Promise.resolve(), busy: false, timer: undefined }));
    this.#logger = logger;
    this.#options = options;
  }

  /**
   * Begins to run each sweep by itself, first when its interval is over, unless it runs from the start. They begin one after
   * the other, spread over their intervals: all at once they would take a connection each. The timers do not keep the
   * process alive.
   */
  start(): void {
    for (const [index, lane] of this.#lanes.entries()) {
      const { everyMs, fromTheStart } = lane.sweep;
      const beat = (): void => {
        // A run that takes longer than the interval is not followed by a queue of others.
        if (!lane.busy) this.#run(lane).catch(() => undefined);
      };
      const begin = (): void => {
        lane.timer = setInterval(beat, everyMs).unref();
        beat();
      };
      const wait = fromTheStart ? 0 : everyMs * (1 + index / this.#lanes.length);
      lane.timer ??= setTimeout(begin, wait).unref();
    }
  }

  /**
   * Runs all sweeps in order, again and again, until each has moved nothing since the last that moved something: what
   * is due is done when it resolves.
   * @param first the one to begin with, when it is known which is due before the others. Then housekeeping is left out: it is
   * one instant of many, and half of all sweeps would look for work that can wait.
   * @throws what a sweep threw, when it fails repeatedly; the others have run nevertheless
   */
  async runDueNow(first?: Sweep): Promise<void> {
    if (this.#lanes.length === 0) return;
    const begin = Math.max(
      0,
      this.#lanes.findIndex((lane) => lane.sweep === first),
    );
    const lanes = [...this.#lanes.slice(begin), ...this.#lanes.slice(0, begin)].filter(
      ({ sweep }) => first === undefined || sweep === first || sweep.isHousekeeping !== true,
    );
    let failures = 0;
    /** Runs since one that moved something, or failed. */
    let quiet = 0;
    for (let round = 0; round < MAX_ROUNDS && !this.#stopped; round++) {
      let failure: { readonly error: unknown } | undefined;
      for (const lane of lanes) {
        try {
          quiet = (await this.#run(lane)) === 0 ? quiet + 1 : 0;
        } catch (error) {
          failure ??= { error };
          quiet = 0;
        }
        if (quiet >= lanes.length) return;
      }
      failures = failure === undefined ? 0 : failures + 1;
      if (failure !== undefined && failures >= MAX_FAILURES) throw failure.error;
    }
    if (!this.#stopped) throw new Error(`sweeps still find work after ${MAX_ROUNDS} rounds`);
  }

  /** The earliest business instant after one at which any sweep has something to do, and the first that has. */
  async nextDue(after = Number.NEGATIVE_INFINITY): Promise<Due | undefined> {
    let earliest: Due | undefined;
    for (const { sweep } of this.#lanes) {
      const at = await sweep.nextDueAt?.();
      if (at !== undefined && at > after && (earliest === undefined || at < earliest.at))
        earliest = { at, sweep };
    }
    return earliest;
  }

  /** No further runs; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const lane of this.#lanes) clearInterval(lane.timer);
    await Promise.all(this.#lanes.map((lane) => lane.tail));
  }

  /** One run, after the one under way. */
  #run(lane: Lane): Promise<number> {
    const run = lane.tail.then(() => (this.#stopped ? 0 : this.#attempt(lane)));
    lane.tail = run.catch(() => undefined);
    return run;
  }

  async #attempt(lane: Lane): Promise<number> {
    if (this.#options.rests?.()) return 0;
    const startedAt = performance.now();
    lane.busy = true;
    try {
      const moved = await traced(lane.sweep);
      this.#options.onRun?.(lane.sweep.name, moved, (performance.now() - startedAt) / 1000);
      return moved;
    } catch (error) {
      this.#options.onFailure?.(lane.sweep.name);
      const { logFailure = logFault } = this.#options;
      logFailure(this.#logger, error, { sweep: lane.sweep.name }, 'sweep failed; it will be tried again');
      throw error;
    } finally {
      lane.busy = false;
    }
  }
}

function traced(sweep: Sweep): Promise<number> {
  if (!SWEEP_CHANNEL.hasSubscribers) return sweep.run();
  return SWEEP_CHANNEL.tracePromise(() => sweep.run(), { name: sweep.name });
}
