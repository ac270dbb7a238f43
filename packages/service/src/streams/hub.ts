import type { Pair } from '@firmquote/fx';
import { logFailure } from '../database/log-failure.ts';
import type { Market, MarketState } from '../market/market.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import { PriceBoard } from './board.ts';
import { byeFrame, type StreamConnection } from './connection.ts';
import { StreamCounts } from './counts.ts';
import { Frame } from './frame.ts';
import type { HubOptions, Upkeep } from './hub-options.ts';
import { marketEventJson } from './pair-view.ts';
import { SendQueues } from './send-queues.ts';
import { Slots } from './slots.ts';
import type { Render, Topic } from './topic.ts';

/** The beat of all streams: prices that moved go out together on the next one. */
export const TURN_MS = 20;
/** How often prices are looked at whether or not a tick came: they grow stale by time alone. */
export const SWEEP_MS = 250;
export const HEARTBEAT_MS = 5_000; // limit: Time between two heartbeats
/** How often token, client and customer are looked at again. What is known of them is at most 2 s old when it is asked. */
const CHECK_MS = 1_000; // limit: How often a stream looks at its token and customer
const PROBE_MS = 15_000;
/** What a reader that was told to go may take to close. */
const CLOSE_MS = 1_000;

/**
 * All open price streams of the process. One timer drives them; it runs while there is a connection. Prices are made
 * once for each price group and handed to its readers.
 */
export class StreamHub {
  readonly counts = new StreamCounts();
  readonly slots: Slots;
  readonly #clock: Clock;
  readonly #market: Market;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #every: (ms: number, work: () => void) => () => void;
  readonly #board: PriceBoard;
  readonly #connections = new Map<StreamConnection, Upkeep>();
  readonly #closing = new Map<StreamConnection, number>();
  readonly #pending = new Set<StreamConnection>();
  #stopTimer: (() => void) | undefined;
  #marketState: MarketState | undefined;
  #marketJson = '';
  #sweptAt = Number.NEGATIVE_INFINITY;
  #renderedAllAt = Number.NEGATIVE_INFINITY;
  readonly #queues: SendQueues;

