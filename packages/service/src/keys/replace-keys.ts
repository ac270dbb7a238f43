import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { KEY_KINDS, type KeyKind, type KeyPurpose } from './purposes.ts';
import type { Keys, RotationDays } from './room.ts';
import { readSigningKeys, type SigningKeyRecord } from './signing-key-store.ts';

const DAY_MS = 86_400_000;

/** Keys as operators see them: all there ever were, the newest last. */
export async function listKeys(db: Queryable, days: RotationDays) {
  const lists = await Promise.all(
    Object.values(KEY_KINDS).map(async (kind) =>
      (await readSigningKeys(db, kind.table)).map((key) => keyView(kind, key, days)),
    ),
  );
  return lists.flat();
}

function keyView({ purpose, alg }: KeyKind, key: SigningKeyRecord, days: RotationDays) {
  const at = (instant: number | undefined) => (instant === undefined ? null : isoInstant(instant));
  const { activatedAt, encryptedPrivateKey } = key;
  const isActive = key.state === 'active' && activatedAt !== undefined;
  return {
    ...{ kid: key.kid, purpose, algorithm: alg, state: key.state },
    publishedAt: isoInstant(key.publishedAt),
    activatedAt: at(activatedAt),
    rotatesAt: isActive ? isoInstant(activatedAt + days[purpose] * DAY_MS) : null,
    retiredAt: at(key.retiredAt),
    revokedAt: at(key.revokedAt),
    revocationReason: key.revocationReason ?? null,
    rotationReason: key.rotationReason ?? null,
    encryptedUnder: encryptedPrivateKey === undefined ? null : key.encryptedUnder,
  };
}

/** @throws Problem key_not_found */
async function purposeOf(db: Queryable, kid: string): Promise<KeyPurpose> {
  for (const { purpose, table } of Object.values(KEY_KINDS)) {
    const keys = await readSigningKeys(db, table);
    if (keys.some((key) => key.kid === kid)) return purpose;
  }
  throw new Problem('key_not_found', 'There is no key with this kid.');
}

export async function rotateKey(keys: Keys, purpose: KeyPurpose, reason: string) {
  return keyView(KEY_KINDS[purpose], await keys[purpose].rotate(reason), keys.rotationDays);
}

/** @throws Problem key_not_found, invalid_state_transition */
export async function revokeKey(keys: Keys, kid: string, reason: string) {
  const purpose = await purposeOf(keys.pool, kid);
  return keyView(KEY_KINDS[purpose], await keys[purpose].revoke(kid, reason), keys.rotationDays);
}
