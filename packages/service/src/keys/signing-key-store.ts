import type { JWK } from 'jose';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of the keys that sign: access tokens, and the terms of quotes and transactions. */

/** Each kind of key has a table of its own, of the same form. */
export type SigningKeyTable = 'signing_keys' | 'evidence_keys';

export interface SigningKeyRecord {
  readonly kid: string;
  readonly state: 'next' | 'active' | 'retired';
  readonly publicJwk: JWK;
  /** Undefined once the key is retired. */
  readonly encryptedPrivateKey: Buffer | undefined;
  readonly encryptedUnder: string;
  readonly publishedAt: number;
  readonly activatedAt: number | undefined;
  readonly retiredAt: number | undefined;
}

/** Any numbers that nothing else locks: one instance rotates at a time. */
const ROTATION_LOCKS: Readonly<Record<SigningKeyTable, number>> = {
  signing_keys: 4_201_985,
  evidence_keys: 4_201_986,
};

/** Waits for the other instances' rotations; held until the transaction ends. */
export async function lockRotation(db: Queryable, table: SigningKeyTable): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${ROTATION_LOCKS[table]})`);
}

/** Every key that something which still counts may be signed with, and the next one. */
export async function readSigningKeys(
  db: Queryable,
  table: SigningKeyTable,
  retiredAfter: number,
): Promise<SigningKeyRecord[]> {
  const { rows } = await db.query<Omit<Row<SigningKeyTable>, 'alg'> & { public_jwk: JWK }>(
    `select kid, state, public_jwk, encrypted_private_key, encrypted_under, published_at, activated_at, retired_at
     from ${table} where retired_at is null or retired_at > $1 order by published_at, state = 'next', kid`,
    [isoInstant(retiredAfter)],
  );
  return rows.map((row) => ({
    kid: row.kid,
    state: row.state,
    publicJwk: row.public_jwk,
    encryptedPrivateKey: row.encrypted_private_key ?? undefined,
    encryptedUnder: row.encrypted_under,
    publishedAt: row.published_at,
    activatedAt: row.activated_at ?? undefined,
    retiredAt: row.retired_at ?? undefined,
  }));
}

export async function insertSigningKey(
  db: Queryable,
  table: SigningKeyTable,
  alg: string,
  key: Pick<SigningKeyRecord, 'kid' | 'publicJwk' | 'encryptedUnder' | 'publishedAt'> & {
    readonly state: 'next' | 'active';
    readonly encryptedPrivateKey: Buffer;
  },
): Promise<void> {
  const at = isoInstant(key.publishedAt);
  await db.query(
    `insert into ${table}
       (kid, alg, state, public_jwk, encrypted_private_key, encrypted_under, published_at, activated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      key.kid,
      alg,
      key.state,
      JSON.stringify(key.publicJwk),
      key.encryptedPrivateKey,
      key.encryptedUnder,
      at,
      key.state === 'active' ? at : null,
    ],
  );
}

/** active → retired, next → active. The retired key's private half is gone for good. */
export async function advanceSigningKeys(db: Queryable, table: SigningKeyTable, now: number): Promise<void> {
  const at = [isoInstant(now)];
  await db.query(
    `update ${table} set state = 'retired', retired_at = $1, encrypted_private_key = null where state = 'active'`,
    at,
  );
  await db.query(`update ${table} set state = 'active', activated_at = $1 where state = 'next'`, at);
}

/** The sandbox's own key encryption key, made from `candidate` when there is none yet. */
export async function sandboxKeyEncryptionKey(db: Queryable, candidate: Buffer): Promise<Buffer> {
  await db.query('insert into sandbox_key_encryption_key (key) values ($1) on conflict do nothing', [
    candidate,
  ]);
  const { rows } = await db.query<Pick<Row<'sandbox_key_encryption_key'>, 'key'>>(
    'select key from sandbox_key_encryption_key',
  );
  const key = rows[0]?.key;
  if (key === undefined) throw new Error('The key encryption key of the sandbox is missing.');
  return key;
}
