import { operation } from '../operation.ts';
import { id, list, strictId } from '../parameters.ts';
import { CLOSED, Instant, line, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Persons who act for the house, and the sessions in which they do. */

export const PERSON_STATUSES = ['invited', 'active', 'suspended', 'ended'] as const;
const ROLES_MAX = 20; // limit: Roles of a person

const Person = named(
  'Person',
  Type.Object(
    {
      personId: Type.String({ examples: ['per_01jngx7z5d2r4v6t9k3b1c0a8m'] }),
      email: Type.String(),
      name: Type.String(),
      status: literals(PERSON_STATUSES),
      roles: Type.Array(Type.String()),
      createdAt: Instant,
      updatedAt: Instant,
    },
    CLOSED,
  ),
);
export type Person = Static<typeof Person>;

const Session = named(
  'Session',
  Type.Object(
    {
      sessionId: Type.String({ examples: ['ses_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
      personId: Type.String(),
      method: Type.String({ description: 'How the person signed in, such as `provider`.' }),
      startedAt: Instant,
      lastUsedAt: Instant,
      signedInAt: Instant,
      endsAt: Instant,
      address: Type.String(),
      userAgent: nullable(Type.String()),
    },
    CLOSED,
  ),
);
export type Session = Static<typeof Session>;

const SetRoles = Type.Object(
  { roles: Type.Array(line(64), { maxItems: ROLES_MAX, uniqueItems: true }) },
  CLOSED,
);

const tag = 'Operator: people';
const access = { audience: 'operator', scope: 'operator:people' } as const;
const fresh = { ...access, fresh: true } as const;
const params = { personId: id('per') };

export const listPersons = operation({
  id: 'listPersons',
  method: 'GET',
  path: '/v1/operator/persons',
  tag,
  summary: 'List persons, newest first',
  access,
  query: { status: list(PERSON_STATUSES) },
  pages: true,
  answers: { 200: pageOf(Person) },
});

export const getPerson = operation({
  id: 'getPerson',
  method: 'GET',
  path: '/v1/operator/persons/{personId}',
  tag,
  summary: 'Read a person',
  access,
  params,
  answers: { 200: Person },
  problems: ['person_not_found'],
});

export const setPersonRoles = operation({
  id: 'setPersonRoles',
  method: 'PUT',
  path: '/v1/operator/persons/{personId}/roles',
  tag,
  summary: 'Set the roles of a person',
  description: 'Ends the sessions of the person. You can give and take only what you may do yourself.',
  access: fresh,
  params,
  body: SetRoles,
  answers: { 200: Person },
  problems: ['person_not_found', 'own_client'],
});

export const suspendPerson = operation({
  id: 'suspendPerson',
  method: 'POST',
  path: '/v1/operator/persons/{personId}/suspend',
  tag,
  summary: 'Suspend a person',
  description:
    'Ends the sessions of the person at once. Clients that the person answers for go on, and approve nothing.',
  access,
  params,
  answers: { 200: Person },
  problems: ['person_not_found', 'own_client', 'invalid_state_transition'],
});

export const resumePerson = operation({
  id: 'resumePerson',
  method: 'POST',
  path: '/v1/operator/persons/{personId}/resume',
  tag,
  summary: 'Let a suspended person act again',
  access: fresh,
  params,
  answers: { 200: Person },
  problems: ['person_not_found', 'own_client', 'invalid_state_transition'],
});

export const endPerson = operation({
  id: 'endPerson',
  method: 'DELETE',
  path: '/v1/operator/persons/{personId}',
  tag,
  summary: 'End a person for good',
  description: 'What the person did stays on record.',
  access,
  params,
  answers: { 204: { description: 'The person has ended.' } },
  problems: ['person_not_found', 'own_client'],
});

export const listSessions = operation({
  id: 'listSessions',
  method: 'GET',
  path: '/v1/operator/sessions',
  tag,
  summary: 'List sessions that are alive, newest first',
  access,
  query: { personId: strictId('per') },
  pages: true,
  answers: { 200: pageOf(Session) },
});

export const endSession = operation({
  id: 'endSession',
  method: 'DELETE',
  path: '/v1/operator/sessions/{sessionId}',
  tag,
  summary: 'End a session',
  access,
  params: { sessionId: id('ses') },
  answers: { 204: { description: 'It has ended.' } },
  problems: ['session_not_found'],
});
