import { requireGivableRoles } from '../authorization/roles.ts';
import { inTransaction, type Pool, type Queryable } from '../database/pool.ts';
import { newPersonId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { endSessions } from './session-store.ts';
import { findPersonByEmail, insertPerson, type PersonRecord, updatePerson } from './store.ts';

interface NewPerson {
  readonly email: string;
  /** Default: the address. */
  readonly name?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

const EMAIL = /^[^@\s\p{Cc}]{1,64}@[^@\s\p{Cc}]{1,189}$/u;

/**
 * The address as it is kept: addresses that differ in case only are one person's.
 * @throws Problem validation_failed
 */
export function emailOf(text: string, pointer = '/email'): string {
  const email = text.trim().toLowerCase();
  if (EMAIL.test(email)) return email;
  throw validationProblem([{ pointer, code: 'wrong_format', detail: 'is not an e-mail address' }]);
}

/**
 * The person with this address; somebody new is invited. What is known of a person already stays as it is.
 * @param now real time, epoch milliseconds
 * @throws Problem validation_failed
 */
export async function ensurePerson(db: Queryable, person: NewPerson, now: number): Promise<PersonRecord> {
  const email = emailOf(person.email);
  const known = await findPersonByEmail(db, email);
  if (known !== undefined) return known;
  const made: PersonRecord = {
    id: newPersonId(now),
    email,
    name: person.name ?? email,
    status: 'invited',
    roles: person.roles ?? [],
    createdAt: now,
    updatedAt: now,
  };
  if (await insertPerson(db, made)) return made;
  // Somebody else was quicker.
  return (await findPersonByEmail(db, email)) ?? made;
}

/**
 * Makes somebody known, with roles; of somebody who is known it sets them. For the house itself: how its first person comes.
 * @throws Problem validation_failed
 */
export async function invitePerson(
  pool: Pool,
  invited: { readonly email: string; readonly name?: string | undefined; readonly roles: readonly string[] },
  now: number,
): Promise<PersonRecord> {
  return inTransaction(pool, async (connection) => {
    await requireGivableRoles(connection, undefined, invited.roles);
    const known = await ensurePerson(connection, invited, now);
    const person = { ...known, name: invited.name ?? known.name, roles: invited.roles, updatedAt: now };
    await updatePerson(connection, person);
    await endSessions(connection, { personId: person.id }, now);
    return person;
  });
}
