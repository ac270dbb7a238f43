import type { SequenceNumbers } from '../fix/protocol.ts';
import type { RejectReason, Tick } from '../rate-book.ts';

/**
 * `connecting`: there is no connection; one is being made or waited for. `ended`: everything was played. `failed`:
 * nothing more will come, `error` says why.
 */
export type SourceState = 'idle' | 'connecting' | 'running' | 'ended' | 'failed' | 'stopped';

/** How a source is. Instants are epoch milliseconds of the injected clock. Nothing in it is secret. */
export interface SourceHealth {
  readonly state: SourceState;
  /** Ticks handed on since the start. */
  readonly ticks: number;
  readonly lastTickAt?: number;
  /** Lines or messages that could not be read and were skipped. */
  readonly skippedLines?: number;
  /** Why the last of them was. */
  readonly lastSkipReason?: string;
  /** The last fault; it stays after the source has recovered. */
  readonly error?: string;
  readonly errorAt?: number;
  /** Sources that connect: since when the present connection stands. */
  readonly connectedSince?: number;
  /** Connections made after the first one. */
  readonly reconnects?: number;
  /** When the other side last showed that it is alive, with a price or without. */
  readonly lastHeartbeatAt?: number;
  /** When the next attempt to connect is made, while there is none under way. */
  readonly nextAttemptAt?: number;
  /** Prices that the source itself marked as not to be dealt on, or that had one side only. */
  readonly untradable?: number;
  /** Real milliseconds from the vendor's stamp on the last price to its arrival; below 0 when its clock is ahead. */
  readonly lastDelayMs?: number;
  /** FIX: what the gateway refused, by reason; counted anew when its process is started again. */
  readonly refused?: Readonly<Record<string, number>>;
  /** Reference rates: the day of those in use, `YYYY-MM-DD`. */
  readonly referenceDate?: string;
}

export type TickOutcome = 'accepted' | RejectReason;

/** Takes a tick in, or says why not. It judges the price; sources only read it. */
export type TickSink = (tick: Tick) => TickOutcome;

/**
 * Notified when a price no longer stands: that of one pair, or of all pairs when the source is gone. Nothing is dealt on it
 * from then on. `at` is when it was taken back, on the injected clock, where the source says so. Returns the pairs that had
 * a price of this source.
 */
export type WithdrawalSink = (pair?: string, at?: number) => readonly string[];

/** Where prices come from. Every tick carries an instant of the injected clock. */
export interface PriceSource {
  /** Stands on each of its ticks and on the quotes made from them. */
  readonly name: string;
  /** Its prices are of another time than they are handed on in. */
  readonly isRecording?: boolean;
  /** Its prices are nobody's, and begin anew with each start. */
  readonly isMadeUp?: boolean;
  /**
   * Begins to hand ticks to the sink. Sources that make or play prices hand over the first ones before it returns or
   * resolves; sources that connect return at once, and a vendor that cannot be reached does not make it fail.
   */
  start(sink: TickSink, withdraw?: WithdrawalSink): void | Promise<void>;
  /** After it resolves no tick comes any more. */
  stop(): Promise<void>;
  /** Hands on its next prices at once, stamped with the present instant. For after the clock was moved. */
  refresh(): Promise<void>;
  health(): SourceHealth;
  /** FIX: sets the sequence numbers of the session and logs on with them. False when its gateway does not run. Must not throw. */
  resetSequence?(
    numbers: SequenceNumbers,
    command: { readonly actor: string; readonly reason: string },
  ): boolean | Promise<boolean>;
}
