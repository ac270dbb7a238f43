import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Transport } from './connection.ts';
import type { Frame } from './frame.ts';

/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;

/** The same events as messages. The text of an event is made once; each connection only adds its own frame head. */
export class WebSocketTransport implements Transport {
  readonly kind = 'websocket';
  readonly socket: Socket;
  readonly #socket: WebSocket;
  #isAnswering = true;

  /** @param connection what the WebSocket lies on */
  constructor(socket: WebSocket, connection: Socket) {
    this.socket = connection;
    this.#socket = socket;
    socket.on('pong', () => {
      this.#isAnswering = true;
    });
  }

  write(frames: readonly Frame[]): void {
    for (const frame of frames) this.#socket.send(frame.message, TEXT);
  }

  waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  end(bye: Frame, reason: string): void {
    this.#socket.send(bye.message, TEXT);
    this.#socket.close(reason === 'shutting_down' ? GOING_AWAY : POLICY_VIOLATION, reason);
  }

  destroy(): void {
    this.#socket.terminate();
  }

  /** A peer that answered no ping since the last look is gone: its system may be, without having closed anything. */
  probe(): boolean {
    if (!this.#isAnswering) return false;
    this.#isAnswering = false;
    this.#socket.ping();
    return true;
  }
}

const TEXT = { binary: false } as const;
