import { randomBytes } from 'node:crypto';

type EventName =
  | 'price'
  | 'heartbeat'
  | 'market'
  | 'resync'
  | 'bye'
  | 'subscribed'
  | 'unsubscribed'
  | 'error';

/** Prices are numbered, so that the ids of one connection ascend; other events have no id. */
interface FrameNumber {
  readonly sequence: number;
  readonly id: string;
}

/**
 * One event, written once for all who get it. Each form is made when the first reader of that form needs it.
 * `data` is JSON without a line break.
 */
export class Frame {
  readonly event: EventName;
  readonly data: string;
  readonly number: FrameNumber | undefined;
  #chunk: Buffer | undefined;
  #eventStream: Buffer | undefined;
  #message: Buffer | undefined;

  constructor(event: EventName, data: string, number?: FrameNumber) {
    this.event = event;
    this.data = data;
    this.number = number;
  }

  get sequence(): number {
    return this.number?.sequence ?? 0;
  }

  /** As an event of `text/event-stream`. */
  get eventStream(): Buffer {
    this.#eventStream ??= Buffer.from(
      `${this.number === undefined ? '' : `id: ${this.number.id}\n`}event: ${this.event}\ndata: ${this.data}\n\n`,
    );
    return this.#eventStream;
  }

  /** The same as one chunk of HTTP/1.1 (RFC 9112 §7.1), so that the coding is not done again for each reader. */
  get chunk(): Buffer {
    this.#chunk ??= asChunk(this.eventStream);
    return this.#chunk;
  }

  /** As a message of the WebSocket. */
  get message(): Buffer {
    const id = this.number === undefined ? '' : `,"id":"${this.number.id}"`;
    this.#message ??= Buffer.from(`{"event":"${this.event}"${id},"data":${this.data}}`);
    return this.#message;
  }

  /** What a reader who did not take it is behind by. */
  get bytes(): number {
    return this.data.length;
  }
}

export function asChunk(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, CHUNK_END]);
}

const CHUNK_END = Buffer.from('\r\n');

/** Ids of one process: `1a2b3c4d-000184467`. Another process, and the same one after a restart, has another epoch. */
export class FrameNumbers {
  readonly #epoch: string;
  #sequence = 0;

  constructor(epoch: string = randomBytes(4).toString('hex')) {
    this.#epoch = epoch;
  }

  next(): FrameNumber {
    const sequence = ++this.#sequence;
    return { sequence, id: `${this.#epoch}-${String(sequence).padStart(9, '0')}` };
  }
}

/** The form of an id, to tell one of ours from what somebody else's client sends. */
export const FRAME_ID = /^[0-9a-f]{1,16}-[0-9]{9,16}$/;
