import type { Socket } from 'node:net';
import type { StreamCounts } from './counts.ts';
import { Frame } from './frame.ts';
import type { Topic } from './topic.ts';

/** How events reach one reader. */
export interface Transport {
  readonly kind: 'sse' | 'websocket';
  write(frames: readonly Frame[]): void;
  /** Bytes that the operating system has not taken yet. */
  waitingBytes(): number;
  /** What the events are written to, where there is one. */
  readonly socket?: Socket | undefined;
  /** Says the last word and closes; `reason` is the one in it. */
  end(bye: Frame, reason: string): void;
  /** Closes without a word. */
  destroy(): void;
  /** Looks whether the peer is still there, where the transport can. Answers false when it is not. */
  probe?(): boolean;
}

/** What a reader may be behind by: superseded prices and what waits for it, in the system too. */
export const BACKLOG_MAX_BYTES = 1024 * 1024; // limit: What a reader may be behind by
/** How long a reader may be behind without once catching up. */
export const BEHIND_MAX_MS = 15_000; // limit

type DropReason = 'slow_reader' | 'stalled_reader';

/**
 * One reader and its backlog. While it keeps up, it gets every event. While it does not, nothing more is queued: the
 * topics that moved are remembered, and their newest prices go out when it has taken what it was sent. What it misses
 * that way is counted, and too much of it ends the connection.
 */
export class StreamConnection {
  readonly customerId: string;
  readonly transport: Transport;
  /** What it reads, by pair or by the name of the stream. */
  readonly topics = new Map<string, Topic>();
  /** Id of the last price that it was sent. */
  lastId: string | null = null;
  /** Bytes that the operating system took a while ago and could not get rid of. */
  stuckBytes = 0;
  nextHeartbeatAt = 0;
  nextCheckAt = 0;
  nextProbeAt = 0;
  readonly #counts: StreamCounts;
  #lastSequence = 0;
  #due: Topic[] = [];
  #dueSet = new Set<Topic>();
  #events: Frame[] = [];
  #missedBytes = 0;
  #behindSince: number | undefined;

  constructor(customerId: string, transport: Transport, counts: StreamCounts) {
    this.customerId = customerId;
    this.transport = transport;
    this.#counts = counts;
  }

  get isBehind(): boolean {
    return this.#behindSince !== undefined;
  }

  /** A price has changed. Answers whether it takes the place of one that was not sent yet. */
  offer(topic: Topic): boolean {
    if (this.#dueSet.has(topic)) {
      this.#missedBytes += topic.frame?.bytes ?? 0;
      return true;
    }
    this.#dueSet.add(topic);
    this.#due.push(topic);
    return false;
  }

  /** What was not sent of a topic that it no longer reads is not sent any more. */
  withdraw(topic: Topic): void {
    if (this.#dueSet.delete(topic)) this.#due = this.#due.filter((due) => due !== topic);
  }

  /** An event that is not a price. These are kept in order, before the prices of the same moment. */
  post(frame: Frame): void {
    this.#events.push(frame);
    if (this.isBehind) this.#missedBytes += frame.bytes;
  }

  /** Sends what there is, or remembers it. Answers why the reader must be dropped, if it must. */
  flush(now: number): DropReason | undefined {
    if (this.#due.length === 0 && this.#events.length === 0 && this.#behindSince === undefined)
      return undefined;
    const waiting = this.transport.waitingBytes() + this.stuckBytes;
    if (waiting > 0) {
      this.#behindSince ??= now;
      if (waiting + this.#missedBytes > BACKLOG_MAX_BYTES) return 'slow_reader';
      return now - this.#behindSince > BEHIND_MAX_MS ? 'stalled_reader' : undefined;
    }
    this.#behindSince = undefined;
    this.#missedBytes = 0;
    const frames = this.#take();
    if (frames.length > 0) this.transport.write(frames);
    this.#counts.delivered += frames.length;
    return undefined;
  }

  #take(): Frame[] {
    const frames = this.#events;
    this.#events = [];
    if (this.#due.length === 0) return frames;
    const first = frames.length;
    for (const topic of this.#due) {
      if (topic.frame !== undefined && topic.frame.sequence <= this.#lastSequence) topic.renumber();
      if (topic.frame !== undefined) frames.push(topic.frame);
    }
    this.#due = [];
    this.#dueSet.clear();
    if (!ascends(frames, first)) frames.sort((a, b) => a.sequence - b.sequence);
    const last = frames.at(-1);
    if (last?.number !== undefined) {
      this.#lastSequence = last.number.sequence;
      this.lastId = last.number.id;
    }
    return frames;
  }
}

/** Events without a number come first in any case; sorting keeps their order. */
function ascends(frames: readonly Frame[], first: number): boolean {
  for (let i = first + 1; i < frames.length; i++) {
    if ((frames[i]?.sequence ?? 0) < (frames[i - 1]?.sequence ?? 0)) return false;
  }
  return true;
}

export function byeFrame(reason: string): Frame {
  return new Frame('bye', `{"reason":"${reason}"}`);
}
