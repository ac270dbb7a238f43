import type { EngineConfig, MessageFactory } from './engine.ts';
import type { Garbled } from './framer.ts';
import { AsciiSession, type ILooseObject, MsgType, type MsgView, SessionState } from './library.ts';
import { RecentlySent } from './recently-sent.ts';

/** Why a connection ended. `closed`: we logged out, to log on again later. `refused`: the venue did not let us in, so trying again soon would lock the account. */
export interface ConnectionEnd {
  readonly kind: 'stopped' | 'closed' | 'lost' | 'refused';
  readonly reason: string;
}

export interface SessionListener {
  /** Logged on. */
  up(): void;
  /** An application message. What it throws is counted by `malformed`, the session goes on. */
  message(type: string, view: MsgView): void;
  malformed(type: string, error: unknown): void;
  /** The venue rejected a message of ours (3 and j). */
  rejected(reference: Rejection): void;
  /** Messages of the venue are missing. They are asked for again; what they said is not known until then. */
  gap(): void;
  /** The venue has logged out. The connection ends when it closes it; what it said before does not stand any more. */
  loggedOut(reason: string): void;
  /** Bytes that are no whole message, or a message of another party: they were not taken. */
  dropped(reason: Garbled | 'comp_id'): void;
}

export interface Rejection {
  readonly messageType: string;
  /** MsgSeqNum of the rejected message. */
  readonly sequence: number | undefined;
  /** BusinessRejectRefID: the id in the rejected message. */
  readonly id: string | undefined;
  readonly text: string;
}

/** Of an order that was encoded: its sequence number. */
export type Sent = (sequence: number | undefined) => void;

const LOGOUT = '5';
const TEST_REQUEST = '1';
/** NewSeqNo (36), and the SessionRejectReason of a value that is out of range. */
const NEW_SEQUENCE = { tag: 36, outOfRange: 5 } as const;

/**
 * One connection of a FIX session, as the library's session with its gaps closed: parties are checked on the initiator's
 * side too (whole messages are the framer's work), application messages may come while a TestRequest is unanswered, a sequence number that is
 * too low is answered with a Logout, and resend requests with gap fills.
 */
export class VenueSession extends AsciiSession {
  readonly #listener: SessionListener;
  readonly #messages: MessageFactory;
  #isUp = false;
  #wasUp = false;
  #lastText: string | undefined;
  #end: ConnectionEnd | undefined;
  readonly #sent = new RecentlySent();

