import { setImmediate as nextTurn } from 'node:timers/promises';
import { findPair } from '@firmquote/fx';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Tick } from '../rate-book.ts';
import type { PriceSource, SourceHealth, SourceState, WithdrawalSink } from './source.ts';
import { messageOf } from './tick-file.ts';
import type { RecordedTick } from './tick-lines.ts';
import { TickRecording } from './tick-recording.ts';

/** A factor of real time; `max` plays without waiting; `manual` plays only by `step` and `refresh`. */
type ReplaySpeed = number | 'max' | 'manual';

export interface ReplaySourceOptions {
  readonly clock: Clock;
  readonly file: string;
  /** Six letters in market order. */
  readonly pair: string;
  /** Tells several recordings of one pair apart. */
  readonly name?: string | undefined;
  /** Default 1, the pace of the recording. */
  readonly speed?: ReplaySpeed;
  /** Whether it begins again at its end. Default: yes, but not at `max`, where it would never let go of the CPU. */
  readonly loop?: boolean;
  readonly logger?: Logger;
}

// Between the last tick of a recording and the first of its repetition.
const LAP_GAP_MS = 250;

// After the process slept or cannot keep up, the recording goes on from here instead of pouring out what it missed.
const LATE_MS_MAX = 1000;

// Ticks handed on before others get a turn of the event loop.
const BURST_TICKS = 256;

/**
 * Plays a recording (see `TickRecording`) into the book, stamped with the injected clock. The recording's own
 * times only set the pace, on real time. It loops by default, with a quarter of a second between two laps.
 * A gap in the recording is a gap in the prices: they turn stale, as they did that day.
 */
export class ReplaySource implements PriceSource {
  readonly name: string;
  readonly isRecording = true;
  readonly #clock: Clock;
  readonly #pair: string;
  readonly #speed: ReplaySpeed;
  readonly #logger: Logger | undefined;
  readonly #recording: TickRecording;
  #sink: ((tick: Tick) => void) | undefined;
  #withdrawal: WithdrawalSink | undefined;
  #state: SourceState = 'idle';
  #playing: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;
  #lap = 0;
  /** The instant of the recording that belongs to an instant of `performance.now()`. */
  #anchor: { readonly millis: number; readonly realMs: number } | undefined;
  #ticks = 0;
  #lastTickAt: number | undefined;
  #error: string | undefined;

  /** Throws RangeError on an unknown pair or a speed that is not positive. The file is opened by `start`. */
  constructor(options: ReplaySourceOptions) {
    if (findPair(options.pair) === undefined)
      throw new RangeError(`${options.pair} is not a pair in market order`);
    const speed = options.speed ?? 1;
    if (typeof speed === 'number' && !(speed > 0)) throw new RangeError('a replay speed is positive');
    this.name = `replay:${options.pair}${options.name === undefined ? '' : `:${options.name}`}`;
    this.#clock = options.clock;
    this.#pair = options.pair;
    this.#speed = speed;
    this.#logger = options.logger;
    this.#recording = new TickRecording(options.file, options.loop ?? speed !== 'max');
  }

  /** Hands on the first tick, then plays. Rejects with a TickFileError when the file holds none. */
  async start(sink: (tick: Tick) => void, withdraw?: WithdrawalSink): Promise<void> {
    if (this.#state !== 'idle') throw new Error(`${this.name} was started already`);
    await this.#recording.peek();
    this.#sink = sink;
    this.#withdrawal = withdraw;
    this.#state = 'running';
    if (this.#speed === 'manual') return;
    await this.step();
    this.#playing = this.#play(this.#speed).catch((error: unknown) => this.#fail(error));
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
    if (this.#state === 'idle' || this.#state === 'running') this.#state = 'stopped';
    this.#wake?.();
    await this.#playing;
    await this.#recording.close();
  }

  /** Plays the next recorded tick now, whatever its time; undefined at the end. The rest follows at its pace. */
  async step(): Promise<Tick | undefined> {
    if (this.#state !== 'running') return undefined;
    let recorded = this.#recording.take();
    while (recorded === undefined) {
      if ((await this.#recording.peek()) === undefined) {
        this.#end();
        return undefined;
      }
      recorded = this.#recording.take();
    }
    this.#anchor = { millis: recorded.millis, realMs: performance.now() };
    this.#lap = this.#recording.lap;
    const tick = this.#deliver(recorded);
    this.#wake?.();
    return tick;
  }

  async refresh(): Promise<void> {
    if (this.#state !== 'running') return;
    try {
      await this.step();
    } catch (error) {
      this.#fail(error);
    }
  }

  health(): SourceHealth {
    return {
      state: this.#state,
      ticks: this.#ticks,
      skippedLines: this.#recording.skippedLines,
      ...(this.#lastTickAt === undefined ? {} : { lastTickAt: this.#lastTickAt }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }

  async #play(speed: number | 'max'): Promise<void> {
    for (let burst = 0; this.#state === 'running'; ) {
      const next = await this.#recording.peek();
      if (next === undefined) return this.#end();
      const waitMs = speed === 'max' ? this.#lapWaitMs() : this.#waitMs(next, speed);
      if (waitMs > 0) {
        // Looked at anew afterwards: a refresh may have played it meanwhile.
        await this.#sleep(waitMs);
        continue;
      }
      const recorded = this.#recording.take();
      if (recorded !== undefined) this.#deliver(recorded);
      burst = (burst + 1) % BURST_TICKS;
      if (burst === 0) await nextTurn();
    }
  }

  /** Real milliseconds until the tick is due. */
  #waitMs(next: RecordedTick, speed: number): number {
    const now = performance.now();
    if (this.#anchor === undefined || this.#lap !== this.#recording.lap) {
      this.#lap = this.#recording.lap;
      this.#anchor = { millis: next.millis, realMs: now + LAP_GAP_MS };
    }
    const waitMs = this.#anchor.realMs + (next.millis - this.#anchor.millis) / speed - now;
    if (waitMs < -LATE_MS_MAX) this.#anchor = { millis: next.millis, realMs: now };
    return waitMs;
  }

  #lapWaitMs(): number {
    if (this.#lap === this.#recording.lap) return 0;
    this.#lap = this.#recording.lap;
    return LAP_GAP_MS;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      timer.unref();
      this.#wake = done;
    });
  }

  #deliver(recorded: RecordedTick): Tick {
    const at = this.#clock.now();
    const tick: Tick = { pair: this.#pair, bid: recorded.bid, ask: recorded.ask, at, source: this.name };
    this.#ticks += 1;
    this.#lastTickAt = at;
    this.#sink?.(tick);
    return tick;
  }

  #end(): void {
    if (this.#state === 'running') this.#state = 'ended';
  }

  #fail(error: unknown): void {
    this.#state = 'failed';
    this.#withdrawal?.();
    this.#error = messageOf(error);
    this.#logger?.error({ source: this.name, err: error }, 'the replay stopped');
  }
}
