/** An event as the stream has it. */
export interface RawEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** A line without an end is not collected for ever. */
const LINE_CHARACTERS_MAX = 1024 * 1024;

/** Takes a text/event-stream apart, piece by piece (WHATWG HTML §9.2). */
export class EventParser {
  /** How long the service asks to wait before a reconnection, ms. */
  retryMs: number | undefined;
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  /** @throws RangeError where a line does not end */
  take(piece: string): RawEvent[] {
    const text = this.#rest + piece;
    // A carriage return at the end may be half of a line's end.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > LINE_CHARACTERS_MAX) throw new RangeError('a line of the stream does not end');
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): RawEvent[] {
    if (line === '') return this.#dispatch();
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id') this.#id = value;
    else if (name === 'retry' && /^\d{1,7}$/.test(value)) this.retryMs = Number.parseInt(value, 10);
    return [];
  }

  #dispatch(): RawEvent[] {
    const found = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.#id = undefined;
    return isEmpty ? [] : [found];
  }
}
