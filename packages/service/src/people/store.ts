import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of persons. All instants are real time, epoch milliseconds. */

export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly status: Row<'persons'>['status'];
  readonly roles: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

const COLUMNS = 'id, email, name, status, roles, created_at as "createdAt", updated_at as "updatedAt"';

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
