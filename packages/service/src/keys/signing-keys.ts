import { randomBytes } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  importPKCS8,
  type JWK,
} from 'jose';
import { inTransaction, type Pool, type Queryable } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { decrypt, encrypt, keyFingerprint } from './key-encryption.ts';
import {
  advanceSigningKeys,
  insertSigningKey,
  lockRotation,
  readSigningKeys,
  type SigningKeyRecord,
  type SigningKeyTable,
  sandboxKeyEncryptionKey,
} from './signing-key-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ROTATE_AFTER_MS = 90 * DAY_MS; // limit: Age at which a signing key of tokens is replaced
/** How long verifiers may keep the JWKS (its `max-age`). */
export const JWKS_MAX_AGE_SECONDS = 300;
/** The next key is in the JWKS at least this long before it signs: many times what a verifier may cache. */
const PUBLISHED_BEFORE_USE_MS = HOUR_MS; // limit: How long a key is public before its use
/** A token lives 24 h; another instance may sign with the old key for a minute more. */
const PUBLISHED_AFTER_USE_MS = 25 * HOUR_MS; // limit: How long a signing key of tokens is public after its use
/** A token with an unknown kid makes this instance look for new keys, but not more often than this. */
const UNKNOWN_KID_INTERVAL_MS = 5_000;
/** Private halves go with their retirement, so what is stolen signs for a year at most; and few keys have to be kept. */
const EVIDENCE_ROTATE_AFTER_MS = 365 * DAY_MS; // limit: Age at which an evidence key is replaced
/**
 * Signatures must be checked for as long as records of trades are kept: 5 years, and 7 where asked for, by MiFID II
 * (article 16(7) of 2014/65/EU), 5 years by 17 CFR 1.31, up to 10 by commercial and tax law. At one key a year the JWKS
 * holds a dozen of them.
 */
const EVIDENCE_PUBLISHED_AFTER_USE_MS = 11 * 366 * DAY_MS; // limit: How long an evidence key is public after its use

/** What differs between the keys of tokens and those of signed terms. */
export interface KeyKind {
  readonly table: SigningKeyTable;
  readonly alg: 'ES256' | 'EdDSA';
  /** For people. */
  readonly name: string;
  readonly rotateAfterMs: number;
  /** How long a retired key stays in the JWKS. */
  readonly publishedAfterUseMs: number;
}

/** Of access tokens (RFC 9068). */
const TOKEN_KEYS: KeyKind = {
  table: 'signing_keys',
  alg: 'ES256',
  name: 'signing key',
  rotateAfterMs: ROTATE_AFTER_MS,
  publishedAfterUseMs: PUBLISHED_AFTER_USE_MS,
};
/** Of the signed terms of quotes and transactions: Ed25519 (RFC 8037). */
export const EVIDENCE_KEYS: KeyKind = {
  table: 'evidence_keys',
  alg: 'EdDSA',
  name: 'evidence key',
  rotateAfterMs: EVIDENCE_ROTATE_AFTER_MS,
  publishedAfterUseMs: EVIDENCE_PUBLISHED_AFTER_USE_MS,
};

interface SigningKeysOptions {
  /** Default: those of tokens. */
  readonly kind?: KeyKind;
  readonly pool: Pool;
  readonly realClock: Clock;
  readonly logger: Logger;
  /** 32 bytes. Without it, one that is kept in the database is used: for the sandbox only. */
  readonly keyEncryptionKey?: Buffer | undefined;
  readonly rotateAfterMs?: number | undefined;
}

interface LoadedKeys {
  readonly active: { readonly kid: string; readonly privateKey: CryptoKey };
  readonly verification: ReadonlyMap<string, CryptoKey>;
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly readAt: number;
}

/**
 * The keys of one kind. There is always one that signs (`active`) and one that will (`next`); both are in the JWKS, and
 * so are retired ones until nothing that counts is signed with them.
 */
export class SigningKeys {
  readonly #options: SigningKeysOptions;
  readonly #kind: KeyKind;
  #loaded: LoadedKeys | undefined;
  #loading: Promise<LoadedKeys> | undefined;

  constructor(options: SigningKeysOptions) {
    this.#options = options;
    this.#kind = options.kind ?? TOKEN_KEYS;
  }

