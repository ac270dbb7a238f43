import type { FastifyInstance } from 'fastify';
import { actOf } from '../http/acts.ts';
import { uuidIn } from '../platform/ids.ts';
import type { AuditNotes } from './notes.ts';

/** Refusals that tell of somebody who wants what is not for it. */
const OF_SECURITY: ReadonlySet<string> = new Set([
  'token_invalid',
  'ip_not_allowed',
  'insufficient_scope',
  'customer_suspended',
  'second_person_required',
  'own_client',
  'invalid_client',
  'unauthorized_client',
  'invalid_target',
  'invalid_scope',
]);

const UNKNOWN_ROUTE = { id: 'unknown' } as const;

/** Notes refusals, sign-ins and reading of what is secret or personal, when they are answered. */
export function auditHooks(app: FastifyInstance, notes: AuditNotes): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { operation } = request.routeOptions.config;
    const { problemCode } = request;
    if (problemCode !== undefined) {
      if (OF_SECURITY.has(problemCode)) {
        const act = actOf(operation ?? UNKNOWN_ROUTE, request, 'refusal', problemCode);
        notes.note({ ...act, subjects: [...act.subjects, ...claimed(request.claimedClientId)] });
      }
    } else if (operation?.audited === 'read') {
      if (reply.statusCode < 300) notes.note(actOf(operation, request, 'read'));
    } else if (operation?.audited === 'sign_in' && reply.statusCode < 300) {
      notes.note(actOf(operation, request, 'sign_in'));
    }
    done();
  });
}

function claimed(clientId: string | undefined): string[] {
  const id = uuidIn(clientId ?? '');
  return id === undefined ? [] : [id];
}