  constructor(engine: EngineConfig, listener: SessionListener) {
    super(engine.config);
    this.#listener = listener;
    this.#messages = engine.messages;
    // Whoever runs the session hears of errors as its end; one that comes later must not end the process.
    this.on('error', () => {});
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Why it ended; only to be asked for after `run` has settled. */
  get end(): ConnectionEnd {
    if (this.#end !== undefined) return this.#end;
    const reason = this.#lastText ?? 'the connection was closed';
    return { kind: this.#wasUp ? 'lost' : 'refused', reason };
  }

  /** Sends an application message. `sent` is told its sequence number, or undefined when it did not leave. */
  submit(type: string, body: object, sent?: Sent): void {
    this.send(type, body as ILooseObject, (error, { header }) => {
      const sequence = error === null ? (header?.MsgSeqNum as number | undefined) : undefined;
      if (sequence !== undefined) this.#sent.add({ type, body, sequence, at: Date.now() });
      sent?.(sequence);
    });
  }

  /** Logs out; the connection ends when the venue has confirmed it. */
  logOut(end: ConnectionEnd = { kind: 'stopped', reason: 'logged out' }): void {
    this.#end ??= end;
    this.#settle();
    this.done();
  }

  /** The library neither sends nor confirms a Logout while a TestRequest is unanswered. */
  #settle(): void {
    if (this.getState() !== SessionState.AwaitingProcessingResponseToTestRequest) return;
    this.setState(SessionState.ActiveNormalSession);
  }

  /** Cuts the connection. */
  cut(end: ConnectionEnd): void {
    this.#end ??= end;
    this.requestStop(end.reason);
  }

  protected override onMsg(type: string, view: MsgView): void {
    if (!this.#isOfThisSession(view)) {
      this.#listener.dropped('comp_id');
      return;
    }
    if (this.#isRepeated(type, view)) return;
    if (this.#isUp && type !== MsgType.SequenceReset && this.#sequenceOf(view) > this.#expected) {
      this.#listener.gap();
    }
    if (type === TEST_REQUEST) this.#messages.testRequestId = view.getString('TestReqID') ?? undefined;
    if (type === LOGOUT)
      this.#onLogout(`logged out by the venue: ${view.getString('Text') ?? 'no reason given'}`);
    if (type === MsgType.Reject) this.#onReject(view);
    super.onMsg(type, view);
  }

  #onLogout(text: string): void {
    this.#lastText = text;
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#settle();
    // Where the Logout is our own, whoever has asked for it says why.
    if (this.#end === undefined) this.#listener.loggedOut(text);
  }

  /** A number that was used before, without the mark of a repetition: one side has lost count (FIX 4.4 vol. 2). */
  #isRepeated(type: string, view: MsgView): boolean {
    const expected = this.#expected;
    const sequence = this.#sequenceOf(view);
    const isReset = type === MsgType.SequenceReset || view.getString('ResetSeqNumFlag') === 'Y';
    if (isReset || view.getString('PossDupFlag') === 'Y' || sequence >= expected) return false;
    // Asked for again, and sent again without the mark.
    if (
      this.coordinator.pendingResendRequests.some(({ begin, end }) => sequence >= begin && sequence <= end)
    ) {
      return false;
    }
    const reason = `MsgSeqNum too low, expecting ${expected} but received ${sequence}`;
    // The venue's own reason, when this is its farewell, says more.
    const farewell = type === LOGOUT ? view.getString('Text') : null;
    this.sendLogout(reason);
    this.cut({
      kind: 'refused',
      reason: farewell === null ? reason : `logged out by the venue: ${farewell}`,
    });
    return true;
  }

  get #expected(): number {
    return this.sessionState.lastPeerMsgSeqNum + 1;
  }

  #sequenceOf(view: MsgView): number {
    return Number.parseInt(view.getString('MsgSeqNum') ?? '', 10);
  }

