import type { JWK } from 'jose';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of the keys that sign: access tokens, and the terms of quotes and transactions. */

/** Each kind of key has a table of its own, of the same form. */
export type SigningKeyTable = 'signing_keys' | 'evidence_keys';

export interface SigningKeyRecord {
  readonly kid: string;
  /** `retired`: verifies what it has signed; `revoked`: verifies nothing. */
  readonly state: Row<SigningKeyTable>['state'];
  readonly publicJwk: JWK;
  /** Undefined once the key is retired. */
  readonly encryptedPrivateKey: Buffer | undefined;
  readonly encryptedUnder: string;
  readonly publishedAt: number;
  readonly activatedAt: number | undefined;
  readonly retiredAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly revocationReason: string | undefined;
  /** Why it began to sign before its time. */
  readonly rotationReason: string | undefined;
}

/** Any numbers that nothing else locks: one instance rotates at a time. Between versions a unique index sees to it. */
const ROTATION_LOCKS: Readonly<Record<SigningKeyTable, number>> = {
  signing_keys: 4_201_987,
  evidence_keys: 4_201_988,
};

/** Waits for the other instances' rotations; held until the transaction ends. */
export async function lockRotation(db: Queryable, table: SigningKeyTable): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${ROTATION_LOCKS[table]})`);
}

/** SQL of a text that every rotation and revocation makes another one. */
export function versionSql(table: SigningKeyTable): string {
  return `select concat((select string_agg(kid, ' ' order by state) from ${table} where state in ('next', 'active')),
    ' ', (select count(*) from ${table} where state = 'revoked'))`;
}

/** That text, of what was read. */
export function versionOf(records: readonly SigningKeyRecord[]): string {
  const inUse = ['active', 'next'].flatMap((state) => records.filter((key) => key.state === state));
  const revoked = records.filter(({ state }) => state === 'revoked').length;
  return `${inUse.map(({ kid }) => kid).join(' ')} ${revoked}`;
}

/** Every key, without those that were retired before an instant, where one is given; revoked ones are always there. */
export async function readSigningKeys(
  db: Queryable,
  table: SigningKeyTable,
  retiredAfter?: number,
): Promise<SigningKeyRecord[]> {
  const { rows } = await db.query<Omit<Row<SigningKeyTable>, 'alg'> & { public_jwk: JWK }>(
    `select kid, state, public_jwk, encrypted_private_key, encrypted_under, published_at, activated_at, retired_at, revoked_at,
       revocation_reason, rotation_reason
     from ${table} where $1::timestamptz is null or retired_at is null or retired_at > $1 or state = 'revoked'
     order by published_at, state = 'next', kid`,
    [retiredAfter === undefined ? null : isoInstant(retiredAfter)],
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
    revokedAt: row.revoked_at ?? undefined,
    revocationReason: row.revocation_reason ?? undefined,
    rotationReason: row.rotation_reason ?? undefined,
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

/** The private half is gone for good. */
export async function retireActiveKey(db: Queryable, table: SigningKeyTable, now: number): Promise<void> {
  await db.query(
    `update ${table} set state = 'retired', retired_at = greatest($1, activated_at), encrypted_private_key = null
     where state = 'active'`,
    [isoInstant(now)],
  );
}

/** @param reason why it is before its time; none by schedule */
export async function activateNextKey(
  db: Queryable,
  table: SigningKeyTable,
  now: number,
  reason?: string,
): Promise<void> {
  await db.query(
    `update ${table} set state = 'active', activated_at = greatest($1, published_at), rotation_reason = $2 where state = 'next'`,
    [isoInstant(now), reason ?? null],
  );
}

export async function revokeKey(
  db: Queryable,
  table: SigningKeyTable,
  kid: string,
  reason: string,
  now: number,
): Promise<void> {
  await db.query(
    `update ${table} set state = 'revoked', revoked_at = $2, revocation_reason = $3, encrypted_private_key = null,
       retired_at = coalesce(retired_at, greatest($2, activated_at))
     where kid = $1`,
    [kid, isoInstant(now), reason],
  );
}
