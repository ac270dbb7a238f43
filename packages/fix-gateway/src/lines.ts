import type { Readable, Writable } from 'node:stream';
import type { GatewayLine, GoneLine, TickLine } from '../../service/src/market/fix/protocol.ts';

/** Lines other than ticks that may wait for a slow reader; past it the gateway gives up and is started anew. */
export const BACKLOG_MAX = 10_000; // limit: Lines other than ticks that wait for a slow service

/**
 * Writes lines for the service. While it reads too slowly, of each pair only the newest tick waits, or that its price is
 * gone; with a session that is not up its ticks go. Other lines keep their order and are never left out.
 */
export class LineWriter {
  readonly #stream: Writable;
  readonly #onOverflow: () => void;
  readonly #ticks = new Map<string, TickLine | GoneLine>();
  #backlog: string[] = [];
  #isBlocked = false;
  #conflated = 0;

  constructor(stream: Writable, onOverflow: () => void) {
    this.#stream = stream;
    this.#onOverflow = onOverflow;
    stream.on('drain', () => this.#flush());
  }

  get conflated(): number {
    return this.#conflated;
  }

  write(line: GatewayLine): void {
    if (!this.#isBlocked) {
      this.#send(textOf(line));
      return;
    }
    if (line.type === 'tick' || line.type === 'gone') {
      const key = `${line.session} ${line.pair}`;
      if (this.#ticks.delete(key)) this.#conflated += 1;
      this.#ticks.set(key, line);
      return;
    }
    // They would come after the news that their session is down.
    if (line.type === 'status' && line.state !== 'up') {
      for (const [key, { session }] of this.#ticks) if (session === line.session) this.#ticks.delete(key);
    }
    if (this.#backlog.length >= BACKLOG_MAX) {
      this.#onOverflow();
      return;
    }
    this.#backlog.push(textOf(line));
  }

  #send(text: string): void {
    this.#isBlocked = !this.#stream.write(text);
  }

  #flush(): void {
    this.#isBlocked = false;
    const backlog = this.#backlog;
    this.#backlog = [];
    // One write each: what does not fit is the stream's to keep, and it is bounded by the two limits above.
    for (const text of backlog) this.#send(text);
    for (const tick of this.#ticks.values()) this.#send(textOf(tick));
    this.#ticks.clear();
  }
}

function textOf(line: GatewayLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Calls back with each line; ends with the stream. A line over the limit ends it with an error. */
export async function readLines(
  stream: Readable,
  lengthMax: number,
  onLine: (text: string) => void,
): Promise<void> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream as AsyncIterable<string>) {
    rest += chunk;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      onLine(rest.slice(0, end));
      rest = rest.slice(end + 1);
    }
    if (rest.length > lengthMax) throw new Error(`a line of more than ${lengthMax} characters`);
  }
}
