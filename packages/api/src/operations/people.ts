import { operation } from '../operation.ts';
import { id, list, strictId } from '../parameters.ts';
import { CLOSED, Instant, line, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Persons who act for the house, and the sessions in which they do. */

export const PERSON_STATUSES = ['invited', 'active', 'suspended', 'ended'] as const;
const ROLES_MAX = 20; // limit: Roles of a person

const PERSON_MEMBERS = {
  personId: Type.String({ examples: ['per_01jngx7z5d2r4v6t9k3b1c0a8m'] }),
  email: Type.String(),
  name: Type.String(),
  status: literals(PERSON_STATUSES),
  roles: Type.Array(Type.String()),
  invitationEndsAt: nullable(Instant),
  createdAt: Instant,
  updatedAt: Instant,
};
const Person = named('Person', Type.Object(PERSON_MEMBERS, CLOSED));
export type Person = Static<typeof Person>;

const SESSION_MEMBERS = {
  sessionId: Type.String({ examples: ['ses_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  personId: Type.String(),
  method: Type.String({ description: 'How the person signed in, such as `provider`.' }),
  startedAt: Instant,
  lastUsedAt: Instant,
  signedInAt: Instant,
  endsAt: Instant,
  address: Type.String(),
  userAgent: nullable(Type.String()),
  isThisOne: Type.Optional(Type.Boolean()),
};
const Session = named('Session', Type.Object(SESSION_MEMBERS, CLOSED));
export type Session = Static<typeof Session>;

const SetRoles = Type.Object(
  { roles: Type.Array(line(64), { maxItems: ROLES_MAX, uniqueItems: true }) },
  CLOSED,
);

const InvitePerson = Type.Object(
  {
    email: line(254),
    name: Type.Optional(line(200)),
    roles: Type.Array(line(64), { maxItems: ROLES_MAX, uniqueItems: true }),
  },
  CLOSED,
);

const InvitedPerson = named(
  'InvitedPerson',
  Type.Object(
    {
      ...PERSON_MEMBERS,
      invitationLink: nullable(
        Type.String({
          description:
            'Shown this once; whoever has it becomes the person. Null where persons sign in with the provider.',
        }),
      ),
    },
    CLOSED,
  ),
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

export const invitePerson = operation({
  id: 'invitePerson',
  method: 'POST',
  path: '/v1/operator/persons',
  tag,
  summary: 'Invite somebody new',
  description:
    'Hand the link to the person, and nobody else. You can give only roles that permit what you may do.',
  access: fresh,
  body: InvitePerson,
  key: 'secret',
  answers: { 201: InvitedPerson },
});

export const renewInvitation = operation({
  id: 'renewInvitation',
  method: 'POST',
  path: '/v1/operator/persons/{personId}/invitation',
  tag,
  summary: 'Give a person another link',
  description:
    'The one before is worth nothing. Who has lost all passkeys comes back with it: using it removes them, and ends all sessions.',
  access: fresh,
  params,
  key: 'secret',
  unlocated: true,
  answers: { 201: InvitedPerson },
  problems: ['person_not_found', 'own_client', 'invalid_state_transition'],
});

export const withdrawInvitation = operation({
  id: 'withdrawInvitation',
  method: 'DELETE',
  path: '/v1/operator/persons/{personId}/invitation',
  tag,
  summary: 'Withdraw the link of a person',
  access,
  params,
  answers: { 204: { description: 'It is worth nothing.' } },
  problems: ['invitation_invalid'],
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

/** Of whoever has signed in; no scope has to be given for it. */
const own = { audience: 'operator', scope: 'operator:self', only: true } as const;

const OwnSession = Type.Object(
  {
    ...SESSION_MEMBERS,
    name: Type.String(),
    email: Type.String(),
    roles: Type.Array(Type.String()),
    scopes: Type.Array(Type.String()),
    isSandbox: Type.Boolean(),
    clockOffsetMs: Type.Integer({
      description: 'Business time less real time. It is 0 but in a sandbox whose clock was moved.',
    }),
    csrfToken: Type.String({ description: 'For `X-CSRF-Token` of changes. Another one after each sign-in.' }),
    idleEndsAt: Instant,
    freshUntil: Instant,
  },
  CLOSED,
);

const Passkey = named(
  'Passkey',
  Type.Object(
    { passkeyId: Type.String(), name: Type.String(), createdAt: Instant, lastUsedAt: nullable(Instant) },
    CLOSED,
  ),
);
export type Passkey = Static<typeof Passkey>;

export const getOwnSession = operation({
  id: 'getOwnSession',
  method: 'GET',
  path: '/auth/session',
  tag,
  summary: 'Read your session',
  access: own,
  answers: { 200: OwnSession },
});

export const signOut = operation({
  id: 'signOut',
  method: 'DELETE',
  path: '/auth/session',
  tag,
  summary: 'Sign out',
  access: own,
  answers: { 204: { description: 'The session has ended.' } },
});

export const listOwnSessions = operation({
  id: 'listOwnSessions',
  method: 'GET',
  path: '/auth/sessions',
  tag,
  summary: 'List your sessions',
  access: own,
  answers: { 200: Type.Object({ personId: Type.String(), sessions: Type.Array(Session) }, CLOSED) },
});

export const endOwnSession = operation({
  id: 'endOwnSession',
  method: 'DELETE',
  path: '/auth/sessions/{sessionId}',
  tag,
  summary: 'End a session of yours',
  access: own,
  params: { sessionId: id('ses') },
  answers: { 204: { description: 'It has ended.' } },
  problems: ['session_not_found'],
});

export const listPasskeys = operation({
  id: 'listPasskeys',
  method: 'GET',
  path: '/auth/passkeys',
  tag,
  summary: 'List your passkeys',
  access: own,
  answers: {
    200: Type.Object(
      { passkeys: Type.Array(Passkey), recoveryCodesLeft: Type.Integer({ minimum: 0 }) },
      CLOSED,
    ),
  },
});

export const renamePasskey = operation({
  id: 'renamePasskey',
  method: 'PATCH',
  path: '/auth/passkeys/{passkeyId}',
  tag,
  summary: 'Rename a passkey of yours',
  access: own,
  params: { passkeyId: id('pky') },
  body: Type.Object({ name: line(100) }, CLOSED),
  answers: { 200: Passkey },
  problems: ['passkey_not_found'],
});

export const removePasskey = operation({
  id: 'removePasskey',
  method: 'DELETE',
  path: '/auth/passkeys/{passkeyId}',
  tag,
  summary: 'Remove a passkey of yours',
  description: 'Ends your other sessions. The last one stays where nothing else lets you in.',
  access: { ...own, fresh: true },
  params: { passkeyId: id('pky') },
  answers: { 204: { description: 'It lets nobody in.' } },
  problems: ['passkey_not_found', 'last_passkey'],
});

export const renewRecoveryCodes = operation({
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: '/auth/recovery-codes',
  tag,
  summary: 'Make recovery codes',
  description: 'In place of those before. Shown this once.',
  access: { ...own, fresh: true },
  unlocated: true,
  answers: { 201: Type.Object({ recoveryCodes: Type.Array(Type.String()) }, CLOSED) },
});
