import { setTimeout as sleep } from 'node:timers/promises';
import type { FixSessionSettings, SessionState } from '../../service/src/market/fix/protocol.ts';
import { Backoff, type BackoffOptions } from './backoff.ts';
import { dial } from './dial.ts';
import { describe, type EngineConfig, engineConfig } from './engine.ts';
import { framed } from './framer.ts';
import { MsgTransport, SessionId, TcpDuplex } from './library.ts';
import { type SequenceFile, SequenceStore } from './sequence-store.ts';
import { type ConnectionEnd, type Sent, type SessionListener, VenueSession } from './venue-session.ts';

export const LOGON_LIMIT_MS = 10_000;
export const LOGOUT_LIMIT_MS = 3_000;
/** A session that was up for so long begins its pauses anew; a venue that lets us in and throws us out gets longer ones. */
const STABLE_MS = 30_000;

export interface ConnectionListener extends SessionListener {
  state(state: SessionState, error: string | undefined): void;
}

/** Keeps one FIX session logged on: connects, and after every end waits and connects again, until it is stopped. */
export class Connection {
  readonly #settings: FixSessionSettings;
  readonly #sequence: SequenceFile;
  readonly #listener: ConnectionListener;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #session: VenueSession | undefined;
  #transports = 0;

  constructor(
    settings: FixSessionSettings,
    sequence: SequenceFile,
    listener: ConnectionListener,
    backoff?: BackoffOptions,
  ) {
    this.#settings = settings;
    this.#sequence = sequence;
    this.#listener = listener;
    this.#backoff = new Backoff(backoff);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  get isUp(): boolean {
    return this.#session?.isUp === true;
  }

  /** Sends an application message; false, and nothing is sent, while the session is not up. */
  submit(type: string, body: object, sent?: Sent): boolean {
    const session = this.#session;
    if (session === undefined || !session.isUp) return false;
    session.submit(type, body, sent);
    return true;
  }

  /** Logs out, waits for the venue to confirm it, within a limit, and closes. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#session?.logOut();
    const cut = setTimeout(
      () => this.#session?.cut({ kind: 'stopped', reason: 'logged out' }),
      LOGOUT_LIMIT_MS,
    );
    await this.#running;
    clearTimeout(cut);
    this.#sequence.close();
    this.#listener.state('stopped', undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#listener.state('connecting', undefined);
      const end = await this.#connectOnce(signal);
      if (signal.aborted || end.kind === 'stopped') return;
      const waitMs = this.#backoff.next(end.kind);
      this.#listener.state('waiting', end.reason);
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  async #connectOnce(signal: AbortSignal): Promise<ConnectionEnd> {
    try {
      this.#sequence.open();
      const engine = await this.#engine();
      const socket = await dial(this.#settings, signal);
      this.#transports += 1;
      const duplex = new TcpDuplex(socket);
      duplex.readable = framed(socket, (reason) => this.#listener.dropped(reason));
      return await this.#runSession(engine, new MsgTransport(this.#transports, engine.config, duplex));
    } catch (error) {
      return { kind: 'lost', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  #engine(): Promise<EngineConfig> {
    const { senderCompId, targetCompId } = this.#settings;
    const id = new SessionId('FIX.4.4', senderCompId, targetCompId);
    return engineConfig(describe(this.#settings), { create: () => new SequenceStore(id, this.#sequence) });
  }

  async #runSession(engine: EngineConfig, transport: MsgTransport): Promise<ConnectionEnd> {
    const limit = setTimeout(() => {
      session.cut({ kind: 'refused', reason: `no answer to the logon within ${LOGON_LIMIT_MS / 1000} s` });
    }, LOGON_LIMIT_MS);
    let upAt = Number.POSITIVE_INFINITY;
    const session = new VenueSession(engine, {
      ...this.#relay(),
      up: () => {
        clearTimeout(limit);
        upAt = performance.now();
        this.#listener.state('up', undefined);
        this.#listener.up();
      },
    });
    this.#session = session;
    try {
      if (this.#stopping.signal.aborted) session.cut({ kind: 'stopped', reason: 'stopped' });
      else await session.run(transport);
    } catch {
      // Why it ended is asked of the session, which knows what the venue said.
    } finally {
      clearTimeout(limit);
      this.#session = undefined;
      if (performance.now() - upAt >= STABLE_MS) this.#backoff.reset();
      transport.end();
    }
    return session.end;
  }

  #relay(): Omit<SessionListener, 'up'> {
    const listener = this.#listener;
    return {
      message: (type, view) => listener.message(type, view),
      malformed: (type, error) => listener.malformed(type, error),
      rejected: (rejection) => listener.rejected(rejection),
      gap: () => listener.gap(),
      dropped: (reason) => listener.dropped(reason),
    };
  }
}
