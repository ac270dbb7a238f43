import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose';
import { afterCommit } from '../database/enclosure.ts';
import type { Logger } from '../platform/logger.ts';
import type { Topic } from '../settings/follower.ts';
import { formerLabelOf } from './purposes.ts';
import { isRotationDue, type Rotation, revoke, rotateNow, rotatesAt, rotateWhenDue } from './rotation.ts';
import { readSigningKeys, type SigningKeyRecord, versionOf, versionSql } from './signing-key-store.ts';

/** How long verifiers may keep the JWKS (its `max-age`). */
export const JWKS_MAX_AGE_SECONDS = 300;
/** A token with an unknown kid makes this instance look for new keys, but not more often than this. */
const UNKNOWN_KID_INTERVAL_MS = 5_000;

interface SigningKeysOptions extends Rotation {
  readonly logger: Logger;
}

/** One that was revoked, as historical keys of OpenID Federation have it. */
type RevokedJwk = JWK & { readonly revoked: { readonly revoked_at: number } };

interface LoadedKeys {
  readonly version: string;
  readonly active: {
    readonly kid: string;
    readonly privateKey: CryptoKey;
    /** Whether what a key has signed counts now. */
    readonly verifies: (kid: string) => boolean;
  };
  readonly rotatesAt: number;
  readonly verification: ReadonlyMap<string, CryptoKey>;
  readonly jwks: { readonly keys: readonly JWK[]; readonly revoked: readonly RevokedJwk[] };
  readonly readAt: number;
}

/**
 * The keys of one kind, as this instance holds them. There is always one that signs (`active`) and one that will (`next`); both are in the
 * JWKS, and so are retired ones until nothing that counts is signed with them.
 */
export class SigningKeys {
  readonly #options: SigningKeysOptions;
  readonly #whenGone: (() => void)[] = [];
  #loaded: LoadedKeys | undefined;
  #loading: Promise<LoadedKeys> | undefined;

  constructor(options: SigningKeysOptions) {
    this.#options = options;
  }

  /** Notified when a key that has verified verifies no more. */
  whenGone(listener: () => void): void {
    this.#whenGone.push(listener);
  }

  /** Makes the first keys, rotates when it is time, and reads what other instances did. */
  refresh(): Promise<LoadedKeys> {
    this.#loading ??= this.#refresh().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Rotates now, whatever the age of the active key. In force here when it resolves, or with the commit of what encloses it. */
  async rotate(reason: string): Promise<SigningKeyRecord> {
    const active = await rotateNow(this.#options, reason);
    await afterCommit(() => this.#refreshAnew());
    return active;
  }

  /** Drops a key. In force here when it resolves, or with the commit of what encloses it. */
  async revoke(kid: string, reason: string): Promise<SigningKeyRecord> {
    const revoked = await revoke(this.#options, kid, reason);
    await afterCommit(() => this.#refreshAnew());
    return revoked;
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

  /** Until the active key is to be replaced, in milliseconds; less than nought where that is overdue. */
  dueInMs(): number | undefined {
    return this.#loaded && this.#loaded.rotatesAt - this.#options.realClock.now();
  }

  /** What other instances rotate and revoke is in force here within a second. */
  get topic(): Topic {
    const { purpose, table } = this.#options.kind;
    return {
      name: `${purpose}_keys`,
      version: versionSql(table),
      held: () => this.#loaded?.version,
      load: async () => void (await this.refresh()),
    };
  }

  /** What was read before a commit does not show it. */
  async #refreshAnew(): Promise<void> {
    await this.#loading?.catch(() => undefined);
    await this.refresh();
  }

  async #refresh(): Promise<LoadedKeys> {
    const { pool, realClock, logger, kind } = this.#options;
    const { table, name, publishedAfterUseMs } = kind;
    const read = () => {
      const retiredAfter =
        publishedAfterUseMs === undefined ? undefined : realClock.now() - publishedAfterUseMs;
      return readSigningKeys(pool, table, retiredAfter);
    };
    let records = await read();
    if (isRotationDue(this.#options, records)) {
      const changed = await rotateWhenDue(this.#options);
      if (changed !== undefined) logger.info(changed, `${name}s changed`);
      records = await read();
    }
    const before = this.#loaded;
    const loaded = await this.#load(records);
    this.#loaded = loaded;
    const isGone = [...(before?.verification.keys() ?? [])].some((kid) => !loaded.verification.has(kid));
    if (isGone) for (const listener of this.#whenGone) listener();
    return loaded;
  }

  async #load(records: readonly SigningKeyRecord[]): Promise<LoadedKeys> {
    const { kind, realClock } = this.#options;
    const active = records.find((key) => key.state === 'active');
    if (active === undefined) throw new Error(`There is no active ${kind.name}.`);
    const good = records.filter(({ state }) => state !== 'revoked');
    const verification = new Map<string, CryptoKey>();
    for (const { kid, publicJwk } of good) {
      const held = this.#loaded?.verification.get(kid);
      verification.set(kid, held ?? ((await importJWK(publicJwk, kind.alg)) as CryptoKey));
    }
    const isListed = kind.publishedAfterUseMs === undefined;
    return {
      version: versionOf(records),
      active:
        this.#loaded?.active.kid === active.kid
          ? this.#loaded.active
          : {
              kid: active.kid,
              privateKey: await this.#decrypt(active),
              verifies: (kid) => this.#loaded?.verification.has(kid) === true,
            },
      rotatesAt: rotatesAt(this.#options, active) ?? realClock.now(),
      verification,
      jwks: {
        keys: good.map((key) => key.publicJwk),
        revoked: isListed ? records.flatMap(revokedJwk) : [],
      },
      readAt: realClock.now(),
    };
  }

  async #decrypt({ kid, encryptedPrivateKey, encryptedUnder }: SigningKeyRecord): Promise<CryptoKey> {
    const { vault, kind } = this.#options;
    if (encryptedPrivateKey === undefined) throw new Error(`The ${kind.name} ${kid} has no private half.`);
    const sealed = { sealed: encryptedPrivateKey, sealedUnder: encryptedUnder };
    const pkcs8 = await vault.open(sealed, kind.labelOf(kid), formerLabelOf(kid));
    const pem = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----`;
    pkcs8.fill(0);
    return importPKCS8(pem, kind.alg);
  }
}

function revokedJwk({ publicJwk, revokedAt }: SigningKeyRecord): RevokedJwk[] {
  if (revokedAt === undefined) return [];
  return [{ ...publicJwk, revoked: { revoked_at: Math.floor(revokedAt / 1_000) } }];
}
