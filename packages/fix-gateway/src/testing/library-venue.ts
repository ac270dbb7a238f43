import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type EngineConfig, engineConfig } from '../engine.ts';
import {
  AsciiSession,
  type ILooseObject,
  type ISessionDescription,
  MemorySessionStore,
  MsgTransport,
  type MsgView,
  type SessionId,
  TcpDuplex,
} from '../library.ts';

export interface LibraryVenueOptions {
  readonly compId: string;
  readonly password?: string;
  /** 0 takes any free one. */
  readonly port?: number;
  readonly heartbeatSeconds?: number;
  /** Application messages, to be answered with `session.reply`. */
  readonly onMessage: (session: LibraryVenueSession, type: string, view: MsgView) => void;
  readonly onEnd?: (session: LibraryVenueSession) => void;
}

/** A FIX venue for tests and the demo, on the acceptor side of the same library. Sequence numbers live as long as it. */
export class LibraryVenue {
  readonly sessions = new Set<LibraryVenueSession>();
  readonly #options: LibraryVenueOptions;
  readonly #server: Server;
  readonly #stores = new Map<string, MemorySessionStore>();
  #transports = 0;

  private constructor(options: LibraryVenueOptions) {
    this.#options = options;
    this.#server = createServer((socket) => {
      socket.on('error', () => {});
      this.#accept(new TcpDuplex(socket)).catch(() => socket.destroy());
    });
  }

  static async listen(options: LibraryVenueOptions): Promise<LibraryVenue> {
    const venue = new LibraryVenue(options);
    venue.#server.listen(options.port ?? 0, '127.0.0.1');
    await once(venue.#server, 'listening');
    return venue;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Sequence numbers of a party: what the venue sends next, and what it expects. */
  numbersOf(compId: string): { readonly nextSent: number; readonly nextReceived: number } {
    const store = this.#stores.get(compId);
    return { nextSent: store?.senderSeqNum ?? 1, nextReceived: store?.targetSeqNum ?? 1 };
  }

  /** As if the venue had lost messages on the way: the party's next number jumps. */
  skip(compId: string, messages: number): void {
    const store = this.#stores.get(compId);
    if (store !== undefined) store.senderSeqNum += messages;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.requestStop('the venue closes');
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  async #accept(duplex: TcpDuplex): Promise<void> {
    const { compId, heartbeatSeconds = 30 } = this.#options;
    const description = {
      Name: 'venue',
      BeginString: 'FIX.4.4',
      SenderCompId: compId,
      TargetCompID: '*',
      ResetSeqNumFlag: false,
      HeartBtInt: heartbeatSeconds,
      store: { type: 'memory', resendGapFillOnly: true },
      application: { name: 'venue', type: 'acceptor', protocol: 'ascii', dictionary: 'qf44' },
    } as unknown as ISessionDescription;
    const engine = await engineConfig(description, { create: (id) => this.#storeOf(id) });
    const session = new LibraryVenueSession(engine, this.#options, () => {
      this.sessions.delete(session);
      this.#options.onEnd?.(session);
    });
    this.sessions.add(session);
    this.#transports += 1;
    const transport = new MsgTransport(this.#transports, engine.config, duplex);
    await session.run(transport).catch(() => {});
    transport.end();
  }

  #storeOf(id: SessionId): MemorySessionStore {
    const party = id.targetCompID;
    const known = this.#stores.get(party);
    const store = known ?? new MemorySessionStore(id);
    this.#stores.set(party, store);
    return store;
  }
}

export class LibraryVenueSession extends AsciiSession {
  readonly #options: LibraryVenueOptions;
  readonly #onEnd: () => void;
  /** The message as it came, with `|` for the separator. */
  readonly received: string[] = [];

  constructor(engine: EngineConfig, options: LibraryVenueOptions, onEnd: () => void) {
    super(engine.config);
    this.#options = options;
    this.#onEnd = onEnd;
    this.on('error', () => {});
  }

  /** CompID of the party at the other end. */
  get party(): string {
    return this.config.description.TargetCompID;
  }

  reply(type: string, body: object): void {
    this.send(type, body as ILooseObject);
  }

  protected override onLogon(_view: MsgView, _user: string, password: string): boolean {
    return this.#options.password === undefined || password === this.#options.password;
  }

  protected override onReady(): void {}

  protected override onApplicationMsg(type: string, view: MsgView): void {
    this.#options.onMessage(this, type, view);
  }

  protected override onStopped(): void {
    this.#onEnd();
  }

  protected override onDecoded(_type: string, text: string): void {
    this.received.push(text);
  }

  protected override onEncoded(): void {}
}
