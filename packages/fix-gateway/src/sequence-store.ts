import {
  closeSync,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type SequenceNumbers, sequenceLine } from '../../service/src/market/fix/protocol.ts';
import type { IFixMsgStoreRecord, IFixSessionStore, SessionId } from './library.ts';

const LINE = /^(\d{10}) (\d{10}) (open {2}|closed)\n$/;
const SYNC_MS = 1_000;
/**
 * How far the numbers jump when the process before this one did not close its file: more messages may have left than
 * were written down. A jump is harmless, the venue asks for the missing ones and gets a gap fill; a number used twice
 * ends the session until somebody intervenes.
 */
export const JUMP = 100;

/** A file that is not one of sequence numbers: to guess would mean to lose or repeat messages. */
export class SequenceFileError extends Error {
  override readonly name = 'SequenceFileError';
}

/**
 * The next sequence numbers of a session, in one line of a file that is overwritten in place. The write is in the
 * system's hands when it returns, so it outlives a killed process; once a second it is flushed to the disk, for the
 * sake of power cuts.
 *
 * Messages are not kept: but for those of the last moments, a resend request is answered with a gap fill (see
 * `VenueSession`).
 */
export class SequenceFile {
  readonly #path: string;
  readonly #now: () => number;
  #file: number | undefined;
  #sent = 1;
  #received = 1;
  #isDirty = false;
  /** When numbers were last written, epoch milliseconds of real time. */
  #usedAt = Number.POSITIVE_INFINITY;
  #sync: NodeJS.Timeout | undefined;

  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#now = now;
  }

  /** MsgSeqNum of the next message that is sent. */
  get nextSent(): number {
    return this.#sent;
  }

  /** MsgSeqNum that is expected of the next message. */
  get nextReceived(): number {
    return this.#received;
  }

  /** @throws SequenceFileError when the file holds something else */
  open(): void {
    if (this.#file !== undefined) return;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    if (existsSync(this.#path)) {
      const match = LINE.exec(readFileSync(this.#path, 'latin1'));
      if (match === null) throw new SequenceFileError(`${this.#path} does not hold sequence numbers`);
      this.#sent = Number.parseInt(match[1] ?? '', 10);
      this.#received = Number.parseInt(match[2] ?? '', 10);
      if (match[3] !== 'closed') this.#sent += JUMP;
      this.#usedAt = statSync(this.#path).mtimeMs;
      this.#file = openSync(this.#path, 'r+');
    } else {
      this.#file = openSync(this.#path, 'wx+', 0o600);
    }
    this.#write('open');
  }

  set(sent: number, received: number): void {
    if (sent === this.#sent && received === this.#received) return;
    this.#sent = sent;
    this.#received = received;
    this.#usedAt = this.#now();
    this.#write('open');
  }

  /**
   * Begins at 1 in both directions when nothing was written since an instant, which is when a new session of the schedule
   * began. Answers whether it did.
   */
  beginAt(startedAt: number): boolean {
    this.open();
    if (this.#usedAt >= startedAt) return false;
    this.reset({ nextSent: 1, nextReceived: 1 });
    return true;
  }

  /** Takes these numbers, whatever the file holds. Nothing may be sent meanwhile. */
  reset({ nextSent, nextReceived }: SequenceNumbers): void {
    if (this.#file === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#file = openSync(this.#path, 'w+', 0o600);
    }
    this.#sent = nextSent;
    this.#received = nextReceived;
    this.#usedAt = this.#now();
    this.#write('open');
  }

  /** To be called when nothing is sent any more. */
  close(): void {
    if (this.#file === undefined) return;
    this.#write('closed');
    clearTimeout(this.#sync);
    closeSync(this.#file);
    this.#file = undefined;
  }

  #write(state: 'open' | 'closed'): void {
    if (this.#file === undefined) throw new Error('the sequence file is not open');
    const numbers = { nextSent: this.#sent, nextReceived: this.#received };
    writeSync(this.#file, sequenceLine(numbers, state), 0, 'latin1');
    this.#isDirty = true;
    this.#sync ??= setTimeout(() => this.#flush(), SYNC_MS).unref();
  }

  #flush(): void {
    this.#sync = undefined;
    if (!this.#isDirty || this.#file === undefined) return;
    this.#isDirty = false;
    // An error shows at the next write; there is nobody to tell here.
    fdatasync(this.#file, () => {});
  }
}

/** The file as the library wants its store. */
export class SequenceStore implements IFixSessionStore {
  readonly sessionId: SessionId;
  readonly creationTime = new Date();
  readonly #file: SequenceFile;

  constructor(sessionId: SessionId, file: SequenceFile) {
    this.sessionId = sessionId;
    this.#file = file;
  }

  get senderSeqNum(): number {
    return this.#file.nextSent;
  }

  set senderSeqNum(value: number) {
    // The library repeats old numbers here after a gap fill; only a reset may go back.
    if (value > this.#file.nextSent) this.#file.set(value, this.#file.nextReceived);
  }

  get targetSeqNum(): number {
    return this.#file.nextReceived;
  }

  set targetSeqNum(value: number) {
    this.#file.set(this.#file.nextSent, value);
  }

  async setSenderSeqNum(value: number): Promise<void> {
    this.senderSeqNum = value;
  }

  async setTargetSeqNum(value: number): Promise<void> {
    this.targetSeqNum = value;
  }

  async nextSenderSeqNum(): Promise<number> {
    this.senderSeqNum = this.senderSeqNum + 1;
    return this.senderSeqNum;
  }

  async nextTargetSeqNum(): Promise<number> {
    this.targetSeqNum = this.targetSeqNum + 1;
    return this.targetSeqNum;
  }

  async reset(): Promise<void> {
    this.#file.set(1, 1);
  }

  async initialize(): Promise<void> {
    this.#file.open();
  }

  async put(_record: IFixMsgStoreRecord): Promise<void> {}

  async get(): Promise<IFixMsgStoreRecord | null> {
    return null;
  }

  async getRange(): Promise<IFixMsgStoreRecord[]> {
    return [];
  }

  async flush(): Promise<void> {}

  /** The file outlives the connection that this store is for. */
  async dispose(): Promise<void> {}
}
