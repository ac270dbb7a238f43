import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * One keep-alive connection that sends one request at a time. Written on the bare socket because the load generator
 * shares two cores with what it measures: a general client costs several times as much as the server's own work.
 * Reads answers with Content-Length only, which is what the service gives.
 */
export class Connection {
  readonly #socket: Socket;
  #buffer: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () =>
        resolve(new Connection(socket)),
      );
      socket.once('error', reject);
    });
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    const headEnd = this.#buffer.indexOf(HEADER_END);
    if (headEnd < 0) return;
    const head = this.#buffer.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head);
    if (length?.[1] === undefined) {
      this.#fail(new Error(`an answer without Content-Length: ${head.slice(0, 200)}`));
      return;
    }
    const bodyStart = headEnd + HEADER_END.length;
    const end = bodyStart + Number.parseInt(length[1], 10);
    if (this.#buffer.length < end) return;
    const answer = {
      status: Number.parseInt(head.slice(9, 12), 10),
      body: this.#buffer.toString('utf8', bodyStart, end),
    };
    this.#buffer = this.#buffer.subarray(end);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}

/** A POST as it goes over the wire. */
export function post(path: string, body: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`;
}
