import type { Queryable } from '../database/pool.ts';
import { newPersonId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { findPersonByEmail, insertPerson, type PersonRecord } from './store.ts';

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
    invitationEndsAt: null,
    createdAt: now,
    updatedAt: now,
  };
  if (await insertPerson(db, made)) return made;
  // Somebody else was quicker.
  return (await findPersonByEmail(db, email)) ?? made;
}
