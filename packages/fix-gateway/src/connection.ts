import { setTimeout as sleep } from 'node:timers/promises';
import type {
  FixSessionSettings,
  SequenceNumbers,
  SessionState,
} from '../../service/src/market/fix/protocol.ts';
import { Backoff, type BackoffOptions } from './backoff.ts';
import { dial } from './dial.ts';
import { describe, type EngineConfig, engineConfig } from './engine.ts';
import { framed } from './framer.ts';
import { MsgTransport, SessionId, TcpDuplex } from './library.ts';
import { type ScheduleSpan, spanAt } from './schedule.ts';
import { type SequenceFile, SequenceStore } from './sequence-store.ts';
import { type ConnectionEnd, type Sent, type SessionListener, VenueSession } from './venue-session.ts';

export const LOGON_LIMIT_MS = 10_000; // limit: Time for the answer to a logon
export const LOGOUT_LIMIT_MS = 3_000; // limit: Time for the answer to a logout
/** A session that was up for so long begins its pauses anew; a venue that lets us in and throws us out gets longer ones. */
const STABLE_MS = 30_000;

export interface ConnectionListener extends SessionListener {
  /** @param opensAt when the next session of the schedule begins, while none runs */
  state(state: SessionState, error: string | undefined, opensAt?: number): void;
  /** The sequence numbers begin anew. */
  numbersReset(): void;
}

export interface ConnectionOptions {
  readonly backoff?: BackoffOptions | undefined;
  /** Epoch milliseconds of real time. */
  readonly now?: () => number;
}

/** How long a pause lasts at most before the schedule is looked at again: clocks are set. */
const LOOK_AGAIN_MS = 60_000;

/** Keeps one FIX session logged on: connects, and after every end waits and connects again, until it is stopped. */
export class Connection {
  readonly #settings: FixSessionSettings;
  readonly #sequence: SequenceFile;
  readonly #listener: ConnectionListener;
  readonly #backoff: Backoff;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #session: VenueSession | undefined;
  #transports = 0;
  /** Numbers that an operator has set, until they are taken. */
  #reset: SequenceNumbers | undefined;
  /** When the session of the schedule is over. */
  #endsAt: number | undefined;
  /** When the session of the schedule began that the numbers are of. */
  #startedAt: number | undefined;
  /** Ends the present pause. */
  #wake: () => void = () => undefined;

  constructor(
    settings: FixSessionSettings,
    sequence: SequenceFile,
    listener: ConnectionListener,
    options: ConnectionOptions = {},
  ) {
    this.#now = options.now ?? Date.now;
    this.#settings = settings;
    this.#sequence = sequence;
    this.#listener = listener;
    this.#backoff = new Backoff(options.backoff);
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

  /** Logs out, if it is logged on, and on again with these numbers. */
  resetNumbers(numbers: SequenceNumbers): void {
    this.#reset = numbers;
    this.#close('the sequence numbers are being reset');
    this.#wake();
  }

  /** Ends the session when its time is over. To be called every second: clocks are set. */
  tick(): void {
    const endsAt = this.#endsAt;
    if (endsAt === undefined || this.#now() < endsAt) return;
    this.#endsAt = undefined;
    this.#close('the scheduled session has ended');
  }

  /** Ends the present session in order; the next one follows when it is time. */
  #close(reason: string): void {
    const session = this.#session;
    if (session === undefined) return;
    session.logOut({ kind: 'closed', reason });
    setTimeout(() => session.cut({ kind: 'closed', reason }), LOGOUT_LIMIT_MS).unref();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const span = this.#span();
      if (span?.isOpen === false) {
        const text = `outside of its schedule until ${new Date(span.opensAt).toISOString()}`;
        this.#listener.state('waiting', text, span.opensAt);
        await this.#pause(Math.min(span.opensAt - this.#now(), LOOK_AGAIN_MS));
        continue;
      }
      this.#listener.state('connecting', undefined);
      const end = await this.#connectOnce(span);
      if (signal.aborted || end.kind === 'stopped') return;
      if (end.kind === 'closed') {
        this.#listener.state('waiting', end.reason);
        continue;
      }
      const waitMs = this.#backoff.next(end.kind);
      this.#listener.state('waiting', end.reason);
      await this.#pause(waitMs);
    }
  }

  #span(): ScheduleSpan | undefined {
    const { schedule } = this.#settings;
    return schedule === undefined ? undefined : spanAt(schedule, this.#now());
  }

  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const signal = AbortSignal.any([this.#stopping.signal, woken.signal]);
    await sleep(ms, undefined, { signal }).catch(() => {});
  }

  #beginNumbers(span: ScheduleSpan | undefined): void {
    const numbers = this.#reset;
    const before = this.#startedAt;
    if (span?.isOpen === true) this.#startedAt = span.startedAt;
    if (numbers !== undefined) {
      this.#reset = undefined;
      this.#sequence.reset(numbers);
      this.#listener.numbersReset();
      return;
    }
    this.#sequence.open();
    if (this.#settings.schedule?.resetAtStart !== true || span?.isOpen !== true) return;
    // The one before logs out when its time is over: where the next one begins at that moment, with numbers written after it.
    const isNext = before !== undefined && span.startedAt > before;
    if (isNext) this.#sequence.reset({ nextSent: 1, nextReceived: 1 });
    if (isNext || this.#sequence.beginAt(span.startedAt)) this.#listener.numbersReset();
  }

  async #connectOnce(span: ScheduleSpan | undefined): Promise<ConnectionEnd> {
    const { signal } = this.#stopping;
    try {
      this.#beginNumbers(span);
      const engine = await this.#engine();
      const socket = await dial(this.#settings, signal);
      this.#transports += 1;
      const duplex = new TcpDuplex(socket);
      duplex.readable = framed(socket, (reason) => this.#listener.dropped(reason));
      return await this.#runSession(engine, new MsgTransport(this.#transports, engine.config, duplex), span);
    } catch (error) {
      return { kind: 'lost', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  #engine(): Promise<EngineConfig> {
    const { senderCompId, targetCompId } = this.#settings;
    const id = new SessionId('FIX.4.4', senderCompId, targetCompId);
    return engineConfig(describe(this.#settings), { create: () => new SequenceStore(id, this.#sequence) });
  }

  async #runSession(
    engine: EngineConfig,
    transport: MsgTransport,
    span: ScheduleSpan | undefined,
  ): Promise<ConnectionEnd> {
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
    this.#endsAt = span?.isOpen === true ? span.endsAt : undefined;
    try {
      if (this.#stopping.signal.aborted) session.cut({ kind: 'stopped', reason: 'stopped' });
      else if (this.#reset !== undefined) session.cut({ kind: 'closed', reason: 'the numbers are reset' });
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
      loggedOut: (reason) => listener.loggedOut(reason),
      dropped: (reason) => listener.dropped(reason),
    };
  }
}
