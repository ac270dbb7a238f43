import type { Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of passkeys and recovery codes. All instants are real time, epoch milliseconds. */

export type PasskeyRecord = Omit<CamelRow<'passkeys'>, 'signCount'>;

const COLUMNS = `id, person_id as "personId", credential_id as "credentialId", public_key as "publicKey", transports, name,
  created_at as "createdAt", last_used_at as "lastUsedAt"`;

/** @returns false when somebody has it already */
export async function insertPasskey(
  db: Queryable,
  passkey: Omit<PasskeyRecord, 'lastUsedAt'> & { readonly signCount: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into passkeys (id, person_id, credential_id, public_key, sign_count, transports, name, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      passkey.id,
      passkey.personId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.signCount,
      passkey.transports,
      passkey.name,
      isoInstant(passkey.createdAt),
    ],
  );
  return rowCount === 1;
}

export async function findPasskey(db: Queryable, credentialId: Buffer): Promise<PasskeyRecord | undefined> {
  const { rows } = await db.query<PasskeyRecord>(`select ${COLUMNS} from passkeys where credential_id = $1`, [
    credentialId,
  ]);
  return rows[0];
}

/** Whether nobody has removed it. */
export async function hasPasskey(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query('select from passkeys where id = $1', [id]);
  return rowCount === 1;
}

/** Of a person, oldest first. */
export async function listPasskeys(db: Queryable, personId: string): Promise<PasskeyRecord[]> {
  const { rows } = await db.query<PasskeyRecord>(
    `select ${COLUMNS} from passkeys where person_id = $1 order by id`,
    [personId],
  );
  return rows;
}

/**
 * Notes a signature. Those of one authenticator count up, or stay at 0 for good.
 * @returns false where somebody has signed with a copy, or the passkey is gone
 */
export async function notePasskeyUse(
  db: Queryable,
  id: string,
  signCount: number,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update passkeys set sign_count = $2, last_used_at = $3
     where id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0))`,
    [id, signCount, isoInstant(now)],
  );
  return rowCount === 1;
}

export async function renamePasskey(
  db: Queryable,
  { id, personId, name }: Pick<PasskeyRecord, 'id' | 'personId' | 'name'>,
): Promise<PasskeyRecord | undefined> {
  const { rows } = await db.query<PasskeyRecord>(
    `update passkeys set name = $3 where id = $1 and person_id = $2 returning ${COLUMNS}`,
    [id, personId, name],
  );
  return rows[0];
}

export async function deletePasskey(db: Queryable, id: string, personId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from passkeys where id = $1 and person_id = $2', [
    id,
    personId,
  ]);
  return rowCount === 1;
}

export async function deleteWaysIn(db: Queryable, personId: string): Promise<void> {
  await db.query('delete from passkeys where person_id = $1', [personId]);
  await db.query('delete from recovery_codes where person_id = $1', [personId]);
}

/** In place of those that there were. */
export async function replaceRecoveryCodes(
  db: Queryable,
  personId: string,
  hashes: readonly Buffer[],
  now: number,
): Promise<void> {
  await db.query('delete from recovery_codes where person_id = $1', [personId]);
  await db.query(
    `insert into recovery_codes (person_id, code_hash, created_at)
     select $1, code_hash, $3 from unnest($2::bytea[]) as code_hash`,
    [personId, hashes, isoInstant(now)],
  );
}

/** UUID of the person whose unused code it is. */
export async function personOfRecoveryCode(db: Queryable, codeHash: Buffer): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'select person_id as id from recovery_codes where code_hash = $1 and used_at is null',
    [codeHash],
  );
  return rows[0]?.id;
}

/** @returns false where it is used already, or replaced */
export async function spendRecoveryCode(
  db: Queryable,
  codeHash: Buffer,
  personId: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update recovery_codes set used_at = $3 where code_hash = $1 and person_id = $2 and used_at is null',
    [codeHash, personId, isoInstant(now)],
  );
  return rowCount === 1;
}

export async function countRecoveryCodes(db: Queryable, personId: string): Promise<number> {
  const { rows } = await db.query<{ left: number }>(
    'select count(*)::int as left from recovery_codes where person_id = $1 and used_at is null',
    [personId],
  );
  return rows[0]?.left ?? 0;
}

/**
 * Operators' webhooks report it, so that others notice.
 * @param at business time, by which notices are kept
 */
export async function notifyOfSignIn(
  db: Queryable,
  personId: string,
  reason: 'invitation' | 'recovery_code' | 'copied_passkey',
  at: number,
): Promise<void> {
  await db.query(`select notify_operators('sign_in.unusual', $1, $2, $3)`, [
    isoInstant(at),
    `person ${personId}`,
    JSON.stringify({ personId, reason }),
  ]);
}
