import { randomBytes } from 'node:crypto';
import type { Pool, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { decrypt, encrypt, keyFingerprint } from './key-encryption.ts';
import { firstInForce, keyInForce, sandboxKeyEncryptionKey } from './vault-store.ts';

/** Something encrypted, and the fingerprint of the key that it is encrypted under. */
export interface Sealed {
  readonly sealed: Buffer;
  readonly sealedUnder: string;
}

/** Key encryption keys of an instance, 32 bytes each. */
export interface KeyEncryptionKeys {
  /** Without it the sandbox's own key in the database is used. */
  readonly current?: Buffer | undefined;
  /** The one before, while something is sealed under it. */
  readonly previous?: Buffer | undefined;
}

interface Ring {
  /** Fingerprint of the one that everything is to be sealed under. */
  readonly current: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/**
 * Seals what is kept secret: keys that sign, and secrets of other rooms. What it seals under stands in the database and is the same for
 * all instances, so that each can open what another one has sealed, also while one key encryption key takes the place of another.
 */
export class Vault {
  readonly #pool: Pool;
  readonly #given: KeyEncryptionKeys;
  #ring: Promise<Ring> | undefined;

  constructor(pool: Pool, given: KeyEncryptionKeys) {
    this.#pool = pool;
    this.#given = given;
  }

  /**
   * @param connection of the transaction that writes what is sealed: until its end nothing is re-wrapped
   * @param label what it is and whose; it can be opened as nothing else
   */
  async seal(connection: Queryable, plaintext: Buffer, label: string, now: number): Promise<Sealed> {
    const ring = await this.ring();
    await firstInForce(connection, ring.current, isoInstant(now));
    const sealedUnder = await keyInForce(connection);
    const key = ring.keys.get(sealedUnder);
    if (key === undefined) throw unknownKey(`What is kept secret`, sealedUnder, ring);
    return { sealed: encrypt(key, plaintext, label), sealedUnder };
  }

  /**
   * @param formerLabel of what earlier versions have sealed
   * @throws when it was encrypted under another key, for something else, or was changed
   */
  async open({ sealed, sealedUnder }: Sealed, label: string, formerLabel?: string): Promise<Buffer> {
    const ring = await this.ring();
    const key = ring.keys.get(sealedUnder);
    if (key === undefined) throw unknownKey(label, sealedUnder, ring);
    try {
      return decrypt(key, sealed, label);
    } catch (error) {
      if (formerLabel === undefined) throw error;
      return decrypt(key, sealed, formerLabel);
    }
  }

  /** Seals under the current key what was sealed under any that is known. */
  async sealAnew(before: Sealed, label: string, formerLabel: string | undefined): Promise<Sealed> {
    const plaintext = await this.open(before, label, formerLabel);
    const { current, keys } = await this.ring();
    const sealed = encrypt(keys.get(current) as Buffer, plaintext, label);
    plaintext.fill(0);
    return { sealed, sealedUnder: current };
  }

  ring(): Promise<Ring> {
    this.#ring ??= this.#makeRing().catch((error: unknown) => {
      this.#ring = undefined;
      throw error;
    });
    return this.#ring;
  }

  async #makeRing(): Promise<Ring> {
    const { previous } = this.#given;
    const current = this.#given.current ?? (await sandboxKeyEncryptionKey(this.#pool, randomBytes(32)));
    const keys = [current, ...(previous === undefined ? [] : [previous])];
    return { current: keyFingerprint(current), keys: new Map(keys.map((key) => [keyFingerprint(key), key])) };
  }
}

function unknownKey(what: string, sealedUnder: string, { keys }: Ring): Error {
  const given = [...keys.keys()].join(', ');
  return new Error(
    `${what} is encrypted under another key (${sealedUnder}) than the one given (${given}): check FIRMQUOTE_KEY_ENCRYPTION_KEY and FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS.`,
  );
}
