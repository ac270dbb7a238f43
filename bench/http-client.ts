import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const HEADER_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;
/** Read into by all connections in turns: what was read is copied before the next read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * One keep-alive connection that sends one request at a time. Written on the bare socket, one byte a character, because
 * the load generator shares two cores with what it measures: a general client costs several times as much as the
 * server's own work. Reads answers in ASCII with Content-Length only, which is what the service gives.
 */
export class Connection {
  readonly #socket: Socket;
  #text = '';
  #waiting: Waiting | undefined;

  private constructor(port: number) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (length, buffer) => {
          this.#take((buffer as Buffer).toString('latin1', 0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  static open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    return new Promise((resolve, reject) => {
      connection.#socket.once('connect', () => resolve(connection));
      connection.#socket.once('error', reject);
    });
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: string): void {
    const text = this.#text === '' ? chunk : this.#text + chunk;
    this.#text = text;
    const headEnd = text.indexOf(HEADER_END);
    if (headEnd < 0) return;
    const length = LENGTH.exec(text);
    if (length?.[1] === undefined || length.index > headEnd) {
      this.#fail(new Error(`an answer without Content-Length: ${text.slice(0, 200)}`));
      return;
    }
    const bodyStart = headEnd + HEADER_END.length;
    const end = bodyStart + Number.parseInt(length[1], 10);
    if (text.length < end) return;
    this.#text = text.slice(end);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number.parseInt(text.slice(9, 12), 10), body: text.slice(bodyStart, end) });
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

/** A GET as it goes over the wire. */
export function get(path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`;
}
