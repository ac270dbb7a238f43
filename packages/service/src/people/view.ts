import type { Passkey, Person, Session } from '@firmquote/api/operations/people';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { PasskeyRecord } from './passkey-store.ts';
import type { SessionRecord } from './session-store.ts';
import type { PersonRecord } from './store.ts';

export function personView(person: PersonRecord): Person {
  return {
    personId: actorId(person.id),
    email: person.email,
    name: person.name,
    status: person.status,
    roles: [...person.roles],
    invitationEndsAt: person.invitationEndsAt === null ? null : isoInstant(person.invitationEndsAt),
    createdAt: isoInstant(person.createdAt),
    updatedAt: isoInstant(person.updatedAt),
  };
}

export function sessionView(session: SessionRecord): Session {
  return {
    sessionId: typeId('ses', session.id),
    personId: actorId(session.personId),
    method: session.method,
    startedAt: isoInstant(session.startedAt),
    lastUsedAt: isoInstant(session.lastUsedAt),
    signedInAt: isoInstant(session.authenticatedAt),
    endsAt: isoInstant(session.endsAt),
    address: session.address,
    userAgent: session.userAgent,
  };
}

export function passkeyView({ id, name, createdAt, lastUsedAt }: PasskeyRecord): Passkey {
  return {
    passkeyId: typeId('pky', id),
    name,
    createdAt: isoInstant(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoInstant(lastUsedAt),
  };
}
