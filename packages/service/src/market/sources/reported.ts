import { parseDecimal } from '@firmquote/fx';
import type { ReportedPrice } from '../price-news.ts';
import type { PriceSource, SourceHealth, TickSink, WithdrawalSink } from './source.ts';

const NOT_THERE: SourceHealth = {
  state: 'connecting',
  ticks: 0,
  error: 'the process with this source is not running',
};

/** A source that another process of this service has: it gets what that one hears. */
export class ReportedSource implements PriceSource {
  readonly name: string;
  readonly isRecording?: boolean;
  readonly isMadeUp?: boolean;
  readonly #refresh: () => Promise<void>;
  readonly resetSequence?: NonNullable<PriceSource['resetSequence']>;
  #sink: TickSink | undefined;
  #withdrawal: WithdrawalSink | undefined;
  #health = NOT_THERE;

  /** @param source as it would be here */
  constructor(
    source: PriceSource,
    refresh: () => Promise<void>,
    resetSequence: NonNullable<PriceSource['resetSequence']>,
  ) {
    this.name = source.name;
    if (source.isRecording !== undefined) this.isRecording = source.isRecording;
    if (source.isMadeUp !== undefined) this.isMadeUp = source.isMadeUp;
    if (source.resetSequence !== undefined) this.resetSequence = resetSequence;
    this.#refresh = refresh;
  }

  start(sink: TickSink, withdraw?: WithdrawalSink): void {
    this.#sink = sink;
    this.#withdrawal = withdraw;
  }

  async stop(): Promise<void> {
    this.#sink = undefined;
  }

  refresh(): Promise<void> {
    return this.#refresh();
  }

  health(): SourceHealth {
    return this.#health;
  }

  /** What its own process says of it; undefined when that is gone. */
  is(health: SourceHealth | undefined): void {
    this.#health = health ?? NOT_THERE;
  }

  hear({ pair, bid: bidText, ask: askText, at }: ReportedPrice): void {
    const bid = parseDecimal(bidText);
    const ask = parseDecimal(askText);
    if (bid !== undefined && ask !== undefined) this.#sink?.({ pair, bid, ask, at, source: this.name });
  }

  withdraw(pair?: string, at?: number): void {
    this.#withdrawal?.(pair, at);
  }
}
