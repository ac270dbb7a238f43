import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of persons. All instants are real time, epoch milliseconds. */

export interface PersonRecord extends CamelRow<'persons'> {
  /** Until when the link that invites the person is good; null where there is none. */
  readonly invitationEndsAt: number | null;
}

const COLUMNS = `id, email, name, status, roles, created_at as "createdAt", updated_at as "updatedAt",
  (select i.expires_at from person_invitations i where i.person_id = persons.id and i.state = 'open') as "invitationEndsAt"`;

/** @returns false when somebody has the address already */
export async function insertPerson(db: Queryable, person: PersonRecord): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into persons (id, email, name, status, roles, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [
      person.id,
      person.email,
      person.name,
      person.status,
      person.roles,
      isoInstant(person.createdAt),
      isoInstant(person.updatedAt),
    ],
  );
  return rowCount === 1;
}

/** Whoever has the address now. */
export async function findPersonByEmail(db: Queryable, email: string): Promise<PersonRecord | undefined> {
  const { rows } = await db.query<PersonRecord>(
    `select ${COLUMNS} from persons where email = $1 and status <> 'ended'`,
    [email],
  );
  return rows[0];
}

export async function findPerson(db: Queryable, id: string): Promise<PersonRecord | undefined> {
  const { rows } = await db.query<PersonRecord>(`select ${COLUMNS} from persons where id = $1`, [id]);
  return rows[0];
}

export async function lockPerson(connection: Connection, id: string): Promise<PersonRecord | undefined> {
  const { rows } = await connection.query<PersonRecord>(
    `select ${COLUMNS} from persons where id = $1 for update`,
    [id],
  );
  return rows[0];
}

export async function updatePerson(connection: Connection, person: PersonRecord): Promise<void> {
  await connection.query(
    'update persons set name = $2, status = $3, roles = $4, updated_at = $5 where id = $1',
    [person.id, person.name, person.status, person.roles, isoInstant(person.updatedAt)],
  );
}

/** Newest first. `before` is the id that the page begins after. */
export async function listPersons(
  db: Queryable,
  status: readonly PersonRecord['status'][] | undefined,
  before: string | undefined,
  rowsMax: number,
): Promise<PersonRecord[]> {
  const { rows } = await db.query<PersonRecord>(
    `select ${COLUMNS} from persons
     where ($1::text[] is null or status = any ($1)) and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [status ?? null, before ?? null, rowsMax],
  );
  return rows;
}

/** Names of persons, those who have ended too: what they did stays on record. */
export async function personNames(
  db: Queryable,
  ids: readonly string[],
): Promise<Pick<PersonRecord, 'id' | 'name'>[]> {
  const { rows } = await db.query<Pick<PersonRecord, 'id' | 'name'>>(
    'select id, name from persons where id = any ($1::uuid[]) order by id',
    [ids],
  );
  return rows;
}

export async function hasNobody(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ none: boolean }>('select not exists (select from persons) as none');
  return rows[0]?.none === true;
}

/** Whether the person has ever signed in: by what it has, or by a session that is remembered. */
export async function hasSignedIn(db: Queryable, id: string): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>(
    `select exists (select from passkeys where person_id = $1) or exists (select from recovery_codes where person_id = $1)
       or exists (select from person_identities where person_id = $1)
       or exists (select from sessions where person_id = $1) as has`,
    [id],
  );
  return rows[0]?.has === true;
}

/** Who signs in for the first time takes up the invitation. */
export async function activatePerson(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(
    `update persons set status = 'active', updated_at = $2 where id = $1 and status = 'invited'`,
    [id, isoInstant(now)],
  );
}
