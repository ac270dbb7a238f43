import type { Socket } from 'node:net';
import { type Readable, Transform, type TransformCallback } from 'node:stream';

/** A message that is longer is skipped. The library's own limit, which ends the connection, lies above. */
export const MESSAGE_BYTES_MAX = 128 * 1024; // limit: FIX message

/** Why bytes of the venue were passed over. */
export type Garbled = 'garbled' | 'body_length' | 'too_long' | 'checksum';

const SOH = 0x01;
const START = Buffer.from('8=FIX.4.4\x019=', 'latin1');
/** BodyLength has so many digits at most. */
const LENGTH_DIGITS_MAX = 9;
/** `10=123` and its separator. */
const TRAILER_BYTES = 7;

type Cut =
  /** The message, of so many bytes. */
  | { readonly type: 'message'; readonly bytes: number }
  /** Not a message: to be passed over up to the next beginning of one, from there on. */
  | { readonly type: 'garbled'; readonly reason: Garbled; readonly from: number }
  | { readonly type: 'more' };

/**
 * Cuts the bytes of a connection into messages and lets only whole ones through: BodyLength says where CheckSum stands,
 * and CheckSum is right (FIX 4.4 vol. 2, message integrity). What is garbled is passed over up to the next beginning of a
 * message; its number is then missing, and asked for. It never ends the connection.
 */
export class Framer extends Transform {
  readonly #onGarbled: (reason: Garbled) => void;
  #held: Buffer = Buffer.alloc(0);
  /** Whether what is passed over was counted already. */
  #isPassing = false;

  constructor(onGarbled: (reason: Garbled) => void) {
    super();
    this.#onGarbled = onGarbled;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    for (let cut = this.#cut(); cut.type !== 'more'; cut = this.#cut()) {
      if (cut.type === 'message') {
        this.#isPassing = false;
        this.push(Buffer.from(this.#held.subarray(0, cut.bytes)));
        this.#held = this.#held.subarray(cut.bytes);
      } else this.#passOver(cut.reason, cut.from);
    }
    done();
  }

  #cut(): Cut {
    const held = this.#held;
    const known = held.subarray(0, START.length);
    if (!known.equals(START.subarray(0, known.length)))
      return { type: 'garbled', reason: 'garbled', from: 1 };
    if (held.length <= START.length) return { type: 'more' };
    const end = held.indexOf(SOH, START.length);
    const digits = held.subarray(START.length, end === -1 ? held.length : end).toString('latin1');
    if (digits.length > LENGTH_DIGITS_MAX || !/^\d*$/.test(digits) || (end !== -1 && digits === '')) {
      return { type: 'garbled', reason: 'body_length', from: 1 };
    }
    if (end === -1) return { type: 'more' };
    const trailer = end + 1 + Number.parseInt(digits, 10);
    const bytes = trailer + TRAILER_BYTES;
    if (bytes > MESSAGE_BYTES_MAX) return { type: 'garbled', reason: 'too_long', from: 1 };
    if (held.length < bytes) {
      // Another message begins inside of it: it is not as long as it says.
      const next = held.indexOf(START, 1);
      return next > 0 && held[next - 1] === SOH
        ? { type: 'garbled', reason: 'body_length', from: next }
        : { type: 'more' };
    }
    const sum = /^10=(\d{3})$/.exec(held.subarray(trailer, bytes - 1).toString('latin1'))?.[1];
    if (sum === undefined || held[trailer - 1] !== SOH || held[bytes - 1] !== SOH) {
      return { type: 'garbled', reason: 'body_length', from: 1 };
    }
    if (Number.parseInt(sum, 10) !== checksum(held.subarray(0, trailer))) {
      return { type: 'garbled', reason: 'checksum', from: bytes };
    }
    return { type: 'message', bytes };
  }

  /** Keeps what may be the beginning of a message at the end of what is held. */
  #passOver(reason: Garbled, from: number): void {
    if (!this.#isPassing) this.#onGarbled(reason);
    const next = this.#held.indexOf(START, from);
    if (next !== -1) {
      this.#isPassing = false;
      this.#held = this.#held.subarray(next);
      return;
    }
    this.#isPassing = reason !== 'checksum';
    let kept = Math.min(START.length - 1, this.#held.length - from);
    while (kept > 0 && !this.#held.subarray(-kept).equals(START.subarray(0, kept))) kept -= 1;
    this.#held = kept <= 0 ? Buffer.alloc(0) : Buffer.from(this.#held.subarray(-kept));
  }
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum + byte) & 0xff;
  return sum;
}

/** The whole messages of a connection. It ends with it. */
export function framed(socket: Socket, onGarbled: (reason: Garbled) => void): Readable {
  const framer = new Framer(onGarbled);
  socket.on('error', (error) => framer.destroy(error));
  socket.on('close', () => framer.end());
  return socket.pipe(framer);
}
