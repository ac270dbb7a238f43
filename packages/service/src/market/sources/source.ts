import type { Tick } from '../rate-book.ts';

/**
 * `connecting`: there is no connection; one is being made or waited for. `ended`: everything was played. `failed`:
 * nothing more will come, `error` says why.
 */
export type SourceState = 'idle' | 'connecting' | 'running' | 'ended' | 'failed' | 'stopped';

export interface SourceHealth {
  readonly state: SourceState;
  /** Ticks handed on since the start. */
  readonly ticks: number;
  /** Epoch milliseconds of the injected clock. */
  readonly lastTickAt?: number;
  /** Lines that could not be read and were skipped, for sources that read lines. */
  readonly skippedLines?: number;
  readonly error?: string;
}

/** Where prices come from. Every source stamps its ticks with the injected clock. */
export interface PriceSource {
  /** Stands on each of its ticks and on the quotes made from them. */
  readonly name: string;
  /** Begins to hand ticks to the sink; the first ones before it returns or resolves. */
  start(sink: (tick: Tick) => void): void | Promise<void>;
  /** After it resolves no tick comes any more. */
  stop(): Promise<void>;
  /** Hands on its next prices at once, stamped with the present instant. For after the clock was moved. */
  refresh(): Promise<void>;
  health(): SourceHealth;
}
