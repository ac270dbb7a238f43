import type { Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of links that invite persons. All instants are real time, epoch milliseconds. */

type NewInvitation = Omit<CamelRow<'person_invitations'>, 'state' | 'endedAt'>;

export async function insertInvitation(db: Queryable, invitation: NewInvitation): Promise<void> {
  await db.query(
    `insert into person_invitations (id, person_id, secret_hash, state, invited_by, created_at, expires_at)
     values ($1, $2, $3, 'open', $4, $5, $6)`,
    [
      invitation.id,
      invitation.personId,
      invitation.secretHash,
      invitation.invitedBy,
      isoInstant(invitation.createdAt),
      isoInstant(invitation.expiresAt),
    ],
  );
}

/** @returns whether there was one */
export async function withdrawInvitation(db: Queryable, personId: string, now: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update person_invitations set state = 'withdrawn', ended_at = $2 where person_id = $1 and state = 'open'`,
    [personId, isoInstant(now)],
  );
  return rowCount === 1;
}

/** UUID of the person who is invited with it. */
export async function personOfInvitation(
  db: Queryable,
  secretHash: Buffer,
  now: number,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select person_id as id from person_invitations where secret_hash = $1 and state = 'open' and expires_at > $2`,
    [secretHash, isoInstant(now)],
  );
  return rows[0]?.id;
}

/** @returns false where it is used, withdrawn or over */
export async function spendInvitation(
  db: Queryable,
  secretHash: Buffer,
  personId: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update person_invitations set state = 'used', ended_at = $3
     where secret_hash = $1 and person_id = $2 and state = 'open' and expires_at > $3`,
    [secretHash, personId, isoInstant(now)],
  );
  return rowCount === 1;
}

/** What has been over since. */
export async function deleteInvitations(db: Queryable, before: number): Promise<number> {
  const { rowCount } = await db.query('delete from person_invitations where expires_at < $1', [
    isoInstant(before),
  ]);
  return rowCount ?? 0;
}
