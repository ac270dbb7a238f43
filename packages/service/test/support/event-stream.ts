import { request } from 'node:http';
import { PriceStreamEvent } from '@firmquote/api/operations/price-streams';
import { IndicativeEvent } from '@firmquote/api/operations/quotes';
import { expectDeclared } from './declared-answers.ts';
import type { Answer } from './service.ts';

export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly data: any;
}

/**
 * Parser of `text/event-stream` by the letter of the HTML standard (§9.2.6), written for the tests and independent of
 * the service: lines end with CR, LF or CRLF, bytes may be cut anywhere, an event without data is none.
 */
export class EventStreamParser {
  retryMs: number | undefined;
  readonly events: { id: string | undefined; event: string; data: string }[] = [];
  readonly #decoder = new TextDecoder();
  #line = '';
  #afterReturn = false;
  #type = '';
  #data: string[] = [];
  #id: string | undefined;

  push(bytes: Uint8Array): void {
    for (const character of this.#decoder.decode(bytes, { stream: true })) {
      const isSecondHalf = character === '\n' && this.#afterReturn;
      this.#afterReturn = character === '\r';
      if (isSecondHalf) continue;
      if (character === '\r' || character === '\n') {
        this.#take(this.#line);
        this.#line = '';
      } else this.#line += character;
    }
  }

  #take(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#type = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id') this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number.parseInt(value, 10);
  }

  #dispatch(): void {
    if (this.#data.length > 0) {
      this.events.push({ id: this.#id, event: this.#type || 'message', data: this.#data.join('\n') });
    }
    this.#type = '';
    this.#data = [];
    this.#id = undefined;
  }
}

export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  readonly events: readonly StreamEvent[];
  readonly retryMs: () => number | undefined;
  /** The first event from `after` on that fits; rejects after five seconds, or when the stream ends without one. */
  next(what: string, fits: (event: StreamEvent) => boolean, after?: number): Promise<StreamEvent>;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

const LIMIT_MS = 60_000;

/** Opens a stream; a refusal comes back as an answer. */
export function openStream(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<OpenStream | Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenStream | Answer>();
  const isIndicative = body !== undefined;
  const outgoing = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    agent: false,
  });
  outgoing.on('error', reject);
  outgoing.on('response', (response) => {
    const all = new Headers();
    for (const [name, value] of Object.entries(response.headers)) all.set(name, String(value));
    const status = response.statusCode ?? 0;
    if (!(all.get('Content-Type') ?? '').startsWith('text/event-stream')) {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status, headers: all, text, body: JSON.parse(text) }));
      return;
    }
    const parser = new EventStreamParser();
    const events: StreamEvent[] = [];
    const waiting = new Set<() => void>();
    let isEnded = false;
    const ended = new Promise<void>((done) => {
      response.on('close', () => {
        isEnded = true;
        for (const look of waiting) look();
        done();
      });
    });
    response.on('error', () => undefined);
    response.on('data', (chunk: Buffer) => {
      parser.push(chunk);
      for (const { id, event, data } of parser.events.splice(0)) {
        const received = { event, data: JSON.parse(data), ...(id === undefined ? {} : { id }) };
        expectDeclared(`stream ${event}`, isIndicative ? IndicativeEvent : PriceStreamEvent, received);
        events.push({ id, ...received });
      }
      for (const look of waiting) look();
    });
    const next: OpenStream['next'] = (what, fits, after = 0) => {
      const found = Promise.withResolvers<StreamEvent>();
      const late = setTimeout(() => found.reject(new Error(`not within ${LIMIT_MS} ms: ${what}`)), LIMIT_MS);
      const look = () => {
        const event = events.slice(after).find(fits);
        if (event !== undefined) found.resolve(event);
        else if (isEnded) found.reject(new Error(`the stream ended without ${what}`));
      };
      waiting.add(look);
      look();
      return found.promise.finally(() => {
        clearTimeout(late);
        waiting.delete(look);
      });
    };
    resolve({
      status,
      headers: all,
      events,
      retryMs: () => parser.retryMs,
      next,
      ended,
      close: () => outgoing.destroy(),
    });
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

export function isStream(answer: OpenStream | Answer): answer is OpenStream {
  return 'events' in answer;
}
