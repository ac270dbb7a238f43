import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { type Connection, inTransaction, type Pool, type Queryable } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import type { KeyKind } from './purposes.ts';
import {
  activateNextKey,
  insertSigningKey,
  lockRotation,
  readSigningKeys,
  retireActiveKey,
  revokeKey,
  type SigningKeyRecord,
} from './signing-key-store.ts';
import type { Vault } from './vault.ts';

/** How keys follow each other in the database. What an instance holds of them in memory is in signing-keys.ts. */

/** The next key is in the JWKS at least this long before it signs: many times what a verifier may cache. */
const PUBLISHED_BEFORE_USE_MS = 3_600_000; // limit: How long a key is public before its use

export interface Rotation {
  readonly pool: Pool;
  readonly realClock: Clock;
  readonly kind: KeyKind;
  readonly vault: Vault;
  /** Age at which a key is replaced by the next one. */
  readonly rotateAfterMs: number;
}

/** When the key that signs is replaced by itself. */
export function rotatesAt(
  { rotateAfterMs }: Rotation,
  { activatedAt }: SigningKeyRecord,
): number | undefined {
  return activatedAt === undefined ? undefined : activatedAt + rotateAfterMs;
}

export function isRotationDue(rotation: Rotation, records: readonly SigningKeyRecord[]): boolean {
  const { active, next } = activeAndNext(records);
  if (active === undefined || next === undefined) return true;
  const now = rotation.realClock.now();
  return now >= (rotatesAt(rotation, active) ?? now) && isPublishedLongEnough(next, now);
}

/**
 * Makes what is missing, and rotates when it is time.
 * @returns the keys that sign and will sign, or undefined where another instance has done it
 */
export function rotateWhenDue(rotation: Rotation) {
  return changeKeys(rotation, async (connection, records) => {
    if (!isRotationDue(rotation, records)) return undefined;
    const { active, next } = activeAndNext(records);
    const now = rotation.realClock.now();
    if (active === undefined || next === undefined) {
      // Nobody can hold a JWKS of keys that never were, so the first key may sign at once.
      const activeKid = active?.kid ?? (await createKey(connection, rotation, 'active'));
      return { activeKid, nextKid: next?.kid ?? (await createKey(connection, rotation, 'next')) };
    }
    return replaceActive(connection, rotation, next.kid, now);
  });
}

/**
 * Rotates now, whatever the age of the key that signs.
 * @throws Problem invalid_state_transition when the next key has not been published for long enough that every verifier knows it
 */
export function rotateNow(rotation: Rotation, reason: string): Promise<SigningKeyRecord> {
  const { kind, realClock } = rotation;
  return changeKeys(rotation, async (connection, records) => {
    const { next } = activeAndNext(records);
    const now = realClock.now();
    if (next === undefined || !isPublishedLongEnough(next, now)) {
      const detail = `The next ${kind.name} ${next?.kid} has been published for less than an hour.`;
      throw new Problem('invalid_state_transition', detail);
    }
    await replaceActive(connection, rotation, next.kid, now, reason);
    return existingKey(connection, kind, next.kid);
  });
}

/**
 * Drops a key that somebody else may have: from now on it verifies nothing. The next one signs at once, however short a time it has been
 * published.
 * @throws Problem key_not_found, invalid_state_transition
 */
export function revoke(rotation: Rotation, kid: string, reason: string): Promise<SigningKeyRecord> {
  const { kind, realClock } = rotation;
  return changeKeys(rotation, async (connection) => {
    const { state } = await existingKey(connection, kind, kid);
    if (state === 'revoked') throw new Problem('invalid_state_transition', 'The key is already revoked.');
    const now = realClock.now();
    await revokeKey(connection, kind.table, kid, reason, now);
    if (state === 'active') await activateNextKey(connection, kind.table, now);
    if (state !== 'retired') await createKey(connection, rotation, 'next');
    return existingKey(connection, kind, kid);
  });
}

function changeKeys<T>(
  { pool, kind }: Rotation,
  change: (connection: Connection, records: readonly SigningKeyRecord[]) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    await lockRotation(connection, kind.table);
    return change(connection, await readSigningKeys(connection, kind.table));
  });
}

/** @param reason of a person; none by schedule */
async function replaceActive(
  connection: Connection,
  rotation: Rotation,
  activeKid: string,
  now: number,
  reason?: string,
) {
  const { table } = rotation.kind;
  await retireActiveKey(connection, table, now);
  await activateNextKey(connection, table, now, reason);
  return { activeKid, nextKid: await createKey(connection, rotation, 'next') };
}

function activeAndNext(records: readonly SigningKeyRecord[]) {
  return {
    active: records.find((key) => key.state === 'active'),
    next: records.find((key) => key.state === 'next'),
  };
}

function isPublishedLongEnough(next: SigningKeyRecord, now: number): boolean {
  return now - next.publishedAt >= PUBLISHED_BEFORE_USE_MS;
}

async function existingKey(db: Queryable, { table, name }: KeyKind, kid: string): Promise<SigningKeyRecord> {
  const key = (await readSigningKeys(db, table)).find((each) => each.kid === kid);
  if (key === undefined) throw new Problem('key_not_found', `There is no ${name} ${kid}.`);
  return key;
}

async function createKey(db: Queryable, rotation: Rotation, state: 'next' | 'active'): Promise<string> {
  const { table, alg, labelOf } = rotation.kind;
  const now = rotation.realClock.now();
  const pair = await generateKeyPair(alg, { extractable: true });
  const bare = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(bare);
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey));
  const { sealed, sealedUnder } = await rotation.vault.seal(db, pkcs8, labelOf(kid), now);
  pkcs8.fill(0);
  await insertSigningKey(db, table, alg, {
    kid,
    state,
    publicJwk: { ...bare, kid, alg, use: 'sig' },
    encryptedPrivateKey: sealed,
    encryptedUnder: sealedUnder,
    publishedAt: now,
  });
  return kid;
}