  constructor(options: HubOptions) {
    this.#clock = options.clock;
    this.#market = options.market;
    this.#logger = options.logger;
    this.slots = options.slots ?? new Slots();
    this.#now = options.now ?? (() => performance.now());
    this.#every = options.every ?? everyInterval;
    this.#queues = options.queues ?? new SendQueues();
    this.#board = new PriceBoard({
      clock: options.clock,
      market: options.market,
      dates: options.dates,
      counts: this.counts,
      onPrice: (topic) => this.#offer(topic),
      // A price that cannot be made ends the streams of its group, and no others.
      onFault: (topic, error) => {
        for (const connection of [...topic.subscribers]) this.#fault(connection, error);
      },
    });
  }

  /** Takes a connection in. It is to be subscribed and then flushed. */
  open(connection: StreamConnection, upkeep: Upkeep): void {
    const now = this.#now();
    connection.nextHeartbeatAt = now + HEARTBEAT_MS;
    connection.nextCheckAt = now + CHECK_MS;
    connection.nextProbeAt = now + PROBE_MS;
    // Those who are here already hear of a change now: the next look finds none.
    if (this.#observeMarket()) this.#broadcast(new Frame('market', this.#marketJson));
    this.#connections.set(connection, upkeep);
    this.#queues.watch(connection);
    this.counts.open[connection.transport.kind]++;
    connection.post(new Frame('market', this.#marketJson));
    this.#pending.add(connection);
    this.#stopTimer ??= this.#every(TURN_MS, () => this.turn());
  }

  /** Lets the connection read a topic under a name, in place of what it read under it. Its price is to be flushed. */
  subscribe(connection: StreamConnection, name: string, pair: Pair, key: string, render: Render): void {
    // It may have ended while something was read for it.
    if (!this.#connections.has(connection)) return;
    const before = connection.topics.get(name);
    if (before?.key === key) return;
    const topic = this.#board.join(connection, pair, key, render);
    connection.topics.set(name, topic);
    connection.offer(topic);
    this.#pending.add(connection);
    if (before !== undefined) this.#board.leave(connection, before);
  }

  unsubscribe(connection: StreamConnection, name: string): void {
    const topic = connection.topics.get(name);
    if (topic === undefined) return;
    connection.topics.delete(name);
    this.#board.leave(connection, topic);
  }

  /** Sends the connection what is due to it now, instead of on the next turn. */
  flush(connection: StreamConnection): void {
    if (!this.#connections.has(connection)) return;
    this.#pending.add(connection);
    this.#flush(connection, this.#now());
  }

  /** Has the prices of a pair made anew on the next turn, as if a tick had come. */
  touch(pair: Pair): void {
    this.#board.touch(pair);
  }

  /** Does something for an open connection; what it throws ends the stream, since it can be answered no more. */
  attempt(connection: StreamConnection, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fault(connection, error);
    }
  }

  /** The peer is gone. */
  gone(connection: StreamConnection): void {
    this.#closing.delete(connection);
    this.#remove(connection, 'client_gone');
  }

  /** Ends a stream with `bye`. */
  end(connection: StreamConnection, reason: string): void {
    if (!this.#remove(connection, reason)) return;
    this.#closing.set(connection, this.#now() + CLOSE_MS);
    connection.transport.end(byeFrame(reason), reason);
  }

  /** Ends all streams and takes no more. Resolves when they are closed, which takes a second at most. */
  async close(): Promise<void> {
    this.slots.isClosed = true;
    this.#board.close();
    for (const connection of [...this.#connections.keys()]) this.end(connection, 'shutting_down');
    const deadline = this.#now() + CLOSE_MS;
    while (this.#closing.size > 0 && this.#now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
    for (const connection of this.#closing.keys()) connection.transport.destroy();
    this.#closing.clear();
    this.#rest();
  }

  /** One beat. */
  turn(): void {
    const now = this.#now();
    if (now - this.#sweptAt >= SWEEP_MS) this.#sweep(now);
    this.#board.publish(now);
    for (const connection of this.#pending) this.#flush(connection, now);
  }

  /** What time brings: staleness, market hours, heartbeats, the ends of tokens. */
  #sweep(now: number): void {
    this.#sweptAt = now;
    if (this.#observeMarket()) this.#broadcast(new Frame('market', this.#marketJson));
    const anew = now - this.#renderedAllAt >= CHECK_MS;
    if (anew) {
      this.#renderedAllAt = now;
      void this.#queues.look();
    }
    this.#board.markAll(anew);
    for (const [connection, upkeep] of this.#connections) this.#tend(connection, upkeep, now);
    for (const [connection, deadline] of this.#closing) {
      if (now < deadline) continue;
      this.#closing.delete(connection);
      connection.transport.destroy();
    }
    this.#rest();
  }

  #tend(connection: StreamConnection, upkeep: Upkeep, now: number): void {
    if (now >= connection.nextHeartbeatAt) {
      // Counted from the last one that was due, so that the beat of this timer does not add up.
      connection.nextHeartbeatAt = Math.max(connection.nextHeartbeatAt, now - SWEEP_MS) + HEARTBEAT_MS;
      // A reader that is behind has enough to read.
      if (!connection.isBehind) this.#post(connection, this.#heartbeat(connection));
    }
    if (now >= connection.nextProbeAt) {
      connection.nextProbeAt = now + PROBE_MS;
      if (connection.transport.probe?.() === false) {
        connection.transport.destroy();
        this.#remove(connection, 'no_pong');
        return;
      }
    }
    if (now >= connection.nextCheckAt) {
      connection.nextCheckAt = now + CHECK_MS;
      this.#check(connection, upkeep);
    }
  }

  #check(connection: StreamConnection, upkeep: Upkeep): void {
    const reason = upkeep.check();
    if (reason instanceof Promise) {
      reason.then(
        (found) => {
          if (found !== undefined) this.end(connection, found);
        },
        (error: unknown) => this.#fault(connection, error),
      );
    } else if (reason !== undefined) {
      this.end(connection, reason);
      return;
    }
    this.attempt(connection, () => upkeep.follow());
  }

  #offer(topic: Topic): void {
    for (const connection of topic.subscribers) {
      if (connection.offer(topic)) this.counts.superseded++;
      this.#pending.add(connection);
    }
  }

  #fault(connection: StreamConnection, error: unknown): void {
    if (error instanceof Problem) {
      this.end(connection, error.code);
      return;
    }
    const customerId = typeId('cus', connection.customerId);
    logFailure(this.#logger, error, { customerId }, 'a price stream failed');
    this.end(connection, 'internal_error');
  }

  #flush(connection: StreamConnection, now: number): void {
    const dropped = connection.flush(now);
    if (dropped !== undefined) {
      const customerId = typeId('cus', connection.customerId);
      this.#logger.warn({ customerId, reason: dropped }, 'price stream dropped');
      // It is told why, should it read on: what the system has taken comes before that.
      this.end(connection, dropped);
    } else if (!connection.isBehind) this.#pending.delete(connection);
  }

  #post(connection: StreamConnection, frame: Frame): void {
    connection.post(frame);
    this.#pending.add(connection);
  }

  #broadcast(frame: Frame): void {
    for (const connection of this.#connections.keys()) this.#post(connection, frame);
  }

  #heartbeat({ lastId }: StreamConnection): Frame {
    const id = lastId === null ? 'null' : `"${lastId}"`;
    return new Frame('heartbeat', `{"serverTime":"${isoInstant(this.#clock.now())}","lastId":${id}}`);
  }

  /** Whether the state of the market is another one than when it was last looked at. */
  #observeMarket(): boolean {
    const state = this.#market.stateNow();
    if (state === this.#marketState) return false;
    this.#marketState = state;
    const before = this.#marketJson;
    this.#marketJson = marketEventJson(state);
    return before !== '' && before !== this.#marketJson;
  }

  #remove(connection: StreamConnection, reason: string): boolean {
    const upkeep = this.#connections.get(connection);
    if (upkeep === undefined) return false;
    this.#connections.delete(connection);
    this.#queues.forget(connection);
    this.#pending.delete(connection);
    for (const name of [...connection.topics.keys()]) this.unsubscribe(connection, name);
    this.counts.open[connection.transport.kind]--;
    this.counts.end(reason);
    upkeep.onEnd();
    return true;
  }

  #rest(): void {
    if (this.#connections.size > 0 || this.#closing.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

function everyInterval(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref();
  return () => clearInterval(timer);
}
