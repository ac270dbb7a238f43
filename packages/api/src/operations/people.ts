import { operation } from '../operation.ts';
import { id, list, strictId } from '../parameters.ts';
import { CLOSED, Instant, line, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import * as examples from './answer-examples.ts';

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
const Person = named('Person', Type.Object(PERSON_MEMBERS, CLOSED), examples.person);
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
            'Shown only once; whoever uses it signs in as the person. Null where persons sign in with the provider.',
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
  description: 'Includes suspended and ended ones.',
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
  summary: 'Invite a person',
  description:
    'Give the link to the person and nobody else. You can give only roles with scopes that you have.',
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
  summary: 'Give a person a new link',
  description:
    'The previous link stops working. A person who lost all passkeys can recover with it: using it removes them and ends all sessions.',
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
  summary: "Withdraw a person's link",
  description: 'The person stays, and can be sent another link.',
  access,
  params,
  answers: { 204: { description: 'The link no longer works.' } },
  problems: ['invitation_invalid'],
});

export const getPerson = operation({
  id: 'getPerson',
  method: 'GET',
  path: '/v1/operator/persons/{personId}',
  tag,
  summary: 'Read a person',
  description: 'Persons who have ended stay readable.',
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
  description:
    "Ends the person's sessions, and withdraws an open invitation if the roles permit more. You can give or take only scopes that you have.",
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
    "Ends the person's sessions at once. Clients that the person answers for keep working but cannot approve.",
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
  summary: 'Resume a suspended person',
  description: 'The person has the same roles and must sign in again.',
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
  summary: 'Remove a person for good',
  description: 'What the person did stays on record.',
  access,
  params,
  answers: { 204: { description: 'The person is removed.' } },
  problems: ['person_not_found', 'own_client'],
});

export const listSessions = operation({
  id: 'listSessions',
  method: 'GET',
  path: '/v1/operator/sessions',
  tag,
  summary: 'List active sessions, newest first',
  description: 'Those that still work: not ended, expired or idle for too long.',
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
  description:
    'Refused at once on this instance, and within 5 seconds on all. The person can sign in again: suspend the person to prevent that.',
  access,
  params: { sessionId: id('ses') },
  answers: { 204: { description: 'The session has ended.' } },
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
      description: 'Business time minus real time; 0 unless a sandbox clock was moved.',
    }),
    csrfToken: Type.String({ description: 'Send as `X-CSRF-Token` with changes. New after each sign-in.' }),
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
  description:
    'Has the `csrfToken` that each change must send as `X-CSRF-Token`, and your scopes. After `freshUntil`, moving money needs another sign-in.',
  access: own,
  answers: { 200: OwnSession },
});

export const signOut = operation({
  id: 'signOut',
  method: 'DELETE',
  path: '/auth/session',
  tag,
  summary: 'Sign out',
  description: 'Ends this session only, and clears its cookie.',
  access: own,
  answers: { 204: { description: 'The session has ended.' } },
});

export const listOwnSessions = operation({
  id: 'listOwnSessions',
  method: 'GET',
  path: '/auth/sessions',
  tag,
  summary: 'List your sessions',
  description: 'Newest first, at most 100. `isThisOne` marks the one that asks.',
  access: own,
  answers: { 200: Type.Object({ personId: Type.String(), sessions: Type.Array(Session) }, CLOSED) },
});

export const endOwnSession = operation({
  id: 'endOwnSession',
  method: 'DELETE',
  path: '/auth/sessions/{sessionId}',
  tag,
  summary: 'End one of your sessions',
  description: 'Requests with it are refused at once on this instance, and within 5 seconds on all.',
  access: own,
  params: { sessionId: id('ses') },
  answers: { 204: { description: 'The session has ended.' } },
  problems: ['session_not_found'],
});

export const listPasskeys = operation({
  id: 'listPasskeys',
  method: 'GET',
  path: '/auth/passkeys',
  tag,
  summary: 'List your passkeys',
  description: 'Oldest first, with the number of unused recovery codes.',
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
  summary: 'Rename one of your passkeys',
  description: 'The name is only for you to tell your passkeys apart.',
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
  summary: 'Remove one of your passkeys',
  description: 'Ends your other sessions. You cannot remove your only way to sign in.',
  access: { ...own, fresh: true },
  params: { passkeyId: id('pky') },
  answers: { 204: { description: 'The passkey no longer works.' } },
  problems: ['passkey_not_found', 'last_passkey'],
});

export const renewRecoveryCodes = operation({
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: '/auth/recovery-codes',
  tag,
  summary: 'Create recovery codes',
  description: 'Replaces the previous codes. Shown only once.',
  access: { ...own, fresh: true },
  unlocated: true,
  answers: { 201: Type.Object({ recoveryCodes: Type.Array(Type.String()) }, CLOSED) },
});
