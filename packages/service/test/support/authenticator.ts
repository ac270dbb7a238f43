import { createSign, generateKeyPairSync, hash, type KeyObject, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { ORIGIN } from '../../src/people/test-support.ts';

/** What an authenticator does otherwise than it should. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  /** The person that it says to be of. */
  readonly userHandle?: string;
}

/** Options as the service gives them, of which this much is looked at. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;

/** An authenticator with one passkey, which signs as a real one does, or otherwise where a test wants that. */
export class TestAuthenticator {
  readonly id: string = randomBytes(32).toString('base64url');
  count = 0;
  /** Whether it counts signatures; those of phones do not. */
  counts = true;
  #key: KeyObject | undefined;
  #userHandle = '';

  make({ challenge, user }: PasskeyOptions, deviation: Deviation = {}): object {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#userHandle = user?.id ?? '';
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const [KEY_TYPE, ALGORITHM, CURVE, X, Y] = [1, 3, -1, -2, -3];
    const cose = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [KEY_TYPE as number, 2],
        [ALGORITHM as number, -7],
        [CURVE as number, 1],
        [X as number, new Uint8Array(Buffer.from(x, 'base64url'))],
        [Y as number, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]),
    );
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const data = Buffer.concat([this.#data(WITH_KEY, deviation), Buffer.alloc(16), length, id, cose]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(data)],
    ]);
    return this.#answer({
      attestationObject: text(isoCBOR.encode(attestation as never)),
      clientDataJSON: text(clientData('webauthn.create', challenge, deviation)),
      transports: ['internal', 'NOT a transport'],
    });
  }

  sign({ challenge }: PasskeyOptions, deviation: Deviation = {}): object {
    if (this.#key === undefined) throw new Error('it has no passkey');
    if (this.counts) this.count++;
    const data = this.#data(0, deviation);
    const client = clientData('webauthn.get', challenge, deviation);
    const signed = Buffer.concat([data, hash('sha256', client, 'buffer')]);
    return this.#answer({
      authenticatorData: text(data),
      clientDataJSON: text(client),
      signature: createSign('sha256').update(signed).sign(this.#key, 'base64url'),
      userHandle: deviation.userHandle ?? this.#userHandle,
    });
  }

  #data(flags: number, { rpId = new URL(ORIGIN).hostname, isVerified = true }: Deviation): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.count);
    const all = flags | PRESENT | (isVerified ? VERIFIED : 0);
    return Buffer.concat([hash('sha256', rpId, 'buffer'), Buffer.from([all]), count]);
  }

  #answer(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }
}

function clientData(type: string, challenge: string, deviation: Deviation): Buffer {
  const { origin = ORIGIN, crossOrigin = false } = deviation;
  return Buffer.from(
    JSON.stringify({
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin,
      crossOrigin,
    }),
  );
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