  /** Makes the first keys, rotates when it is time, and reads what other instances did. */
  refresh(): Promise<LoadedKeys> {
    this.#loading ??= this.#refresh(false).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /**
   * Rotates now, whatever the age of the active key.
   * @throws when the next key has not been published for long enough that every verifier knows it
   */
  async rotate(): Promise<void> {
    await this.#loading?.catch(() => undefined);
    await this.#refresh(true);
  }

  async signer(): Promise<LoadedKeys['active']> {
    return (this.#loaded ?? (await this.refresh())).active;
  }

  async jwks(): Promise<LoadedKeys['jwks']> {
    return (this.#loaded ?? (await this.refresh())).jwks;
  }

  /** The key that a token names, or undefined when there is none. */
  async verificationKey(kid: string): Promise<CryptoKey | undefined> {
    let loaded = this.#loaded ?? (await this.refresh());
    const age = this.#options.realClock.now() - loaded.readAt;
    if (!loaded.verification.has(kid) && (age >= UNKNOWN_KID_INTERVAL_MS || age < 0)) {
      loaded = await this.refresh();
    }
    return loaded.verification.get(kid);
  }

  async #refresh(forced: boolean): Promise<LoadedKeys> {
    const { pool, realClock, logger } = this.#options;
    const now = realClock.now();
    const { table, name, publishedAfterUseMs } = this.#kind;
    const read = (db: Queryable) => readSigningKeys(db, table, now - publishedAfterUseMs);
    let records = await read(pool);
    if (forced || records.length === 0 || this.#rotationDue(records, now)) {
      records = await inTransaction(pool, async (connection) => {
        await lockRotation(connection, table);
        const current = await read(connection);
        const changed = await this.#advance(connection, current, now, forced);
        if (!changed) return current;
        logger.info(changed, `${name}s changed`);
        return read(connection);
      });
    }
    this.#loaded = await this.#load(records, now);
    return this.#loaded;
  }

  #rotationDue(records: readonly SigningKeyRecord[], now: number): boolean {
    const active = records.find((key) => key.state === 'active');
    const next = records.find((key) => key.state === 'next');
    if (active?.activatedAt === undefined || next === undefined) return true;
    return (
      now - active.activatedAt >= (this.#options.rotateAfterMs ?? this.#kind.rotateAfterMs) &&
      now - next.publishedAt >= PUBLISHED_BEFORE_USE_MS
    );
  }

  /** @returns what changed, for the log, or undefined when another instance has done it already */
  async #advance(
    db: Queryable,
    records: readonly SigningKeyRecord[],
    now: number,
    forced: boolean,
  ): Promise<{ activeKid: string; nextKid: string } | undefined> {
    const active = records.find((key) => key.state === 'active');
    const next = records.find((key) => key.state === 'next');
    if (active === undefined || next === undefined) {
      // Nobody can hold a JWKS of keys that never were, so the first key may sign at once.
      const activeKid = active?.kid ?? (await this.#create(db, 'active', now));
      return { activeKid, nextKid: next?.kid ?? (await this.#create(db, 'next', now)) };
    }
    if (!forced && !this.#rotationDue(records, now)) return undefined;
    if (now - next.publishedAt < PUBLISHED_BEFORE_USE_MS) {
      throw new Error(`The next ${this.#kind.name} ${next.kid} has not been published for an hour yet.`);
    }
    await advanceSigningKeys(db, this.#kind.table, now);
    return { activeKid: next.kid, nextKid: await this.#create(db, 'next', now) };
  }

  async #create(db: Queryable, state: 'next' | 'active', now: number): Promise<string> {
    const { table, alg } = this.#kind;
    const pair = await generateKeyPair(alg, { extractable: true });
    const bare = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(bare);
    const key = await this.#encryptionKey(db);
    const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey));
    await insertSigningKey(db, table, alg, {
      kid,
      state,
      publicJwk: { ...bare, kid, alg, use: 'sig' },
      encryptedPrivateKey: encrypt(key, pkcs8, kid),
      encryptedUnder: keyFingerprint(key),
      publishedAt: now,
    });
    pkcs8.fill(0);
    return kid;
  }

  async #load(records: readonly SigningKeyRecord[], now: number): Promise<LoadedKeys> {
    const active = records.find((key) => key.state === 'active');
    if (active === undefined) throw new Error(`There is no active ${this.#kind.name}.`);
    const verification = new Map<string, CryptoKey>();
    for (const key of records) {
      const held = this.#loaded?.verification.get(key.kid);
      verification.set(key.kid, held ?? ((await importJWK(key.publicJwk, this.#kind.alg)) as CryptoKey));
    }
    return {
      active:
        this.#loaded?.active.kid === active.kid
          ? this.#loaded.active
          : { kid: active.kid, privateKey: await this.#decrypt(active) },
      verification,
      jwks: { keys: records.map((key) => key.publicJwk) },
      readAt: now,
    };
  }

  async #decrypt(key: SigningKeyRecord): Promise<CryptoKey> {
    const encryptionKey = await this.#encryptionKey(this.#options.pool);
    if (key.encryptedPrivateKey === undefined || keyFingerprint(encryptionKey) !== key.encryptedUnder) {
      throw new Error(
        `The ${this.#kind.name} ${key.kid} is encrypted under another key (${key.encryptedUnder}) than the one given (${keyFingerprint(encryptionKey)}): check FIRMQUOTE_KEY_ENCRYPTION_KEY.`,
      );
    }
    const pkcs8 = decrypt(encryptionKey, key.encryptedPrivateKey, key.kid);
    const pem = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----`;
    pkcs8.fill(0);
    return importPKCS8(pem, this.#kind.alg);
  }

  #encryptionKey(db: Queryable): Promise<Buffer> {
    const given = this.#options.keyEncryptionKey;
    return given ? Promise.resolve(given) : sandboxKeyEncryptionKey(db, randomBytes(32));
  }
}