  #isOfThisSession(view: MsgView): boolean {
    const { SenderCompId, TargetCompID } = this.config.description;
    return view.getString('SenderCompID') === TargetCompID && view.getString('TargetCompID') === SenderCompId;
  }

  #onReject(view: MsgView): void {
    const text = view.getString('Text') ?? `reason ${view.getString('SessionRejectReason') ?? 'unknown'}`;
    this.#lastText = `rejected by the venue: ${text}`;
    const sequence = Number.parseInt(view.getString('RefSeqNum') ?? '', 10);
    this.#listener.rejected({
      messageType: view.getString('RefMsgType') ?? '',
      sequence: Number.isNaN(sequence) ? undefined : sequence,
      id: undefined,
      text,
    });
  }

  /** The library takes over whatever number a SequenceReset names. */
  protected override onSessionMsg(type: string, view: MsgView): void {
    if (type === MsgType.SequenceReset && !this.#isNewSequence(view)) return;
    super.onSessionMsg(type, view);
  }

  /** Whether the numbers go on from NewSeqNo (FIX 4.4 vol. 2, sequence reset): they never go back, and what is missing is asked for. */
  #isNewSequence(view: MsgView): boolean {
    const expected = this.#expected;
    const sequence = this.#sequenceOf(view);
    const next = Number.parseInt(view.getString('NewSeqNo') ?? '', 10);
    if (view.getString('GapFillFlag') === 'Y') {
      if (sequence > expected) this.#askFor(expected, sequence);
      if (next > expected) return true;
      // A late one: of what is waited for, this much has been answered.
      if (next > sequence) void this.coordinator.onGapFillReceived(sequence, next);
      return false;
    }
    if (next > expected) {
      if (this.#isUp) this.#listener.gap();
      return true;
    }
    if (next !== expected) this.#rejectNewSequence(sequence, expected);
    return false;
  }

  /** Asks for the messages from one number up to, but not including, another, unless that is under way. */
  #askFor(from: number, received: number): void {
    if (this.#isUp) this.#listener.gap();
    const { begin, end } = this.coordinator.onGapDetected(from, received);
    if (begin === null || end === null) return;
    this.sendResendRequest(from - 1, received);
    this.coordinator.recordResendRequestSent(begin, end);
  }

  #rejectNewSequence(sequence: number, expected: number): void {
    this.send(MsgType.Reject, {
      RefSeqNum: sequence,
      RefTagID: NEW_SEQUENCE.tag,
      RefMsgType: MsgType.SequenceReset,
      SessionRejectReason: NEW_SEQUENCE.outOfRange,
      Text: `NewSeqNo is too low, expecting at least ${expected}`,
    });
  }

  protected override onApplicationMsg(type: string, view: MsgView): void {
    try {
      this.#listener.message(type, view);
    } catch (error) {
      this.#listener.malformed(type, error);
    }
  }

  /**
   * Before the logon nothing is taken; while a TestRequest or a resend is under way, everything is. After a Logout too: what was
   * missing may still be sent again (FIX 4.4 vol. 2, logout).
   */
  protected override validStateApplicationMsg(): boolean {
    return this.#wasUp;
  }

  /**
   * What has just been sent is sent again, marked as such: a venue that misses earlier messages leaves it aside until
   * it has them. Everything else is filled as a gap.
   */
  protected override onResendRequest(view: MsgView): void {
    const begin = Number.parseInt(view.getString('BeginSeqNo') ?? '', 10);
    const last = Number.parseInt(view.getString('EndSeqNo') ?? '', 10);
    const next = this.#transmitter?.msgSeqNum;
    if (next === undefined || !(begin >= 1 && begin < next)) return;
    const end = last > 0 && last < next ? last + 1 : next;
    let from = begin;
    for (const { sequence, type, body, at } of this.#sent.recent(begin, end, Date.now())) {
      if (sequence > from) this.#fillGap(from, sequence);
      this.send(type, { ...body, StandardHeader: repeated(sequence, at) });
      from = sequence + 1;
    }
    if (end > from) this.#fillGap(from, end);
  }

  #fillGap(from: number, to: number): void {
    const body = { GapFillFlag: true, NewSeqNo: to };
    this.send(MsgType.SequenceReset, { ...body, StandardHeader: repeated(from, Date.now()) });
  }

  get #transmitter(): { readonly msgSeqNum: number } | undefined {
    return this.transport?.transmitter as unknown as { readonly msgSeqNum: number } | undefined;
  }

  /** The interval is ours to set (FIX 4.4, HeartBtInt); one that the venue makes up, such as 0, is not followed. */
  protected override onLogon(): boolean {
    this.sessionState.peerHeartBeatSecs = this.config.description.HeartBtInt;
    return true;
  }

  protected override onReady(): void {
    this.#isUp = true;
    this.#wasUp = true;
    this.setState(SessionState.ActiveNormalSession);
    this.#listener.up();
  }

  protected override onStopped(error?: Error): void {
    this.#isUp = false;
    // The library's own words for a closed line speak of its states.
    const isClosed = error?.message.startsWith('unexpected state') === true;
    if (error !== undefined) this.#lastText ??= isClosed ? 'the venue closed the connection' : error.message;
  }

  protected override onDecoded(): void {}

  protected override onEncoded(): void {}
}

/** The header of a message under an earlier number. The library makes OrigSendingTime of its SendingTime. */
function repeated(sequence: number, at: number): object {
  return { MsgSeqNum: sequence, PossDupFlag: true, SendingTime: new Date(at) };
}
