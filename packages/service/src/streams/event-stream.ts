import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transport } from './connection.ts';
import { asChunk, type Frame } from './frame.ts';

const CONTENT_TYPE = 'text/event-stream; charset=utf-8';
/** How long a client waits before it connects again (docs/interface.md#price-streams). */
const RETRY_MS = 2_000;

/** Whether the caller left while its stream was being prepared: there is nobody to answer then. */
export function isGone(reply: FastifyReply): boolean {
  if (!reply.raw.destroyed) return false;
  reply.hijack();
  return true;
}

/**
 * Answers with an event stream: head and `retry` are sent, what follows is written by the transport.
 * @param onGone the connection was closed, by whomever
 */
export function answerEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  onGone: () => void,
): EventStreamTransport {
  reply.hijack();
  request.answeredAfterMs = reply.elapsedTime;
  const response = reply.raw;
  response.on('close', onGone);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(200, {
    'Content-Type': CONTENT_TYPE,
    'Cache-Control': 'no-store',
    // Proxies that buffer answers would hold prices back until they are worth nothing.
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  return new EventStreamTransport(response);
}

/**
 * Server-sent events over one answer. Once the head is out, prices are written to the socket as chunks that are coded
 * already: all readers of a price share its bytes, and the answer's own coding, three writes for each event, is spared.
 */
export class EventStreamTransport implements Transport {
  readonly kind = 'sse';
  readonly #response: ServerResponse;
  /** Answers of HTTP/1.0, and those that wait behind another on their connection, write for themselves. */
  readonly #isDirect: boolean;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isDirect = response.chunkedEncoding && response.socket?.writable === true;
    this.#send(RETRY_CHUNK, RETRY);
  }

  get socket(): Socket | undefined {
    return this.#response.socket ?? undefined;
  }

  write(frames: readonly Frame[]): void {
    const { socket } = this.#response;
    if (this.#isDirect) socket?.write(joined.chunksOf(frames));
    else for (const frame of frames) this.#response.write(frame.eventStream);
  }

  waitingBytes(): number {
    return this.#isDirect ? (this.#response.socket?.writableLength ?? 0) : this.#response.writableLength;
  }

  end(bye: Frame): void {
    this.#send(bye.chunk, bye.eventStream);
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  #send(chunk: Buffer, content: Buffer): void {
    if (this.#isDirect) this.#response.socket?.write(chunk);
    else this.#response.write(content);
  }
}

const RETRY = Buffer.from(`retry: ${RETRY_MS}\n\n`);
const RETRY_CHUNK = asChunk(RETRY);

/** Readers of the same prices are written to one after the other: what was put together for one serves the next. */
class JoinedChunks {
  #frames: readonly Frame[] = [];
  #chunks: Buffer = Buffer.alloc(0);

  chunksOf(frames: readonly Frame[]): Buffer {
    const only = frames[0];
    if (frames.length === 1 && only !== undefined) return only.chunk;
    if (!this.#isSame(frames)) {
      this.#frames = frames;
      this.#chunks = Buffer.concat(frames.map((frame) => frame.chunk));
    }
    return this.#chunks;
  }

  #isSame(frames: readonly Frame[]): boolean {
    return (
      frames.length === this.#frames.length && frames.every((frame, index) => frame === this.#frames[index])
    );
  }
}

const joined = new JoinedChunks();
