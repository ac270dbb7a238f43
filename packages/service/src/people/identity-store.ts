import type { Connection } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';

interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** UUID of the person that somebody is at the provider. */
export async function personOfIdentity(
  connection: Connection,
  { issuer, subject }: Identity,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ id: string }>(
    'select person_id as id from person_identities where issuer = $1 and subject = $2',
    [issuer, subject],
  );
  return rows[0]?.id;
}

/** @returns false when the person is somebody else there already */
export async function linkIdentity(
  connection: Connection,
  { issuer, subject }: Identity,
  personId: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into person_identities (issuer, subject, person_id, created_at) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [issuer, subject, personId, isoInstant(now)],
  );
  return rowCount === 1;
}

/**
 * Who came as one person comes as another one from now on.
 * @returns false when that one has come from a provider before
 */
export async function relinkIdentity(
  connection: Connection,
  { issuer, subject }: Identity,
  fromId: string,
  toId: string,
  now: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update person_identities set person_id = $4, created_at = $5
     where issuer = $1 and subject = $2 and person_id = $3
       and not exists (select from person_identities other where other.person_id = $4)`,
    [issuer, subject, fromId, toId, isoInstant(now)],
  );
  return rowCount === 1;
}
