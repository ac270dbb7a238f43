import { randomBytes } from 'node:crypto';
import type { Pool } from '../database/pool.ts';
import { decrypt, encrypt, keyFingerprint } from './key-encryption.ts';
import { sandboxKeyEncryptionKey } from './signing-key-store.ts';

/** Something encrypted, and the fingerprint of the key that it is encrypted under. */
interface Sealed {
  readonly sealed: Buffer;
  readonly sealedUnder: string;
}

/** Encrypts what other rooms keep secret, under the key that encrypts the signing keys. */
export class Vault {
  readonly #pool: Pool;
  #key: Promise<Buffer> | undefined;

  /** @param key 32 bytes; without it the sandbox's own key in the database is used */
  constructor(pool: Pool, key: Buffer | undefined) {
    this.#pool = pool;
    this.#key = key === undefined ? undefined : Promise.resolve(key);
  }

  /** @param label what it is and whose; it can be opened as nothing else */
  async seal(plaintext: Buffer, label: string): Promise<Sealed> {
    const key = await this.#encryptionKey();
    return { sealed: encrypt(key, plaintext, label), sealedUnder: keyFingerprint(key) };
  }

  /** @throws when it was encrypted under another key, for something else, or was changed */
  async open({ sealed, sealedUnder }: Sealed, label: string): Promise<Buffer> {
    const key = await this.#encryptionKey();
    if (keyFingerprint(key) === sealedUnder) return decrypt(key, sealed, label);
    throw new Error(
      `${label} is encrypted under another key (${sealedUnder}) than the one given (${keyFingerprint(key)}): check FIRMQUOTE_KEY_ENCRYPTION_KEY.`,
    );
  }

  #encryptionKey(): Promise<Buffer> {
    this.#key ??= sandboxKeyEncryptionKey(this.#pool, randomBytes(32)).catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }
}
