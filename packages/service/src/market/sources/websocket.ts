import WebSocket from 'ws';
import { realTimers, type Timers } from './back-off.ts';
import { type ExactJson, parseExactJson } from './exact-json.ts';
import {
  type FeedConnection,
  type FeedObserver,
  type FeedTransport,
  faultOf,
  statusFault,
  vendorText,
} from './feed.ts';
import { type FeedFormat, fill, pairsBySymbol, symbolOf } from './feed-format.ts';
import { matches, readFeedMessage } from './feed-messages.ts';

interface WebSocketFeedOptions {
  readonly format: FeedFormat;
  /** Instead of the format's own address. */
  readonly url?: string;
  /** Asked for anew with each connection; empty when the vendor wants none. */
  readonly key: () => string;
  /** Six letters in market order each. */
  readonly pairs: readonly string[];
  readonly timers?: Timers;
}

/** A peer that answers no ping for so long is gone, whatever TCP believes. */
export const WEBSOCKET_SILENCE_MS = 15_000; // limit: Silence after which a WebSocket is connected anew
const PING_EVERY_MS = 5_000;
/** A longer one is skipped. */
const FRAME_BYTES_MAX = 1024 * 1024; // limit: Frame of a WebSocket feed; a longer one is skipped
/** What is taken from the wire for one frame, be it to skip it; a peer that sends more is left. */
const FRAME_BYTES_HELD_MAX = 16 * 1024 * 1024; // limit: Frame of a WebSocket feed that is skipped; a longer one ends the connection
const HANDSHAKE_MS = 10_000;

/**
 * A vendor's WebSocket that speaks JSON, in the way that its format says: what to send in which order, and where in
 * its messages pair, bid, ask and time stand.
 */
export function webSocketTransport(options: WebSocketFeedOptions): FeedTransport {
  const pairs = pairsBySymbol(options.format, options.pairs);
  return {
    connect(observer): FeedConnection {
      const dialogue = new Dialogue(options, pairs, observer);
      return { close: () => dialogue.close() };
    },
  };
}

/** One connection from its handshake to its end. */
class Dialogue {
  readonly #options: WebSocketFeedOptions;
  readonly #pairs: ReadonlyMap<string, string>;
  readonly #observer: FeedObserver;
  readonly #socket: WebSocket;
  readonly #timers: Timers;
  readonly #key: string;
  /** The step that is sent next. */
  #step = 0;
  #ended = false;
  #callOffPing: () => void = () => undefined;

  constructor(options: WebSocketFeedOptions, pairs: ReadonlyMap<string, string>, observer: FeedObserver) {
    this.#options = options;
    this.#pairs = pairs;
    this.#observer = observer;
    this.#timers = options.timers ?? realTimers;
    this.#key = options.key();
    // Compression is not offered: a frame of a few bytes could unpack to anything.
    const url = (options.url ?? options.format.url).replaceAll('{key}', encodeURIComponent(this.#key));
    this.#socket = new WebSocket(url, {
      maxPayload: FRAME_BYTES_HELD_MAX,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#listen();
  }

  close(): void {
    this.#ended = true;
    this.#callOffPing();
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('open', () => {
      this.#advance(undefined);
      this.#ping();
    });
    socket.on('pong', () => this.#observer.heartbeat());
    socket.on('message', (data) => this.#read(data));
    socket.on('unexpected-response', (request, response) => {
      // With a listener of one's own here, ending the attempt is one's own too.
      request.destroy();
      this.#observer.closed(statusFault(response.statusCode ?? 0));
    });
    socket.on('error', (error) => this.#observer.closed(faultOf(error, 'the connection failed')));
    // 1008 is how vendors turn a caller away once connected.
    socket.on('close', (code) =>
      this.#observer.closed({
        kind: code === 1008 ? 'refused' : 'lost',
        text: `the connection was closed with code ${code}`,
      }),
    );
  }

  #ping(): void {
    this.#callOffPing = this.#timers.after(PING_EVERY_MS, () => {
      if (this.#socket.readyState !== WebSocket.OPEN) return;
      this.#socket.ping();
      this.#ping();
    });
  }

  /** Sends the next steps whose time has come; after the last one prices may come. */
  #advance(message: ExactJson | undefined): void {
    const { format, pairs } = this.#options;
    let awaited = message;
    for (;;) {
      const step = format.steps[this.#step];
      if (step === undefined) break;
      if (step.after !== undefined && (awaited === undefined || !matches(awaited, step.after))) return;
      // One message lets one step go.
      if (step.after !== undefined) awaited = undefined;
      const symbols = pairs.map((pair) => symbolOf(format, pair)).join(format.separator);
      this.#socket.send(JSON.stringify(fill(step.send, { key: this.#key, symbols })));
      this.#step += 1;
    }
    this.#observer.opened();
  }

  #read(data: WebSocket.RawData): void {
    // Frames that were already read from the wire when the connection was given up.
    if (this.#ended) return;
    // With the default `nodebuffer` a message is one buffer.
    const bytes = data as Buffer;
    if (bytes.length > FRAME_BYTES_MAX) {
      this.#observer.skipped('frame too long');
      return;
    }
    const text = bytes.toString('utf8');
    const message = parseExactJson(text);
    if (message === undefined) this.#readText(text);
    else if (Array.isArray(message)) for (const part of message) this.#readPart(part);
    else this.#readPart(message);
  }

  /** Not JSON: a greeting, bad news, or rubbish. */
  #readText(text: string): void {
    const { greetings, refusalTexts } = this.#options.format;
    if (greetings.includes(text.trim())) this.#observer.heartbeat();
    else if (refusalTexts.some((part) => text.toLowerCase().includes(part.toLowerCase()))) {
      this.#refuse('refused', text);
    } else this.#observer.skipped('not JSON');
  }

  #readPart(part: ExactJson): void {
    const message = readFeedMessage(part, this.#options.format, this.#pairs);
    switch (message.type) {
      case 'price':
        this.#observer.price(message.price);
        break;
      case 'untradable':
        this.#observer.untradable(message.gone);
        break;
      case 'unreadable':
        this.#observer.skipped(message.reason, message.pair);
        break;
      case 'refused':
        this.#refuse('refused', JSON.stringify(part));
        break;
      case 'paused':
        this.#refuse('busy', JSON.stringify(part));
        break;
      case 'other':
        this.#observer.heartbeat();
        if (this.#step < this.#options.format.steps.length) this.#advance(part);
    }
  }

  #refuse(kind: 'refused' | 'busy', text: string): void {
    const what = kind === 'refused' ? 'the vendor refuses the key' : 'the vendor asks for a pause';
    this.#observer.closed({ kind, text: `${what}: ${vendorText(text, this.#key)}` });
  }
}
