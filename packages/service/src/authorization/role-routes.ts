import * as api from '@firmquote/api/operations/roles';
import { BUILT_IN_ROLES } from '@firmquote/api/roles';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { by } from './rights.ts';
import { type RoleRecord, readRoles } from './role-store.ts';
import { deleteRole, setRole } from './roles.ts';
import type { AuthorizationRoom } from './room.ts';

export function roleRoutes(app: FastifyInstance, room: AuthorizationRoom): void {
  serve(app, api.listRoles, async () => {
    const own = await readRoles(room.pool);
    return { body: { roles: [...BUILT_IN, ...own.map(roleView)] } };
  });
  serve(app, api.setRole, async ({ params, body, caller, ifMatch }) => {
    const role = await setRole(by(caller, room), { name: params.role, ...body }, ifMatch);
    return { version: role.version, body: roleView(role) };
  });
  serve(app, api.deleteRole, async ({ params, caller }) => {
    await deleteRole(by(caller, room), params.role);
    return {};
  });
}

const BUILT_IN = Object.entries(BUILT_IN_ROLES).map(([role, { description, scopes }]) => ({
  ...{ role, description, scopes: [...scopes], builtIn: true },
  ...{ version: null, createdAt: null, updatedAt: null },
}));

function roleView({ name, description, scopes, version, createdAt, updatedAt }: RoleRecord) {
  return {
    ...{ role: name, description, scopes: [...scopes], builtIn: false, version },
    ...{ createdAt: isoInstant(createdAt), updatedAt: isoInstant(updatedAt) },
  };
}
