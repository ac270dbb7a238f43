import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { until } from './harness.ts';

const SOH = '\x01';

export interface RawOptions {
  readonly sequence?: number;
  readonly sender?: string;
  readonly sendingTime?: string;
  readonly checksum?: string;
  readonly bodyLength?: number;
  /** More fields of the header, such as `43=Y|`. */
  readonly header?: string;
}

/** The other end of a session without any engine: it sends what it is told, and only that. */
export class RawVenue {
  readonly #server: Server;
  readonly #compId: string;
  readonly #party: string;
  #socket: Socket | undefined;
  #text = '';
  #sequence = 1;

  private constructor(compId: string, party: string) {
    this.#compId = compId;
    this.#party = party;
    this.#server = createServer((socket) => {
      this.#socket = socket;
      socket.on('error', () => {});
      socket.setEncoding('latin1').on('data', (text: string) => {
        this.#text += text.replaceAll(SOH, '|');
      });
    });
  }

  static async listen(compId: string, party: string): Promise<RawVenue> {
    const venue = new RawVenue(compId, party);
    venue.#server.listen(0, '127.0.0.1');
    await once(venue.#server, 'listening');
    return venue;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Waits for the logon and answers it. */
  async logon(): Promise<void> {
    await this.received(/\|35=A\|/);
    // Not the interval that it was asked for.
    this.send('A', '98=0|108=0');
  }

  /** The first message that fits. */
  async received(pattern: RegExp): Promise<string> {
    await until(String(pattern), () => this.has(pattern));
    return this.all(pattern)[0] ?? '';
  }

  has(pattern: RegExp): boolean {
    return this.all(pattern).length > 0;
  }

  /** The messages that fit, so far. */
  all(pattern: RegExp): string[] {
    return this.#text.split(/(?=8=FIX\.4\.4\|)/).filter((message) => pattern.test(message));
  }

  /** Fields are separated by `|`. Without a number of its own the message gets the next one. */
  send(type: string, body: string, options: RawOptions = {}): void {
    const sequence = options.sequence ?? this.#sequence++;
    const time = options.sendingTime ?? this.time(0);
    const party = `49=${options.sender ?? this.#compId}|56=${this.#party}|`;
    const rest = `35=${type}|34=${sequence}|${options.header ?? ''}${party}52=${time}|${body}|`;
    const message = `8=FIX.4.4|9=${options.bodyLength ?? rest.length}|${rest}`.replaceAll('|', SOH);
    const sum = [...Buffer.from(message, 'latin1')].reduce((total, byte) => total + byte, 0) % 256;
    this.#socket?.write(`${message}10=${options.checksum ?? String(sum).padStart(3, '0')}${SOH}`, 'latin1');
  }

  /** Bytes as they are. */
  write(bytes: string): void {
    this.#socket?.write(bytes.replaceAll('|', SOH), 'latin1');
  }

  /** UTCTimestamp of now and so many milliseconds. */
  time(offsetMs: number): string {
    return new Date(Date.now() + offsetMs)
      .toISOString()
      .replaceAll('-', '')
      .replace('T', '-')
      .replace('Z', '');
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
