import { operation } from '../operation.ts';
import { form } from '../parameters.ts';
import { CLOSED, Instant, line, named, nullable, Version } from '../schema.ts';
import { Type } from '../typebox.ts';
import { OperatorScope } from './clients.ts';

/** Roles: scopes under a name, for operators' persons and clients. */

export const OWN_ROLES_MAX = 50; // limit: Roles that operators have made
const NAME = /^[a-z][a-z0-9-]{0,39}$/;

const Scopes = Type.Array(OperatorScope, { minItems: 1, maxItems: 100, uniqueItems: true });
const Role = named(
  'Role',
  Type.Object(
    {
      role: Type.String({ examples: ['operations'] }),
      description: Type.String(),
      scopes: Type.Array(OperatorScope),
      builtIn: Type.Boolean({ description: 'Every service has it, and it cannot be changed.' }),
      version: nullable(Version),
      createdAt: nullable(Instant),
      updatedAt: nullable(Instant),
    },
    CLOSED,
  ),
);

const access = { audience: 'operator', scope: 'operator:roles' } as const;
const tag = 'Operator: roles';
const base = { tag, access, rate: 'unlimited' } as const;
const path = '/v1/operator/roles';
const one = {
  path: `${path}/{role}`,
  params: { role: form(NAME, 'a name in lower case', undefined, 40) },
} as const;

export const listRoles = operation({
  ...base,
  id: 'listRoles',
  method: 'GET',
  path,
  summary: 'List roles, built-in ones first',
  description: 'With the scopes that each grants now. Built-in ones cannot be changed.',
  answers: { 200: Type.Object({ roles: Type.Array(Role) }, CLOSED) },
});

export const setRole = operation({
  ...base,
  ...one,
  id: 'setRole',
  method: 'PUT',
  access: { ...access, fresh: true },
  summary: 'Create or change a role',
  description: 'Applies at once to everyone with the role. You can give only scopes that you have.',
  body: Type.Object({ description: line(200), scopes: Scopes }, CLOSED),
  conditional: 'possible',
  answers: { 200: Role },
  problems: ['limit_exceeded'],
});

export const deleteRole = operation({
  ...base,
  ...one,
  id: 'deleteRole',
  method: 'DELETE',
  summary: 'Delete a role',
  description: 'Everyone who has it loses it at once.',
  answers: { 204: { description: 'Deleted.' } },
  problems: ['role_not_found'],
});
