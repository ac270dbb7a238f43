import type { Transport } from './connection.ts';

/** What the streams count of themselves, for the metrics. */
export class StreamCounts {
  readonly open: Record<Transport['kind'], number> = { sse: 0, websocket: 0 };
  readonly ended = new Map<string, number>();
  /** Prices that were made, once for each group. */
  prices = 0;
  /** Prices that a slow reader was not sent because a newer one took their place. */
  superseded = 0;
  /** Events that were handed to readers. */
  delivered = 0;

  end(reason: string): void {
    this.ended.set(reason, (this.ended.get(reason) ?? 0) + 1);
  }
}
